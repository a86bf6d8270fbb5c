// Generic functions, a closure and a trait object between main and the loop; SPAWN runs it on a thread.
use std::hint::black_box;

trait Animal {
    fn zoo_inner(&self, n: u64) -> u64;
}

struct Lion(u64);

impl Animal for Lion {
    #[inline(never)]
    fn zoo_inner(&self, mut n: u64) -> u64 {
        for i in 0..200 {
            n = n.wrapping_mul(6364136223846793005).wrapping_add(black_box(i) + self.0);
        }
        n
    }
}

#[inline(never)]
fn zoo_middle<F: Fn(u64) -> u64>(visit: F, n: u64) -> u64 {
    black_box(visit(n)) + 1
}

#[inline(never)]
fn zoo_outer(animal: &dyn Animal, n: u64) -> u64 {
    black_box(zoo_middle(|value| black_box(animal.zoo_inner(value)) / 2, n / 2)) / 2
}

fn rounds() {
    let lion: Box<dyn Animal> = black_box(Box::new(Lion(1)));
    let mut sum: u64 = 0;
    for i in 0..4000000 {
        sum = sum.wrapping_add(zoo_outer(&*lion, i));
    }
    println!("{}", sum);
}

fn main() {
    if std::env::args().len() > 1 {
        std::thread::spawn(rounds).join().unwrap();
    } else {
        rounds();
    }
}
