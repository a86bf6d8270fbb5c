#include "batch/bat_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/io/temporary.h"

#define OWN ".pdconv"
#define TEMPORARY "tmp."

/* Folders of small files. */
#define DONE "done"
#define INPUTS "inputs"

/* Most bytes of a small file: the paths of all tables. */
enum { MAX_KEPT = 64 << 10 };

/* Create the folder @p path below @p dir and those above it. Returns false and sets errno. */
static bool make_folders(int dir, const char *path)
{
	_cleanup_free_ char *copy = strdup(path);

	if (!copy)
		return false;
	for (char *at = copy + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		if (mkdirat(dir, copy, 0777) < 0 && errno != EEXIST)
			return false;
	}
	return mkdirat(dir, copy, 0777) == 0 || errno == EEXIST;
}

static int open_folder(int dir, const char *path)
{
	return openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Remove the files in the folder @p path, and the folders that have nothing but files. */
static void remove_contents(int dir, const char *path, bool has_folders)
{
	int fd = open_folder(dir, path);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!list) {
		base_close(&fd);
		return;
	}
	while ((entry = readdir(list))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(fd, entry->d_name, 0) == 0 || !has_folders)
			continue;
		remove_contents(fd, entry->d_name, false);
		unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	}
	closedir(list);
}

static void remove_temporary(int dir, const char *path)
{
	remove_contents(dir, path, true);
	unlinkat(dir, path, AT_REMOVEDIR);
}

/* Remove temporary folders of batches that have ended without doing so. */
static void sweep(int dir)
{
	int own = open_folder(dir, OWN);
	DIR *list = own < 0 ? NULL : fdopendir(own);
	const struct dirent *entry;

	if (!list) {
		base_close(&own);
		return;
	}
	while ((entry = readdir(list))) {
		if (strncmp(entry->d_name, TEMPORARY, strlen(TEMPORARY)) != 0)
			continue;
		_cleanup_close_ int fd = open_folder(own, entry->d_name);

		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			remove_temporary(own, entry->d_name);
	}
	closedir(list);
}

/* Create a temporary folder and lock it. Returns false and sets errno on failure. */
static bool try_temporary(struct bat_store *s)
{
	free(take_ptr(s->temporary_name));
	base_close(&s->temporary);
	s->temporary = base_temporary_create_in(
		s->dir, OWN "/" TEMPORARY, "", S_IFDIR | 0777, &s->temporary_name);
	if (s->temporary < 0)
		return false;
	/* This waits for another batch that has the lock to remove the folder. */
	flock(s->temporary, LOCK_EX);
	struct stat st;
	if (fstat(s->temporary, &st) == 0 && st.st_nlink)
		return true;
	errno = ENOENT;
	return false;
}

/* Another batch may take the folder for an old one before it is locked, and remove it. */
static struct pd_error *create_temporary(struct bat_store *s)
{
	enum { N_TRIES = 1000 };

	for (int i = 0; i < N_TRIES; i++) {
		if (try_temporary(s))
			return NULL;
		if (errno != ENOENT)
			break;
	}
	return pd_error_os(s->path, "cannot create a folder in '" OWN "'");
}

/* A line that a full disk has cut must not become the beginning of the next one. */
static struct pd_error *open_manifest(struct bat_store *s, const char *name)
{
	struct stat st;
	char last = '\n';

	s->manifest = openat(s->dir, name, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (s->manifest < 0 || fstat(s->manifest, &st) < 0)
		return pd_error_os(s->path, "cannot open '%s'", name);
	if (st.st_size && pread(s->manifest, &last, 1, st.st_size - 1) < 0)
		return pd_error_os(s->path, "cannot read '%s'", name);
	return last == '\n' ? NULL : bat_store_log(s, "\n", 1);
}

struct pd_error *bat_store_open(const char *path, const char *manifest, struct bat_store *ret)
{
	struct bat_store *s = ret;

	*s = (struct bat_store){ .path = path, .dir = -1, .temporary = -1, .manifest = -1 };
	if (!make_folders(AT_FDCWD, path) || (s->dir = open_folder(AT_FDCWD, path)) < 0 ||
		!make_folders(s->dir, OWN "/done")) {
		struct pd_error *err = pd_error_os(path, "cannot create");

		base_close(&s->dir);
		return err;
	}
	sweep(s->dir);
	struct pd_error *err = create_temporary(s);
	if (!err)
		err = open_manifest(s, manifest);
	if (err)
		bat_store_close(s);
	return err;
}

void bat_store_close(struct bat_store *store)
{
	if (store->temporary_name)
		remove_temporary(store->dir, store->temporary_name);
	free(store->temporary_name);
	base_close(&store->temporary);
	base_close(&store->manifest);
	base_close(&store->dir);
}

struct pd_error *bat_store_clear(const struct bat_store *store, size_t slot, char **path_ret)
{
	char name[32];

	snprintf(name, sizeof(name), "%zu", slot);
	if (mkdirat(store->temporary, name, 0777) < 0 && errno != EEXIST)
		return pd_error_os(store->path, "cannot create a folder in '" OWN "'");
	remove_contents(store->temporary, name, false);
	*path_ret = base_format("%s/%s/%s", store->path, store->temporary_name, name);
	return *path_ret ? NULL : &pd_enomem;
}

/* Small files about recordings and inputs. */

/* Path of what is kept in the folder @p kind about something with this digest. NULL: no memory. */
static char *kept_path(const char *kind, const char *digest)
{
	return base_format(OWN "/%s/%.2s/%s", kind, digest, digest + 2);
}

/* Read what is kept, allocated; NULL: nothing, or it cannot be read. */
static char *read_kept(const struct bat_store *store, const char *kind, const char *digest)
{
	_cleanup_free_ char *path = kept_path(kind, digest);
	_cleanup_close_ int fd = path ? openat(store->dir, path, O_RDONLY | O_CLOEXEC) : -1;
	char *text = fd < 0 ? NULL : malloc(MAX_KEPT + 1);
	size_t len = 0;
	ssize_t n = 0;

	if (!text)
		return NULL;
	while (len < MAX_KEPT && (n = base_read_some(fd, text + len, MAX_KEPT - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return text;
}

/* Take the next line of *@p text, which is changed. NULL: there is none. */
static char *next_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*text = end + 1;
	return line;
}

bool bat_store_has(const struct bat_store *store, const char *id)
{
	_cleanup_free_ char *text = read_kept(store, DONE, id);
	char *rest = text, *line = text ? next_line(&rest) : NULL;

	if (!line || strcmp(line, store->options) != 0 || !next_line(&rest))
		return false;
	while ((line = next_line(&rest))) {
		if (faccessat(store->dir, line, F_OK, 0) < 0)
			return false;
	}
	return true;
}

bool bat_outputs_add(struct bat_outputs *outputs, char *from, char *to)
{
	const struct bat_output output = { from, to };

	if (from && to && pd_vec_push(&outputs->items, output))
		return true;
	free(from);
	free(to);
	return false;
}

void bat_outputs_deinit(struct bat_outputs *outputs)
{
	for (size_t i = 0; i < outputs->items.n; i++) {
		free(outputs->items.data[i].from);
		free(outputs->items.data[i].to);
	}
	pd_vec_deinit(&outputs->items);
}

/* Move an output to its place. Returns false and sets errno on failure. */
static bool move(const struct bat_store *store, int from, const struct bat_output *output)
{
	_cleanup_free_ char *folder = strdup(output->to);
	char *slash = folder ? strrchr(folder, '/') : NULL;

	if (!folder)
		return false;
	if (slash)
		*slash = '\0';
	if (slash && !make_folders(store->dir, folder))
		return false;
	return renameat(from, output->from, store->dir, output->to) == 0;
}

static bool is_among(const struct bat_outputs *outputs, const char *path)
{
	for (size_t i = 0; i < outputs->items.n; i++) {
		if (strcmp(outputs->items.data[i].to, path) == 0)
			return true;
	}
	return false;
}

/* Paths come from a file that others may have written. */
static bool is_inside(const char *path)
{
	return path[0] != '/' && strncmp(path, "../", 3) != 0 && !strstr(path, "/../");
}

/*
 * Remove the outputs of the recording @p id that are not among @p kept. With @p input, the digest
 * of a path, only if it was read from there. Returns whether it was.
 */
static bool remove_outputs(const struct bat_store *store, const char *id, const char *input,
	const struct bat_outputs *kept)
{
	_cleanup_free_ char *text = read_kept(store, DONE, id);
	char *rest = text, *line = text && next_line(&rest) ? next_line(&rest) : NULL;

	if (!line || (input && strcmp(line, input) != 0))
		return false;
	while ((line = next_line(&rest))) {
		if (is_inside(line) && !is_among(kept, line))
			unlinkat(store->dir, line, 0);
	}
	return true;
}

struct pd_error *bat_store_publish(const struct bat_store *store, size_t slot,
	const struct bat_outputs *outputs, const char *id, uint64_t *bytes_ret)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "%zu", slot);
	_cleanup_close_ int from = open_folder(store->temporary, name);
	*bytes_ret = 0;
	for (size_t i = 0; i < outputs->items.n; i++) {
		const struct bat_output *output = &outputs->items.data[i];

		if (fstatat(from, output->from, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
			!S_ISREG(st.st_mode) || !move(store, from, output))
			return pd_error_os(store->path, "cannot create '%s' in it", output->to);
		*bytes_ret += (uint64_t)st.st_size;
	}
	/* Those that it had with other options. */
	remove_outputs(store, id, NULL, outputs);
	return NULL;
}

/* Write @p text to a temporary file, and give it the name @p path. */
static bool replace(const struct bat_store *store, const char *path, const char *text, size_t len)
{
	static const char name[] = "kept";
	_cleanup_close_ int fd =
		openat(store->temporary, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	return fd >= 0 && base_write_all(fd, text, len) &&
	       renameat(store->temporary, name, store->dir, path) == 0;
}

static struct pd_error *write_kept(const struct bat_store *store, const char *kind,
	const char *digest, const char *text, size_t len)
{
	_cleanup_free_ char *path = kept_path(kind, digest);
	_cleanup_free_ char *folder = base_format(OWN "/%s/%.2s", kind, digest);

	if (!path || !folder)
		return &pd_enomem;
	if (!make_folders(store->dir, folder) || !replace(store, path, text, len))
		return pd_error_os(store->path, "cannot create '%s' in it", path);
	return NULL;
}

struct pd_error *bat_store_conclude(const struct bat_store *store, const char *id,
	const char *input, const struct bat_outputs *outputs)
{
	_cleanup_free_ char *text = NULL;
	char digest[BAT_DIGEST_SIZE];
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return &pd_enomem;
	bat_digest_text(input, digest);
	fprintf(out, "%s\n%s\n", store->options, digest);
	for (size_t i = 0; i < outputs->items.n; i++)
		fprintf(out, "%s\n", outputs->items.data[i].to);
	if (!base_memstream_close(out, &text))
		return &pd_enomem;
	return write_kept(store, DONE, id, text, len);
}

/* Ids depend on options, which have the rules of labels. Allocated; NULL: no memory. */
static char *describe_input(const struct bat_store *store, uint64_t state)
{
	return base_format("%s %016" PRIx64, store->options, state);
}

bool bat_store_knows(const struct bat_store *store, const char *input)
{
	char digest[BAT_DIGEST_SIZE];
	uint64_t state;

	if (!bat_file_state(input, &state))
		return false;
	bat_digest_text(input, digest);
	_cleanup_free_ char *text = read_kept(store, INPUTS, digest);
	_cleanup_free_ char *expected = describe_input(store, state);
	char *rest = text, *line = text && expected ? next_line(&rest) : NULL;
	if (!line || strcmp(line, expected) != 0)
		return false;
	const char *id = next_line(&rest);
	return id && strlen(id) == BAT_DIGEST_SIZE - 1 && bat_store_has(store, id);
}

/* Forget the id that the input with the path @p digest had under other labels. */
static void forget_other(
	const struct bat_store *store, const char *digest, const struct bat_done *done)
{
	const struct bat_outputs none = { 0 };
	_cleanup_free_ char *text = read_kept(store, INPUTS, digest);
	char *rest = text;

	if (!text || !next_line(&rest))
		return;
	const char *id = next_line(&rest), *content = id ? next_line(&rest) : NULL;
	if (!content || strlen(id) != BAT_DIGEST_SIZE - 1 || strcmp(id, done->id) == 0 ||
		strcmp(content, done->content) != 0 || !remove_outputs(store, id, digest, &none))
		return;
	_cleanup_free_ char *path = kept_path(DONE, id);
	if (path)
		unlinkat(store->dir, path, 0);
}

void bat_store_remember(const struct bat_store *store, const struct bat_done *done)
{
	char digest[BAT_DIGEST_SIZE];
	uint64_t now;
	bool is_settled = bat_file_state(done->input, &now) && now == done->state;

	bat_digest_text(done->input, digest);
	forget_other(store, digest, done);
	_cleanup_free_ char *first = describe_input(store, is_settled ? done->state : 0);
	_cleanup_free_ char *text =
		first ? base_format("%s\n%s\n%s\n", first, done->id, done->content) : NULL;
	if (text)
		pd_error_destroy(write_kept(store, INPUTS, digest, text, strlen(text)));
}

/*
 * Take back a part of a line that was written at the offset @p begin, unless another batch wrote
 * after it. If that fails, bat_store_open() ends the line.
 */
static void take_back(int manifest, off_t begin, size_t len)
{
	struct stat now;
	bool is_part = fstat(manifest, &now) == 0 && now.st_size > begin &&
		       now.st_size - begin < (off_t)len;

	if (is_part)
		(void)!ftruncate(manifest, begin);
}

struct pd_error *bat_store_log(const struct bat_store *store, const char *line, size_t len)
{
	static const char failed[] = "cannot write the manifest";
	struct stat before;

	if (fstat(store->manifest, &before) < 0)
		return pd_error_os(store->path, failed);
	if (base_write_all(store->manifest, line, len))
		return NULL;
	struct pd_error *err = pd_error_os(store->path, failed);
	take_back(store->manifest, before.st_size, len);
	return err;
}
