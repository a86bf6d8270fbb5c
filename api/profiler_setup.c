#include "api/profiler_setup.h"

#include <stdlib.h>
#include <string.h>

#include "api/opts_copy.h"
#include "api/profile_read.h"
#include "api/table_maker.h"
#include "base/format.h"
#include "capture/capture_opts.h"

/* The error of a member of the options. */
static struct pd_error *in_member(const char *member, struct pd_error *err)
{
	if (!err || err->code != PD_ERROR_USAGE)
		return err;
	struct pd_error *ret =
		pd_error_create(PD_ERROR_USAGE, NULL, "%s: %s", member, err->message);
	pd_error_destroy(err);
	return ret;
}

/* The target. */

static struct pd_error *add_cpus(struct cap_target *target, struct pd_number_range range)
{
	/* More than any kernel supports. */
	enum { MOST = 1 << 16 };

	if (range.first > range.last)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid range %u-%u: it ends before it begins", range.first, range.last);
	if (range.last >= MOST)
		return pd_error_create(PD_ERROR_USAGE, NULL, "there is no CPU %u", range.last);
	for (uint32_t cpu = range.first; cpu <= range.last; cpu++) {
		if (!pd_vec_push(&target->cpus, (int)cpu))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *set_cpus(struct cap_target *target, const struct pd_profiler_opts *opts)
{
	if (!opts->n_cpus)
		return cap_target_use_online_cpus(target);
	for (size_t i = 0; i < opts->n_cpus; i++) {
		struct pd_error *err = add_cpus(target, opts->cpus[i]);

		if (err)
			return err;
	}
	return cap_target_skip_offline(target);
}

typedef struct pd_error *add_id_fn(struct cap_target *target, pid_t id);

static struct pd_error *add_ids(
	struct cap_target *target, const pid_t *ids, size_t n, add_id_fn *add)
{
	for (size_t i = 0; i < n; i++) {
		if (ids[i] <= 0)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"invalid number %d: expected one above 0", (int)ids[i]);
		struct pd_error *err = add(target, ids[i]);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *add_cgroups(struct cap_target *target, const char *const *cgroups, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = cap_target_add_cgroup(target, cgroups[i]);

		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *set_target(struct cap_target *target, const struct pd_profiler_opts *opts)
{
	size_t n_pid = opts->pid != 0;
	bool has_ids = n_pid || opts->n_pids || opts->n_tids;

	if (has_ids && opts->n_cgroups)
		return pd_error_create(PD_ERROR_USAGE, NULL, "pid, pids and tids exclude cgroups");
	target->is_system_wide = !has_ids;
	struct pd_error *err = in_member("cpus", set_cpus(target, opts));
	if (err)
		return err;
	err = in_member("pid", add_ids(target, &opts->pid, n_pid, cap_target_add_process));
	if (err)
		return err;
	err = in_member("pids", add_ids(target, opts->pids, opts->n_pids, cap_target_add_process));
	if (err)
		return err;
	err = in_member("tids", add_ids(target, opts->tids, opts->n_tids, cap_target_add_thread));
	return err ? err : add_cgroups(target, opts->cgroups, opts->n_cgroups);
}

/* Events and samples. */

static bool has_label(const struct pd_profile_opts *opts, const char *label)
{
	for (size_t i = 0; i < opts->n_labels; i++) {
		if (strcmp(opts->labels[i], label) == 0)
			return true;
	}
	return false;
}

static struct pd_error *set_sampling(
	struct pd_profiler *profiler, const struct pd_profiler_opts *opts)
{
	struct cap_recording *recording = &profiler->recording;
	struct pd_capture_opts capture = cap_capture_opts_with_stack(&opts->capture);
	struct cap_sampling *sampling = &recording->session.sampling;

	struct pd_error *err = api_capture_opts_copy_texts(&capture, &profiler->arena);

	if (err)
		return err;
	capture.no_kernel_chain |= opts->profile.unwind.no_kernel;
	capture.inherit = !recording->session.target.is_system_wide;
	sampling->with_build_ids = true;
	sampling->with_switches = opts->offcpu;
	sampling->with_cgroups = has_label(&opts->profile, "cgroup");
	static struct sym_search here = { .is_here = true };

	recording->opts.tables = api_table_maker(&here);
	err = in_member("capture", cap_capture_opts_apply(&capture, &recording->session));
	return err || !opts->offcpu ? err : cap_recording_add_offcpu(recording);
}

/* Tags are stored in the recording, from where the profile gets them as labels. */
static struct pd_error *set_tags(struct pd_profiler *profiler, const struct pd_profiler_opts *opts)
{
	for (size_t i = 0; i < opts->n_tags; i++) {
		const struct pd_tag *tag = &opts->tags[i];

		if (!tag->key[0] || strchr(tag->key, '=') || !tag->value[0])
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"invalid tag '%s': expected a key without '=' and a value that is not empty",
				tag->key);
		char *text = base_format("%s=%s", tag->key, tag->value);
		if (!text || !pd_vec_push(&profiler->tags, text)) {
			free(text);
			return &pd_enomem;
		}
	}
	/* Pushing may have moved the list, so its address is taken last. */
	profiler->recording.opts.tags = (const char *const *)profiler->tags.data;
	profiler->recording.opts.n_tags = profiler->tags.n;
	return NULL;
}

/* The profile. Errors in its options must not come only after the recording. */
static struct pd_error *set_profile(
	struct pd_profiler *profiler, const struct pd_profiler_opts *opts)
{
	struct pd_error *err =
		api_profile_opts_copy(&opts->profile, &profiler->arena, &profiler->profile);

	return err ? err : in_member("profile", api_profile_check_opts(&profiler->profile));
}

struct pd_error *api_profiler_set_up(
	struct pd_profiler *profiler, const struct pd_profiler_opts *opts)
{
	struct pd_error *err = set_profile(profiler, opts);
	if (err)
		return err;
	err = set_tags(profiler, opts);
	if (err)
		return err;
	err = set_target(&profiler->recording.session.target, opts);
	return err ? err : set_sampling(profiler, opts);
}
