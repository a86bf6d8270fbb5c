/* C++20 coroutines: a generator whose body calls, and one that awaits another. */
#include <coroutine>
#include <exception>

#include "corpus.h"

static volatile long sink;

CORPUS_CALL static long leaf(long n)
{
	return n * 5 + 1;
}

struct generator {
	struct promise_type {
		long value = 0;

		generator get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend()
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(long n)
		{
			value = leaf(n);
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::terminate();
		}
	};

	std::coroutine_handle<promise_type> handle;
};

CORPUS_CALL static long resume(generator &g)
{
	g.handle.resume();
	return g.handle.promise().value;
}

CORPUS_CALL static generator count(long n)
{
	volatile long values[9] = { n };

	for (long i = 0; i < n; i++) {
		values[i % 9] += leaf(i);
		co_yield values[i % 9];
	}
}

CORPUS_CALL static generator twice(long n)
{
	generator inner = count(n);

	for (long i = 0; i < n; i++) {
		long x = resume(inner);

		sink += leaf(x);
		co_yield x;
	}
	inner.handle.destroy();
}

int main()
{
	corpus_begin();
	generator g = twice(3);
	for (long i = 0; i < 4; i++)
		sink += resume(g);
	g.handle.destroy();
	corpus_end();
	return 0;
}
