#include "capture/session_open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "capture/events/event_list.h"
#include "capture/events/tracepoints.h"
#include "capture/open.h"

/*
 * Flags that older kernels do not know, newest first. Without them the recording has less detail,
 * but all samples that were asked for.
 */
static const enum pd_attr_flag optional[] = {
	PD_ATTR_build_id,
	PD_ATTR_cgroup,
	PD_ATTR_bpf_event,
	PD_ATTR_ksymbol,
	PD_ATTR_namespaces,
	PD_ATTR_exclude_guest,
	PD_ATTR_mmap2,
	PD_ATTR_comm_exec,
};

/* The thread and CPU for which an instance of an event is opened. */
struct instance {
	/*
	 * Arguments of perf_event_open(2). With PERF_FLAG_PID_CGROUP in flags, tid is the directory
	 * of a group.
	 */
	pid_t tid;
	int cpu;
	unsigned long flags;
};

/* Remove the newest feature of @p event that the kernel may not know; false if none is left. */
static bool reduce(struct cap_event *event)
{
	struct pd_attr *attr = &event->attr;

	if (attr->read_format & ~event->exact_read_format & PD_READ_LOST) {
		attr->read_format &= ~(uint64_t)PD_READ_LOST;
		return true;
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(optional); i++) {
		uint64_t flag = (uint64_t)1 << optional[i];

		if (!(attr->flags & ~event->exact_flags & flag))
			continue;
		attr->flags &= ~flag;
		return true;
	}
	return false;
}

/*
 * Open @p event without the features that the kernel rejects; an errno. EINVAL does not say which
 * field is wrong, so features go one after the other until the kernel accepts the rest.
 */
static int open_reduced(
	struct cap_event *event, const struct instance *at, int group_fd, int *fd_ret)
{
	const struct pd_attr asked = event->attr;
	int why = cap_event_try(event, at->tid, at->cpu, group_fd, at->flags, fd_ret);

	while (why == EINVAL && reduce(event))
		why = cap_event_try(event, at->tid, at->cpu, group_fd, at->flags, fd_ret);
	if (why)
		event->attr = asked;
	return why;
}

/*
 * Open an event, or what perf would try next instead of it; an errno. Instances after the first
 * must be of the same kind.
 */
static int open_anyhow(
	struct cap_opened *entry, const struct instance *at, int group_fd, int *fd_ret)
{
	int why = open_reduced(entry->event, at, group_fd, fd_ret);

	while (why && !entry->ids.n) {
		enum cap_fall_back other = cap_event_fall_back(entry->event, why);

		if (other == CAP_FALL_BACK_NONE)
			break;
		entry->is_user_only |= other == CAP_FALL_BACK_USER_ONLY;
		entry->is_clock |= other == CAP_FALL_BACK_CPU_CLOCK;
		why = open_reduced(entry->event, at, group_fd, fd_ret);
	}
	return why;
}

static int open_group_fd(const struct cap_session *session, size_t event, size_t instance)
{
	size_t leader = session->opened.data[event].event->leader;

	return leader == event ? -1 : session->opened.data[leader].fds.data[instance];
}

/* Find the ring of @p cpu. NULL: it has none yet. */
static struct cap_cpu_ring *find_ring(struct cap_session *session, int cpu)
{
	struct cap_session *output = session->output ? session->output : session;

	for (size_t i = 0; i < output->rings.n; i++) {
		if (output->rings.data[i].cpu == cpu)
			return &output->rings.data[i];
	}
	return NULL;
}

/* Map a ring through the first event of a CPU, and let the others write to it. */
static struct pd_error *map_or_share_ring(
	struct cap_session *session, int fd, const struct instance *at)
{
	struct cap_cpu_ring *ring = find_ring(session, at->cpu);
	struct cap_cpu_ring own = { .cpu = at->cpu, .fd = fd };

	if (ring && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0)
		return pd_error_os("ring buffer", "cannot redirect an event to it");
	if (ring)
		return NULL;
	if (session->output)
		return pd_error_create(PD_ERROR_OS, NULL,
			"CPU %d came online after the rings were mapped", at->cpu);
	struct pd_error *err = cap_ring_map(fd, session->sampling.pages, &own.ring);
	if (err)
		return err;
	if (pd_vec_push(&session->rings, own))
		return NULL;
	cap_ring_unmap(&own.ring);
	return &pd_enomem;
}

static bool attach(int fd, int program)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) == 0 || errno == EEXIST;
}

static struct pd_error *not_attached(const struct cap_event *event)
{
	return pd_error_os(event->name, "cannot attach the BPF program");
}

/*
 * Attach the program of a tracepoint to an event that is opened for nothing else. A program runs
 * for all events of its tracepoint, and the kernel (since Linux 6.9) detaches it with the first
 * inherited event that ends. The kernel knows which tracepoints are probes.
 */
static struct pd_error *carry_program(
	struct cap_session *session, const struct cap_event *event, const struct instance *at)
{
	const struct cap_programs *programs = session->programs;
	struct cap_event plain = { .attr = { .type = event->attr.type,
					   .size = event->attr.size,
					   .config = event->attr.config,
					   .flags = (uint64_t)1 << PD_ATTR_disabled } };
	struct cap_carrier carrier = { .config = event->attr.config };

	for (size_t i = 0; i < session->carriers.n; i++) {
		if (session->carriers.data[i].config == event->attr.config)
			return NULL;
	}
	int why = cap_event_try(&plain, -1, at->cpu < 0 ? 0 : at->cpu, -1, 0, &carrier.fd);
	if (why) {
		errno = why;
		return not_attached(event);
	}
	if (!pd_vec_push(&session->carriers, carrier)) {
		close(carrier.fd);
		return &pd_enomem;
	}
	if (attach(carrier.fd, programs->tracepoint) ||
		(errno == EINVAL && attach(carrier.fd, programs->probe)))
		return NULL;
	return not_attached(event);
}

static struct pd_error *attach_program(struct cap_session *session, const struct cap_event *event,
	int fd, const struct instance *at)
{
	if (!session->programs || event->has_no_stacks)
		return NULL;
	if (event->attr.type == PD_TYPE_TRACEPOINT)
		return carry_program(session, event, at);
	return attach(fd, session->programs->sample) ? NULL : not_attached(event);
}

static struct pd_error *set_up_fd(
	struct cap_session *session, struct cap_opened *event, int fd, const struct instance *at)
{
	const struct cap_event *asked = event->event;
	uint64_t id;

	struct pd_error *err = cap_filter_set(asked, fd);
	if (!err)
		err = attach_program(session, asked, fd, at);
	if (err)
		return err;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		return pd_error_os(asked->name, "cannot read the event id");
	if (!pd_vec_push(&event->ids, id))
		return &pd_enomem;
	return map_or_share_ring(session, fd, at);
}

static struct pd_error *refused(
	const struct cap_session *session, size_t i, const struct instance *at, int errnum)
{
	const struct cap_limits limits = cap_limits_read();
	const struct cap_event *event = session->opened.data[i].event;
	const struct cap_refused refused = {
		.event = event,
		.errnum = errnum,
		.pid = at->flags & PERF_FLAG_PID_CGROUP ? -1 : at->tid,
		.cpu = at->cpu,
		.is_group_member = event->leader != i,
	};

	return cap_refusal_error(&refused, &limits);
}

/*
 * Judge why an instance did not open. A thread that exited or a CPU that went offline since it was
 * listed is not an error. It is counted by the first event that is opened for it (@p is_first).
 */
static struct pd_error *judge_failure(
	struct cap_session *session, size_t i, const struct instance *at, int why, bool is_first)
{
	bool has_thread = at->tid >= 0 && !(at->flags & PERF_FLAG_PID_CGROUP);

	if (session->is_strict)
		return refused(session, i, at, why);
	if (why == ESRCH && has_thread) {
		session->n_gone += is_first;
		return NULL;
	}
	if ((why == ENODEV || why == ESRCH) && at->cpu >= 0 && !cap_cpu_is_online(at->cpu)) {
		session->n_offline += is_first;
		return NULL;
	}
	return refused(session, i, at, why);
}

/*
 * Open an event on a level after the first, where it captures less of the stack and stays disabled
 * until the level is switched.
 */
static int open_further(
	const struct cap_event *event, size_t level, const struct instance *at, int *fd_ret)
{
	struct cap_event less = *event;

	less.attr.sample_stack_user = cap_stack_level_bytes(less.attr.sample_stack_user, level);
	less.attr.flags &= ~((uint64_t)1 << PD_ATTR_enable_on_exec);
	return cap_event_try(&less, at->tid, at->cpu, -1, at->flags, fd_ret);
}

/*
 * Dissolve the group of @p leader; its members are then enabled as the leader would have enabled
 * them.
 */
static void break_group(struct cap_session *session, size_t leader)
{
	const uint64_t begins = (uint64_t)1 << PD_ATTR_disabled | (uint64_t)1
									  << PD_ATTR_enable_on_exec;
	const struct cap_event *first = session->opened.data[leader].event;

	for (size_t i = 0; i < session->opened.n; i++) {
		struct cap_event *event = session->opened.data[i].event;

		if (event->leader != leader || i == leader)
			continue;
		event->leader = i;
		event->attr.flags = (event->attr.flags & ~begins) | (first->attr.flags & begins);
	}
}

/* Open event @p i on the first level, as a member of its group; an errno. */
static int open_first(struct cap_session *session, size_t i, const struct instance *at, int *fd_ret)
{
	struct cap_opened *event = &session->opened.data[i];
	int group_fd = open_group_fd(session, i, event->fds.n);
	int why = open_anyhow(event, at, group_fd, fd_ret);

	if (group_fd < 0 || !event->event->is_weak || (why != EINVAL && why != EBADF))
		return why;
	break_group(session, event->event->leader);
	return open_anyhow(event, at, -1, fd_ret);
}

/* PMUs of hybrid machines and of uncore units count on some CPUs only. */
static bool is_elsewhere(const struct cap_event *event, int cpu)
{
	return event->cpus && cpu >= 0 && !cap_cpus_have(event->cpus, cpu);
}

/*
 * Open one instance on one level. Its descriptor is listed even if it did not open, because
 * positions are computed.
 */
static struct pd_error *open_level(
	struct cap_session *session, size_t i, size_t level, const struct instance *at)
{
	struct cap_opened *event = &session->opened.data[i];
	bool is_skipped = is_elsewhere(event->event, at->cpu);
	int fd = -1;
	int why = is_skipped ? 0
		  : level    ? open_further(event->event, level, at, &fd)
			     : open_first(session, i, at, &fd);

	if (why)
		fd = -1;
	if (!pd_vec_push(&event->fds, fd)) {
		if (fd >= 0)
			close(fd);
		return &pd_enomem;
	}
	if (is_skipped)
		return NULL;
	/* Count a missing thread or CPU once, not for each event and level. */
	return why ? judge_failure(session, i, at, why, !i && !level)
		   : set_up_fd(session, event, fd, at);
}

static struct pd_error *open_instance(
	struct cap_session *session, size_t i, const struct instance *at)
{
	size_t n = cap_session_n_levels(session, &session->opened.data[i]);

	for (size_t level = 0; level < n; level++) {
		struct pd_error *err = open_level(session, i, level, at);

		if (err)
			return err;
	}
	return NULL;
}

/* Open all events for a thread, a control group or all processes, on each CPU. */
static struct pd_error *open_for(struct cap_session *session, pid_t tid, unsigned long flags)
{
	const struct cap_target *target = &session->target;

	for (size_t c = 0; c < target->cpus.n; c++) {
		const struct instance at = {
			.tid = tid,
			.cpu = target->cpus.data[c],
			.flags = flags,
		};

		for (size_t i = 0; i < session->opened.n; i++) {
			struct pd_error *err = open_instance(session, i, &at);

			if (err)
				return err;
		}
	}
	return NULL;
}

static bool is_open(const struct cap_session *session)
{
	for (size_t i = 0; i < session->opened.n; i++) {
		if (session->opened.data[i].ids.n)
			return true;
	}
	return false;
}

/*
 * A thread that has exited and a CPU that is offline are not errors by themselves
 * (judge_failure()), so possibly nothing was opened.
 */
static struct pd_error *check_open(const struct cap_session *session)
{
	if (is_open(session))
		return NULL;
	if (session->n_gone)
		return pd_error_explained(ESRCH, NULL, "all threads to record have exited");
	if (session->n_offline)
		return pd_error_create(PD_ERROR_OS, NULL, "all CPUs to record are offline");
	return NULL;
}

/* Number of instances that an event has. */
struct extent {
	size_t n_fds;
	size_t n_ids;
};

/* Switch instances of @p event on, from number @p first on, on the current level. */
static struct pd_error *enable_opened(
	const struct cap_session *session, const struct cap_opened *event, size_t first)
{
	size_t n = cap_session_n_levels(session, event);

	for (size_t k = first + (n > 1 ? session->level : 0); k < event->fds.n; k += n) {
		if (event->fds.data[k] >= 0 &&
			ioctl(event->fds.data[k], PERF_EVENT_IOC_ENABLE, 0) < 0)
			return pd_error_os(event->event->name, "cannot be enabled");
	}
	return NULL;
}

/*
 * Open the events of thread @p tid. In a session that is enabled, they are enabled at once: a
 * thread that is created before has events, but no FORK record says so.
 */
static struct pd_error *open_thread(struct cap_session *session, pid_t tid)
{
	_cleanup_free_ size_t *first = calloc(session->opened.n, sizeof(*first));

	if (!first)
		return &pd_enomem;
	for (size_t i = 0; i < session->opened.n; i++)
		first[i] = session->opened.data[i].fds.n;
	struct pd_error *err = open_for(session, tid, 0);
	for (size_t i = 0; !err && session->is_enabled && i < session->opened.n; i++)
		err = enable_opened(session, &session->opened.data[i], first[i]);
	return err;
}

static struct pd_error *open_threads(struct cap_session *session, size_t first)
{
	for (size_t i = first; i < session->target.tids.n; i++) {
		struct pd_error *err = open_thread(session, session->target.tids.data[i]);

		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *open_all(struct cap_session *session)
{
	const struct cap_target *target = &session->target;
	struct pd_error *err;

	/* Control groups are system-wide as well, because their events must be bound to a CPU. */
	if (target->is_system_wide && !target->cgroup_fds.n) {
		err = open_for(session, -1, 0);
		return err ? err : check_open(session);
	}
	for (size_t i = 0; i < target->cgroup_fds.n; i++) {
		err = open_for(session, target->cgroup_fds.data[i], PERF_FLAG_PID_CGROUP);
		if (err)
			return err;
	}
	err = open_threads(session, 0);
	return err ? err : check_open(session);
}

struct pd_error *cap_session_open(struct cap_session *session)
{
	struct pd_error *err = open_all(session);

	if (err)
		cap_session_close(session);
	return err;
}

static bool maps_ring(const struct cap_session *session, int fd)
{
	for (size_t i = 0; i < session->rings.n; i++) {
		if (session->rings.data[i].fd == fd)
			return true;
	}
	return false;
}

/* Close instances whose threads have exited, so that a long recording does not run out of files. */
static void close_ended(struct cap_session *session)
{
	for (size_t i = 0; i < session->opened.n; i++) {
		struct cap_opened *event = &session->opened.data[i];

		for (size_t k = 0; k < event->fds.n; k++) {
			int *fd = &event->fds.data[k];

			if (*fd < 0 || !cap_has_hung_up(*fd) || maps_ring(session, *fd))
				continue;
			session->n_lost_closed += cap_session_count_lost(session, i, *fd);
			close(*fd);
			*fd = -1;
		}
	}
}

/* Close what was opened since the session had @p extents and @p n_rings rings. */
static void shrink(struct cap_session *session, const struct extent *extents, size_t n_rings)
{
	for (size_t i = n_rings; i < session->rings.n; i++)
		cap_ring_unmap(&session->rings.data[i].ring);
	session->rings.n = n_rings;
	for (size_t i = 0; i < session->opened.n; i++) {
		struct cap_opened *event = &session->opened.data[i];

		for (size_t k = extents[i].n_fds; k < event->fds.n; k++) {
			if (event->fds.data[k] >= 0)
				close(event->fds.data[k]);
		}
		event->fds.n = extents[i].n_fds;
		event->ids.n = extents[i].n_ids;
	}
}

struct pd_error *cap_session_add_threads(struct cap_session *session, size_t first)
{
	size_t n_rings = session->rings.n;
	_cleanup_free_ struct extent *before = calloc(session->opened.n, sizeof(*before));

	if (!before)
		return &pd_enomem;
	close_ended(session);
	for (size_t i = 0; i < session->opened.n; i++)
		before[i] = (struct extent){ session->opened.data[i].fds.n,
			session->opened.data[i].ids.n };
	struct pd_error *err = open_threads(session, first);
	if (err)
		shrink(session, before, n_rings);
	return err;
}
