/* A build without clang or libbpf: there is no BPF program. */
#include "capture/bpf/bpf_program.h"
#include "capture/bpf/task_regs.h"

struct cap_task_regs *cap_task_regs_create(void)
{
	return NULL;
}

void cap_task_regs_destroy(struct cap_task_regs *regs)
{
	(void)regs;
}

bool cap_task_regs_read(
	const struct cap_task_regs *regs, pid_t tid, uint64_t mask, uint64_t *values)
{
	(void)regs;
	(void)tid;
	(void)mask;
	(void)values;
	return false;
}

struct pd_error *cap_bpf_create(
	const struct cap_table_maker *maker, const struct cap_bpf_opts *opts, struct cap_bpf **ret)
{
	(void)maker;
	(void)opts;
	(void)ret;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"this build has no BPF program: clang and libbpf were not there when it was built");
}

void cap_bpf_destroy(struct cap_bpf *bpf)
{
	(void)bpf;
}

/* Functions that are never called, because nothing makes a struct cap_bpf. */

const struct cap_programs *cap_bpf_programs(const struct cap_bpf *bpf)
{
	(void)bpf;
	return NULL;
}

struct pd_error *cap_bpf_add_ring(struct cap_bpf *bpf, int cpu, int fd)
{
	(void)bpf;
	(void)cpu;
	(void)fd;
	return NULL;
}

struct pd_error *cap_bpf_read_process(struct cap_bpf *bpf, uint32_t pid)
{
	(void)bpf;
	(void)pid;
	return NULL;
}

struct pd_error *cap_bpf_expect_command(struct cap_bpf *bpf, const char *program)
{
	(void)bpf;
	(void)program;
	return NULL;
}

struct pd_error *cap_bpf_wait(struct cap_bpf *bpf, double seconds)
{
	(void)bpf;
	(void)seconds;
	return NULL;
}

struct pd_error *cap_bpf_watch(const struct cap_bpf *bpf, struct cap_stream *stream)
{
	(void)bpf;
	(void)stream;
	return NULL;
}

struct pd_error *cap_bpf_take_ready(struct cap_bpf *bpf, int fd)
{
	(void)bpf;
	(void)fd;
	return NULL;
}

struct pd_error *cap_bpf_note(struct cap_bpf *bpf, const struct pd_record *rec)
{
	(void)bpf;
	(void)rec;
	return NULL;
}

struct pd_error *cap_bpf_refresh(struct cap_bpf *bpf)
{
	(void)bpf;
	return NULL;
}

struct cap_bpf_counts cap_bpf_counts(const struct cap_bpf *bpf)
{
	(void)bpf;
	return (struct cap_bpf_counts){ 0 };
}

void cap_bpf_note_code(struct cap_bpf *bpf, const struct cap_replaced_code *code)
{
	(void)bpf;
	(void)code;
}

uint16_t cap_bpf_n_certain(const struct cap_bpf *bpf, const struct bw_record *stack, uint64_t time)
{
	(void)bpf;
	(void)time;
	return stack->n;
}
