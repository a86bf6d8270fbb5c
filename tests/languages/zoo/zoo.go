// A method, an interface and a closure between main and the loop; with an argument on a new goroutine.
package main

import (
	"fmt"
	"os"
)

type animal interface {
	zooInner(n uint64) uint64
}

type lion struct{ weight uint64 }

//go:noinline
func (l *lion) zooInner(n uint64) uint64 {
	for i := uint64(0); i < 200; i++ {
		n = n*6364136223846793005 + i + l.weight
	}
	return n
}

//go:noinline
func zooMiddle(visit func(uint64) uint64, n uint64) uint64 {
	return visit(n) + 1
}

//go:noinline
func zooOuter(a animal, n uint64) uint64 {
	return zooMiddle(func(value uint64) uint64 { return a.zooInner(value) + 1 }, n) + 1
}

func rounds(done chan uint64) {
	sum := uint64(0)
	for i := uint64(0); i < 5000000; i++ {
		sum += zooOuter(&lion{1}, i)
	}
	done <- sum
}

func main() {
	done := make(chan uint64, 1)
	if len(os.Args) > 1 {
		go rounds(done)
	} else {
		rounds(done)
	}
	fmt.Println(<-done)
}
