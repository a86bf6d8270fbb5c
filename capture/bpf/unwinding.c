#include "capture/bpf/unwinding.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pdconv/attr.h>
#include <pdconv/sample.h>

#include "base/cleanup.h"
#include "capture/bpf/bpf_program.h"
#include "capture/bpf/chains.h"
#include "capture/machine/machine.h"
#include "capture/open.h"

/** Tables that take longer are loaded while the recording runs. */
static const double LONGEST_WAIT_SECONDS = 5;

/** Bytes of all tables, by default. Those of rustc take 53 MB. Only what is used is taken. */
enum { TABLE_BYTES = 256 << 20 };

static bool has_traces(const struct cap_session *session)
{
	for (size_t i = 0; i < session->opened.n; i++) {
		if (session->opened.data[i].event->attr.type == PD_TYPE_TRACEPOINT)
			return true;
	}
	return false;
}

/** Open the event through which the program writes to @p ring. */
static struct pd_error *open_output(struct cap_unwinding *unwinding, const struct pd_attr *like,
	const struct cap_cpu_ring *ring)
{
	char name[] = "bpf-output";
	struct cap_event event = {
		.name = name,
		.attr = {
			.type = PERF_TYPE_SOFTWARE,
			.size = like->size,
			.config = PERF_COUNT_SW_BPF_OUTPUT,
			.sample_period = 1,
			.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_RAW,
			.wakeup_events = like->wakeup_events,
			.clockid = like->clockid,
			.flags = like->flags & (1ull << PD_ATTR_watermark | 1ull << PD_ATTR_use_clockid),
		},
	};
	uint64_t id;
	int fd;
	struct pd_error *err = cap_event_open(&event, -1, ring->cpu, -1, 0, &fd);

	if (err)
		return err;
	if (!pd_vec_push(&unwinding->outputs, fd)) {
		close(fd);
		return &pd_enomem;
	}
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0 ||
		ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		return pd_error_os("ring buffer", "cannot redirect the BPF program to it");
	err = cap_chains_add_output(unwinding->chains, id);
	return err ? err : cap_bpf_add_ring(unwinding->bpf, ring->cpu, fd);
}

/** Find the process of the thread @p tid; 0 if it has exited. */
static uint32_t process_of(pid_t tid)
{
	struct cap_machine machine = cap_machine_init(NULL);
	_cleanup_free_ char *value =
		cap_machine_value(&machine, "Tgid", "/proc/%d/status", (int)tid);

	return value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

/* A process that runs now will have samples soon. */
static bool is_running(struct cap_machine *machine, const char *pid)
{
	_cleanup_free_ char *line = cap_machine_line(machine, "/proc/%s/stat", pid);
	const char *end = line ? strrchr(line, ')') : NULL;

	return end && end[1] == ' ' && end[2] == 'R';
}

/** Read the processes of the machine that run now. Others are read when they have samples. */
static struct pd_error *read_running(struct cap_unwinding *unwinding)
{
	struct cap_machine machine = cap_machine_init(NULL);
	_cleanup_(cap_close_dir) DIR *dir = cap_machine_dir(&machine, "/proc");
	struct pd_error *err = NULL;

	for (struct dirent *entry; !err && dir && (entry = readdir(dir));) {
		uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (pid && is_running(&machine, entry->d_name))
			err = cap_bpf_read_process(unwinding->bpf, pid);
	}
	return err ? err : cap_machine_check(&machine);
}

/* Load the tables of the target before its events are opened, which may enable them. */
static struct pd_error *read_targets(
	struct cap_unwinding *unwinding, const struct cap_target *target)
{
	struct pd_error *err = NULL;
	uint32_t last = 0;

	for (size_t i = 0; !err && i < target->tids.n; i++) {
		uint32_t pid = process_of(target->tids.data[i]);

		/* Threads of a process are next to each other. */
		if (pid && pid != last)
			err = cap_bpf_read_process(unwinding->bpf, pid);
		last = pid;
	}
	if (!err && target->program)
		err = cap_bpf_expect_command(unwinding->bpf, target->program);
	if (!err && target->is_system_wide)
		err = read_running(unwinding);
	return err ? err : cap_bpf_wait(unwinding->bpf, LONGEST_WAIT_SECONDS);
}

struct pd_error *cap_unwinding_init(struct cap_unwinding *unwinding,
	const struct cap_table_maker *maker, uint64_t table_bytes, struct cap_session *session)
{
	const struct cap_bpf_opts opts = {
		.memory = table_bytes ? table_bytes : TABLE_BYTES,
		.has_traces = has_traces(session),
		.is_system_wide = session->target.is_system_wide,
	};
	struct pd_error *err = cap_bpf_create(maker, &opts, &unwinding->bpf);

	if (err)
		return err;
	session->programs = cap_bpf_programs(unwinding->bpf);
	return read_targets(unwinding, &session->target);
}

struct pd_error *cap_unwinding_connect(
	struct cap_unwinding *unwinding, const struct cap_session *session)
{
	if (!unwinding->bpf)
		return NULL;
	struct pd_error *err = cap_chains_create(session, unwinding->bpf, &unwinding->chains);

	for (size_t i = 0; !err && i < session->rings.n; i++)
		err = open_output(
			unwinding, &session->opened.data[0].event->attr, &session->rings.data[i]);
	return err;
}

void cap_unwinding_deinit(struct cap_unwinding *unwinding)
{
	for (size_t i = 0; i < unwinding->outputs.n; i++)
		close(unwinding->outputs.data[i]);
	pd_vec_deinit(&unwinding->outputs);
	cap_chains_destroy(unwinding->chains);
	cap_bpf_destroy(unwinding->bpf);
	*unwinding = (struct cap_unwinding){ 0 };
}

struct pd_error *cap_unwinding_watch(
	const struct cap_unwinding *unwinding, struct cap_stream *stream)
{
	return unwinding->bpf ? cap_bpf_watch(unwinding->bpf, stream) : NULL;
}

struct pd_error *cap_unwinding_take_ready(struct cap_unwinding *unwinding, int fd)
{
	return unwinding->bpf ? cap_bpf_take_ready(unwinding->bpf, fd) : NULL;
}

struct pd_error *cap_unwinding_read_process(struct cap_unwinding *unwinding, uint32_t pid)
{
	return unwinding->bpf ? cap_bpf_read_process(unwinding->bpf, pid) : NULL;
}

struct pd_error *cap_unwinding_add_ids(
	struct cap_unwinding *unwinding, size_t i, const uint64_t *ids, size_t n)
{
	return unwinding->bpf ? cap_chains_add_ids(unwinding->chains, i, ids, n) : NULL;
}

void cap_unwinding_look_ahead(struct cap_unwinding *unwinding, const struct pd_record *rec)
{
	union pd_body body;
	const char *wrong;

	if (!unwinding->bpf)
		return;
	const struct pd_plan *plan = cap_chains_plan(unwinding->chains);
	if (rec->type != PD_RECORD_MMAP2 || !pd_record_decode(rec, plan->sid_bytes, &body, &wrong))
		return;
	const struct pd_mmap2 *inode = &body.mmap2;
	const struct pd_mmap2_build_id *id = &body.mmap2_build_id;
	bool has_id = rec->misc & PD_MISC_MMAP_BUILD_ID;
	uint64_t start = has_id ? id->addr : inode->addr;
	struct pd_str name = has_id ? id->filename : inode->filename;
	const struct cap_replaced_code code = {
		.pid = has_id ? id->pid : inode->pid,
		.time = pd_sid_decode(plan, rec).time,
		.code = { start, start + (has_id ? id->len : inode->len),
			cap_code_file(name.s, name.len) },
	};

	if ((has_id ? id->prot : inode->prot) & PROT_EXEC && (has_id || inode->ino))
		cap_bpf_note_code(unwinding->bpf, &code);
}

struct pd_error *cap_unwinding_merge(
	struct cap_unwinding *unwinding, const uint8_t *bytes, size_t size, struct cap_merged *ret)
{
	struct pd_error *err = cap_chains_merge(unwinding->chains, bytes, size, ret);
	struct pd_record rec;

	for (size_t at = 0; !err && at < ret->size; at += rec.size)
		err = cap_record_read(ret->bytes + at, ret->size - at, &rec)
			      ? cap_bpf_note(unwinding->bpf, &rec)
			      : cap_not_records();
	return err;
}

struct pd_error *cap_unwinding_refresh(struct cap_unwinding *unwinding)
{
	return unwinding->bpf ? cap_bpf_refresh(unwinding->bpf) : NULL;
}

void cap_unwinding_counts(const struct cap_unwinding *unwinding,
	struct cap_chains_counts *chains_ret, struct cap_bpf_counts *bpf_ret)
{
	if (!unwinding->bpf)
		return;
	*chains_ret = *cap_chains_counts(unwinding->chains);
	*bpf_ret = cap_bpf_counts(unwinding->bpf);
}
