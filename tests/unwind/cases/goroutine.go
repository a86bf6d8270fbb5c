// A goroutine whose stack does not grow: the callers of its functions are on one stack.
package main

var sink int

//go:noinline
func corpusBegin() { sink++ }

//go:noinline
func corpusEnd() { sink += 2 }

//go:noinline
func leaf(n int) int { return n*5 + sink }

//go:noinline
func withFrame(n int) int {
	var values [9]int
	for i := range values {
		values[i] = leaf(n + i)
	}
	return values[n%9]
}

type shape interface{ area(int) int }
type square struct{ side int }

//go:noinline
func (s square) area(n int) int { return s.side*s.side + withFrame(n) }

//go:noinline
func deferred(n int) (ret int) {
	defer func() { ret += leaf(n) }()
	return withFrame(n)
}

//go:noinline
func worker(done chan bool, s shape) {
	corpusBegin()
	for i := 0; i < 3; i++ {
		sink += s.area(i) + deferred(i)
	}
	closure := func(n int) int { return withFrame(n + sink&1) }
	sink += closure(2)
	corpusEnd()
	done <- true
}

func main() {
	done := make(chan bool)
	// A function literal, which compilers call main.main.func1. Their names of the wrapper of a call differ.
	go func() { worker(done, square{3}) }()
	<-done
}
