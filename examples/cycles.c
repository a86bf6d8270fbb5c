/*
 * Find the best clock of this machine for samples, and print why better ones are not possible: exact
 * hardware cycles, hardware cycles, or the timer of the kernel. Then count its samples for a moment.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <pdconv/pdconv.h>

/* An event with an attr is opened as it is, or not at all. */
static struct pd_error *open_clock(const char *event, struct pd_perf_reader **ret)
{
	struct pd_capture_opts opts = PD_DEFAULTS;
	struct pd_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.sample_type = (uint64_t)1 << PD_SAMPLE_IP;
	opts.event = event;
	opts.attrs = &attr;
	opts.n_attrs = 1;
	opts.frequency = 999;
	return pd_perf_reader_open(&opts, 0, -1, ret);
}

static struct pd_error *count(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	(void)rec;
	*(uint64_t *)ctx += sample != NULL;
	return NULL;
}

static struct pd_error *measure(struct pd_perf_reader *reader)
{
	struct pd_error *err = pd_perf_reader_enable(reader, true);
	uint64_t n = 0;

	while (!err && clock() < CLOCKS_PER_SEC / 5)
		;
	if (!err)
		err = pd_perf_reader_read(reader, 0, count, &n, NULL);
	printf("%s: %" PRIu64 " samples\n", pd_perf_reader_events(reader)->list.data[0].name, n);
	return err;
}

int main(void)
{
	static const char *const clocks[] = { "cycles:ppu", "cycles:u", "cpu-clock:u" };
	struct pd_perf_reader *reader = NULL;

	for (int i = 0; !reader && i < 3; i++)
		pd_error_print(open_clock(clocks[i], &reader), stderr);
	if (!reader)
		return 1;
	struct pd_error *err = measure(reader);
	pd_perf_reader_close(reader);
	return pd_error_print(err, stderr);
}
