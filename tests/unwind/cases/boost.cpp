/* Fibers of boost.context, and coroutines of boost.coroutine2 on top of them. */
#include <boost/context/fiber.hpp>
#include <boost/coroutine2/all.hpp>

#include "corpus.h"

static char stack[2][1 << 16] __attribute__((aligned(64)));
struct corpus_stack corpus_stacks[] = { { stack[0], stack[0] + sizeof(stack[0]) },
	{ stack[1], stack[1] + sizeof(stack[1]) }, { 0, 0 } };
static volatile long sink;

/* Allocates a stack of the list. */
struct listed {
	int which;

	boost::context::stack_context allocate()
	{
		boost::context::stack_context ret;

		ret.size = sizeof(stack[which]);
		ret.sp = stack[which] + ret.size;
		return ret;
	}
	void deallocate(boost::context::stack_context &)
	{
	}
};

CORPUS_CALL static long leaf(long n)
{
	return n * 5 + 1;
}

CORPUS_CALL static boost::context::fiber wait_in(boost::context::fiber &&from, long n)
{
	volatile long values[7] = { n };

	sink += leaf(values[0]);
	from = std::move(from).resume();
	sink += leaf(values[0]);
	return std::move(from);
}

CORPUS_CALL static void fibers()
{
	boost::context::fiber fiber{ std::allocator_arg, listed{ 0 },
		[](boost::context::fiber &&from) {
			for (long i = 0; i < 2; i++)
				from = wait_in(std::move(from), i);
			return std::move(from);
		} };

	for (long i = 0; i < 3; i++) {
		fiber = std::move(fiber).resume();
		sink += leaf(i);
	}
}

typedef boost::coroutines2::coroutine<long> coroutine;

CORPUS_CALL static void yields(coroutine::push_type &out, long n)
{
	volatile long values[7] = { n };

	sink += leaf(values[0]);
	out(n);
	sink += leaf(values[0]);
}

CORPUS_CALL static void coroutines()
{
	coroutine::pull_type in(listed{ 1 }, [](coroutine::push_type &out) {
		for (long i = 0; i < 2; i++)
			yields(out, i);
	});

	while (in) {
		sink += leaf(in.get());
		in();
	}
}

int main()
{
	corpus_begin();
	fibers();
	coroutines();
	corpus_end();
	return 0;
}
