/* pdconv archive: a recording's binaries in one tarball. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "base/intern.h"
#include "base/plural.h"
#include "base/tar.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/output_file.h"
#include "cmd/sandbox.h"
#include "cmd/search.h"
#include "resolve/resolve.h"
#include "symbolize/file/open.h"
#include "symbolize/find/vdso.h"

struct archive {
	const struct cmd_options *options;
	const struct sym_search *search;
	const struct profile *profile;
	struct pd_diag *diag;
	struct pd_tar *tar;
	/** Paths of the members, so that none is added twice. */
	struct pd_intern members;
	size_t n_files;
	uint64_t n_bytes;
	/** Binaries with frames that were not found. */
	size_t n_missing;
};

/* A file that is to be added: that of an attempt that was successful. */
struct file {
	const struct prof_binary *binary;
	const char *path;
	/** "elf", "debug", "vdso" or "kallsyms", as in perf's build-id cache. */
	const char *kind;
};

static bool is_vdso(const char *name)
{
	return strncmp(name, "[vdso", strlen("[vdso")) == 0;
}

/* The image of the kernel or of a guest's, whose symbols are in kallsyms. */
static bool is_kernel_image(const struct prof_binary *binary, const char *name)
{
	return binary->is_kernel && strstr(name, "kernel.") != NULL && name[0] == '[';
}

static const char *kind_of(const struct prof_binary *binary, const char *name, bool is_debug)
{
	if (is_debug)
		return "debug";
	if (is_kernel_image(binary, name))
		return "kallsyms";
	return is_vdso(name) ? "vdso" : "elf";
}

/*
 * The name of a binary as a path in the tarball: relative, and without steps that would lead out of
 * the directory where it is unpacked. The mark of deleted files is left out.
 */
static char *member_dir(const char *name)
{
	static const char mark[] = " (deleted)";
	const char *at = name + strspn(name, "/");
	size_t len = strlen(at);

	for (const char *part = at; *part; part += strcspn(part, "/"), part += strspn(part, "/")) {
		size_t n = strcspn(part, "/");

		if ((n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
			return strdup("other");
	}
	if (len > strlen(mark) && strcmp(at + len - strlen(mark), mark) == 0)
		len -= strlen(mark);
	return len ? strndup(at, len) : strdup("other");
}

/* Whether @p member is new. Errors: NOMEM. */
static struct pd_error *is_new(struct archive *archive, const char *member, bool *ret)
{
	size_t len = strlen(member);

	*ret = pd_intern_find(&archive->members, member, len) == PD_INTERN_NONE;
	return pd_intern_add(&archive->members, member, len) == PD_INTERN_NONE ? &pd_enomem : NULL;
}

/* Add the link by which perf finds a file in its cache. */
static struct pd_error *add_link(
	struct archive *archive, const char *dir, const char *id, int64_t mtime)
{
	_cleanup_free_ char *path = pd_format(".build-id/%.2s/%s", id, id + 2);
	_cleanup_free_ char *target = pd_format("../../%s/%s", dir, id);
	bool is_missing;

	if (!path || !target)
		return &pd_enomem;
	struct pd_error *err = is_new(archive, path, &is_missing);
	if (err || !is_missing)
		return err;
	err = pd_tar_begin(archive->tar,
		&(struct pd_tar_member){ .path = path, .target = target, .mtime = mtime });
	return err ? err : pd_tar_end(archive->tar);
}

static struct pd_error *add_bytes(
	struct archive *archive, const char *path, int64_t mtime, const void *bytes, size_t size)
{
	const struct pd_tar_member member = { .path = path, .mtime = mtime, .size = size };
	struct pd_error *err = pd_tar_begin(archive->tar, &member);

	if (!err)
		err = pd_tar_put(archive->tar, bytes, size);
	if (!err)
		err = pd_tar_end(archive->tar);
	archive->n_files++;
	archive->n_bytes += size;
	return err;
}

/* Copy the regular file @p fd of @p size bytes. A file that shrinks meanwhile ends with zeros. */
static struct pd_error *copy_file(
	struct archive *archive, const char *path, int64_t mtime, int fd, uint64_t size)
{
	const struct pd_tar_member member = { .path = path, .mtime = mtime, .size = size };
	struct pd_error *err = pd_tar_begin(archive->tar, &member);
	uint8_t buffer[1 << 16];
	ssize_t n = 1;

	for (uint64_t left = size; !err && left && n > 0; left -= (uint64_t)n) {
		n = read(fd, buffer, left < sizeof(buffer) ? (size_t)left : sizeof(buffer));
		if (n > 0)
			err = pd_tar_put(archive->tar, buffer, (size_t)n);
		else
			break;
	}
	archive->n_files++;
	archive->n_bytes += size;
	return err ? err : pd_tar_end(archive->tar);
}

/* Copy a file of /proc, whose size is known only when it was read. */
static struct pd_error *copy_generated(
	struct archive *archive, const char *path, int64_t mtime, int fd)
{
	_cleanup_(pd_bytes_deinit) struct pd_bytes bytes = { 0 };
	uint8_t buffer[1 << 16];
	ssize_t n;

	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		pd_bytes_put(&bytes, buffer, (size_t)n);
	if (bytes.failed)
		return &pd_enomem;
	return add_bytes(archive, path, mtime, bytes.buf.data, bytes.buf.n);
}

static struct pd_error *copy_path(
	struct archive *archive, const struct file *file, const char *path, int64_t *mtime_ret)
{
	struct sym_access access = sym_search_access(archive->search);
	struct sym_failure failure = { 0 };
	struct stat st = { 0 };

	if (strcmp(file->path, SYM_OWN_VDSO) == 0) {
		size_t size = 0;
		const void *vdso = sym_own_vdso(&size);

		return add_bytes(archive, path, 0, vdso, size);
	}
	access.is_kernel_expected = strcmp(file->kind, "kallsyms") == 0;
	_cleanup_close_ int fd = sym_open_regular(file->path, access, &failure);
	if (fd < 0 || fstat(fd, &st) < 0) {
		pd_diag_warn(archive->diag, file->path, 0, NULL,
			"is not in the archive: cannot read it");
		return NULL;
	}
	*mtime_ret = st.st_mtime;
	return st.st_size ? copy_file(archive, path, st.st_mtime, fd, (uint64_t)st.st_size)
			  : copy_generated(archive, path, st.st_mtime, fd);
}

static struct pd_error *add_file(struct archive *archive, const struct file *file)
{
	const char *name = profile_string(archive->profile, file->binary->name);
	char id[PD_BUILD_ID_HEX_MAX];
	_cleanup_free_ char *dir = member_dir(name);
	int64_t mtime = 0;
	bool is_new_path, is_new_id;

	pd_build_id_hex(&file->binary->build_id, id);
	_cleanup_free_ char *path = !dir    ? NULL
				    : id[0] ? pd_format("%s/%s/%s", dir, id, file->kind)
					    : pd_format("%s/%s", dir, file->kind);
	_cleanup_free_ char *key = pd_format("%s/%s", id, file->kind);
	if (!path || !key)
		return &pd_enomem;
	struct pd_error *err = is_new(archive, path, &is_new_path);
	if (!err)
		err = is_new(archive, key, &is_new_id);
	/* Copies of one build are one file, unless the recording has no id and goes by path. */
	if (err || !is_new_path || (!is_new_id && id[0] && !file->binary->is_id_found))
		return err;
	err = copy_path(archive, file, path, &mtime);
	return err || !id[0] ? err : add_link(archive, dir, id, mtime);
}

static struct pd_error *add_attempt(struct archive *archive, const struct prof_attempt *attempt)
{
	const struct profile *profile = archive->profile;

	if (!attempt->is_taken || prof_is_none(attempt->binary) ||
		(attempt->is_debug && !archive->options->with_debug))
		return NULL;
	const struct prof_binary *binary = profile_binary(profile, attempt->binary);
	const char *name = profile_string(profile, binary->name);
	const struct file file = {
		.binary = binary,
		.path = profile_string(profile, attempt->path),
		.kind = kind_of(binary, name, attempt->is_debug),
	};
	return add_file(archive, &file);
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

static struct pd_error *write_members(struct archive *archive)
{
	const struct profile *profile = archive->profile;

	for (size_t i = 0; i < profile->attempts.n; i++) {
		struct pd_error *err = add_attempt(archive, &profile->attempts.data[i]);

		if (err)
			return err;
	}
	count_missing(archive);
	return pd_tar_finish(archive->tar);
}

static void report(const struct archive *archive, const char *path)
{
	if (archive->options->quiet)
		return;
	fprintf(stderr, "pdconv: %zu file%s, %.3f MB", archive->n_files,
		pd_plural(archive->n_files), (double)archive->n_bytes / 1e6);
	if (!cmd_output_is_stdout(path)) {
		fputs(" in ", stderr);
		pd_text_write_message(stderr, path);
	}
	fputc('\n', stderr);
	if (archive->n_missing)
		fprintf(stderr, "pdconv: %zu binar%s not found: see pdconv info --binaries\n",
			archive->n_missing, archive->n_missing == 1 ? "y was" : "ies were");
}

static struct pd_error *write_archive(
	struct archive *archive, const struct cmd_output_opts *opts, const char *path)
{
	struct cmd_output_file file;
	struct pd_error *err = cmd_output_open(path, opts, &file);

	if (err)
		return err;
	err = pd_tar_create(file.stream, path, &archive->tar);
	if (!err)
		err = write_members(archive);
	pd_tar_destroy(archive->tar);
	pd_intern_deinit(&archive->members);
	err = cmd_output_finish(&file, err);
	if (!err)
		report(archive, path);
	return err;
}

/* Find the files that the frames of the recording are in. */
static struct pd_error *find_files(const struct cmd_options *options,
	const struct cmd_search *search, struct pd_diag *diag, struct profile **ret)
{
	struct resolve_opts opts = options->resolve;
	struct pd_file *file;
	struct pd_error *err = pd_file_open(options->input, diag, &file);

	if (err)
		return err;
	pd_file_set_budget(file, options->resolve.budget);
	opts.search = search->search;
	/* Members of other archives are not files. */
	opts.search.n_archives = 0;
	/* A vmlinux in an archive is not looked for. */
	opts.kernel.ignore_vmlinux = true;
	opts.no_names = true;
	opts.list_files = true;
	err = resolve_profile(file, &opts, ret);
	pd_file_close(file);
	return err;
}

static struct pd_error *archive_input(const struct cmd_output_opts *opts, const char *path,
	const struct cmd_search *search, struct pd_diag *diag)
{
	struct archive archive = {
		.options = opts->options, .search = &search->search, .diag = diag
	};
	struct profile *profile;
	struct pd_error *err = find_files(opts->options, search, diag, &profile);

	if (err)
		return err;
	archive.profile = profile;
	err = write_archive(&archive, opts, path);
	profile_destroy(profile);
	return err;
}

/* By default the archive is next to the recording, where commands look for it. */
static struct pd_error *choose_path(const struct cmd_options *options, char **ret)
{
	size_t len = strlen(options->input);

	if (!options->output && strcmp(options->input, "-") == 0)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the recording on standard input has no name: name the archive with --output");
	while (len > 1 && options->input[len - 1] == '/')
		len--;
	*ret = options->output ? strdup(options->output)
			       : pd_format("%.*s.tar.zst", (int)len, options->input);
	return *ret ? NULL : &pd_enomem;
}

struct pd_error *cmd_archive(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts opts = { .options = options, .is_private = true };
	_cleanup_free_ char *path = NULL;
	struct cmd_search search;
	struct pd_error *err = choose_path(options, &path);

	if (!err)
		err = cmd_sandbox_enter(path, &opts);
	if (!err)
		err = cmd_search_init(&search, options, options->input);
	if (err)
		return err;
	err = archive_input(&opts, path, &search, result->diag);
	cmd_search_report(&search, result->diag);
	cmd_search_deinit(&search);
	return err;
}
