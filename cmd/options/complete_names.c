#include "cmd/options/complete_names.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pdconv/file.h>
#include <pdconv/name_defs.h>
#include <pdconv/profile.h>
#include <pdconv/vec.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/names/name_match.h"
#include "base/text.h"
#include "parse/open_file.h"

void cmd_completion_offer(const struct cmd_completion *c, const char *name, const char *help)
{
	size_t len = strlen(name), shown_len;

	if (strncmp(name, c->text, strlen(c->text)) != 0)
		return;
	_cleanup_free_ char *shown = base_text_dup(name, len, &shown_len);
	if (!shown || shown_len != len || memcmp(shown, name, len) != 0)
		return;
	fprintf(c->out, "%.*s%s\t%s\n", (int)c->lead_len, c->lead, name, help ? help : "");
}

/* A user who presses a key does not wait for more. */
enum { MAX_RECORDING_BYTES = 32 << 20 };

/* A stream could be read only once, and the command itself needs it. */
static bool is_regular(const char *path, off_t max_size)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= max_size;
}

void cmd_complete_events(const struct cmd_completion *completion, const char *path)
{
	struct pd_file *file;

	if (!is_regular(path, INT64_MAX))
		return;
	struct pd_error *err = pd_file_open(path, NULL, &file);
	if (err) {
		pd_error_destroy(err);
		return;
	}
	const struct pd_events *events = &file->events;
	for (size_t i = 0; i < events->list.n; i++)
		cmd_completion_offer(completion, events->list.data[i].name, NULL);
	pd_file_close(file);
}

/* Names in any order, borrowed. They can be there several times. */
struct names {
	PD_VEC(const char *) list;
	/** Parts of names. */
	struct base_arena parts;
};

static bool add_threads(const struct pd_profile *profile, struct names *to)
{
	uint32_t n = pd_profile_n_threads(profile);

	for (uint32_t i = 0; i < n; i++) {
		if (!pd_vec_push(&to->list, pd_profile_get_thread(profile, i).comm))
			return false;
	}
	return true;
}

static bool add_binaries(const struct pd_profile *profile, struct names *to)
{
	uint32_t n = pd_profile_n_binaries(profile);

	for (uint32_t i = 0; i < n; i++) {
		if (!pd_vec_push(&to->list, pd_profile_get_binary(profile, i).name))
			return false;
	}
	return true;
}

/* Names can be given by their last part, too. */
static bool add_function(const char *name, struct names *to)
{
	size_t len;
	const char *part = base_last_part(name, &len);

	if (!pd_vec_push(&to->list, name))
		return false;
	if (len == strlen(name) || !len)
		return true;
	char *copy = base_arena_strndup(&to->parts, part, len);
	return copy && pd_vec_push(&to->list, copy);
}

static bool add_functions(const struct pd_profile *profile, struct names *to)
{
	uint32_t n_frames = pd_profile_n_frames(profile);

	for (uint32_t i = 0; i < n_frames; i++) {
		uint32_t n = pd_profile_get_frame(profile, i).n_functions;

		for (uint32_t k = 0; k < n; k++) {
			const char *name = pd_profile_get_function(profile, i, k).name;

			if (!add_function(name, to))
				return false;
		}
	}
	return true;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void offer_each_once(const struct cmd_completion *completion, const struct names *names)
{
	const char **list = names->list.data;
	size_t n = names->list.n;

	if (n)
		qsort(list, n, sizeof(*list), compare_names);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(list[i], list[i - 1]) != 0)
			cmd_completion_offer(completion, list[i], NULL);
	}
}

static void offer_names(const struct cmd_completion *completion, const struct pd_profile *profile,
	enum cmd_recorded_names which)
{
	typedef bool add_fn(const struct pd_profile *profile, struct names *to);
	static add_fn *const add[] = {
		[CMD_RECORDED_COMMS] = add_threads,
		[CMD_RECORDED_DSOS] = add_binaries,
		[CMD_RECORDED_FUNCTIONS] = add_functions,
	};
	struct names names = { 0 };

	if (add[which](profile, &names))
		offer_each_once(completion, &names);
	pd_vec_deinit(&names.list);
	base_arena_deinit(&names.parts);
}

void cmd_complete_names(const struct cmd_completion *completion, const struct cmd_options *options,
	const char *path, enum cmd_recorded_names names)
{
	struct pd_profile_opts opts = options->profile;
	struct pd_profile *profile = NULL;
	struct pd_file *file;

	if (!is_regular(path, MAX_RECORDING_BYTES))
		return;
	opts.names.no_lines = true;
	struct pd_error *err = pd_file_open(path, NULL, &file);
	if (!err) {
		err = pd_profile_create(file, &opts, NULL, &profile);
		pd_file_close(file);
	}
	if (!err)
		offer_names(completion, profile, names);
	pd_error_destroy(err);
	pd_profile_destroy(profile);
}
