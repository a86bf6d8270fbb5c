#include "cmd/record_setup.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock_defs.h"
#include "cmd/option_error.h"
#include "cmd/writing.h"

static struct pd_error *add_ids(struct cap_target *target, const struct cmd_list *list,
	const char *option, struct pd_error *(*add)(struct cap_target *target, pid_t id))
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < list->items.n && !err; i++) {
		const char *at = list->items.data[i];

		do {
			char *end;
			long id = strtol(at, &end, 10);

			if (end == at || id <= 0 || (*end && *end != ','))
				return pd_error_create(PD_ERROR_USAGE, NULL,
					"--%s: invalid list '%s': expected numbers separated by commas",
					option, at);
			err = add(target, (pid_t)id);
			at = *end ? end + 1 : end;
		} while (*at && !err);
	}
	return err;
}

/* By name or number. */
static struct pd_error *add_user(struct cap_target *target, const char *text)
{
	char *end;
	const struct passwd *user = getpwnam(text);
	unsigned long uid = user ? user->pw_uid : strtoul(text, &end, 10);

	if (!user && (end == text || *end))
		return pd_error_create(PD_ERROR_USAGE, NULL, "--uid: there is no user '%s'", text);
	return cap_target_add_user(target, (uid_t)uid);
}

static struct pd_error *add_cgroups(struct cap_target *target, const struct cmd_list *list)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < list->items.n && !err; i++) {
		const char *at = list->items.data[i];

		while (!err) {
			size_t len = strcspn(at, ",");
			_cleanup_free_ char *name = strndup(at, len);

			err = name ? cap_target_add_cgroup(target, name) : &pd_enomem;
			if (!at[len])
				break;
			at += len + 1;
		}
	}
	return err;
}

static struct pd_error *set_target(struct cap_recording *r, const struct cmd_options *options)
{
	const struct cmd_record_options *opts = &options->record;
	bool has_ids = opts->pids.items.n || opts->tids.items.n || opts->user;
	bool has_command = opts->command[0];
	struct pd_error *err =
		opts->cpus ? cmd_option_error("cpu", cap_target_set_cpus(&r->target, opts->cpus))
			   : cap_target_use_online_cpus(&r->target);

	if (!err)
		err = add_cgroups(&r->target, &opts->cgroups);
	r->target.is_system_wide |= opts->all_cpus || (opts->cpus && !has_ids && !has_command);
	if (!err && opts->cpus)
		err = cmd_option_error("cpu", cap_target_skip_offline(&r->target));
	if (!err && has_ids && (opts->all_cpus || has_command || opts->cgroups.items.n))
		err = pd_error_create(PD_ERROR_USAGE, NULL,
			"--pid, --tid and --uid go neither with --all-cpus nor with --cgroup nor a "
			"command");
	if (!err && !has_ids && !has_command && !r->target.is_system_wide)
		err = pd_error_create(PD_ERROR_USAGE, NULL,
			"nothing to record: expected COMMAND, --pid, --tid, --uid, --cgroup or --all-cpus");
	if (!err)
		err = add_ids(&r->target, &opts->pids, "pid", cap_target_add_process);
	if (!err)
		err = add_ids(&r->target, &opts->tids, "tid", cap_target_add_thread);
	if (!err && opts->user)
		err = add_user(&r->target, opts->user);
	return err;
}

static const struct {
	int clock;
	const char *name;
	const char *other;
} clocks[] = {
#define CLOCK_ROW(id, name, other) { id, name, other },
	PD_CLOCKS(CLOCK_ROW)
#undef CLOCK_ROW
};

static struct pd_error *set_clock(struct cap_sampling *sampling, const char *text)
{
	char *end;

	sampling->clock = -1;
	if (!text)
		return NULL;
	for (size_t i = 0; i < PD_ARRAY_LEN(clocks); i++) {
		if (strcmp(clocks[i].name, text) == 0 ||
			(clocks[i].other && strcmp(clocks[i].other, text) == 0)) {
			sampling->clock = clocks[i].clock;
			return NULL;
		}
	}
	long number = strtol(text, &end, 10);
	if (end == text || *end || number < 0)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "--clockid: there is no clock '%s'", text);
	sampling->clock = (int)number;
	return NULL;
}

static struct pd_error *set_stacks(
	struct cap_sampling *sampling, const struct cmd_record_options *opts)
{
	if (opts->call_graph) {
		struct pd_error *err = cap_sampling_set_stacks(sampling, opts->call_graph);

		if (err)
			return cmd_option_error("call-graph", err);
	} else if (opts->has_stacks) {
		sampling->stacks = CAP_STACKS_FP;
	}
	if (opts->user_regs)
		return cmd_option_error(
			"user-regs", cap_sampling_use_regs(sampling, opts->user_regs));
	return sampling->stacks == CAP_STACKS_DWARF ? cap_sampling_use_regs(sampling, NULL) : NULL;
}

static struct pd_error *set_sampling(struct cap_recording *r, const struct cmd_options *options)
{
	const struct cmd_record_options *opts = &options->record;
	struct cap_sampling *sampling = &r->sampling;

	*sampling = (struct cap_sampling){
		.period = opts->count,
		.with_cpu = r->target.is_system_wide || opts->cpus,
		.inherit = !opts->no_inherit && !r->target.is_system_wide,
		.enable_on_exec = opts->command[0] && !r->target.is_system_wide && !opts->delay,
		.with_switches = opts->with_switches || opts->offcpu,
		.with_namespaces = opts->with_namespaces,
		.with_cgroups = opts->with_cgroups,
		.with_build_ids = !opts->no_build_ids,
	};
	struct pd_error *err = set_clock(sampling, opts->clock);
	if (!err && opts->freq && opts->count)
		err = pd_error_create(
			PD_ERROR_USAGE, NULL, "--freq and --count exclude each other");
	if (!err && opts->freq)
		err = cmd_option_error("freq", cap_sampling_set_frequency(sampling, opts->freq));
	if (!err)
		err = set_stacks(sampling, opts);
	return err;
}

/* "128", "512K" or "8M". */
static struct pd_error *set_ring(struct cap_recording *r, const char *text)
{
	static const char units[] = "BKMG";
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *end;
	unsigned long long n = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (unit)
		n = ((n << 10 * (unit - units)) + page - 1) / page;
	if (end == text || text[0] == '-' || (*end && (!unit || end[1])) || !n || n > 1 << 24)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--mmap-pages: invalid ring size '%s': expected a number of pages or a size like 512K",
			text);
	/* The kernel wants a power of two. */
	for (r->opts.pages = 1; r->opts.pages < n; r->opts.pages *= 2)
		;
	return NULL;
}

static struct pd_error *set_opts(struct cap_recording *r, const struct cmd_options *options)
{
	const struct cmd_record_options *opts = &options->record;

	r->opts.keep_switches = opts->with_switches;
	r->opts.delay = opts->delay;
	r->opts.duration = opts->duration;
	struct pd_error *err = opts->ring ? set_ring(r, opts->ring) : NULL;
	return err ? err : cmd_zstd_level("compression-level", opts->level, &r->opts.level);
}

/* Those that stand behind -e number @p n. */
static struct pd_error *set_filters(
	struct cap_recording *r, const struct cmd_options *options, size_t n)
{
	const struct cmd_record_options *opts = &options->record;
	struct pd_error *err = NULL;

	for (size_t i = 0; i < opts->filters.items.n && !err; i++) {
		if (opts->filter_places.data[i] == n)
			err = cap_event_set_filter(&r->events, opts->filters.items.data[i]);
	}
	return err;
}

static struct pd_error *list_events(struct cap_recording *r, const struct cmd_options *options)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < options->events.items.n && !err; i++) {
		err = cap_recording_add_events(r, options->events.items.data[i]);
		if (!err)
			err = set_filters(r, options, i + 1);
	}
	if (!err && options->record.filters.items.n && options->record.filter_places.data[0] == 0)
		err = pd_error_create(PD_ERROR_USAGE, NULL,
			"--filter: it must follow the --event that it is for");
	if (!err && !r->events.list.n)
		err = cap_recording_add_default(r);
	if (!err && options->record.offcpu)
		err = cap_recording_add_offcpu(r);
	return err;
}

static struct pd_error *set_tags(struct cap_recording *r, const struct cmd_options *options)
{
	struct pd_error *err = NULL;

	r->opts.tags = options->tags.items.data;
	r->opts.n_tags = options->tags.items.n;
	for (size_t i = 0; i < r->opts.n_tags && !err; i++)
		err = cmd_tag_check(r->opts.tags[i]);
	return err;
}

struct pd_error *cmd_record_setup(struct cap_recording *r, const struct cmd_options *options)
{
	r->opts.argv = options->argv;
	struct pd_error *err = set_opts(r, options);
	if (!err)
		err = set_tags(r, options);
	if (!err)
		err = set_target(r, options);
	if (!err)
		err = set_sampling(r, options);
	return err ? err : list_events(r, options);
}
