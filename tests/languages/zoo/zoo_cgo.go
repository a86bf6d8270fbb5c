// Go calls C, which calls Go back, which calls C: the stacks of both alternate.
package main

/*
extern unsigned long zooMiddle(unsigned long n);
static __attribute__((noinline)) unsigned long zoo_inner(unsigned long n)
{
	for (unsigned long i = 0; i < 20000; i++) {
		n = n * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(n));
	}
	return n;
}
static __attribute__((noinline)) unsigned long zoo_outer(unsigned long n)
{
	return zooMiddle(n) + 1;
}
*/
import "C"
import "fmt"

//export zooMiddle
func zooMiddle(n C.ulong) C.ulong {
	return C.zoo_inner(n) + 1
}

func main() {
	sum := C.ulong(0)
	for i := C.ulong(0); i < 50000; i++ {
		sum += C.zoo_outer(i)
	}
	fmt.Println(sum)
}
