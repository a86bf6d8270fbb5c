# A method, a lambda and sorted(), which calls back from C, between main and the loop.
import platform


class Animal:
    def zoo_inner(self, n):
        for i in range(2000):
            n = (n * 1103515245 + i) & 0xFFFFFFFF
        return n


def zoo_middle(visit, values):
    return sorted(values, key=visit)[0] + 1


def zoo_outer(animal, n):
    return zoo_middle(lambda value: animal.zoo_inner(value) + 1, [n, n + 1]) + 1


def main():
    rounds = 200000 if platform.python_implementation() == "PyPy" else 3000
    print(sum(zoo_outer(Animal(), i) for i in range(rounds)))


main()
