#include "capture/open.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <pdconv/bytes.h>

#include "base/cleanup.h"
#include "capture/event_private.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static const char paranoid_path[] = "/proc/sys/kernel/perf_event_paranoid";
static const char mlock_path[] = "/proc/sys/kernel/perf_event_mlock_kb";

/* Levels of perf_event_paranoid: the last that allows tracepoints, the first that deny the others. */
enum { PARANOID_TRACEPOINTS = -1, PARANOID_CPUS = 1, PARANOID_KERNEL = 2, PARANOID_ALL = 3 };

enum cap_refusal cap_refusal(int errnum)
{
	switch (errnum) {
	case 0:
		return CAP_REFUSED_NOT;
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
	case EINVAL:
		return CAP_REFUSED_HERE;
	case EACCES:
	case EPERM:
		return CAP_REFUSED_DENIED;
	case ESRCH:
		return CAP_REFUSED_GONE;
	default:
		return CAP_REFUSED_OTHER;
	}
}

/* An errno, or 0. */
static int open_once(const struct pd_attr *attr, pid_t pid, int cpu, int group_fd,
	unsigned long flags, int *fd_ret)
{
	struct pd_bytes bytes = { 0 };

	pd_attr_encode(attr, &bytes);
	if (bytes.failed) {
		pd_bytes_deinit(&bytes);
		return ENOMEM;
	}
	/* The kernel writes into it if the attr is larger than its own. */
	int fd = (int)syscall(SYS_perf_event_open, bytes.buf.data, pid, cpu, group_fd,
		flags | PERF_FLAG_FD_CLOEXEC);
	int errnum = fd < 0 ? errno : 0;
	pd_bytes_deinit(&bytes);
	if (!errnum)
		*fd_ret = fd;
	return errnum;
}

int cap_event_try(
	struct cap_event *event, pid_t pid, int cpu, int group_fd, unsigned long flags, int *fd_ret)
{
	uint64_t asked = event->attr.flags;
	int errnum = open_once(&event->attr, pid, cpu, group_fd, flags, fd_ret);

	while (event->is_precise_max && cap_refusal(errnum) == CAP_REFUSED_HERE &&
		pd_attr_precise_ip(&event->attr)) {
		event->attr.flags -= CAP_FLAG(precise_ip);
		errnum = open_once(&event->attr, pid, cpu, group_fd, flags, fd_ret);
	}
	if (errnum)
		event->attr.flags = asked;
	return errnum;
}

struct pd_error *cap_event_open(
	struct cap_event *event, pid_t pid, int cpu, int group_fd, unsigned long flags, int *fd_ret)
{
	int errnum = cap_event_try(event, pid, cpu, group_fd, flags, fd_ret);

	return errnum ? cap_open_error(event, pid, cpu, errnum) : NULL;
}

static void rename_event(struct cap_event *event, char *name)
{
	if (!name)
		return;
	free(event->name);
	event->name = name;
}

/* The letter that ":u" puts behind the name, as perf does where it falls back. */
static void name_user_only(struct cap_event *event)
{
	const char *slash = strrchr(event->name, '/');
	bool has_letters = strchr(slash ? slash : event->name, ':') || slash;
	char *name;

	if (event->is_tracepoint)
		return;
	if (asprintf(&name, "%s%su", event->name, has_letters ? "" : ":") >= 0)
		rename_event(event, name);
}

bool cap_event_user_only(struct cap_event *event)
{
	uint64_t *flags = &event->attr.flags;

	if (*flags & (CAP_FLAG(exclude_kernel) | CAP_FLAG(exclude_user)))
		return false;
	*flags |= CAP_FLAG(exclude_kernel) | CAP_FLAG(exclude_hv);
	name_user_only(event);
	return true;
}

static bool is_cycles(const struct pd_attr *attr)
{
	return attr->type == PD_TYPE_HARDWARE && attr->config == 0;
}

static void become_clock(struct cap_event *event)
{
	bool is_user_only = pd_attr_has(&event->attr, PD_ATTR_exclude_kernel);

	event->attr.type = PD_TYPE_SOFTWARE;
	event->attr.config = 0;
	event->attr.flags &= ~(3 * CAP_FLAG(precise_ip));
	event->is_precise_max = false;
	rename_event(event, strdup(is_user_only ? "cpu-clock:u" : "cpu-clock"));
}

enum cap_fall_back cap_event_fall_back(struct cap_event *event, int errnum)
{
	enum cap_refusal refusal = cap_refusal(errnum);

	if (refusal == CAP_REFUSED_HERE && is_cycles(&event->attr)) {
		become_clock(event);
		return CAP_FALL_BACK_CPU_CLOCK;
	}
	if (refusal == CAP_REFUSED_DENIED && !cap_rights_read().may_kernel &&
		cap_event_user_only(event))
		return CAP_FALL_BACK_USER_ONLY;
	return CAP_FALL_BACK_NONE;
}

static long read_number(const char *path, long otherwise)
{
	_cleanup_free_ char *line = NULL;

	return cap_read_line(path, &line) == 0 ? strtol(line, NULL, 10) : otherwise;
}

static bool has_capability(unsigned bit)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, sets) < 0)
		return false;
	return sets[bit / 32].effective >> bit % 32 & 1;
}

struct cap_rights cap_rights_read(void)
{
	struct cap_rights ret = {
		.paranoid = (int)read_number(paranoid_path, PARANOID_KERNEL),
		.is_capable = has_capability(CAP_PERFMON) || has_capability(CAP_SYS_ADMIN),
	};

	ret.may_kernel = ret.is_capable || ret.paranoid < PARANOID_KERNEL;
	ret.may_all_processes = ret.is_capable || ret.paranoid < PARANOID_CPUS;
	return ret;
}

/* What would have made it open, for one who is not allowed to. */
static const char *denied_advice(const struct cap_event *event, pid_t pid)
{
	struct cap_rights rights = cap_rights_read();
	bool has_kernel = !pd_attr_has(&event->attr, PD_ATTR_exclude_kernel);

	if (rights.is_capable)
		return "a security module or a seccomp filter of the container may forbid it";
	if (rights.paranoid >= PARANOID_ALL)
		return "needs CAP_PERFMON, or 2 or less";
	if (event->is_tracepoint && rights.paranoid > PARANOID_TRACEPOINTS)
		return "tracepoints need CAP_PERFMON, or -1";
	if (pid == -1 && !rights.may_all_processes)
		return "all processes need CAP_PERFMON, or 0 or less";
	if (has_kernel && !rights.may_kernel)
		return "the kernel needs CAP_PERFMON, or 1 or less; user space alone, with ':u', is allowed";
	return "needs the rights over the process that a debugger needs, or CAP_PERFMON";
}

static const char *here_advice(const struct cap_event *event, int errnum)
{
	bool is_hardware = event->attr.type == PD_TYPE_HARDWARE ||
			   event->attr.type == PD_TYPE_HW_CACHE || event->attr.type == PD_TYPE_RAW;

	if (is_hardware && errnum != EINVAL)
		return "this machine has no such hardware counter; virtual machines often have "
		       "none: cpu-clock works everywhere";
	if (pd_attr_precise_ip(&event->attr))
		return "the PMU may not be as precise as that: fewer 'p', or 'P'";
	if (errnum == ENOENT || errnum == ENODEV || errnum == ENXIO)
		return "its PMU is missing, or has no such event";
	if (event->attr.type > PD_TYPE_BREAKPOINT)
		return "its PMU may not count single processes, or not sample";
	return "this kernel does not support it so";
}

static struct pd_error *errno_error(int errnum, const char *doing, const char *advice)
{
	errno = errnum;
	if (!advice)
		return pd_error_os(NULL, "%s", doing);
	return pd_error_create(PD_ERROR_OS, NULL, "%s: %s (%s)", doing, strerror(errnum), advice);
}

static const char *open_advice(
	const struct cap_event *event, pid_t pid, int errnum, char *buf, size_t size)
{
	struct rlimit limit = { 0 };

	switch (cap_refusal(errnum)) {
	case CAP_REFUSED_DENIED:
		snprintf(buf, size, "kernel.perf_event_paranoid is %d: %s",
			cap_rights_read().paranoid, denied_advice(event, pid));
		return cap_rights_read().is_capable ? denied_advice(event, pid) : buf;
	case CAP_REFUSED_HERE:
		return here_advice(event, errnum);
	case CAP_REFUSED_GONE:
		snprintf(buf, size, "process or thread %d is gone", (int)pid);
		return buf;
	default:
		break;
	}
	if (errnum == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		snprintf(buf, size,
			"an event is a file for each CPU and thread; RLIMIT_NOFILE is %" PRIu64
			" now, see 'ulimit -n'",
			(uint64_t)limit.rlim_cur);
		return buf;
	}
	if (errnum == EBUSY)
		return "another user has the counter to itself";
	return errnum == ENOSPC ? "no counter or breakpoint is free" : NULL;
}

struct pd_error *cap_open_error(const struct cap_event *event, pid_t pid, int cpu, int errnum)
{
	char advice[256];
	char doing[256];

	if (cpu >= 0)
		snprintf(doing, sizeof(doing), "event '%.180s' does not open on CPU %d",
			event->name, cpu);
	else
		snprintf(doing, sizeof(doing), "event '%.180s' does not open", event->name);
	return errno_error(errnum, doing, open_advice(event, pid, errnum, advice, sizeof(advice)));
}

struct pd_error *cap_mmap_error(size_t bytes, int errnum)
{
	char advice[160];
	char doing[80];

	snprintf(doing, sizeof(doing), "a ring buffer of %zu kB cannot be mapped", bytes / 1024);
	if (errnum != EPERM)
		return errno_error(errnum, doing, NULL);
	snprintf(advice, sizeof(advice),
		"more than kernel.perf_event_mlock_kb, which is %ld now, and the limit of locked "
		"memory allow; smaller buffers or CAP_IPC_LOCK help",
		read_number(mlock_path, 516));
	return errno_error(errnum, doing, advice);
}

/* Whether @p event opens as it would to be sampled; an errno. */
static int opens(const struct cap_event *event, pid_t pid, int cpu)
{
	struct cap_event copy = *event;
	_cleanup_close_ int fd = -1;

	copy.attr.flags |= CAP_FLAG(freq) | CAP_FLAG(disabled);
	copy.attr.sample_period = 100;
	return cap_event_try(&copy, pid, cpu, -1, 0, &fd);
}

/* As it is, or in user space only if that is what is missing. */
static int opens_somehow(struct cap_event *event, pid_t pid, int cpu, bool *user_only_ret)
{
	int errnum = opens(event, pid, cpu);

	if (cap_refusal(errnum) == CAP_REFUSED_DENIED &&
		cap_event_fall_back(event, errnum) == CAP_FALL_BACK_USER_ONLY) {
		*user_only_ret = true;
		errnum = opens(event, pid, cpu);
	}
	return errnum;
}

static struct pd_error *make_event(const char *name, struct cap_event *ret)
{
	*ret = (struct cap_event){
		.attr = cap_attr(PD_TYPE_HARDWARE, 0),
		.name = strdup(name),
		.is_precise_max = true,
	};
	ret->attr.flags |= 3 * CAP_FLAG(precise_ip);
	return ret->name ? NULL : &pd_enomem;
}

struct pd_error *cap_default_event(pid_t pid, int cpu, struct cap_default *ret)
{
	struct cap_default found = { 0 };
	struct pd_error *err = make_event("cycles:P", &found.event);

	if (err)
		return err;
	int errnum = opens_somehow(&found.event, pid, cpu, &found.is_user_only);
	enum cap_refusal refusal = cap_refusal(errnum);
	if (refusal == CAP_REFUSED_HERE || refusal == CAP_REFUSED_DENIED) {
		found.is_clock = true;
		found.cycles_errnum = errnum;
		become_clock(&found.event);
		errnum = opens_somehow(&found.event, pid, cpu, &found.is_user_only);
	}
	if (errnum) {
		err = cap_open_error(&found.event, pid, cpu, errnum);
		cap_event_deinit(&found.event);
		return err;
	}
	*ret = found;
	return NULL;
}
