#include "capture/refusal.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/sample.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "capture/events/event_item.h"
#include "capture/sampling.h"
#include "capture/target.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define SYSCTL "/proc/sys/kernel/"

/* The most restrictive kernel.perf_event_paranoid that permits each use without CAP_PERFMON. */
enum {
	PARANOID_RAW_TRACEPOINTS = -1,
	PARANOID_SYSTEM_WIDE = 0,
	PARANOID_KERNEL = 1,
	/* Kernels of Debian and Android have a higher value as well, which forbids all events. */
	PARANOID_USER = 2,
};

enum cap_refusal cap_refusal(int errnum)
{
	switch (errnum) {
	case 0:
		return CAP_NOT_REFUSED;
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
	case EINVAL:
		return CAP_REFUSED_UNSUPPORTED;
	case EACCES:
	case EPERM:
		return CAP_REFUSED_DENIED;
	case ESRCH:
		return CAP_REFUSED_GONE;
	default:
		return CAP_REFUSED_OTHER;
	}
}

static long read_sysctl(const char *path, long otherwise)
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

struct cap_limits cap_limits_read(void)
{
	const struct pd_arch *arch = pd_arch_of_machine();
	struct rlimit files = { 0 };

	getrlimit(RLIMIT_NOFILE, &files);
	return (struct cap_limits){
		.paranoid = (int)read_sysctl(SYSCTL "perf_event_paranoid", PARANOID_USER),
		.is_capable = has_capability(CAP_PERFMON) || has_capability(CAP_SYS_ADMIN),
		.max_sample_rate = (uint64_t)read_sysctl(SYSCTL "perf_event_max_sample_rate", 0),
		.mlock_kb = (uint64_t)read_sysctl(SYSCTL "perf_event_mlock_kb", 0),
		.max_files = files.rlim_cur,
		.general_regs = arch ? cap_general_regs(arch) : 0,
	};
}

bool cap_limits_permit_kernel(const struct cap_limits *limits)
{
	return limits->is_capable || limits->paranoid <= PARANOID_KERNEL;
}

/* A refused event, and the reason that is found for it. */
struct explanation {
	const struct cap_refused *refused;
	const struct pd_attr *attr;
	const struct cap_limits *limits;
	char reason[320];
};

/* Set the reason. Returns true, so that rules can return the result. */
static bool because(struct explanation *e, const char *fmt, ...) pd_printf(2, 3);
static bool because(struct explanation *e, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(e->reason, sizeof(e->reason), fmt, args);
	va_end(args);
	return true;
}

static bool samples(const struct pd_attr *attr, enum pd_sample_bit bit)
{
	return attr->sample_type >> bit & 1;
}

/* The PMU is the processor's own. */
static bool is_hardware(const struct pd_attr *attr)
{
	return attr->type == PD_TYPE_HARDWARE || attr->type == PD_TYPE_HW_CACHE ||
	       attr->type == PD_TYPE_RAW;
}

/* Kind of an event that the kernel alone implements; NULL for events of PMUs. */
static const char *software_kind(const struct pd_attr *attr)
{
	return attr->type == PD_TYPE_SOFTWARE	  ? "software event"
	       : attr->type == PD_TYPE_TRACEPOINT ? "tracepoint"
	       : attr->type == PD_TYPE_BREAKPOINT ? "breakpoint"
						  : NULL;
}

/*
 * Rules, each of which explains one reason for one errno, in the order in which they are tried. A
 * rule that does not apply returns false.
 */

static bool needs_paranoid(struct explanation *e, int needed, const char *what)
{
	if (e->limits->paranoid <= needed)
		return false;
	return because(e,
		"kernel.perf_event_paranoid is %d, but %s needs %d or less, or the capability "
		"CAP_PERFMON",
		e->limits->paranoid, what, needed);
}

static bool capable_but_denied(struct explanation *e)
{
	return e->limits->is_capable;
}

/* The strictest need comes first: a user who meets only a weaker one would be refused again. */
static bool paranoid_too_high(struct explanation *e)
{
	if (e->attr->type == PD_TYPE_TRACEPOINT && samples(e->attr, PD_SAMPLE_RAW) &&
		needs_paranoid(e, PARANOID_RAW_TRACEPOINTS, "raw data of tracepoints"))
		return true;
	if (e->refused->pid == -1 && needs_paranoid(e, PARANOID_SYSTEM_WIDE, "a system-wide event"))
		return true;
	bool samples_switches = e->attr->type == PD_TYPE_SOFTWARE &&
				e->attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	return !pd_attr_has(e->attr, PD_ATTR_exclude_kernel) &&
	       needs_paranoid(e, PARANOID_KERNEL,
		       samples_switches ? "sampling context switches, which happen in the kernel,"
					: "profiling the kernel (without the modifier 'u')");
}

/* Linux checks it whatever perf_event_paranoid is. */
static bool namespaces_denied(struct explanation *e)
{
	return pd_attr_has(e->attr, PD_ATTR_namespaces);
}

static bool process_denied(struct explanation *e)
{
	return e->refused->pid > 0 && e->limits->paranoid <= PARANOID_USER &&
	       because(e,
		       "profiling process %d needs the right to trace it (ptrace), or the "
		       "capability CAP_PERFMON",
		       (int)e->refused->pid);
}

/* Mainline Linux treats values above 2 like 2, so on mainline kernels this is a guess. */
static bool distribution_denied(struct explanation *e)
{
	return e->limits->paranoid > PARANOID_USER &&
	       because(e,
		       "kernel.perf_event_paranoid is %d, but kernels of some distributions need "
		       "%d or less, or the capability CAP_PERFMON, to profile user space",
		       e->limits->paranoid, PARANOID_USER);
}

static bool frequency_too_high(struct explanation *e)
{
	uint64_t limit = e->limits->max_sample_rate;

	if (!pd_attr_has(e->attr, PD_ATTR_freq) || !limit || e->attr->sample_period <= limit)
		return false;
	return because(e,
		"the kernel rejected sample_freq=%" PRIu64 " (limit: %" PRIu64 ", see " SYSCTL
		"perf_event_max_sample_rate)",
		e->attr->sample_period, limit);
}

static bool period_too_large(struct explanation *e)
{
	return !pd_attr_has(e->attr, PD_ATTR_freq) && e->attr->sample_period >> 63 &&
	       because(e, "the kernel rejected sample_period=%" PRIu64 " (limit: 2^63 - 1)",
		       e->attr->sample_period);
}

static bool clock_unusable(struct explanation *e)
{
	uint32_t clock = e->attr->clockid;

	if (!pd_attr_has(e->attr, PD_ATTR_use_clockid))
		return false;
	if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW)
		return false;
	/*
	 * The kernel takes all but its software events for some that happen in NMIs, in which the
	 * other clocks cannot be read.
	 */
	if (clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME || clock == CLOCK_TAI)
		return e->attr->type != PD_TYPE_SOFTWARE &&
		       because(e,
			       "only software events can use clockid=%u, others CLOCK_MONOTONIC and "
			       "CLOCK_MONOTONIC_RAW",
			       clock);
	return because(e, "events have no clockid=%u", clock);
}

static bool registers_unsupported(struct explanation *e)
{
	const struct {
		enum pd_sample_bit bit;
		const char *field;
		uint64_t mask;
	} masks[] = {
		{ PD_SAMPLE_REGS_USER, "sample_regs_user", e->attr->sample_regs_user },
		{ PD_SAMPLE_REGS_INTR, "sample_regs_intr", e->attr->sample_regs_intr },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(masks) && e->limits->general_regs; i++) {
		uint64_t other = masks[i].mask & ~e->limits->general_regs;

		if (samples(e->attr, masks[i].bit) && other)
			return because(e,
				"the kernel may not support the registers 0x%" PRIx64
				" of %s=0x%" PRIx64,
				other, masks[i].field, masks[i].mask);
	}
	return false;
}

static bool stack_size_invalid(struct explanation *e)
{
	uint32_t bytes = e->attr->sample_stack_user;

	return samples(e->attr, PD_SAMPLE_STACK_USER) && (bytes % 8 || bytes > PD_STACK_USER_MAX) &&
	       because(e, "sample_stack_user=%" PRIu32 " is not a multiple of 8 up to %d", bytes,
		       PD_STACK_USER_MAX);
}

static bool branches_invalid(struct explanation *e)
{
	/* PERF_SAMPLE_BRANCH_USER, _KERNEL and _HV. */
	enum { PRIVILEGES = 7 };
	uint64_t mask = e->attr->branch_sample_type;

	return samples(e->attr, PD_SAMPLE_BRANCH_STACK) && !(mask & ~(uint64_t)PRIVILEGES) &&
	       because(e, "branch_sample_type=0x%" PRIx64 " has no kind of branches, such as ANY",
		       mask);
}

/* The bits of all rows of pdconv/sample_defs.h. */
#define FIELD_BIT(bit, ...) | (uint64_t)1 << (bit)
static const uint64_t known_fields = 0 PD_SAMPLE_FIELDS(FIELD_BIT);

static bool fields_unknown(struct explanation *e)
{
	uint64_t other = e->attr->sample_type & ~known_fields;

	return other &&
	       because(e, "the kernel may not know the bits 0x%" PRIx64 " of sample_type", other);
}

static bool breakpoint_invalid(struct explanation *e)
{
	if (e->attr->type != PD_TYPE_BREAKPOINT)
		return false;
	return because(e,
		"the processor has no breakpoint of bp_len=%" PRIu64 " at bp_addr=0x%" PRIx64
		": most take 1, 2, 4 or 8 bytes at a multiple of that",
		e->attr->config2, e->attr->config1);
}

static bool tracepoint_missing(struct explanation *e)
{
	return e->attr->type == PD_TYPE_TRACEPOINT &&
	       because(e, "the kernel has no tracepoint of id %" PRIu64 " any more",
		       e->attr->config);
}

static bool group_too_large(struct explanation *e)
{
	return e->refused->is_group_member;
}

static bool pmu_counts_cpus(struct explanation *e)
{
	return e->attr->type > PD_TYPE_BREAKPOINT && e->refused->pid != -1;
}

static bool branch_stack_missing(struct explanation *e)
{
	const char *kind = software_kind(e->attr);

	if (!samples(e->attr, PD_SAMPLE_BRANCH_STACK))
		return false;
	if (kind)
		return because(e,
			"branch stacks need hardware (LBR), which the %s '%.80s' does not have",
			kind, e->refused->event->name);
	return because(e, "branch stacks need hardware (LBR), which this processor does not have, "
			  "or a virtual machine hides");
}

static bool too_precise(struct explanation *e)
{
	unsigned precise = pd_attr_precise_ip(&e->refused->event->attr);

	return precise && because(e,
				  "the PMU may not support precise_ip=%u: fewer modifiers 'p', or "
				  "'P' for the highest that it does",
				  precise);
}

static bool cannot_sample(struct explanation *e)
{
	return e->attr->sample_period;
}

static bool counter_missing(struct explanation *e)
{
	return is_hardware(e->attr) &&
	       because(e,
		       "this machine has no such hardware counter, or a virtual machine hides it; "
		       "cpu-clock works everywhere");
}

static bool pmu_missing(struct explanation *e)
{
	return because(e, "no PMU has type %u, or it has no event 0x%" PRIx64, e->attr->type,
		e->attr->config);
}

static bool cpu_missing(struct explanation *e)
{
	return e->refused->cpu >= 0 &&
	       because(e, "CPU %d is offline, or does not exist", e->refused->cpu);
}

static bool cpu_unknown(struct explanation *e)
{
	int cpu = e->refused->cpu;

	return cpu >= 0 && !cap_cpu_exists(cpu) && because(e, "there is no CPU %d", cpu);
}

static bool attr_too_new(struct explanation *e)
{
	return because(e,
		"this kernel knows less than the %u bytes of perf_event_attr that config3 and "
		"config4 need",
		e->attr->size);
}

static bool files_exhausted(struct explanation *e)
{
	return e->limits->max_files &&
	       because(e,
		       "an event needs a descriptor for each CPU and thread; RLIMIT_NOFILE is %" PRIu64
		       ", see 'ulimit -n'",
		       e->limits->max_files);
}

static bool breakpoints_exhausted(struct explanation *e)
{
	return e->attr->type == PD_TYPE_BREAKPOINT;
}

static bool no_memory_for_chains(struct explanation *e)
{
	return samples(e->attr, PD_SAMPLE_CALLCHAIN);
}

static bool user_stack_unsupported(struct explanation *e)
{
	return samples(e->attr, PD_SAMPLE_STACK_USER);
}

static bool process_gone(struct explanation *e)
{
	return e->refused->pid > 0 && because(e, "thread %d does not exist", (int)e->refused->pid);
}

static const char may_be_forbidden[] =
	"a security module or a seccomp filter, as of a container, may forbid it";

static const struct {
	int errnum;
	/** Whether the rule applies; it sets the reason unless @a reason is it. NULL: always. */
	bool (*explain)(struct explanation *e);
	const char *reason;
} rules[] = {
	{ EACCES, capable_but_denied, may_be_forbidden },
	{ EACCES, paranoid_too_high, NULL },
	{ EACCES, namespaces_denied, "NAMESPACES records need the capability CAP_PERFMON" },
	{ EACCES, process_denied, NULL },
	{ EACCES, distribution_denied, NULL },
	{ EPERM, capable_but_denied, may_be_forbidden },
	{ EPERM, paranoid_too_high, NULL },
	{ EPERM, distribution_denied, NULL },
	{ EINVAL, cpu_unknown, NULL },
	{ EINVAL, frequency_too_high, NULL },
	{ EINVAL, period_too_large, NULL },
	{ EINVAL, clock_unusable, NULL },
	{ EINVAL, registers_unsupported, NULL },
	{ EINVAL, stack_size_invalid, NULL },
	{ EINVAL, branches_invalid, NULL },
	{ EINVAL, fields_unknown, NULL },
	{ EINVAL, breakpoint_invalid, NULL },
	{ EINVAL, tracepoint_missing, NULL },
	{ EINVAL, too_precise, NULL },
	{ EINVAL, group_too_large,
		"the PMU may have too few counters for the group, or the group has events of "
		"different PMUs" },
	{ EINVAL, pmu_counts_cpus, "its PMU may not count single processes, or not sample" },
	{ EINVAL, NULL, "this kernel does not support such an event" },
	{ EOPNOTSUPP, branch_stack_missing, NULL },
	{ EOPNOTSUPP, registers_unsupported, NULL },
	{ EOPNOTSUPP, too_precise, NULL },
	{ EOPNOTSUPP, cannot_sample,
		"its PMU has no overflow interrupt: it can count but not sample" },
	{ ENOENT, counter_missing, NULL },
	{ ENOENT, tracepoint_missing, NULL },
	{ ENOENT, pmu_missing, NULL },
	{ ENODEV, cpu_missing, NULL },
	{ ENODEV, counter_missing, NULL },
	{ ENODEV, pmu_missing, NULL },
	{ ENXIO, counter_missing, NULL },
	{ ENXIO, pmu_missing, NULL },
	{ E2BIG, attr_too_new, NULL },
	{ EMFILE, files_exhausted, NULL },
	{ ENFILE, NULL,
		"the limit of open files of all processes is reached, see /proc/sys/fs/file-max" },
	{ ENOSPC, breakpoints_exhausted, "all debug registers of the processor are in use" },
	{ ENOSPC, NULL, "all counters of the PMU are in use" },
	{ EBUSY, NULL, "another event has exclusive access to the PMU" },
	{ ENOMEM, no_memory_for_chains,
		"the kernel has no memory for call chains, see " SYSCTL "perf_event_max_stack" },
	{ EOVERFLOW, NULL, "sample_max_stack is more than " SYSCTL "perf_event_max_stack" },
	{ ENOSYS, user_stack_unsupported,
		"the kernel cannot copy user stacks on this architecture, or has no perf events" },
	{ ENOSYS, NULL, "the kernel was built without CONFIG_PERF_EVENTS" },
	{ ESRCH, process_gone, NULL },
	{ ESRCH, cpu_missing, NULL },
};

static bool explain(struct explanation *e)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(rules); i++) {
		if (rules[i].errnum != e->refused->errnum ||
			(rules[i].explain && !rules[i].explain(e)))
			continue;
		return rules[i].reason ? because(e, "%s", rules[i].reason) : true;
	}
	return false;
}

struct pd_error *cap_refusal_error(
	const struct cap_refused *refused, const struct cap_limits *limits)
{
	struct explanation e = {
		.refused = refused,
		.attr = &refused->event->attr,
		.limits = limits,
	};
	char cpu[32] = "";

	if (refused->cpu >= 0)
		snprintf(cpu, sizeof(cpu), " on CPU %d", refused->cpu);
	bool has_reason = explain(&e);
	return pd_error_explained(refused->errnum, NULL, "cannot open event '%.180s'%s: %s%s%s",
		refused->event->name, cpu, strerror(refused->errnum), has_reason ? ": " : "",
		e.reason);
}

struct pd_error *cap_mmap_error(size_t bytes, int errnum, const struct cap_limits *limits)
{
	char reason[160] = "";

	if (errnum == EPERM)
		snprintf(reason, sizeof(reason),
			": more than kernel.perf_event_mlock_kb (%" PRIu64
			") and RLIMIT_MEMLOCK permit; use smaller rings, or the capability "
			"CAP_IPC_LOCK",
			limits->mlock_kb);
	return pd_error_explained(errnum, NULL, "cannot map a ring buffer of %zu KiB: %s%s",
		bytes / 1024, strerror(errnum), reason);
}
