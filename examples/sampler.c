/*
 * Sample a thread until it exits; print where it was, its stack pointer, and how much of its stack
 * was copied from there: sampler TID.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <pdconv/pdconv.h>

/* Architecture of this machine. It decides which register is the stack pointer. */
static const struct pd_arch *arch;

static struct pd_error *print_record(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	uint64_t sp = 0;

	(void)ctx;
	if (!sample) {
		printf("%s\n", pd_record_name(rec->type));
		return NULL;
	}
	pd_regs_sp(arch, &sample->regs_user, &sp);
	printf("%" PRIu64 " 0x%" PRIx64 ", %" PRIu64 " registers, %" PRIu64
	       " bytes of stack from 0x%" PRIx64 "\n",
		sample->time, sample->ip, sample->regs_user.values.n, sample->stack_user.bytes.n,
		sp);
	return NULL;
}

static struct pd_error *sample_thread(struct pd_perf_reader *reader)
{
	struct pollfd fd = { pd_perf_reader_fd(reader), POLLIN, 0 };
	struct pd_error *err = pd_perf_reader_enable(reader, true);

	while (!err && !(fd.revents & POLLHUP)) {
		bool has = true;

		poll(&fd, 1, 100);
		while (!err && has)
			err = pd_perf_reader_next(reader, print_record, NULL, &has);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct pd_perf_reader *reader = NULL;
	struct pd_capture_opts opts;
	struct utsname machine;

	if (argc < 2 || uname(&machine) < 0)
		return 2;
	arch = pd_arch_find(machine.machine);
	memset(&opts, 0, sizeof(opts));
	opts.event = "cpu-clock:u";
	opts.frequency = 99;
	opts.stack_bytes = 1024;
	struct pd_error *err = pd_perf_reader_open(&opts, atoi(argv[1]), -1, &reader);
	if (!err)
		err = sample_thread(reader);
	pd_perf_reader_close(reader);
	if (!err)
		return 0;
	fprintf(stderr, "%s\n", err->message);
	pd_error_destroy(err);
	return 1;
}
