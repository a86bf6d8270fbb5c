/* pdconv archive: a recording's binaries in one tarball. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/reading.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/containers/intern.h"
#include "base/plural.h"
#include "base/io/tar.h"
#include "base/io/temporary.h"
#include "base/text.h"
#include "cmd/commands/archive.h"
#include "cmd/options/commands.h"
#include "cmd/options/message.h"
#include "cmd/process/output_file.h"
#include "cmd/process/recorded_files.h"
#include "cmd/process/sandbox.h"
#include "symbolize/file/deps.h"
#include "symbolize/find/mapped_file.h"

/* Warning about a file that was found and cannot be opened any longer. */
static const char GONE[] = "is not in the archive: cannot read it";

struct archive {
	const struct cmd_options *options;
	const struct sym_search *search;
	/** Files that names were made from; NULL: without debug files. */
	struct sym_deps *deps;
	const struct profile *profile;
	struct pd_diag *diag;
	struct base_tar *tar;
	/** Open files of processes by the number of the attempt; 0: opened by path. */
	int *held;
	/** Paths of the members, so that none is added twice. */
	struct base_intern members;
	size_t n_files;
	uint64_t n_bytes;
	/** Binaries with frames that were not found. */
	size_t n_missing;
};

/* Whether @p member is new. Errors: NOMEM. */
static struct pd_error *is_new(struct archive *archive, const char *member, bool *ret)
{
	size_t len = strlen(member);

	*ret = base_intern_find(&archive->members, member, len) == PD_INTERN_NONE;
	return base_intern_add(&archive->members, member, len) == PD_INTERN_NONE ? &pd_enomem
										 : NULL;
}

/* Add the link by which perf finds a file in its cache. */
static struct pd_error *add_link(
	struct archive *archive, const char *dir, const char *id, int64_t mtime)
{
	_cleanup_free_ char *path = base_format(".build-id/%.2s/%s", id, id + 2);
	_cleanup_free_ char *target = base_format("../../%s/%s", dir, id);
	bool is_missing;

	if (!path || !target)
		return &pd_enomem;
	struct pd_error *err = is_new(archive, path, &is_missing);
	if (err || !is_missing)
		return err;
	err = base_tar_begin(archive->tar,
		&(struct base_tar_member){ .path = path, .target = target, .mtime = mtime });
	return err ? err : base_tar_end(archive->tar);
}

/*
 * Copy the file @p path. An archive with a part of it would give wrong names elsewhere, so there is
 * none if it cannot be read to the size that its header has.
 */
static struct pd_error *copy_file(
	struct archive *archive, const char *path, const struct cmd_recorded_bytes *bytes)
{
	uint8_t buffer[1 << 16];
	ssize_t n;

	for (uint64_t left = bytes->size; left; left -= (uint64_t)n) {
		n = base_read_some(
			bytes->fd, buffer, left < sizeof(buffer) ? (size_t)left : sizeof(buffer));
		if (n < 0)
			return pd_error_os(path, "cannot read");
		if (!n)
			return pd_error_create(PD_ERROR_OS, path,
				"became shorter while it was read: make the archive again");
		struct pd_error *err = base_tar_put(archive->tar, buffer, (size_t)n);
		if (err)
			return err;
	}
	return NULL;
}

/* Add @p bytes of the file @p from as the member @p path. */
static struct pd_error *add_member(struct archive *archive, const char *path, const char *from,
	const struct cmd_recorded_bytes *bytes)
{
	const struct base_tar_member member = {
		.path = path, .mtime = bytes->mtime, .size = bytes->size
	};
	struct pd_error *err = base_tar_begin(archive->tar, &member);

	if (!err)
		err = bytes->memory ? base_tar_put(archive->tar, bytes->memory, bytes->size)
				    : copy_file(archive, from, bytes);
	archive->n_files++;
	archive->n_bytes += bytes->size;
	return err ? err : base_tar_end(archive->tar);
}

/*
 * Add @p file as @p path. A file that has gone since it was found is reported, and *is_added_ret
 * stays false.
 */
static struct pd_error *copy_path(struct archive *archive, const struct cmd_recorded_file *file,
	const char *path, int64_t *mtime_ret, bool *is_added_ret)
{
	struct cmd_recorded_bytes bytes;
	struct pd_error *err;

	if (!cmd_recorded_bytes_open(file, archive->search, &bytes, &err)) {
		if (!err)
			pd_diag_warn(archive->diag, file->path, 0, NULL, "%s", GONE);
		return err;
	}
	*mtime_ret = bytes.mtime;
	*is_added_ret = true;
	err = add_member(archive, path, file->path, &bytes);
	cmd_recorded_bytes_close(&bytes);
	return err;
}

static struct pd_error *add_file(struct archive *archive, const struct cmd_recorded_file *file)
{
	char id[PD_BUILD_ID_HEX_MAX];
	_cleanup_free_ char *dir =
		cmd_recorded_path(prof_string(archive->profile, file->binary->name));
	int64_t mtime = 0;
	bool is_new_path, is_new_id, is_added = false;

	pd_build_id_hex(&file->binary->build_id, id);
	_cleanup_free_ char *path = !dir    ? NULL
				    : id[0] ? base_format("%s/%s/%s", dir, id, file->kind)
					    : base_format("%s/%s", dir, file->kind);
	_cleanup_free_ char *key = base_format("%s/%s", id, file->kind);
	if (!path || !key)
		return &pd_enomem;
	struct pd_error *err = is_new(archive, path, &is_new_path);
	if (!err)
		err = is_new(archive, key, &is_new_id);
	/* Copies of one build are one file, unless the recording has no id and goes by path. */
	if (err || !is_new_path || (!is_new_id && id[0] && !file->binary->is_id_found))
		return err;
	err = copy_path(archive, file, path, &mtime, &is_added);
	return err || !id[0] || !is_added ? err : add_link(archive, dir, id, mtime);
}

static struct pd_error *add_attempt(struct archive *archive, size_t i)
{
	const struct prof_attempt *attempt = &archive->profile->attempts.data[i];
	struct cmd_recorded_file file;

	if (!cmd_recorded_file(archive->profile, attempt, &file))
		return NULL;
	/* Without the binary, only its debug file has names. */
	if (attempt->is_debug && !archive->options->with_debug && !file.binary->is_debug_only)
		return NULL;
	file.held = archive->held[i];
	return add_file(archive, &file);
}

/* Whether the open file is still the one that names were taken from, as far as that is known. */
static bool is_same_file(const struct prof_companion *companion, int fd)
{
	struct stat st;

	return !companion || !companion->ino ||
	       (fstat(fd, &st) == 0 && st.st_dev == companion->dev && st.st_ino == companion->ino);
}

/* Add the file @p path as @p member. @p companion is NULL for a file that is none. */
static struct pd_error *copy_found(struct archive *archive, const char *path,
	const struct prof_companion *companion, const char *member, int64_t *mtime_ret)
{
	struct sym_failure failure = { 0 };
	struct stat st;
	_cleanup_close_ int fd =
		sym_open_regular(path, sym_search_access(archive->search), &failure);

	if (fd < 0 || !is_same_file(companion, fd) || fstat(fd, &st) < 0) {
		pd_diag_warn(archive->diag, path, 0, NULL, "%s", GONE);
		return NULL;
	}
	*mtime_ret = st.st_mtime;
	const struct cmd_recorded_bytes bytes = {
		.fd = fd, .size = (uint64_t)st.st_size, .mtime = st.st_mtime
	};
	return add_member(archive, member, path, &bytes);
}

/* Add a map of generated code at its recorded path, a debug file as perf has it in its cache. */
static struct pd_error *add_companion(
	struct archive *archive, const struct prof_companion *companion)
{
	_cleanup_free_ char *dir =
		cmd_recorded_path(prof_string(archive->profile, companion->name));
	char id[PD_BUILD_ID_HEX_MAX];
	int64_t mtime = 0;
	bool is_missing;

	if (companion->is_of_debug && !archive->options->with_debug)
		return NULL;
	pd_build_id_hex(&companion->build_id, id);
	_cleanup_free_ char *member = !dir    ? NULL
				      : id[0] ? base_format("%s/%s/debug", dir, id)
					      : strdup(dir);
	if (!member)
		return &pd_enomem;
	struct pd_error *err = is_new(archive, member, &is_missing);
	if (err || !is_missing)
		return err;
	const char *path = prof_string(archive->profile, companion->path);
	err = copy_found(archive, path, companion, member, &mtime);
	return err || !id[0] ? err : add_link(archive, dir, id, mtime);
}

static struct pd_error *add_companions(struct archive *archive)
{
	const struct profile *profile = archive->profile;

	for (size_t i = 0; i < profile->companions.n; i++) {
		struct pd_error *err = add_companion(archive, &profile->companions.data[i]);

		if (err)
			return err;
	}
	return NULL;
}

/* Add the jitdump @p name at its recorded path. */
static struct pd_error *add_jitdump(struct archive *archive, const char *name)
{
	_cleanup_free_ char *path = cmd_recorded_path(name);
	bool is_missing;

	if (!path)
		return &pd_enomem;
	struct pd_error *err = is_new(archive, path, &is_missing);
	if (err || !is_missing)
		return err;
	struct sym_mapped_file dump;
	err = sym_mapped_file_open(archive->search, name, &dump);
	if (err)
		return err;
	const struct cmd_recorded_bytes bytes = {
		.fd = -1, .memory = (void *)dump.bytes, .size = dump.size
	};
	if (dump.bytes)
		err = add_member(archive, path, name, &bytes);
	sym_mapped_file_close(&dump);
	return err;
}

static struct pd_error *add_jitdumps(struct archive *archive)
{
	const struct profile *profile = archive->profile;

	for (size_t i = 0; i < profile->binaries.n; i++) {
		const char *name = prof_string(profile, profile->binaries.data[i].jitdump);
		struct pd_error *err = *name ? add_jitdump(archive, name) : NULL;

		if (err)
			return err;
	}
	return NULL;
}

/* Count the binaries of frames that the archive lacks. Generated code has no file. */
static void count_missing(struct archive *archive)
{
	const struct profile *profile = archive->profile;

	for (size_t i = 0; i < profile->binaries.n; i++) {
		const struct prof_binary *binary = &profile->binaries.data[i];

		archive->n_missing +=
			binary->has_image && !binary->is_generated && !binary->is_found;
	}
}

/* Whether a file has split units, by its name: see symbolize/dwarf/split_units.h. */
static bool has_split_units(const char *path)
{
	static const char *const suffixes[] = { ".dwo", ".dwp" };
	size_t len = strlen(path);

	for (size_t i = 0; i < PD_ARRAY_LEN(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && strcmp(path + len - n, suffixes[i]) == 0)
			return true;
	}
	return false;
}

/* Add a file that names depend on, if it has split units. */
static struct pd_error *add_split_file(void *ctx, const char *path)
{
	struct archive *archive = ctx;
	struct sym_path real;
	bool exists = has_split_units(path) && sym_real_path(path, (struct sym_access){ 0 }, &real);
	_cleanup_free_ char *member = exists ? cmd_recorded_path(real.text) : NULL;
	int64_t mtime;
	bool is_missing;

	if (!exists)
		return NULL;
	struct pd_error *err = member ? is_new(archive, member, &is_missing) : &pd_enomem;
	if (err || !is_missing)
		return err;
	return copy_found(archive, path, NULL, member, &mtime);
}

static struct pd_error *write_members(struct archive *archive)
{
	const struct profile *profile = archive->profile;

	for (size_t i = 0; i < profile->attempts.n; i++) {
		struct pd_error *err = add_attempt(archive, i);

		if (err)
			return err;
	}
	struct pd_error *err = add_jitdumps(archive);
	if (!err)
		err = add_companions(archive);
	if (!err && archive->deps)
		err = sym_deps_visit_files(archive->deps, add_split_file, archive);
	if (err)
		return err;
	count_missing(archive);
	return base_tar_finish(archive->tar);
}

static void report(const struct archive *archive, const char *path)
{
	if (archive->options->quiet)
		return;
	fprintf(cmd_begin(), "%zu file%s, %.3f MB", archive->n_files, base_plural(archive->n_files),
		(double)archive->n_bytes / 1e6);
	if (!cmd_output_is_stdout(path)) {
		fputs(" in ", stderr);
		base_text_write_message(stderr, path);
	}
	fputc('\n', stderr);
	if (archive->n_missing)
		cmd_say("%zu binar%s not found: see pdconv info --binaries", archive->n_missing,
			archive->n_missing == 1 ? "y was" : "ies were");
}

static struct pd_error *write_archive(
	struct archive *archive, const struct cmd_output_opts *opts, const char *path)
{
	struct cmd_output_file file;
	struct pd_error *err = cmd_output_open(path, opts, &file);

	if (err)
		return err;
	err = base_tar_create(file.stream, path, &archive->tar);
	if (!err)
		err = write_members(archive);
	base_tar_destroy(archive->tar);
	base_intern_deinit(&archive->members);
	err = cmd_output_finish(&file, err);
	if (!err)
		report(archive, path);
	return err;
}

/*
 * Open the files that only processes lead to. Returns false if one of them has exited since, with
 * which another process may be found to have the file as well.
 */
static bool hold_files(struct archive *archive)
{
	const struct profile *profile = archive->profile;
	struct cmd_recorded_file file;
	struct sym_failure failure;
	bool is_complete = true;

	for (size_t i = 0; i < profile->attempts.n; i++) {
		if (!cmd_recorded_file(profile, &profile->attempts.data[i], &file) ||
			file.binary->is_kernel || strncmp(file.path, "/proc/", 6) != 0)
			continue;
		int fd = sym_open_regular(file.path, sym_search_access(archive->search), &failure);
		archive->held[i] = fd > 0 ? fd : 0;
		is_complete &= fd > 0;
	}
	return is_complete;
}

static void release_files(struct archive *archive)
{
	for (size_t i = 0; archive->held && i < archive->profile->attempts.n; i++) {
		if (archive->held[i])
			base_close(&archive->held[i]);
	}
	free(archive->held);
	archive->held = NULL;
}

static struct pd_error *archive_profile(struct archive *archive, struct profile *profile,
	const struct cmd_output_opts *opts, const char *path, bool is_last_try, bool *is_done_ret)
{
	struct pd_error *err = NULL;

	archive->profile = profile;
	archive->held = base_calloc_n(profile->attempts.n, sizeof(*archive->held));
	if (!archive->held)
		return &pd_enomem;
	*is_done_ret = hold_files(archive) || is_last_try;
	if (*is_done_ret)
		err = write_archive(archive, opts, path);
	release_files(archive);
	return err;
}

static struct pd_error *archive_input(const struct cmd_output_opts *opts, const char *input,
	const char *path, const struct api_reading *reading, struct sym_deps *deps,
	struct pd_diag *diag)
{
	enum { TRIES = 3 };
	const struct resolve_opts *resolve = &reading->resolve;
	struct archive archive = {
		.options = opts->options, .search = &resolve->search, .deps = deps, .diag = diag
	};
	struct pd_error *err = NULL;
	bool is_done = false;

	for (int i = 1; i <= TRIES && !is_done && !err; i++) {
		struct profile *profile;

		err = cmd_recorded_files_read(input, resolve, diag, &profile);
		if (err)
			return err;
		err = archive_profile(&archive, profile, opts, path, i == TRIES, &is_done);
		prof_destroy(profile);
	}
	return err;
}

/* Path next to the recording @p input, where commands look for archives. NULL: no memory. */
static char *path_beside(const char *input)
{
	size_t len = strlen(input);

	while (len > 1 && input[len - 1] == '/')
		len--;
	return base_format("%.*s.tar.zst", (int)len, input);
}

static struct pd_error *choose_path(const struct cmd_options *options, char **ret)
{
	if (!options->output && strcmp(options->input, "-") == 0)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the recording on standard input has no name: name the archive with --output");
	*ret = options->output ? strdup(options->output) : path_beside(options->input);
	return *ret ? NULL : &pd_enomem;
}

static void destroy_deps(struct sym_deps **deps)
{
	sym_deps_destroy(*deps);
}

static struct pd_error *search_and_archive(const struct cmd_output_opts *opts, const char *input,
	const char *path, struct pd_diag *diag)
{
	/* The reading borrows the dependencies, so it is released first. */
	_cleanup_(destroy_deps) struct sym_deps *deps = NULL;
	_cleanup_(api_reading_deinit) struct api_reading reading = { 0 };
	struct pd_error *err = opts->options->with_debug ? sym_deps_create(&deps) : NULL;

	if (!err)
		err = api_reading_init(&opts->options->profile, input, deps, &reading);
	if (err)
		return err;
	err = archive_input(opts, input, path, &reading, deps, diag);
	api_reading_report(&reading, diag);
	return err;
}

struct pd_error *cmd_archive_recording(
	const struct cmd_options *options, const char *input, struct pd_diag *diag)
{
	const struct cmd_output_opts opts = { .options = options, .is_private = true };
	_cleanup_free_ char *path = path_beside(input);

	return path ? search_and_archive(&opts, input, path, diag) : &pd_enomem;
}

struct pd_error *cmd_archive(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts opts = { .options = options, .is_private = true };
	_cleanup_free_ char *path = NULL;
	struct pd_error *err = choose_path(options, &path);

	if (!err)
		err = cmd_sandbox_enter(path, &opts);
	return err ? err : search_and_archive(&opts, options->input, path, result->diag);
}
