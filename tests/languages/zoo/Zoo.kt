// A method and a lambda between main and the loop.
class Animal(private val weight: Long) {
    fun zooInner(start: Long): Long {
        var n = start
        for (i in 0 until 2000)
            n = n * 6364136223846793005L + i + weight
        return n
    }
}

fun zooMiddle(visit: (Long) -> Long, n: Long): Long = visit(n) + 1

fun zooOuter(animal: Animal, n: Long): Long = zooMiddle({ value -> animal.zooInner(value) + 1 }, n) + 1

fun zooRounds(rounds: Long): Long {
    val animal = Animal(1)
    var sum = 0L
    for (i in 0 until rounds)
        sum += zooOuter(animal, i)
    return sum
}

fun main(args: Array<String>) {
    var sum = 0L
    for (i in 0 until 100)
        sum += zooRounds(5000)
    println(sum)
}
