#include "batch/digest.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/io/temporary.h"

/* Bytes that are read at once. */
enum { CHUNK = 1 << 18 };

/* Age of a change after which the next one has another time on any file system. */
enum { SETTLED_SECONDS = 3 };

/* A digest that is computed. */
struct digesting {
	XXH3_state_t *hash;
	char *buffer;
	struct bat_digested *ret;
};

uint64_t bat_digest_number(const char *text)
{
	return XXH3_64bits(text, strlen(text));
}

static void write_digest(XXH128_hash_t hash, char ret[static BAT_DIGEST_SIZE])
{
	snprintf(ret, BAT_DIGEST_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
		(uint64_t)hash.low64);
}

void bat_digest_text(const char *text, char ret[static BAT_DIGEST_SIZE])
{
	write_digest(XXH3_128bits(text, strlen(text)), ret);
}

static uint64_t state_of(const struct stat *st)
{
	const uint64_t words[] = { (uint64_t)st->st_size, (uint64_t)st->st_ino,
		(uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec,
		(uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec };

	return XXH3_64bits(words, sizeof(words));
}

bool bat_file_state(const char *path, uint64_t *ret)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
		time(NULL) - st.st_ctim.tv_sec < SETTLED_SECONDS)
		return false;
	*ret = state_of(&st);
	return true;
}

static struct pd_error *add_file(struct digesting *d, int dir, const char *name, const char *path)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return pd_error_os(path, "cannot open");
	d->ret->state += state_of(&st);
	if (!d->ret->changed_at)
		d->ret->changed_at = st.st_mtim.tv_sec;
	while ((n = base_read_some(fd, d->buffer, CHUNK)) > 0) {
		XXH3_128bits_update(d->hash, d->buffer, (size_t)n);
		d->ret->bytes += (uint64_t)n;
	}
	return n < 0 ? pd_error_os(path, "cannot read") : NULL;
}

static int is_regular(const struct dirent *entry)
{
	return entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN;
}

/* Names are digested, too, so that bytes cannot move from one file to the next unnoticed. */
static struct pd_error *add_folder(struct digesting *d, const char *path)
{
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent **entries;
	struct pd_error *err = NULL;
	int n = dir < 0 ? -1 : scandirat(dir, ".", &entries, is_regular, alphasort);

	if (n < 0)
		return pd_error_os(path, "cannot read");
	for (int i = 0; i < n; i++) {
		if (!err) {
			XXH3_128bits_update(
				d->hash, entries[i]->d_name, strlen(entries[i]->d_name) + 1);
			err = add_file(d, dir, entries[i]->d_name, path);
		}
		free(entries[i]);
	}
	free(entries);
	return err;
}

static struct pd_error *digest(struct digesting *d, const char *path, const char *more)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return pd_error_os(path, "cannot open");
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return pd_error_create(PD_ERROR_USAGE, path, "is neither a file nor a folder");
	XXH3_128bits_reset(d->hash);
	struct pd_error *err =
		S_ISDIR(st.st_mode) ? add_folder(d, path) : add_file(d, AT_FDCWD, path, path);
	write_digest(XXH3_128bits_digest(d->hash), d->ret->content);
	XXH3_128bits_update(d->hash, more, strlen(more));
	write_digest(XXH3_128bits_digest(d->hash), d->ret->digest);
	return err;
}

struct pd_error *bat_digest_path(const char *path, const char *more, struct bat_digested *ret)
{
	struct digesting d = { XXH3_createState(), malloc(CHUNK), ret };
	struct pd_error *err = &pd_enomem;

	*ret = (struct bat_digested){ 0 };
	if (d.hash && d.buffer)
		err = digest(&d, path, more);
	XXH3_freeState(d.hash);
	free(d.buffer);
	return err;
}

bool bat_digest_is_outdated(const char *path, const struct bat_digested *digested)
{
	struct bat_digested now;
	struct stat st;

	if (stat(path, &st) < 0)
		return true;
	if (!S_ISDIR(st.st_mode))
		return state_of(&st) != digested->state;
	struct pd_error *err = bat_digest_path(path, "", &now);
	bool ret = err || now.state != digested->state;
	pd_error_destroy(err);
	return ret;
}
