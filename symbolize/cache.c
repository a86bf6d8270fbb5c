#include "symbolize/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/io/cache_dir.h"
#include "base/cleanup.h"
#include "base/limit.h"
#include "symbolize/binary_files.h"
#include "symbolize/file/path.h"

/*
 * Version of the format. Raise it when this file stores tables in another way. Another content of
 * the tables, or other names for the same code, come from other code, whose checksum is stored.
 */
enum { FORMAT = 6 };

#define COUNT(member) +1
enum { N_LISTS = SYM_CACHE_LISTS(COUNT) };
#undef COUNT

/*
 * Upper limit for the size of a file in bytes. The table for all code of a large browser has a
 * quarter of that.
 */
static const uint64_t MAX_FILE = PD_LIMIT_CACHE_FILE_BYTES;

static const char MAGIC[8] = "pdnames";

struct header {
	char magic[8];
	/** Checksum of everything after this member. */
	uint64_t checksum;
	/** In native byte order: it does not match on a machine with the other one. */
	uint32_t format;
	/** Languages of the binary (enum sym_language). */
	uint32_t languages;
	uint32_t id_len;
	uint8_t id[PD_BUILD_ID_MAX];
	char program[20];
	/** Checksum of the code that made the names: see NAMES_CODE in the Makefile. */
	char code[SYM_CACHE_CODE_LEN];
	/** Bytes of an element of each list. Another machine may have other ones. */
	uint32_t element_bytes[N_LISTS];
	/** Number of elements in the lists that follow, in the order of SYM_CACHE_LISTS. */
	uint64_t n[N_LISTS];
};

static const size_t list_sizes[N_LISTS] = {
#define SIZE(member) SYM_CACHE_ELEMENT_BYTES(member),
	SYM_CACHE_LISTS(SIZE)
#undef SIZE
};

_Static_assert(sizeof(PD_NAMES_CODE) == SYM_CACHE_CODE_LEN + 1, "the length of the checksum");

/* List of a table, with elements of any type. */
struct list {
	void **data;
	size_t *n;
	size_t *cap;
};

#define list_of(vec) ((struct list){ (void **)&(vec)->data, &(vec)->n, &(vec)->cap })

static void get_lists(struct sym_ranges *ranges, struct list ret[static N_LISTS])
{
	size_t i = 0;

#define GET(member) ret[i++] = list_of(&ranges->member);
	SYM_CACHE_LISTS(GET)
#undef GET
}

/* Name of the file in the cache. */
static const char *name_of(const struct sym_binary *binary, struct sym_path *ret)
{
	char hex[PD_BUILD_ID_HEX_MAX];

	pd_build_id_hex(&binary->main->build_id, hex);
	return sym_path_format(ret, "%s%s", hex, SYM_CACHE_SUFFIX);
}

static bool can_be_kept(const struct sym_binary *binary)
{
	return binary->search->cache_dir && binary->main && binary->main->build_id.len;
}

/* Whether @p image is the file that @p file describes, or both are missing. */
static bool is_same_image(const struct sym_ranges *ranges, const struct sym_range_file *file,
	const struct sym_image *image)
{
	const char *id = sym_ranges_text(ranges, file->build_id);
	char hex[PD_BUILD_ID_HEX_MAX];
	uint64_t size;
	int64_t mtime_ns;

	if (!image || !file->is_found)
		return !image && !file->is_found;
	if (!sym_image_stamp(image, &size, &mtime_ns) || size != file->size)
		return false;
	/* With the same build id, a copy of the file is as good as the file itself. */
	return id ? strcmp(id, pd_build_id_hex(&image->build_id, hex)) == 0
		  : mtime_ns == file->mtime_ns;
}

static bool is_same_file(const struct sym_search *search, const struct sym_ranges *ranges,
	const struct sym_range_file *file)
{
	const char *path = sym_ranges_text(ranges, file->path);
	struct stat st;

	/* The path may come from the debug information, and is not known to be another one. */
	if (search->no_own_paths)
		return false;
	/* Files that were missing are dependencies, too. */
	bool exists = path && sym_stat_regular(path, sym_search_access(search), &st);
	return file->is_found && exists && (uint64_t)st.st_size == file->size &&
	       st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec == file->mtime_ns;
}

/* Whether the table was made from the files that exist now. */
static bool is_current(const struct sym_binary *binary, const struct sym_ranges *ranges)
{
	const struct sym_image *debug = binary->dwarf == binary->main ? NULL : binary->separate;
	bool has_main = false, has_debug = false;

	for (size_t i = 0; i < ranges->files.n; i++) {
		const struct sym_range_file *file = &ranges->files.data[i];
		bool is_main = file->kind == SYM_RANGE_FILE_MAIN;
		bool is_debug = file->kind == SYM_RANGE_FILE_DEBUG;

		if (is_main || is_debug
				? !is_same_image(ranges, file, is_main ? binary->main : debug)
				: !is_same_file(binary->search, ranges, file))
			return false;
		has_main = has_main || is_main;
		has_debug = has_debug || is_debug;
	}
	return has_main && (has_debug || binary->dwarf == binary->main);
}

static bool has_valid_header(
	const struct sym_binary *binary, const uint8_t *bytes, size_t size, struct header *ret)
{
	const struct pd_build_id *id = &binary->main->build_id;
	const size_t unsigned_part = offsetof(struct header, format);
	uint64_t want = sizeof(*ret);

	if (size < sizeof(*ret))
		return false;
	memcpy(ret, bytes, sizeof(*ret));
	if (memcmp(ret->magic, MAGIC, sizeof(MAGIC)) || ret->format != FORMAT ||
		strncmp(ret->program, PD_VERSION, sizeof(ret->program)) ||
		memcmp(ret->code, PD_NAMES_CODE, sizeof(ret->code)) || ret->id_len != id->len ||
		memcmp(ret->id, id->bytes, id->len))
		return false;
	for (size_t i = 0; i < N_LISTS; i++) {
		/* Elements have at least one byte. With this limit the sum cannot overflow. */
		if (ret->element_bytes[i] != list_sizes[i] || ret->n[i] > size)
			return false;
		want += ret->n[i] * list_sizes[i];
	}
	return want == size &&
	       XXH3_64bits(bytes + unsigned_part, size - unsigned_part) == ret->checksum;
}

static bool copy_lists(struct sym_ranges *ranges, const struct header *header, const uint8_t *bytes)
{
	struct list lists[N_LISTS];

	get_lists(ranges, lists);
	ranges->languages = header->languages;
	bytes += sizeof(*header);
	for (size_t i = 0; i < N_LISTS; i++) {
		size_t n = header->n[i];

		if (!n)
			continue;
		if (!pd_vec_grow(lists[i].data, lists[i].cap, n, list_sizes[i]))
			return false;
		memcpy(*lists[i].data, bytes, n * list_sizes[i]);
		*lists[i].n = n;
		bytes += n * list_sizes[i];
	}
	return true;
}

struct pd_error *sym_cache_load(struct sym_binary *binary)
{
	struct sym_ranges ranges = { 0 };
	struct header header;
	struct sym_path name;
	size_t size;

	if (!can_be_kept(binary) || binary->ranges.files.n)
		return NULL;
	const char *dir = binary->search->cache_dir;
	_cleanup_free_ uint8_t *bytes =
		base_cache_dir_read(dir, name_of(binary, &name), MAX_FILE, &size);
	if (!bytes)
		return NULL;
	if (!has_valid_header(binary, bytes, size, &header)) {
		base_cache_dir_remove(dir, name.text);
		return NULL;
	}
	/*
	 * The checksum only protects against accidents. References are checked as well, so that a
	 * forged file cannot lead outside of the table.
	 */
	bool ok = copy_lists(&ranges, &header, bytes);
	if (ok && sym_ranges_are_sound(&ranges) && is_current(binary, &ranges))
		binary->ranges = ranges;
	else
		sym_ranges_deinit(&ranges);
	return ok ? NULL : &pd_enomem;
}

/*
 * Whether a file was missing. A table without it must not be kept, because it would be used even
 * when the file exists again.
 */
static bool misses_parts(const struct sym_ranges *ranges)
{
	for (size_t i = 0; i < ranges->files.n; i++) {
		const struct sym_range_file *file = &ranges->files.data[i];

		if (!file->is_found && file->kind != SYM_RANGE_FILE_DEBUG)
			return true;
	}
	return false;
}

static struct header make_header(const struct sym_binary *binary, const struct list *lists)
{
	const struct pd_build_id *id = &binary->main->build_id;
	struct header header;
	XXH3_state_t *state = XXH3_createState();

	memset(&header, 0, sizeof(header)); /* padding is part of the file */
	memcpy(header.magic, MAGIC, sizeof(MAGIC));
	header.format = FORMAT;
	header.languages = binary->ranges.languages;
	header.id_len = id->len;
	memcpy(header.id, id->bytes, id->len);
	strncpy(header.program, PD_VERSION, sizeof(header.program) - 1);
	memcpy(header.code, PD_NAMES_CODE, sizeof(header.code));
	for (size_t i = 0; i < N_LISTS; i++) {
		header.n[i] = *lists[i].n;
		header.element_bytes[i] = (uint32_t)list_sizes[i];
	}
	if (!state)
		return header;
	XXH3_64bits_reset(state);
	XXH3_64bits_update(state, &header.format, sizeof(header) - offsetof(struct header, format));
	for (size_t i = 0; i < N_LISTS; i++)
		XXH3_64bits_update(state, *lists[i].data, *lists[i].n * list_sizes[i]);
	header.checksum = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return header;
}

static uint64_t size_of(const struct sym_ranges *ranges)
{
	struct list lists[N_LISTS];
	uint64_t size = sizeof(struct header);

	get_lists((struct sym_ranges *)ranges, lists);
	for (size_t i = 0; i < N_LISTS; i++)
		size += *lists[i].n * list_sizes[i];
	return size;
}

const char *sym_cache_code(void)
{
	return PD_NAMES_CODE;
}

void sym_cache_save(struct sym_binary *binary)
{
	struct list lists[N_LISTS];
	struct iovec parts[1 + N_LISTS];
	struct sym_path name;

	if (!can_be_kept(binary) || misses_parts(&binary->ranges))
		return;
	if (size_of(&binary->ranges) > MAX_FILE) {
		base_limit_reach(PD_LIMIT_ID_CACHE_FILE_BYTES);
		return;
	}
	get_lists(&binary->ranges, lists);
	struct header header = make_header(binary, lists);
	if (!header.checksum)
		return;
	parts[0] = (struct iovec){ &header, sizeof(header) };
	for (size_t i = 0; i < N_LISTS; i++)
		parts[1 + i] = (struct iovec){ *lists[i].data, *lists[i].n * list_sizes[i] };
	base_cache_dir_write(
		binary->search->cache_dir, name_of(binary, &name), parts, PD_ARRAY_LEN(parts));
}
