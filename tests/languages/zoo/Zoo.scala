// A method, a function value and a fold between main and the loop.
class Animal(weight: Long) {
  def zooInner(start: Long): Long = {
    var n = start
    var i = 0
    while (i < 2000) {
      n = n * 6364136223846793005L + i + weight
      i += 1
    }
    n
  }
}

object Zoo {
  def zooMiddle(visit: Long => Long, n: Long): Long = visit(n) + 1
  def zooOuter(animal: Animal, n: Long): Long = zooMiddle(value => animal.zooInner(value) + 1, n) + 1
  def zooRounds(rounds: Long): Long = {
    val animal = new Animal(1)
    var sum = 0L
    var i = 0L
    while (i < rounds) {
      sum += zooOuter(animal, i)
      i += 1
    }
    sum
  }
  def main(args: Array[String]): Unit =
    println((1 to 100).map(_ => zooRounds(5000)).sum)
}
