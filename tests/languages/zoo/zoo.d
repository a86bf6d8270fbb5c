// A method, a delegate and a template between main and the loop.
import std.stdio;

class Animal
{
    ulong weight = 1;

    pragma(inline, false) ulong zoo_inner(ulong n)
    {
        foreach (i; 0 .. 200UL)
            n = n * 6364136223846793005UL + i + weight;
        return n;
    }
}

pragma(inline, false) ulong zoo_middle(T)(T n, ulong delegate(T) visit)
{
    return visit(n) + 1;
}

pragma(inline, false) ulong zoo_outer(Animal animal, ulong n)
{
    return zoo_middle!ulong(n, value => animal.zoo_inner(value) + 1) + 1;
}

void main()
{
    auto animal = new Animal;
    ulong sum = 0;
    foreach (i; 0 .. 5_000_000UL)
        sum += zoo_outer(animal, i);
    writeln(sum);
}
