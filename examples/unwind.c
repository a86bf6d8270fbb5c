/*
 * Unwind a running process: unwind PID SECONDS. Prints a line for each sample, as flamegraph.pl reads
 * it, and then how many stacks reach the root.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/pdconv.h>

static size_t n_samples, n_rooted;

static struct pd_error *print_stack(
	void *ctx, const struct pd_sample *sample, const struct pd_stack_frames *stack)
{
	(void)ctx;
	(void)sample;
	pd_stack_frames_write(stack, stdout);
	printf(" 1\n");
	n_samples++;
	n_rooted += pd_unwind_end_has_root(stack->end);
	return NULL;
}

int main(int argc, char **argv)
{
	struct pd_capture_opts opts = PD_DEFAULTS;
	struct pd_unwinder *unwinder = NULL;

	opts.event = "cpu-clock";
	opts.frequency = 199;
	opts.stack_bytes = 32768;
	struct pd_error *err = pd_unwinder_create(NULL, NULL, &unwinder);
	if (!err)
		err = pd_unwinder_run(unwinder, &opts, argc > 1 ? atoi(argv[1]) : 0,
			argc > 2 ? 1000 * atoi(argv[2]) : 1000, print_stack, NULL);
	fprintf(stderr, "%zu samples, %zu rooted\n", n_samples, n_rooted);
	pd_unwinder_destroy(unwinder);
	return pd_error_print(err, stderr);
}
