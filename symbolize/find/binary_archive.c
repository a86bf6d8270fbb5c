#include "symbolize/find/binary_archive.h"

#include <elf.h>
#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/vec.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io/inflate.h"
#include "base/io/tar.h"
#include "base/limit.h"
#include "base/io/temporary.h"
#include "symbolize/file/image.h"
#include "symbolize/file/path.h"

/* Upper limits in bytes for one member that is kept, and for all of them. */
static const uint64_t MAX_MEMBER = PD_LIMIT_ARCHIVE_MEMBER_BYTES;
static const uint64_t MAX_UNPACKED = PD_LIMIT_ARCHIVE_BYTES;

/*
 * Limits of decompression. A member that is not wanted has to be decompressed as well, to get to
 * the next one. Binaries compress by a factor of 3 to 10, zeros by 1,000 (gzip) to 45,000 (bzip2).
 */
static const uint64_t ANY_RATIO_BYTES = PD_LIMIT_ARCHIVE_ANY_RATIO;
static const uint64_t MAX_RATIO = PD_LIMIT_ARCHIVE_RATIO;

enum { MAX_MEMBERS = PD_LIMIT_ARCHIVE_MEMBERS, MAX_PATH = PD_LIMIT_PATH_BYTES, PAGE = 4096 };

struct sym_archive {
	char *path;
	/** NULL until the archive is read. */
	const struct base_libarchive *lib;
	/** Guards the members below until the archive is read. They do not change after that. */
	pthread_mutex_t lock;
	bool is_read;
	char *failure;
	/** Borrowed; may be NULL. */
	struct sym_deps *deps;
	/** Temporary file with all members one after the other, each at the start of a page. */
	int fd;
	PD_VEC(struct sym_member) members;
};

struct pd_error *sym_archive_create(
	const char *path, struct sym_deps *deps, struct sym_archive **ret)
{
	struct sym_archive *archive = calloc(1, sizeof(*archive));

	if (!archive)
		return &pd_enomem;
	pthread_mutex_init(&archive->lock, NULL);
	archive->fd = -1;
	archive->deps = deps;
	archive->path = strdup(path);
	if (!archive->path) {
		sym_archive_destroy(archive);
		return &pd_enomem;
	}
	*ret = archive;
	return NULL;
}

void sym_archive_destroy(struct sym_archive *archive)
{
	if (!archive)
		return;
	for (size_t i = 0; i < archive->members.n; i++)
		free((char *)archive->members.data[i].path);
	pd_vec_deinit(&archive->members);
	base_close(&archive->fd);
	pthread_mutex_destroy(&archive->lock);
	free(archive->failure);
	free(archive->path);
	free(archive);
}

static void set_failure(struct sym_archive *archive, const char *text)
{
	free(archive->failure);
	archive->failure = strdup(text ? text : "is damaged");
	/* Another time there may be more memory, or the library. */
	sym_deps_spoil(archive->deps);
}

static void set_implausible(struct sym_archive *archive)
{
	set_failure(archive, "is implausibly large when decompressed: the rest is not read");
}

/* Part of a member. */
struct block {
	const void *bytes;
	size_t size;
	/** Offset in the member. Holes between blocks read as zeros. */
	uint64_t at;
};

/* Whether as much as this may come out of what has been read of the tarball so far. */
static bool is_plausible(const struct base_libarchive *lib, struct archive *tar)
{
	enum { DECOMPRESSED = 0, COMPRESSED = -1 };
	uint64_t out = (uint64_t)lib->archive_filter_bytes(tar, DECOMPRESSED);
	uint64_t in = (uint64_t)lib->archive_filter_bytes(tar, COMPRESSED);

	return out <= ANY_RATIO_BYTES || out / MAX_RATIO <= in;
}

/* Whether a file begins like a jitdump in one of the byte orders. */
static bool is_jitdump(const struct block *block)
{
	enum { MAGIC_BYTES = 4 };

	return block->size >= MAGIC_BYTES && (!memcmp(block->bytes, "DTiJ", MAGIC_BYTES) ||
						     !memcmp(block->bytes, "JiTD", MAGIC_BYTES));
}

/*
 * Whether a member may be of use, from its path and its first block: ELF files, compressed kernel
 * modules, jitdumps, maps of generated code, and kallsyms.
 */
static bool is_wanted(const char *path, const struct block *block)
{
	if (block->at)
		return false;
	const char *base = sym_path_base(path);
	return (block->size >= SELFMAG && !memcmp(block->bytes, ELFMAG, SELFMAG)) ||
	       base_codec_detect(block->bytes, block->size) != PD_CODEC_NONE || is_jitdump(block) ||
	       strcmp(base, "kallsyms") == 0 || fnmatch("perf-*.map", base, 0) == 0;
}

/* Write a part of the member that begins at @p start of the temporary file, whose end is *end. */
static bool write_block(
	struct sym_archive *archive, const struct block *block, uint64_t start, uint64_t *end)
{
	uint64_t to = start + block->at;

	if (block->at > MAX_MEMBER || block->size > MAX_MEMBER - block->at || to < *end ||
		to + block->size > MAX_UNPACKED) {
		set_implausible(archive);
		return false;
	}
	if (lseek(archive->fd, (off_t)to, SEEK_SET) < 0 ||
		!base_write_all(archive->fd, block->bytes, block->size)) {
		set_failure(archive, base_error_text(errno));
		return false;
	}
	*end = to + block->size;
	return true;
}

/*
 * Append the contents of the current member to the temporary file, whose end is *end, if the member
 * is wanted.
 */
static bool copy_member(
	struct sym_archive *archive, struct archive *tar, const char *path, uint64_t *end)
{
	uint64_t start = *end;
	struct block block;
	la_int64_t at;
	bool is_first = true, is_kept = false;
	int result;

	while ((result = archive->lib->archive_read_data_block(
			tar, &block.bytes, &block.size, &at)) == ARCHIVE_OK) {
		block.at = (uint64_t)at;
		is_kept = is_first ? is_wanted(path, &block) : is_kept;
		is_first = false;
		if (is_kept && !write_block(archive, &block, start, end))
			return false;
		if (!is_plausible(archive->lib, tar)) {
			set_implausible(archive);
			return false;
		}
	}
	if (result == ARCHIVE_EOF)
		return true;
	set_failure(archive, archive->lib->archive_error_string(tar));
	return false;
}

static bool add_member(
	struct sym_archive *archive, const char *path, uint64_t offset, uint64_t size)
{
	struct sym_member member = {
		.path = strdup(path),
		.offset = offset,
		.size = size,
	};

	if (member.path && pd_vec_push(&archive->members, member))
		return true;
	free((char *)member.path);
	set_failure(archive, "no memory");
	return false;
}

static void read_members(struct sym_archive *archive, struct archive *tar, uint64_t *end)
{
	struct archive_entry *entry;
	int result;

	while ((result = archive->lib->archive_read_next_header(tar, &entry)) == ARCHIVE_OK ||
		result == ARCHIVE_WARN) {
		uint64_t start = *end;
		const char *path = archive->lib->archive_entry_pathname(entry);

		if (archive->lib->archive_entry_filetype(entry) != AE_IFREG || !path)
			continue;
		if (strlen(path) >= MAX_PATH) {
			set_failure(archive, "has a file whose path is too long: it is not used");
			continue;
		}
		if (archive->members.n >= MAX_MEMBERS) {
			set_failure(archive, "has too many files");
			return;
		}
		if (!copy_member(archive, tar, path, end))
			return;
		/* Empty members cannot be mapped, and are not binaries either. */
		if (*end > start && !add_member(archive, path, start, *end - start))
			return;
		*end = (*end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	}
	if (result != ARCHIVE_EOF)
		set_failure(archive, archive->lib->archive_error_string(tar));
}

/*
 * Parse the hexadecimal digits from @p text to @p end as a build id. Its len is 0 if they are not
 * one.
 */
static struct pd_build_id parse_id(const char *text, const char *end)
{
	struct pd_build_id id = { 0 };
	size_t n = (size_t)(end - text);

	if (n < 8 || n % 2 || n / 2 > PD_BUILD_ID_MAX)
		return id;
	for (size_t i = 0; i < n; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

		if (!digit)
			return (struct pd_build_id){ 0 };
		id.bytes[i / 2] = (uint8_t)(id.bytes[i / 2] << 4 | (digit - digits));
	}
	id.len = (uint8_t)(n / 2);
	return id;
}

/* Build id in the path of a member: ".../ID/KIND", or ".../ID" as old versions of perf had it. */
static struct pd_build_id id_of_path(const char *path)
{
	const char *base = sym_path_base(path);
	const char *parent = base > path ? base - 1 : path;

	while (parent > path && parent[-1] != '/')
		parent--;
	struct pd_build_id id =
		base > path ? parse_id(parent, base - 1) : (struct pd_build_id){ 0 };
	return id.len ? id : parse_id(base, base + strlen(base));
}

/* Build id in the notes of a member, if that is an ELF file. */
static struct pd_build_id id_of_member(int fd, const struct sym_member *member)
{
	struct pd_build_id id = { 0 };
	struct sym_failure failure;
	struct sym_image *image;
	struct pd_error *err = sym_image_open_range(
		fd, member->offset, member->size, member->path, &image, &failure);

	if (err) {
		pd_error_destroy(err);
		return id;
	}
	if (image)
		id = image->build_id;
	sym_image_destroy(image);
	return id;
}

static void identify_members(struct sym_archive *archive, uint64_t end)
{
	/* Members are mapped in whole pages, so the file must reach to the end of the last one. */
	if (ftruncate(archive->fd, (off_t)end)) {
		set_failure(archive, base_error_text(errno));
		return;
	}
	for (size_t i = 0; i < archive->members.n; i++) {
		struct sym_member *member = &archive->members.data[i];

		member->id = id_of_path(member->path);
		if (!member->id.len)
			member->id = id_of_member(archive->fd, member);
	}
}

/*
 * Whether libarchive has the filter of @p enable built in. If it would start a program, it returns
 * ARCHIVE_WARN.
 */
static bool is_built_in(const struct base_libarchive *lib, int (*enable)(struct archive *tar))
{
	struct archive *scratch = lib->archive_read_new();
	bool result = scratch && enable(scratch) == ARCHIVE_OK;

	if (scratch)
		lib->archive_read_free(scratch);
	return result;
}

/*
 * Filters are enabled one by one, because a tarball chooses its filter itself, and
 * archive_read_support_filter_all() also enables those for which libarchive starts a program found
 * in PATH (lrzip, grzip, lzop).
 */
static void enable_filters(const struct base_libarchive *lib, struct archive *tar)
{
	int (*const filters[])(struct archive *) = {
		lib->archive_read_support_filter_gzip,
		lib->archive_read_support_filter_bzip2,
		lib->archive_read_support_filter_xz,
		lib->archive_read_support_filter_zstd,
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(filters); i++) {
		if (is_built_in(lib, filters[i]))
			filters[i](tar);
	}
}

static void unpack(struct sym_archive *archive, int from)
{
	uint64_t end = 0;

	archive->fd = base_temporary_open();
	struct archive *tar = archive->fd >= 0 ? archive->lib->archive_read_new() : NULL;
	if (!tar) {
		set_failure(archive, archive->fd < 0 ? base_error_text(errno) : "no memory");
		return;
	}
	enable_filters(archive->lib, tar);
	archive->lib->archive_read_support_format_tar(tar);
	if (archive->lib->archive_read_open_fd(tar, from, 128 * 1024) == ARCHIVE_OK)
		read_members(archive, tar, &end);
	else
		set_failure(archive, archive->lib->archive_error_string(tar));
	archive->lib->archive_read_free(tar);
	identify_members(archive, end);
}

static void read_once(struct sym_archive *archive)
{
	const struct sym_access access = { .deps = archive->deps };
	struct sym_failure failure = { 0 };

	if (archive->is_read)
		return;
	archive->is_read = true;
	_cleanup_close_ int fd = sym_open_regular(archive->path, access, &failure);
	if (fd < 0)
		set_failure(archive, failure.text);
	else if (!(archive->lib = base_libarchive()))
		set_failure(archive, "cannot be read without libarchive, which is not installed");
	else
		unpack(archive, fd);
}

static void read_if_needed(struct sym_archive *archive)
{
	pthread_mutex_lock(&archive->lock);
	read_once(archive);
	pthread_mutex_unlock(&archive->lock);
}

/* Whether @p path is NAME/ID/KIND or NAME/KIND. The root of @p name is left out. */
static bool is_path_of(const char *path, const char *name, const char *kind)
{
	const char *relative = name + strspn(name, "/");
	size_t len = strlen(relative);

	if (!len || strncmp(path, relative, len) != 0 || path[len] != '/')
		return false;
	const char *rest = path + len + 1;
	const char *slash = strchr(rest, '/');
	if (slash && parse_id(rest, slash).len)
		rest = slash + 1;
	return strcmp(rest, kind) == 0;
}

const struct sym_member *sym_archive_find_path(
	struct sym_archive *archive, const char *name, const char *kind)
{
	const struct sym_member *found = NULL;

	read_if_needed(archive);
	for (size_t m = 0; m < archive->members.n; m++) {
		const struct sym_member *member = &archive->members.data[m];

		if (!is_path_of(member->path, name, kind))
			continue;
		if (found)
			return NULL;
		found = member;
	}
	return found;
}

const struct sym_member *sym_archive_find_recorded(struct sym_archive *archive, const char *name)
{
	const char *relative = name + strspn(name, "/");

	read_if_needed(archive);
	for (size_t m = 0; m < archive->members.n; m++) {
		if (strcmp(archive->members.data[m].path, relative) == 0)
			return &archive->members.data[m];
	}
	return NULL;
}

const struct sym_member *sym_archive_find_base(
	struct sym_archive *archive, const char *base, size_t i)
{
	read_if_needed(archive);
	for (size_t m = 0; m < archive->members.n; m++) {
		const struct sym_member *member = &archive->members.data[m];

		if (strcmp(sym_path_base(member->path), base) == 0 && !i--)
			return member;
	}
	return NULL;
}

const struct sym_member *sym_archive_find(
	struct sym_archive *archive, const struct pd_build_id *id, const char *kind, size_t i)
{
	read_if_needed(archive);
	for (size_t m = 0; m < archive->members.n; m++) {
		const struct sym_member *member = &archive->members.data[m];

		if (!pd_build_id_equal(&member->id, id) ||
			(kind && strcmp(sym_path_base(member->path), kind)))
			continue;
		if (!i--)
			return member;
	}
	return NULL;
}

int sym_archive_fd(const struct sym_archive *archive)
{
	return archive->fd;
}

const char *sym_archive_path(const struct sym_archive *archive)
{
	return archive->path;
}

const char *sym_archive_failure(struct sym_archive *archive)
{
	pthread_mutex_lock(&archive->lock);
	const char *failure = archive->failure;
	pthread_mutex_unlock(&archive->lock);
	return failure;
}
