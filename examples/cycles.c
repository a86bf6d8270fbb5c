/*
 * Find the best clock of this machine for samples, and print why better ones are not possible: exact
 * hardware cycles, hardware cycles, or the timer of the kernel. Then count its samples for a moment.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pdconv/pdconv.h>

enum { HARDWARE_CYCLES = 0, SOFTWARE_CPU_CLOCK = 0 };

/* What is asked for by an attr is opened as it is, or not at all. */
static struct pd_error *open_clock(
	uint32_t type, uint64_t config, unsigned precise_ip, struct pd_perf_reader **ret)
{
	struct pd_capture_opts opts;
	struct pd_attr attr;

	memset(&opts, 0, sizeof(opts));
	memset(&attr, 0, sizeof(attr));
	attr.type = type;
	attr.config = config;
	attr.flags = (uint64_t)precise_ip << PD_ATTR_precise_ip | (uint64_t)1
									  << PD_ATTR_exclude_kernel;
	attr.sample_type = (uint64_t)1 << PD_SAMPLE_IP;
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
	bool has = true;

	while (!err && clock() < CLOCKS_PER_SEC / 5)
		;
	while (!err && has)
		err = pd_perf_reader_next(reader, count, &n, &has);
	printf("%s: %" PRIu64 " samples\n", pd_perf_reader_events(reader)->list.data[0].name, n);
	return err;
}

int main(void)
{
	struct pd_perf_reader *reader = NULL;
	struct pd_error *err = NULL;

	for (int precise_ip = 2; !reader && precise_ip >= 0; precise_ip -= 2) {
		pd_error_destroy(err);
		err = open_clock(PD_TYPE_HARDWARE, HARDWARE_CYCLES, (unsigned)precise_ip, &reader);
		if (err)
			fprintf(stderr, "%s\n", err->message);
	}
	if (!reader) {
		pd_error_destroy(err);
		err = open_clock(PD_TYPE_SOFTWARE, SOFTWARE_CPU_CLOCK, 0, &reader);
	}
	if (!err)
		err = measure(reader);
	pd_perf_reader_close(reader);
	if (!err)
		return 0;
	fprintf(stderr, "%s\n", err->message);
	pd_error_destroy(err);
	return 1;
}
