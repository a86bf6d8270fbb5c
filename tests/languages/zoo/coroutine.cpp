// A C++20 coroutine is resumed by zoo_outer; its body calls zoo_middle and zoo_inner.
#include <coroutine>
#include <cstdio>

#define KEPT __attribute__((noinline))

struct Generator {
	struct promise_type {
		unsigned long value = 0;
		Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(unsigned long v) { value = v; return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};

KEPT unsigned long zoo_inner(unsigned long n)
{
	for (unsigned long i = 0; i < 200; i++) {
		n = n * 6364136223846793005u + i;
		__asm__ volatile("" : "+r"(n));
	}
	return n;
}

KEPT unsigned long zoo_middle(unsigned long n)
{
	return zoo_inner(n) + 1;
}

Generator generate()
{
	for (unsigned long i = 0;; i++)
		co_yield zoo_middle(i);
}

KEPT unsigned long zoo_outer(Generator &generator)
{
	generator.handle.resume();
	return generator.handle.promise().value + 1;
}

int main()
{
	Generator generator = generate();
	unsigned long sum = 0;

	for (unsigned long i = 0; i < 5000000; i++)
		sum += zoo_outer(generator);
	std::printf("%lu\n", sum);
	generator.handle.destroy();
}
