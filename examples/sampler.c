/*
 * Sample a thread until it exits; print where it was, its stack pointer, and how much of its stack
 * was copied from there: sampler TID.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/pdconv.h>

/* The number of the stack pointer in asm/perf_regs.h of the kernel. */
#ifdef __aarch64__
enum { SP = 31 };
#else
enum { SP = 7 };
#endif

static struct pd_error *print_record(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	uint64_t sp = 0;

	(void)ctx;
	if (sample && pd_regs_get(&sample->regs_user, SP, &sp))
		printf("%" PRIu64 " 0x%" PRIx64 ", %" PRIu64 " registers, %" PRIu64
		       " bytes of stack from 0x%" PRIx64 "\n",
			sample->time, sample->ip, sample->regs_user.values.n,
			sample->stack_user.bytes.n, sp);
	if (!sample)
		printf("%s\n", pd_record_name(rec->type));
	return NULL;
}

static struct pd_error *print_all(struct pd_perf_reader *reader)
{
	struct pd_error *err = NULL;
	bool has = true;

	while (!err && has)
		err = pd_perf_reader_next(reader, print_record, NULL, &has);
	return err;
}

static struct pd_error *sample_thread(struct pd_perf_reader *reader)
{
	struct pollfd fd = { pd_perf_reader_fd(reader), POLLIN, 0 };
	struct pd_error *err = pd_perf_reader_enable(reader, true);

	while (!err && !(fd.revents & POLLHUP)) {
		poll(&fd, 1, 100);
		err = print_all(reader);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct pd_capture_opts opts;
	struct pd_perf_reader *reader = NULL;

	memset(&opts, 0, sizeof(opts));
	opts.event = "cpu-clock:u";
	opts.frequency = 99;
	opts.stack_bytes = 1024;
	struct pd_error *err =
		pd_perf_reader_open(&opts, argc > 1 ? atoi(argv[1]) : 0, -1, &reader);
	if (!err)
		err = sample_thread(reader);
	pd_perf_reader_close(reader);
	if (!err)
		return 0;
	char *text = pd_error_string(err);
	fprintf(stderr, "%s\n", text ? text : "out of memory");
	free(text);
	pd_error_destroy(err);
	return 1;
}
