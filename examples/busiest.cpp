// Print the functions in which a running process spends its time: busiest PID SECONDS.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include <pdconv/pdconv.h>

using Counts = std::map<std::string, size_t>;

static void check(pd_error *err)
{
	if (pd_error_print(err, stderr))
		exit(1);
}

static pd_error *count(void *ctx, const pd_sample *, const pd_stack_frames *stack)
{
	bool has_name = stack->n && stack->frames->n_names && stack->frames->names->function;
	++(*static_cast<Counts *>(ctx))[has_name ? stack->frames->names->function : "?"];
	return nullptr;
}

int main(int argc, char **argv)
{
	pid_t pid = argc > 1 ? atoi(argv[1]) : 0;
	int seconds = argc > 2 ? atoi(argv[2]) : 1;
	pd_unwinder *unwinder;
	Counts counts;

	check(pd_unwinder_create(nullptr, nullptr, &unwinder));
	check(pd_unwinder_run(unwinder, nullptr, pid, seconds * 1000, count, &counts));
	for (const auto &entry : counts)
		printf("%6zu %s\n", entry.second, entry.first.c_str());
	pd_unwinder_destroy(unwinder);
}
