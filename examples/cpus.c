/* Count the samples of an event on each CPU for a second: cpus EVENT. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

static struct pd_error *count(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	uint64_t *n = (uint64_t *)ctx;

	(void)rec;
	*n += sample != NULL;
	return NULL;
}

static struct pd_error *print_counts(struct pd_perf_set *set)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < pd_perf_set_n(set) && !err; i++) {
		struct pd_perf_reader *reader = pd_perf_set_reader(set, i);
		uint64_t n = 0;

		err = pd_perf_reader_read(reader, 0, count, &n, NULL);
		printf("CPU %d: %" PRIu64 " samples of %s\n", pd_perf_reader_cpu(reader), n,
			pd_perf_reader_events(reader)->list.data[0].name);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct pd_capture_opts opts = PD_DEFAULTS;
	struct pd_perf_set *set = NULL;

	opts.event = argc > 1 ? argv[1] : NULL;
	opts.stack_bytes = PD_STACK_NONE;
	struct pd_error *err = pd_perf_set_open(&opts, -1, &set);
	if (!err)
		err = pd_perf_set_enable(set, true);
	if (!err) {
		sleep(1);
		err = pd_perf_set_enable(set, false);
	}
	if (!err)
		err = print_counts(set);
	pd_perf_set_close(set);
	return pd_error_print(err, stderr);
}
