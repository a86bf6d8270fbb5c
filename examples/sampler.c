/*
 * Sample a thread until it exits; print where it was, its stack pointer, and how much of its stack
 * was copied from there: sampler TID.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/pdconv.h>

static struct pd_error *print_record(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	/* The architecture decides which register is the stack pointer. */
	uint64_t sp = 0;

	(void)ctx;
	if (!sample) {
		printf("%s\n", pd_record_name(rec->type));
		return NULL;
	}
	pd_regs_sp(pd_arch_of_machine(), &sample->regs_user, &sp);
	printf("%" PRIu64 " 0x%" PRIx64 ", %" PRIu64 " registers, %" PRIu64
	       " bytes of stack from 0x%" PRIx64 "\n",
		sample->time, sample->ip, sample->regs_user.values.n, sample->stack_user.bytes.n,
		sp);
	return NULL;
}

static struct pd_error *sample_thread(struct pd_perf_reader *reader)
{
	struct pd_error *err = pd_perf_reader_enable(reader, true);
	bool has_exited = false;

	while (!err && !has_exited)
		err = pd_perf_reader_read(reader, 100, print_record, NULL, &has_exited);
	return err;
}

int main(int argc, char **argv)
{
	struct pd_perf_reader *reader = NULL;
	struct pd_capture_opts opts = PD_DEFAULTS;

	if (argc < 2)
		return 2;
	opts.event = "cpu-clock:u";
	opts.frequency = 99;
	opts.stack_bytes = 1024;
	struct pd_error *err = pd_perf_reader_open(&opts, atoi(argv[1]), -1, &reader);
	if (!err)
		err = sample_thread(reader);
	pd_perf_reader_close(reader);
	return pd_error_print(err, stderr);
}
