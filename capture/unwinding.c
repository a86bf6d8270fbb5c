#include "capture/unwinding.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <pdconv/attr.h>
#include <pdconv/sample.h>

#include "base/cleanup.h"
#include "capture/machine.h"
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

struct pd_error *cap_unwinding_init(struct cap_unwinding *unwinding,
	const struct cap_table_source *source, uint64_t table_bytes, struct cap_session *session)
{
	const struct cap_bpf_opts opts = {
		.memory = table_bytes ? table_bytes : TABLE_BYTES,
		.has_traces = has_traces(session),
		.is_system_wide = session->target.is_system_wide,
	};
	struct pd_error *err = cap_bpf_create(source, &opts, &unwinding->bpf);

	if (!err)
		session->programs = cap_bpf_programs(unwinding->bpf);
	return err;
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

struct pd_error *cap_unwinding_connect(
	struct cap_unwinding *unwinding, const struct cap_session *session)
{
	struct pd_error *err = cap_chains_create(session, unwinding->bpf, &unwinding->chains);

	for (size_t i = 0; !err && i < session->rings.n; i++)
		err = open_output(
			unwinding, &session->opened.data[0].event->attr, &session->rings.data[i]);
	return err;
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

struct pd_error *cap_unwinding_read_targets(
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

void cap_unwinding_deinit(struct cap_unwinding *unwinding)
{
	for (size_t i = 0; i < unwinding->outputs.n; i++)
		close(unwinding->outputs.data[i]);
	pd_vec_deinit(&unwinding->outputs);
	cap_chains_destroy(unwinding->chains);
	cap_bpf_destroy(unwinding->bpf);
	*unwinding = (struct cap_unwinding){ 0 };
}
