// Methods, a template, a lambda and std::function between main and the loop, which throws at its end.
#include <cstdio>
#include <functional>
#include <stdexcept>

#define KEPT __attribute__((noinline))

namespace animals {

template <typename T>
struct Zoo {
	T sum = 0;

	KEPT void zoo_inner(T n)
	{
		for (T i = 0; i < 2000; i++) {
			n = n * 6364136223846793005u + i;
			asm volatile("" : "+r"(n));
		}
		sum += n;
		if (n % 64 == 0)
			throw std::runtime_error("full");
	}

	KEPT virtual T zoo_middle(const std::function<void(T)> &visit, T n)
	{
		visit(n);
		return sum + 1;
	}

	virtual ~Zoo() = default;
};

} // namespace animals

KEPT unsigned long zoo_outer(animals::Zoo<unsigned long> &zoo, unsigned long n)
{
	try {
		return zoo.zoo_middle([&zoo](unsigned long value) { zoo.zoo_inner(value); asm volatile(""); }, n) + 1;
	} catch (const std::runtime_error &) {
		return 0;
	}
}

int main()
{
	animals::Zoo<unsigned long> zoo;
	unsigned long sum = 0;

	for (unsigned long i = 0; i < 400000; i++)
		sum += zoo_outer(zoo, i);
	std::printf("%lu\n", sum);
}
