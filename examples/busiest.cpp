// Print the functions in which a running process spends its time: busiest PID SECONDS.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

#include <pdconv/pdconv.h>

using Counts = std::map<std::string, size_t>;

static void check(pd_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "%s\n", err->message);
	pd_error_destroy(err);
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
	time_t end = time(nullptr) + (argc > 2 ? atoi(argv[2]) : 1);
	pd_perf_set *set;
	pd_unwinder *unwinder;
	pd_capture_opts opts{};
	Counts counts;

	opts.stack_bytes = 8192;
	opts.tracking = true;
	check(pd_perf_set_open(&opts, pid, &set));
	check(pd_unwinder_create(nullptr, nullptr, &unwinder));
	check(pd_perf_set_enable(set, true));
	check(pd_unwinder_add_process(unwinder, pid));
	while (time(nullptr) <= end)
		check(pd_unwinder_read(unwinder, set, 100, count, &counts));
	check(pd_perf_set_enable(set, false));
	check(pd_unwinder_read(unwinder, set, 0, count, &counts));
	for (const auto &entry : counts)
		printf("%6zu %s\n", entry.second, entry.first.c_str());
	pd_unwinder_destroy(unwinder);
	pd_perf_set_close(set);
}
