// Closures, iterators, trait objects, and a panic that is caught.
use std::panic;

/// A value that the compiler does not know any more.
fn black_box<T>(value: T) -> T {
    let known = unsafe { std::ptr::read_volatile(&value) };
    std::mem::forget(value);
    known
}

#[no_mangle]
#[inline(never)]
extern "C" fn corpus_begin() {
    black_box(1);
}

#[no_mangle]
#[inline(never)]
extern "C" fn corpus_end() {
    black_box(2);
}

#[inline(never)]
fn leaf(n: u64) -> u64 {
    black_box(n) * 5 + 1
}

trait Shape {
    fn area(&self, n: u64) -> u64;
}

struct Square(u64);

impl Shape for Square {
    #[inline(never)]
    fn area(&self, n: u64) -> u64 {
        let values: Vec<u64> = (0..5).map(|i| leaf(i + n)).collect();
        self.0 * self.0 + values.iter().sum::<u64>()
    }
}

#[inline(never)]
fn may_panic(n: u64) -> u64 {
    let guard = Square(n);
    if n > 1 {
        panic::resume_unwind(Box::new(n));
    }
    guard.area(n)
}

fn main() {
    let shape: Box<dyn Shape> = Box::new(Square(black_box(3)));
    corpus_begin();
    let mut sum = shape.area(2);
    for i in 0..3 {
        sum += panic::catch_unwind(|| may_panic(black_box(i))).unwrap_or(7);
    }
    black_box(sum);
    corpus_end();
}
