#include "cmd/process/build_id_cache.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "base/io/temporary.h"
#include "cmd/process/recorded_files.h"
#include "symbolize/find/file_search.h"

/* Cut blanks at both ends of @p text. */
static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r\n");
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = 0;
	return text;
}

/* Find buildid.dir in a configuration file, which has the syntax of git's. NULL: it has none. */
static char *read_config(const char *path)
{
	_cleanup_fclose_ FILE *in = path ? fopen(path, "re") : NULL;
	_cleanup_free_ char *line = NULL;
	bool is_in_section = false;
	char *dir = NULL;
	size_t cap = 0;

	while (in && getline(&line, &cap, in) > 0) {
		char *text = trim(line);
		char *value = strchr(text, '=');

		if (*text == '[')
			is_in_section = strcasecmp(text, "[buildid]") == 0;
		if (*text == '[' || *text == '#' || *text == ';' || !value || !is_in_section)
			continue;
		*value++ = 0;
		if (strcasecmp(trim(text), "dir") != 0)
			continue;
		/* The last one counts. */
		free(dir);
		dir = strdup(trim(value));
	}
	return dir;
}

static char *dir_of_config(const char *home)
{
	const char *only = getenv("PERF_CONFIG");

	if (only)
		return read_config(only);
	_cleanup_free_ char *own = home ? base_format("%s/.perfconfig", home) : NULL;
	char *dir = read_config(own);
	return dir ? dir : read_config("/etc/perfconfig");
}

struct pd_error *cmd_build_id_cache_dir(char **ret)
{
	const char *given = getenv("PERF_BUILDID_DIR");
	const char *home = getenv("HOME");

	*ret = NULL;
	if (given && *given) {
		*ret = strdup(given);
		return *ret ? NULL : &pd_enomem;
	}
	*ret = dir_of_config(home && *home ? home : NULL);
	if (*ret || !home || !*home)
		return NULL;
	*ret = base_format("%s/.debug", home);
	return *ret ? NULL : &pd_enomem;
}

/* Create the directory @p path with those that it is in. */
static struct pd_error *make_dirs(char *path)
{
	for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = 0;
		int result = mkdir(path, 0755);
		int errnum = errno;
		if (slash)
			*slash = '/';
		errno = errnum;
		if (result < 0 && errnum != EEXIST)
			return pd_error_os(path, "cannot create");
		if (!slash)
			return NULL;
	}
}

static bool copy(const struct cmd_recorded_bytes *bytes, int to)
{
	uint8_t buffer[1 << 16];
	ssize_t n;

	if (bytes->memory)
		return base_write_all(to, bytes->memory, bytes->size);
	while ((n = base_read_some(bytes->fd, buffer, sizeof(buffer))) > 0) {
		if (!base_write_all(to, buffer, (size_t)n))
			return false;
	}
	return n == 0;
}

/* Copy a file under another name first, because others may read the cache at any time. */
static struct pd_error *add_copy(const struct cmd_recorded_bytes *bytes, const char *path)
{
	_cleanup_free_ char *part = base_format("%s.%d", path, (int)getpid());

	if (!part)
		return &pd_enomem;
	/* The addresses of the kernel in kallsyms may be the user's only. */
	_cleanup_close_ int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return pd_error_os(part, "cannot create");
	if (copy(bytes, fd) && rename(part, path) == 0)
		return NULL;
	struct pd_error *err = pd_error_os(path, "cannot write");
	unlink(part);
	return err;
}

static struct pd_error *add_file(const struct cmd_recorded_file *file,
	const struct sym_search *search, const char *dir, const char *path)
{
	_cleanup_free_ char *parent = strdup(dir);
	struct cmd_recorded_bytes bytes;
	struct pd_error *err = parent ? make_dirs(parent) : &pd_enomem;

	if (err || linkat(AT_FDCWD, file->path, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ||
		errno == EEXIST)
		return err;
	if (!cmd_recorded_bytes_open(file, search, &bytes, &err))
		return err;
	err = add_copy(&bytes, path);
	cmd_recorded_bytes_close(&bytes);
	return err;
}

/* Make the link by which files are found. One that exists leads to the same build. */
static struct pd_error *add_link(const char *link, const char *target)
{
	_cleanup_free_ char *parent = strdup(link);

	if (!parent)
		return &pd_enomem;
	*strrchr(parent, '/') = 0;
	struct pd_error *err = make_dirs(parent);
	if (err || symlink(target, link) == 0 || errno == EEXIST)
		return err;
	return pd_error_os(link, "cannot create");
}

static struct pd_error *add(const char *cache, const struct profile *profile,
	const struct sym_search *search, const struct cmd_recorded_file *file)
{
	char id[PD_BUILD_ID_HEX_MAX];

	pd_build_id_hex(&file->binary->build_id, id);
	_cleanup_free_ char *name = cmd_recorded_path(prof_string(profile, file->binary->name));
	_cleanup_free_ char *link = base_format("%s/.build-id/%.2s/%s", cache, id, id + 2);
	_cleanup_free_ char *found = link ? base_format("%s/%s", link, file->kind) : NULL;
	_cleanup_free_ char *dir = name ? base_format("%s/%s/%s", cache, name, id) : NULL;
	_cleanup_free_ char *path = dir ? base_format("%s/%s", dir, file->kind) : NULL;
	_cleanup_free_ char *target = name ? base_format("../../%s/%s", name, id) : NULL;

	if (!found || !path || !target)
		return &pd_enomem;
	if (access(found, F_OK) == 0)
		return NULL;
	struct pd_error *err = add_file(file, search, dir, path);
	return err ? err : add_link(link, target);
}

/* Every process has the vdso mapped, so perf adds it even without samples. */
static struct pd_error *add_vdso(
	const char *dir, const struct profile *profile, const struct sym_search *search)
{
	for (size_t i = 0; i < profile->unused.n; i++) {
		const struct prof_unused *unused = &profile->unused.data[i];
		const struct prof_binary vdso = { .name = unused->name,
			.build_id = unused->build_id };
		const struct cmd_recorded_file file = { &vdso, SYM_OWN_VDSO, "vdso", 0 };

		if (unused->build_id.len > 1 &&
			strcmp(prof_string(profile, unused->name), "[vdso]") == 0)
			return add(dir, profile, search, &file);
	}
	return NULL;
}

struct pd_error *cmd_build_id_cache_add(
	const char *dir, const struct profile *profile, const struct sym_search *search)
{
	for (size_t i = 0; i < profile->attempts.n; i++) {
		struct cmd_recorded_file file;
		struct pd_error *err = NULL;

		if (cmd_recorded_file(profile, &profile->attempts.data[i], &file) &&
			file.binary->build_id.len > 1)
			err = add(dir, profile, search, &file);
		if (err)
			return err;
	}
	return add_vdso(dir, profile, search);
}
