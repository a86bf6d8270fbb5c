#include "base/io/tar.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/optional.h"

/* Binaries become a fifth smaller than at the default level 3, in four times the time. */
#define LEVEL "9"

#ifdef PD_STATIC

const struct base_libarchive *base_libarchive(void)
{
	static const struct base_libarchive functions = {
#define MEMBER(name) .name = name,
		PD_LIBARCHIVE_FUNCTIONS(MEMBER)
#undef MEMBER
	};

	return &functions;
}

#else

const struct base_libarchive *base_libarchive(void)
{
	static const char *const names[] = {
#define NAME(name) #name,
		PD_LIBARCHIVE_FUNCTIONS(NAME)
#undef NAME
	};
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct base_libarchive functions;
	static bool is_loaded;

	_Static_assert(sizeof(functions) == sizeof(names), "a pointer for each name");
	pthread_mutex_lock(&lock);
	if (!is_loaded)
		is_loaded = base_load_library(
			"libarchive.so.13", names, PD_ARRAY_LEN(names), (void **)&functions);
	pthread_mutex_unlock(&lock);
	return is_loaded ? &functions : NULL;
}

#endif

struct base_tar {
	const struct base_libarchive *lib;
	struct archive *writer;
	FILE *out;
	char *name;
	/** Why writing to out failed; 0: it did not. */
	int errnum;
};

static struct pd_error *failure_of(const struct base_tar *tar)
{
	if (tar->errnum) {
		errno = tar->errnum;
		return pd_error_os(tar->name, "cannot write");
	}
	if (tar->lib->archive_errno(tar->writer) == ENOMEM)
		return &pd_enomem;
	return pd_error_create(PD_ERROR_OS, tar->name, "cannot write: %s",
		tar->lib->archive_error_string(tar->writer));
}

static la_ssize_t write_out(struct archive *writer, void *ctx, const void *bytes, size_t size)
{
	struct base_tar *tar = ctx;

	(void)writer;
	if (fwrite(bytes, 1, size, tar->out) == size)
		return (la_ssize_t)size;
	tar->errnum = errno ? errno : EIO;
	return -1;
}

/*
 * The format is that of GNU tar, because names are bytes in it: in a pax header libarchive converts
 * them from the locale to UTF-8. A libarchive without zstd would start a program: it returns
 * ARCHIVE_WARN.
 */
static struct pd_error *open_writer(struct base_tar *tar)
{
	const struct base_libarchive *lib = tar->lib;

	if (lib->archive_write_add_filter_zstd(tar->writer) != ARCHIVE_OK)
		return pd_error_create(PD_ERROR_UNSUPPORTED, tar->name,
			"cannot write: the installed libarchive does not support zstd");
	if (lib->archive_write_set_format_gnutar(tar->writer) != ARCHIVE_OK ||
		lib->archive_write_set_filter_option(
			tar->writer, "zstd", "compression-level", LEVEL) != ARCHIVE_OK ||
		lib->archive_write_set_bytes_in_last_block(tar->writer, 1) != ARCHIVE_OK ||
		lib->archive_write_open(tar->writer, tar, NULL, write_out, NULL) != ARCHIVE_OK)
		return failure_of(tar);
	return NULL;
}

struct pd_error *base_tar_create(FILE *out, const char *name, struct base_tar **ret)
{
	const struct base_libarchive *lib = base_libarchive();

	if (!lib)
		return pd_error_create(PD_ERROR_UNSUPPORTED, name,
			"cannot be written without libarchive, which is not installed");
	struct base_tar *tar = calloc(1, sizeof(*tar));
	if (!tar)
		return &pd_enomem;
	tar->lib = lib;
	tar->out = out;
	tar->name = strdup(name);
	tar->writer = lib->archive_write_new();
	struct pd_error *err = tar->name && tar->writer ? open_writer(tar) : &pd_enomem;
	if (err)
		base_tar_destroy(tar);
	else
		*ret = tar;
	return err;
}

void base_tar_destroy(struct base_tar *tar)
{
	if (!tar)
		return;
	/* This finishes an unfinished tarball, because libarchive does not release it otherwise. */
	if (tar->writer)
		tar->lib->archive_write_free(tar->writer);
	free(tar->name);
	free(tar);
}

struct pd_error *base_tar_begin(struct base_tar *tar, const struct base_tar_member *member)
{
	const struct base_libarchive *lib = tar->lib;
	struct archive_entry *entry = lib->archive_entry_new();

	if (!entry)
		return &pd_enomem;
	lib->archive_entry_set_pathname(entry, member->path);
	lib->archive_entry_set_filetype(entry, member->target ? AE_IFLNK : AE_IFREG);
	lib->archive_entry_set_perm(entry, member->target ? 0777 : 0644);
	lib->archive_entry_set_size(entry, member->target ? 0 : (la_int64_t)member->size);
	lib->archive_entry_set_mtime(entry, member->mtime > 0 ? member->mtime : 0, 0);
	if (member->target)
		lib->archive_entry_set_symlink(entry, member->target);
	int result = lib->archive_write_header(tar->writer, entry);
	lib->archive_entry_free(entry);
	return result == ARCHIVE_OK ? NULL : failure_of(tar);
}

struct pd_error *base_tar_put(struct base_tar *tar, const void *bytes, size_t size)
{
	return tar->lib->archive_write_data(tar->writer, bytes, size) < 0 ? failure_of(tar) : NULL;
}

struct pd_error *base_tar_end(struct base_tar *tar)
{
	return tar->lib->archive_write_finish_entry(tar->writer) == ARCHIVE_OK ? NULL
									       : failure_of(tar);
}

struct pd_error *base_tar_finish(struct base_tar *tar)
{
	return tar->lib->archive_write_close(tar->writer) == ARCHIVE_OK ? NULL : failure_of(tar);
}
