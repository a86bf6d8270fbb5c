/*
 * Unwind a running process: unwind PID SECONDS. Prints a line for each sample, as flamegraph.pl reads
 * it, and then how many stacks reach the root.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pdconv/pdconv.h>

static struct pd_unwinder *unwinder;
static const struct pd_events *events;
static struct pd_stack_frames stack;
static size_t n_samples, n_rooted;

static void print_stack(void)
{
	for (size_t i = stack.n; i-- > 0;) {
		const struct pd_frame *frame = &stack.frames[i];

		/* Inlined functions come first. */
		for (size_t k = frame->n_names; k-- > 0;)
			printf("%s;", frame->names[k].function ? frame->names[k].function : "?");
		if (!frame->n_names)
			printf("[%s];", frame->binary ? frame->binary->path : "unknown");
	}
	printf("%s 1\n", stack.comm ? stack.comm : "?");
}

static struct pd_error *on_record(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	(void)ctx;
	if (!sample)
		return pd_unwinder_add_record(unwinder, events, rec);
	struct pd_error *err = pd_unwinder_unwind(unwinder, sample, rec->misc, &stack);
	if (!err)
		err = pd_stack_frames_name(&stack);
	if (err)
		return err;
	n_samples++;
	n_rooted += pd_unwind_end_has_root(stack.end);
	print_stack();
	return NULL;
}

static struct pd_error *read_all(struct pd_perf_set *set)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < pd_perf_set_n(set); i++) {
		for (bool has = true; !err && has;)
			err = pd_perf_reader_next(
				pd_perf_set_reader(set, i), on_record, NULL, &has);
	}
	return err;
}

static struct pd_error *watch(struct pd_perf_set *set, pid_t pid, int seconds)
{
	struct pd_error *err = pd_perf_set_enable(set, true);

	events = pd_perf_reader_events(pd_perf_set_reader(set, 0));
	if (!err)
		err = pd_unwinder_add_process(unwinder, pid);
	for (int i = 0; !err && i < 20 * seconds; i++) {
		poll(NULL, 0, 50);
		err = read_all(set);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct pd_capture_opts opts;
	struct pd_perf_set *set = NULL;

	if (argc < 3)
		return 2;
	memset(&opts, 0, sizeof(opts));
	opts.event = "cpu-clock";
	opts.frequency = 199;
	opts.stack_bytes = 32768;
	opts.tracking = true;
	struct pd_error *err = pd_perf_set_open(&opts, atoi(argv[1]), &set);
	if (!err)
		err = pd_unwinder_create(NULL, NULL, &unwinder);
	if (!err)
		err = watch(set, atoi(argv[1]), atoi(argv[2]));
	fprintf(stderr, "%zu samples, %zu rooted\n", n_samples, n_rooted);
	pd_stack_frames_deinit(&stack);
	pd_unwinder_destroy(unwinder);
	pd_perf_set_close(set);
	if (!err)
		return 0;
	char *text = pd_error_string(err);
	fprintf(stderr, "%s\n", text ? text : "out of memory");
	free(text);
	pd_error_destroy(err);
	return 1;
}
