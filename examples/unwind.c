/*
 * Unwind a running process: unwind PID SECONDS. Prints a line for each sample, as flamegraph.pl reads
 * it, and then how many stacks reach the root.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pdconv/pdconv.h>

struct counts {
	size_t samples;
	size_t rooted;
};

static struct pd_error *print_stack(
	void *ctx, const struct pd_sample *sample, const struct pd_stack_frames *stack)
{
	struct counts *counts = (struct counts *)ctx;

	(void)sample;
	for (size_t i = stack->n; i-- > 0;) {
		const struct pd_frame *frame = &stack->frames[i];

		/* Inlined functions come first. */
		for (size_t k = frame->n_names; k-- > 0;)
			printf("%s;", frame->names[k].function ? frame->names[k].function : "?");
		if (!frame->n_names)
			printf("[%s];", frame->binary ? frame->binary->path : "unknown");
	}
	printf("%s 1\n", stack->comm ? stack->comm : "?");
	counts->samples++;
	counts->rooted += pd_unwind_end_has_root(stack->end);
	return NULL;
}

int main(int argc, char **argv)
{
	struct pd_capture_opts opts;
	struct pd_perf_set *set = NULL;
	struct pd_unwinder *unwinder = NULL;
	struct counts counts = { 0, 0 };

	if (argc < 3)
		return 2;
	pid_t pid = atoi(argv[1]);
	time_t end = time(NULL) + atoi(argv[2]);
	memset(&opts, 0, sizeof(opts));
	opts.event = "cpu-clock";
	opts.frequency = 199;
	opts.stack_bytes = 32768;
	opts.tracking = true;
	struct pd_error *err = pd_perf_set_open(&opts, pid, &set);
	if (!err)
		err = pd_unwinder_create(NULL, NULL, &unwinder);
	if (!err)
		err = pd_perf_set_enable(set, true);
	if (!err)
		err = pd_unwinder_add_process(unwinder, pid);
	while (!err && time(NULL) <= end)
		err = pd_unwinder_read(unwinder, set, 100, print_stack, &counts);
	/* A disabled set passes on everything that is left. */
	if (!err)
		err = pd_perf_set_enable(set, false);
	if (!err)
		err = pd_unwinder_read(unwinder, set, 0, print_stack, &counts);
	fprintf(stderr, "%zu samples, %zu rooted\n", counts.samples, counts.rooted);
	pd_unwinder_destroy(unwinder);
	pd_perf_set_close(set);
	if (err)
		fprintf(stderr, "%s\n", err->message);
	return err != NULL;
}
