// Print the functions in which a running process spends its time: busiest PID SECONDS.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unistd.h>

#include <pdconv/pdconv.h>

static void check(pd_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "%s\n", err->message);
	pd_error_destroy(err);
	exit(1);
}

struct Watch {
	pd_unwinder *unwinder = nullptr;
	const pd_events *events = nullptr;
	pd_stack_frames stack{};
	std::map<std::string, size_t> samples;
};

static pd_error *on_record(void *ctx, const pd_record *rec, const pd_sample *sample)
{
	auto w = static_cast<Watch *>(ctx);
	if (!sample)
		return pd_unwinder_add_record(w->unwinder, w->events, rec);
	check(pd_unwinder_unwind(w->unwinder, sample, rec->misc, &w->stack));
	check(pd_stack_frames_name(&w->stack));
	bool has_name = w->stack.n && w->stack.frames->n_names && w->stack.frames->names->function;
	w->samples[has_name ? w->stack.frames->names->function : "?"]++;
	return nullptr;
}

int main(int argc, char **argv)
{
	Watch w;
	pd_perf_set *set;
	pd_capture_opts opts{};
	opts.stack_bytes = 8192;
	opts.tracking = true;
	check(pd_perf_set_open(&opts, argc > 1 ? atoi(argv[1]) : 0, &set));
	check(pd_unwinder_create(nullptr, nullptr, &w.unwinder));
	check(pd_perf_set_enable(set, true));
	check(pd_unwinder_add_process(w.unwinder, argc > 1 ? atoi(argv[1]) : getpid()));
	w.events = pd_perf_reader_events(pd_perf_set_reader(set, 0));
	for (int i = argc > 2 ? 20 * atoi(argv[2]) : 20; i-- > 0; usleep(50000))
		for (size_t k = 0; k < pd_perf_set_n(set); k++)
			for (bool has = true; has;)
				check(pd_perf_reader_next(
					pd_perf_set_reader(set, k), on_record, &w, &has));
	for (const auto &entry : w.samples)
		printf("%6zu %s\n", entry.second, entry.first.c_str());
	pd_stack_frames_deinit(&w.stack);
	pd_unwinder_destroy(w.unwinder);
	pd_perf_set_close(set);
}
