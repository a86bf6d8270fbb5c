/* Entries of the index, the identity of the program, and reports as bytes. */
#include "index/index.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include <pdconv/build_id.h>

#include "base/array.h"
#include "base/io/cache_dir.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/system/huge.h"
#include "base/limit.h"
#include "base/memstream.h"
#include "profile/store.h"
#include "symbolize/file/image.h"

/* Version of the format. Raise it when the meaning of a part changes. */
enum { FORMAT = 3 };

/* Upper limit for the size of a file in bytes. */
static const uint64_t MAX_FILE = PD_LIMIT_CACHE_FILE_BYTES;

static const char MAGIC[8] = "pdindex";

/* Parts of a file after the header, in their order. Each is padded to 8 bytes. */
enum part { QUESTION, DEPS, REPORTS, PROFILE, N_PARTS };

/* State of a recording. */
struct recording {
	struct sym_file_id id;
	/** Hashes of its beginning and its end. */
	uint64_t head;
	uint64_t tail;
};

struct header {
	char magic[8];
	/** Checksum of everything after this member. */
	uint64_t checksum;
	/** In native byte order: it does not match on a machine with the other one. */
	uint64_t format;
	/** See index_program_id(). */
	uint64_t program;
	struct recording recording;
	/** Sizes of the parts in bytes. */
	uint64_t sizes[N_PARTS];
};

struct index_entry {
	char *dir;
	char name[2 * sizeof(XXH128_hash_t) + sizeof(INDEX_SUFFIX)];
	char *path;
	uint64_t program;
	struct recording recording;
	/** All parts but the profile. */
	struct {
		uint8_t *bytes;
		size_t size;
	} parts[PROFILE];
};

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static bool hash_range(int fd, uint64_t offset, size_t size, uint64_t *ret)
{
	_cleanup_free_ char *bytes = malloc(size ? size : 1);

	if (!bytes || pread(fd, bytes, size, (off_t)offset) != (ssize_t)size)
		return false;
	*ret = XXH3_64bits(bytes, size);
	return true;
}

/* Find out the state of the recording. Returns false if it is not a regular file. */
static bool read_state(const char *path, struct recording *ret, bool *is_fresh_ret)
{
	enum { HASHED = 64 * 1024 };
	struct stat st;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	uint64_t size = (uint64_t)st.st_size;
	size_t hashed = size < HASHED ? size : HASHED;
	ret->id = sym_file_identify(&st);
	*is_fresh_ret = sym_file_is_fresh(&st);
	return hash_range(fd, 0, hashed, &ret->head) &&
	       hash_range(fd, size - hashed, hashed, &ret->tail);
}

/* The question names the file, so that a new answer replaces the old one. */
static void set_name(struct index_entry *entry)
{
	XXH128_hash_t hash =
		XXH3_128bits(entry->parts[QUESTION].bytes, entry->parts[QUESTION].size);

	snprintf(entry->name, sizeof(entry->name), "%016llx%016llx%s",
		(unsigned long long)hash.high64, (unsigned long long)hash.low64, INDEX_SUFFIX);
}

/* The path is part of the question, because messages contain it. */
static bool set_question(struct index_entry *entry, const void *question, size_t len)
{
	size_t path_len = strlen(entry->path) + 1;
	uint8_t *bytes = malloc(path_len + len);

	if (!bytes)
		return false;
	memcpy(bytes, entry->path, path_len);
	memcpy(bytes + path_len, question, len);
	entry->parts[QUESTION].bytes = bytes;
	entry->parts[QUESTION].size = path_len + len;
	return true;
}

/* Opening a device or a pipe has effects, so the type is looked at first. */
static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

struct pd_error *index_entry_create(const char *dir, const char *path, const void *question,
	size_t len, struct index_entry **ret)
{
	struct index_entry *entry;
	struct recording recording;
	uint64_t program;
	bool is_fresh;

	*ret = NULL;
	if (!is_regular(path) || !index_program_id(&program) ||
		!read_state(path, &recording, &is_fresh) || is_fresh)
		return NULL;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return &pd_enomem;
	entry->program = program;
	entry->recording = recording;
	entry->dir = strdup(dir);
	entry->path = strdup(path);
	if (!entry->dir || !entry->path || !set_question(entry, question, len)) {
		index_entry_destroy(entry);
		return &pd_enomem;
	}
	set_name(entry);
	*ret = entry;
	return NULL;
}

void index_entry_destroy(struct index_entry *entry)
{
	if (!entry)
		return;
	for (size_t i = 0; i < PD_ARRAY_LEN(entry->parts); i++)
		free(entry->parts[i].bytes);
	free(entry->dir);
	free(entry->path);
	free(entry);
}

const char *index_entry_dir(const struct index_entry *entry)
{
	return entry->dir;
}

const char *index_entry_path(const struct index_entry *entry)
{
	return entry->path;
}

/* Bytes of a file. */
struct span {
	const uint8_t *bytes;
	size_t size;
};

/* Find the parts of a file. Returns false if it is not whole or was not written by this program. */
static bool find_parts(const struct index_entry *entry, const uint8_t *bytes, size_t size,
	struct span ret[static N_PARTS])
{
	const size_t unsigned_part = offsetof(struct header, format);
	const struct header *header = (const struct header *)bytes;
	size_t at = sizeof(*header);

	if (size < sizeof(*header) || memcmp(header->magic, MAGIC, sizeof(MAGIC)) ||
		header->format != FORMAT || header->program != entry->program)
		return false;
	for (size_t i = 0; i < N_PARTS; i++) {
		if (header->sizes[i] > size || padded(header->sizes[i]) > size - at)
			return false;
		ret[i] = (struct span){ bytes + at, header->sizes[i] };
		at += padded(header->sizes[i]);
	}
	return at == size &&
	       XXH3_64bits(bytes + unsigned_part, size - unsigned_part) == header->checksum;
}

/* Whether the answer in @p bytes would be the same today. */
static bool is_current(
	const struct index_entry *entry, const uint8_t *bytes, const struct span *parts)
{
	const struct header *header = (const struct header *)bytes;
	const struct span *question = &parts[QUESTION];

	return memcmp(&header->recording, &entry->recording, sizeof(entry->recording)) == 0 &&
	       question->size == entry->parts[QUESTION].size &&
	       memcmp(question->bytes, entry->parts[QUESTION].bytes, question->size) == 0 &&
	       sym_deps_are_current(parts[DEPS].bytes, parts[DEPS].size);
}

struct pd_error *index_entry_load(
	const struct index_entry *entry, bool is_silent, struct pd_diag *diag, struct profile **ret)
{
	struct span parts[N_PARTS];
	size_t size;
	_cleanup_free_ uint8_t *bytes =
		base_cache_dir_read(entry->dir, entry->name, MAX_FILE, &size);

	*ret = NULL;
	if (!bytes)
		return NULL;
	if (!find_parts(entry, bytes, size, parts)) {
		base_cache_dir_remove(entry->dir, entry->name);
		return NULL;
	}
	const struct span *reports = &parts[REPORTS];
	if ((is_silent && reports->size) || !is_current(entry, bytes, parts) ||
		!index_reports_decode(reports->bytes, reports->size, NULL))
		return NULL;
	struct pd_error *err = prof_store_decode(parts[PROFILE].bytes, parts[PROFILE].size, ret);
	if (err || !*ret)
		return err;
	(*ret)->storage = take_ptr(bytes);
	index_reports_decode(reports->bytes, reports->size, diag);
	return NULL;
}

/* Whether the recording is as it was when the entry was created. */
static bool is_unchanged(const struct index_entry *entry)
{
	struct recording now;
	bool is_fresh;

	return read_state(entry->path, &now, &is_fresh) &&
	       memcmp(&now, &entry->recording, sizeof(now)) == 0;
}

struct pd_error *index_entry_conclude(
	struct index_entry *entry, struct sym_deps *deps, const struct pd_diag *diag, bool *ret)
{
	*ret = false;
	struct pd_error *err =
		sym_deps_encode(deps, &entry->parts[DEPS].bytes, &entry->parts[DEPS].size);
	if (err || !entry->parts[DEPS].bytes || !is_unchanged(entry))
		return err;
	err = index_reports_encode(diag, &entry->parts[REPORTS].bytes, &entry->parts[REPORTS].size);
	*ret = !err;
	return err;
}

/* Write everything but the header to @p to. */
static void write_parts(const struct index_entry *entry, const struct profile *profile, uint8_t *to)
{
	for (size_t i = 0; i < PROFILE; i++) {
		size_t size = entry->parts[i].size;

		memcpy(to, entry->parts[i].bytes, size);
		memset(to + size, 0, padded(size) - size);
		to += padded(size);
	}
	prof_store_encode(profile, to);
}

bool index_entry_save(const struct index_entry *entry, const struct profile *profile)
{
	const size_t unsigned_part = offsetof(struct header, format);
	struct header header = {
		.format = FORMAT,
		.program = entry->program,
		.recording = entry->recording,
	};
	size_t size = sizeof(header);

	memcpy(header.magic, MAGIC, sizeof(MAGIC));
	for (size_t i = 0; i < N_PARTS; i++) {
		header.sizes[i] = i == PROFILE ? prof_store_size(profile) : entry->parts[i].size;
		size += padded(header.sizes[i]);
	}
	if (size > MAX_FILE)
		return false;
	_cleanup_free_ uint8_t *bytes = base_huge_alloc(size);
	if (!bytes)
		return true;
	write_parts(entry, profile, bytes + sizeof(header));
	memcpy(bytes, &header, sizeof(header));
	header.checksum = XXH3_64bits(bytes + unsigned_part, size - unsigned_part);
	memcpy(bytes, &header, sizeof(header));
	const struct iovec whole = { bytes, size };
	base_cache_dir_write(entry->dir, entry->name, &whole, 1);
	return true;
}

/* Fixed part of an entry. The texts follow, each with a NUL. */
struct entry {
	uint64_t count;
	uint64_t offset;
	uint32_t code;
	/** Bytes of the texts with their NULs; 0: NULL. */
	uint32_t path;
	uint32_t what;
	uint32_t message;
};

static uint32_t len_of(const char *text)
{
	return text ? (uint32_t)strlen(text) + 1 : 0;
}

static void write_text(const char *text, FILE *out)
{
	if (text)
		fwrite(text, 1, strlen(text) + 1, out);
}

static void write_entry(const struct pd_diag_entry *from, FILE *out)
{
	const struct pd_error *first = from->first;
	const struct entry entry = {
		.count = from->count,
		.offset = first->offset,
		.code = first->code,
		.path = len_of(first->path),
		.what = len_of(first->what),
		.message = len_of(first->message),
	};

	fwrite(&entry, sizeof(entry), 1, out);
	write_text(first->path, out);
	write_text(first->what, out);
	write_text(first->message, out);
}

struct pd_error *index_reports_encode(const struct pd_diag *diag, uint8_t **ret, size_t *size_ret)
{
	char *bytes = NULL;
	FILE *out = base_memstream_open(&bytes, size_ret);

	if (!out)
		return &pd_enomem;
	for (size_t i = 0; i < pd_diag_n(diag); i++) {
		struct pd_diag_entry entry = pd_diag_get(diag, i);

		/* Reports that were lost cannot be kept. */
		if (entry.first->code == PD_ERROR_NOMEM)
			base_stream_fail(out);
		write_entry(&entry, out);
	}
	if (!base_memstream_close(out, &bytes))
		return &pd_enomem;
	*ret = (uint8_t *)bytes;
	return NULL;
}

/* Take a text of @p len bytes. Returns false if it does not end there. */
static bool take_text(const uint8_t **at, size_t *left, uint32_t len, const char **ret)
{
	*ret = len ? (const char *)*at : NULL;
	if (len > *left || (len && (*at)[len - 1]))
		return false;
	*at += len;
	*left -= len;
	return true;
}

bool index_reports_decode(const uint8_t *bytes, size_t size, struct pd_diag *diag)
{
	struct entry entry;

	while (size) {
		const char *path, *what, *message;

		if (size < sizeof(entry))
			return false;
		memcpy(&entry, bytes, sizeof(entry));
		bytes += sizeof(entry);
		size -= sizeof(entry);
		if (!take_text(&bytes, &size, entry.path, &path) ||
			!take_text(&bytes, &size, entry.what, &what) ||
			!take_text(&bytes, &size, entry.message, &message) || !message ||
			entry.code > PD_ERROR_NOTHING)
			return false;
		const struct pd_error first = {
			.code = (enum pd_error_code)entry.code,
			.offset = entry.offset,
			.path = (char *)path,
			.what = what,
			.message = (char *)message,
		};
		if (diag)
			base_diag_restore(diag, &first, entry.count);
	}
	return true;
}
