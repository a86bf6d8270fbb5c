#include "send/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io/cache_dir.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/text.h"

static const char BODY[] = ".body", SENDING[] = ".sending", NEW[] = "new-";

/* A file that has been new for this long belongs to a process that was killed. */
enum { NEW_SECONDS = 24 * 60 * 60 };

/* Name of the folder of a URL: its characters, those that names cannot have encoded. */
static char *folder_name(const char *url)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return NULL;
	for (; *url; url++) {
		if (*url == '/')
			fputc('+', out);
		else if (*url > ' ' && *url < 0x7f && *url != '%' && *url != '+')
			fputc(*url, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*url);
	}
	return base_memstream_close(out, &text) ? text : NULL;
}

struct pd_error *snd_spool_open(const char *base, const char *url, struct snd_spool *ret)
{
	_cleanup_free_ char *name = folder_name(url);
	_cleanup_free_ char *dir = name ? base_format("%s/%s", base, name) : NULL;

	if (!dir)
		return &pd_enomem;
	if (strlen(name) > NAME_MAX)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "the URL is too long for the name of a folder");
	base_cache_dir_create(dir);
	const char *why = base_cache_dir_distrust(dir);
	if (why)
		return pd_error_create(PD_ERROR_OS, dir, "%s", why);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return pd_error_os(dir, "cannot open the folder for profiles that wait");
	*ret = (struct snd_spool){ .dir = take_ptr(dir), .fd = fd, .lock = -1 };
	return NULL;
}

void snd_spool_deinit(struct snd_spool *spool)
{
	free(spool->dir);
	base_close(&spool->fd);
	base_close(&spool->lock);
}

/* Numbers grow with the time, and no two are equal. */
static char *make_name(const char *dir, const char *start, const char *suffix)
{
	static unsigned n;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return base_format("%s/%s%010" PRId64 ".%09ld-%ld-%u%s", dir, start, (int64_t)now.tv_sec,
		now.tv_nsec, (long)getpid(), n++, suffix);
}

char *snd_spool_new_path(const struct snd_spool *spool, const char *suffix)
{
	return make_name(spool->dir, NEW, suffix);
}

struct pd_error *snd_spool_add(struct snd_spool *spool, const char *path)
{
	_cleanup_free_ char *name = make_name(spool->dir, "", BODY);

	if (!name)
		return &pd_enomem;
	return rename(path, name) < 0 ? pd_error_os(name, "cannot rename to it") : NULL;
}

struct pd_error *snd_spool_lock(struct snd_spool *spool)
{
	int failed;

	spool->lock = openat(spool->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (spool->lock < 0)
		return pd_error_os(spool->dir, "cannot create the lock");
	do
		failed = flock(spool->lock, LOCK_EX);
	while (failed && errno == EINTR);
	return failed ? pd_error_os(spool->dir, "cannot lock") : NULL;
}

void snd_spool_unlock(struct snd_spool *spool)
{
	base_close(&spool->lock);
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t len = strlen(name), suffix_len = strlen(suffix);

	return len > suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(struct snd_names *names, const char *name)
{
	char *copy = strdup(name);

	if (copy && pd_vec_push(&names->items, copy))
		return true;
	free(copy);
	return false;
}

static void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* Remove what processes left that were killed. Returns the number of files that were being sent. */
static uint64_t clean(const struct snd_spool *spool, const char *name)
{
	struct stat st;

	if (ends_in(name, SENDING))
		return unlinkat(spool->fd, name, 0) == 0;
	if (base_has_prefix(name, NEW) && fstatat(spool->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		st.st_mtime < time(NULL) - NEW_SECONDS)
		unlinkat(spool->fd, name, 0);
	return 0;
}

struct pd_error *snd_spool_list(
	struct snd_spool *spool, struct snd_names *ret, uint64_t *unsure_ret)
{
	_cleanup_(close_dir) DIR *dir = opendir(spool->dir);
	struct dirent *entry;

	*ret = (struct snd_names){ 0 };
	*unsure_ret = 0;
	if (!dir)
		return pd_error_os(spool->dir, "cannot read");
	while ((entry = readdir(dir))) {
		if (spool->lock >= 0)
			*unsure_ret += clean(spool, entry->d_name);
		if (ends_in(entry->d_name, BODY) && !base_has_prefix(entry->d_name, NEW) &&
			!add_name(ret, entry->d_name)) {
			snd_names_deinit(ret);
			return &pd_enomem;
		}
	}
	if (ret->items.n)
		qsort(ret->items.data, ret->items.n, sizeof(*ret->items.data), compare_names);
	return NULL;
}

void snd_names_deinit(struct snd_names *names)
{
	for (size_t i = 0; i < names->items.n; i++)
		free(names->items.data[i]);
	pd_vec_deinit(&names->items);
}

static uint64_t size_of(const struct snd_spool *spool, const char *name)
{
	struct stat st;

	return fstatat(spool->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)st.st_size : 0;
}

uint64_t snd_spool_trim(struct snd_spool *spool, const struct snd_names *names, uint64_t most)
{
	uint64_t sum = 0, n = 0;

	for (size_t i = names->items.n; i-- > 0;) {
		sum += size_of(spool, names->items.data[i]);
		if (sum > most)
			n += unlinkat(spool->fd, names->items.data[i], 0) == 0;
	}
	return n;
}

/* Name of a file while it is sent. Allocated; NULL: no memory. */
static char *sending_name(const char *name)
{
	return base_format("%.*s%s", (int)(strlen(name) - strlen(BODY)), name, SENDING);
}

FILE *snd_spool_begin(struct snd_spool *spool, const char *name, uint64_t *size_ret)
{
	_cleanup_free_ char *sending = sending_name(name);
	_cleanup_close_ int fd = openat(spool->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (!sending)
		errno = ENOMEM;
	if (!sending || fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	FILE *file = fdopen(fd, "r");
	if (!file)
		return NULL;
	fd = -1;
	*size_ret = (uint64_t)st.st_size;
	if (renameat(spool->fd, name, spool->fd, sending) == 0)
		return file;
	fclose(file);
	return NULL;
}

void snd_spool_return(struct snd_spool *spool, const char *name)
{
	_cleanup_free_ char *sending = sending_name(name);

	if (sending)
		renameat(spool->fd, sending, spool->fd, name);
}

void snd_spool_remove(struct snd_spool *spool, const char *name)
{
	_cleanup_free_ char *sending = sending_name(name);

	if (sending)
		unlinkat(spool->fd, sending, 0);
}
