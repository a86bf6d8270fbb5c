#include "capture/open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pdconv/bytes.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "capture/events/event_item.h"

/* Call perf_event_open(2); 0 or an errno. */
static int open_once(const struct pd_attr *attr, pid_t pid, int cpu, int group_fd,
	unsigned long flags, int *fd_ret)
{
	struct pd_bytes bytes = { 0 };

	pd_attr_encode(attr, &bytes);
	if (bytes.failed) {
		pd_bytes_deinit(&bytes);
		return ENOMEM;
	}
	/*
	 * Pass a copy of the attr, because the kernel overwrites the size if it knows a smaller
	 * struct (E2BIG).
	 */
	int fd = (int)syscall(SYS_perf_event_open, bytes.buf.data, pid, cpu, group_fd,
		flags | PERF_FLAG_FD_CLOEXEC);
	int errnum = fd < 0 ? errno : 0;
	pd_bytes_deinit(&bytes);
	if (errnum)
		return errnum;
	*fd_ret = fd;
	return 0;
}

int cap_event_try(
	struct cap_event *event, pid_t pid, int cpu, int group_fd, unsigned long flags, int *fd_ret)
{
	uint64_t asked = event->attr.flags;
	int errnum = open_once(&event->attr, pid, cpu, group_fd, flags, fd_ret);

	while (event->is_precise_max && cap_refusal(errnum) == CAP_REFUSED_UNSUPPORTED &&
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
	const struct cap_refused refused = {
		.event = event,
		.errnum = cap_event_try(event, pid, cpu, group_fd, flags, fd_ret),
		.pid = flags & PERF_FLAG_PID_CGROUP ? -1 : pid,
		.cpu = cpu,
		.is_group_member = group_fd >= 0,
	};

	if (!refused.errnum)
		return NULL;
	const struct cap_limits limits = cap_limits_read();
	return cap_refusal_error(&refused, &limits);
}

static void rename_event(struct cap_event *event, char *name)
{
	if (!name)
		return;
	free(event->name);
	event->name = name;
}

/* Append the modifier 'u' to the name, as perf does when it falls back. */
static void name_user_only(struct cap_event *event)
{
	const char *slash = strrchr(event->name, '/');
	bool has_letters = strchr(slash ? slash : event->name, ':') || slash;

	if (event->is_tracepoint)
		return;
	char *name = base_format("%s%su", event->name, has_letters ? "" : ":");
	if (name)
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

	if (event->is_exact)
		return CAP_FALL_BACK_NONE;
	if (refusal == CAP_REFUSED_UNSUPPORTED && is_cycles(&event->attr) &&
		!event->has_no_substitute) {
		become_clock(event);
		return CAP_FALL_BACK_CPU_CLOCK;
	}
	const struct cap_limits limits = cap_limits_read();
	if (refusal == CAP_REFUSED_DENIED && !event->needs_kernel &&
		!cap_limits_permit_kernel(&limits) && cap_event_user_only(event))
		return CAP_FALL_BACK_USER_ONLY;
	return CAP_FALL_BACK_NONE;
}

/* Try to open @p event as a sampling event; an errno. */
static int try_sampling(const struct cap_event *event, pid_t pid, int cpu)
{
	struct cap_event copy = *event;
	_cleanup_close_ int fd = -1;

	copy.attr.flags |= CAP_FLAG(freq) | CAP_FLAG(disabled);
	copy.attr.sample_period = 100;
	return cap_event_try(&copy, pid, cpu, -1, 0, &fd);
}

/* Try to open @p event as it is, and without the kernel if that is not permitted; an errno. */
static int try_with_fall_back(struct cap_event *event, pid_t pid, int cpu, bool *user_only_ret)
{
	int errnum = try_sampling(event, pid, cpu);

	if (cap_refusal(errnum) == CAP_REFUSED_DENIED &&
		cap_event_fall_back(event, errnum) == CAP_FALL_BACK_USER_ONLY) {
		*user_only_ret = true;
		errnum = try_sampling(event, pid, cpu);
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
	int errnum = try_with_fall_back(&found.event, pid, cpu, &found.is_user_only);
	enum cap_refusal refusal = cap_refusal(errnum);
	/* Virtual machines often have no PMU. cpu-clock needs only a kernel timer. */
	if (refusal == CAP_REFUSED_UNSUPPORTED || refusal == CAP_REFUSED_DENIED) {
		found.is_clock = true;
		found.cycles_errnum = errnum;
		become_clock(&found.event);
		errnum = try_with_fall_back(&found.event, pid, cpu, &found.is_user_only);
	}
	if (errnum) {
		const struct cap_limits limits = cap_limits_read();
		const struct cap_refused refused = {
			.event = &found.event,
			.errnum = errnum,
			.pid = pid,
			.cpu = cpu,
		};

		err = cap_refusal_error(&refused, &limits);
		cap_event_deinit(&found.event);
		return err;
	}
	*ret = found;
	return NULL;
}
