#include "cmd/commands/record_setup.h"

#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "api/table_maker.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "cmd/options/message.h"

typedef struct pd_error *add_id_fn(struct cap_target *target, pid_t id);

/* "12,34" */
static struct pd_error *add_ids(struct cap_target *target, const char *text, add_id_fn *add)
{
	for (const char *at = text;;) {
		const char *end = at;
		uint64_t id = 0;
		bool is_valid = base_number_parse(at, INT_MAX, &end, &id) && id;

		if (!is_valid || (*end && *end != ','))
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"invalid list '%s': expected numbers separated by commas", text);
		struct pd_error *err = add(target, (pid_t)id);
		if (err || !*end)
			return err;
		at = end + 1;
	}
}

static struct pd_error *add_id_lists(
	struct cap_target *target, const struct cmd_list *list, const char *option, add_id_fn *add)
{
	for (size_t i = 0; i < list->items.n; i++) {
		struct pd_error *err = add_ids(target, list->items.data[i], add);

		if (err)
			return err->code == PD_ERROR_USAGE ? cmd_option_error(option, err) : err;
	}
	return NULL;
}

/* The entry of user @p name, or NULL. A static program cannot load what getpwnam() may need. */
static const struct passwd *find_user(const char *name)
{
#ifdef PD_STATIC
	_cleanup_fclose_ FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *user = NULL;

	while (file && (user = fgetpwent(file)) && strcmp(user->pw_name, name) != 0)
		continue;
	return user;
#else
	return getpwnam(name);
#endif
}

static struct pd_error *add_user(struct cap_target *target, const char *text)
{
	const struct passwd *user = find_user(text);
	const char *end = text;
	uint64_t uid = user ? user->pw_uid : 0;

	if (!user && (!base_number_parse(text, UINT32_MAX, &end, &uid) || *end))
		return pd_error_create(PD_ERROR_USAGE, NULL, "--uid: unknown user '%s'", text);
	return cap_target_add_user(target, (uid_t)uid);
}

/* "NAME,NAME" */
static struct pd_error *add_cgroups(struct cap_target *target, const char *text)
{
	for (const char *at = text;;) {
		size_t len = strcspn(at, ",");
		_cleanup_free_ char *name = strndup(at, len);
		struct pd_error *err = name ? cap_target_add_cgroup(target, name) : &pd_enomem;

		if (err || !at[len])
			return err;
		at += len + 1;
	}
}

static struct pd_error *set_cpus(struct cap_target *target, const char *cpus)
{
	if (!cpus)
		return cap_target_use_online_cpus(target);
	struct pd_error *err = cap_target_set_cpus(target, cpus);
	if (err)
		return cmd_option_error("cpu", err);
	return cmd_option_error("cpu", cap_target_skip_offline(target));
}

static bool has_ids(const struct cmd_record_options *opts)
{
	return opts->pids.items.n || opts->tids.items.n || opts->user;
}

/* Whether the command itself is recorded, not other processes while it runs. */
static bool records_command(const struct cmd_record_options *opts, const struct cap_target *target)
{
	return opts->command[0] && !target->is_system_wide && !has_ids(opts);
}

/* Check that the options name one kind of target. */
static struct pd_error *check_target(const struct cmd_record_options *opts)
{
	bool has_command = opts->command[0];
	bool has_all = opts->all_cpus || opts->cpus || opts->cgroups.items.n;

	if (has_ids(opts) && (opts->all_cpus || opts->cgroups.items.n))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--pid, --tid and --uid exclude --all-cpus and --cgroup");
	if (!has_ids(opts) && !has_command && !has_all)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"nothing to record: expected COMMAND, --pid, --tid, --uid, --cgroup or --all-cpus");
	return NULL;
}

static struct pd_error *set_target(struct cap_target *target, const struct cmd_record_options *opts)
{
	struct pd_error *err = check_target(opts);

	if (err)
		return err;
	err = set_cpus(target, opts->cpus);
	if (err)
		return err;
	for (size_t i = 0; i < opts->cgroups.items.n; i++) {
		err = add_cgroups(target, opts->cgroups.items.data[i]);
		if (err)
			return err;
	}
	/* Only CPUs are given: everything that runs there is recorded. */
	target->is_system_wide |=
		opts->all_cpus || (opts->cpus && !has_ids(opts) && !opts->command[0]);
	err = add_id_lists(target, &opts->pids, "pid", cap_target_add_process);
	if (err)
		return err;
	err = add_id_lists(target, &opts->tids, "tid", cap_target_add_thread);
	if (err)
		return err;
	return opts->user ? add_user(target, opts->user) : NULL;
}

/* Off-CPU time needs switches. They are kept, too, to show where the rest of the time went. */
static bool keeps_switches(const struct cmd_record_options *opts)
{
	return (opts->opts.keep_switches || opts->offcpu) && !opts->drops_switches;
}

static struct pd_error *set_sampling(struct cap_recording *r, const struct cmd_record_options *opts)
{
	struct cap_sampling *sampling = &r->session.sampling;
	bool is_system_wide = r->session.target.is_system_wide;

	if (opts->sampling.frequency && opts->sampling.period)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "--freq and --count cannot be combined");
	*sampling = opts->sampling;
	sampling->with_cpu = is_system_wide || opts->cpus;
	sampling->inherit &= !is_system_wide;
	sampling->enable_on_exec = records_command(opts, &r->session.target) && !opts->opts.delay;
	sampling->with_switches = keeps_switches(opts) || opts->offcpu;
	/* Unwinding copies of stacks needs registers. */
	if (sampling->stacks == CAP_STACKS_DWARF && !sampling->user_regs)
		return cap_sampling_use_regs(sampling, NULL);
	return NULL;
}

/* Set the filters that follow --event number @p n, counted from 1. */
static struct pd_error *set_filters(
	struct cap_recording *r, const struct cmd_record_options *opts, size_t n)
{
	for (size_t i = 0; i < opts->filters.items.n; i++) {
		const struct cmd_event_filter *filter = &opts->filters.items.data[i];
		struct pd_error *err =
			filter->n_events == n
				? cap_event_set_filter(&r->session.events, filter->text)
				: NULL;

		if (err)
			return err;
	}
	return NULL;
}

/* Who woke a thread is of use only with the waits that ended. */
static struct pd_error *check_wakers(const struct cmd_record_options *opts)
{
	if (!opts->wakers || keeps_switches(opts))
		return NULL;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "--wakers: needs --off-cpu or --switch-events");
}

static struct pd_error *set_events(struct cap_recording *r, const struct cmd_record_options *opts)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < opts->events.items.n; i++) {
		err = cap_session_add_events(&r->session, opts->events.items.data[i]);
		if (err)
			return err;
		err = set_filters(r, opts, i + 1);
		if (err)
			return err;
	}
	if (!r->session.events.list.n)
		err = cap_session_add_default(&r->session);
	if (err)
		return err;
	if (opts->offcpu)
		err = cap_recording_add_offcpu(r);
	return err || !opts->wakers ? err : cap_recording_add_wakers(r);
}

struct pd_error *cmd_record_setup(struct cap_recording *r, const struct cmd_options *options)
{
	const struct cmd_record_options *opts = &options->record;

	static struct sym_search here = { .is_here = true };

	here.cache_dir = options->profile.search.cache_dir;

	/* Members that have no option keep the defaults of capture/. */
	r->opts.argv = options->argv;
	r->opts.tables = api_table_maker(&here);
	r->opts.table_bytes = opts->opts.table_bytes;
	r->opts.level = opts->opts.level;
	r->opts.keep_switches = keeps_switches(opts);
	r->opts.duration = opts->opts.duration;
	r->opts.delay = opts->opts.delay;
	r->opts.tags = opts->opts.tags;
	r->opts.n_tags = opts->opts.n_tags;
	struct pd_error *err = check_wakers(opts);
	if (!err)
		err = set_target(&r->session.target, opts);
	if (err)
		return err;
	err = set_sampling(r, opts);
	if (err)
		return err;
	return set_events(r, opts);
}
