#include "resolve/binaries/unwind_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/io/cache_dir.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/limit.h"
#include "resolve/binaries/binaries.h"

static const char MAGIC[8] = "pdrows1";

struct header {
	char magic[8];
	/** Checksum of everything after this member. */
	uint64_t checksum;
	/** Checksum of the code that makes tables: see ROWS_CODE in the Makefile. */
	char code[32];
	/** Sizes of the binary and of its .debug_frame, which may be in another file, in bytes. */
	uint64_t file_bytes;
	uint64_t debug_frame_bytes;
	uint64_t base;
	/** Number of rows that follow. */
	uint64_t n;
};

_Static_assert(sizeof(PD_ROWS_CODE) == 32 + 1, "the length of the checksum");

static uint64_t checksum_of(const struct header *header, const struct bw_row *rows)
{
	const size_t start = offsetof(struct header, code);
	XXH64_hash_t rows_hash = XXH3_64bits(rows, header->n * sizeof(*rows));

	return XXH3_64bits_withSeed(
		(const char *)header + start, sizeof(*header) - start, rows_hash);
}

/** Describe the binary. Returns false if its table cannot be kept. */
static bool describe(struct sym_binary *symbols, struct header *ret)
{
	const char *path = sym_binary_path(symbols);
	struct sym_section section;
	struct stat st;

	*ret = (struct header){ 0 };
	if (!sym_binary_build_id(symbols)->len || !path || stat(path, &st) < 0)
		return false;
	memcpy(ret->magic, MAGIC, sizeof(MAGIC));
	memcpy(ret->code, PD_ROWS_CODE, sizeof(ret->code));
	ret->file_bytes = (uint64_t)st.st_size;
	if (sym_binary_section(symbols, ".debug_frame", &section))
		ret->debug_frame_bytes = section.size;
	return true;
}

/** Name of the file in the cache. Allocated; NULL: out of memory. */
static char *name_of(struct sym_binary *symbols)
{
	char hex[PD_BUILD_ID_HEX_MAX];

	return base_format(
		"%s" RESOLVE_ROWS_SUFFIX, pd_build_id_hex(sym_binary_build_id(symbols), hex));
}

/** Whether @p header, of a file with @p size bytes, is for the binary that @p wanted describes. */
static bool is_current(const struct header *header, size_t size, const struct header *wanted)
{
	return memcmp(header->magic, wanted->magic, sizeof(header->magic)) == 0 &&
	       memcmp(header->code, wanted->code, sizeof(header->code)) == 0 &&
	       header->file_bytes == wanted->file_bytes &&
	       header->debug_frame_bytes == wanted->debug_frame_bytes &&
	       header->n == (size - sizeof(*header)) / sizeof(struct bw_row) &&
	       (size - sizeof(*header)) % sizeof(struct bw_row) == 0;
}

/** Make the file at @p bytes the table, which takes it over. Its rows follow @p header. */
static struct pd_error *take_table(
	const struct header *header, uint8_t *bytes, struct unw_table **ret)
{
	struct unw_table *table = calloc(1, sizeof(*table));

	if (!table) {
		free(bytes);
		return &pd_enomem;
	}
	/* Memory for another copy of a large table costs more than to move it. */
	memmove(bytes, bytes + sizeof(*header), header->n * sizeof(struct bw_row));
	table->base = header->base;
	table->rows.data = (struct bw_row *)(void *)bytes;
	table->rows.n = table->rows.cap = header->n;
	*ret = table;
	return NULL;
}

/* Read the table of @p symbols from the cache @p dir; *@p ret is NULL if it does not have it. */
static struct pd_error *load_rows(
	const char *dir, struct sym_binary *symbols, struct unw_table **ret)
{
	struct header wanted, header;
	size_t size;

	*ret = NULL;
	if (!dir || !describe(symbols, &wanted))
		return NULL;
	_cleanup_free_ char *name = name_of(symbols);
	if (!name)
		return &pd_enomem;
	_cleanup_free_ uint8_t *bytes =
		base_cache_dir_read(dir, name, PD_LIMIT_CACHE_FILE_BYTES, &size);
	if (!bytes || size < sizeof(header))
		return NULL;
	memcpy(&header, bytes, sizeof(header));
	const struct bw_row *rows = (const void *)(bytes + sizeof(header));
	if (!is_current(&header, size, &wanted) || checksum_of(&header, rows) != header.checksum)
		return NULL;
	return take_table(&header, take_ptr(bytes), ret);
}

static void save_rows(const char *dir, struct sym_binary *symbols, const struct unw_table *table)
{
	struct header header;

	if (!dir || !describe(symbols, &header))
		return;
	_cleanup_free_ char *name = name_of(symbols);
	const struct bw_row *rows = table->rows.data;
	size_t size = table->rows.n * sizeof(*rows);
	if (!name || sizeof(header) + size > PD_LIMIT_CACHE_FILE_BYTES)
		return;
	header.base = table->base;
	header.n = table->rows.n;
	header.checksum = checksum_of(&header, rows);
	const struct iovec parts[] = { { &header, sizeof(header) }, { (void *)rows, size } };
	(void)!base_cache_dir_write(dir, name, parts, PD_ARRAY_LEN(parts));
}

/* Tables with fewer rows are made again: that takes about as long as reading them. */
enum { WORTH_KEEPING = 4096 };

static struct pd_error *make_table(struct sym_binary *symbols, bool is_vdso, struct unw_table **ret)
{
	struct unw_binary *binary = NULL;
	struct pd_error *err = resolve_unwind_open(symbols, &binary);

	if (!err && binary)
		err = unw_table_create(binary, is_vdso, ret);
	unw_binary_destroy(binary);
	return err;
}

/* Get the table from the cache, or make it and keep it there. The vDSO is made in no time. */
static struct pd_error *get_table(
	const char *cache_dir, struct sym_binary *symbols, bool is_vdso, struct unw_table **ret)
{
	const char *dir = is_vdso ? NULL : cache_dir;
	struct pd_error *err = load_rows(dir, symbols, ret);

	if (err || *ret)
		return err;
	err = make_table(symbols, is_vdso, ret);
	if (!err && *ret && (*ret)->rows.n >= WORTH_KEEPING)
		save_rows(dir, symbols, *ret);
	return err;
}

static struct pd_error *make(const struct sym_search *search, struct sym_binary *symbols,
	const struct sym_recorded *recorded, struct unw_table **ret, uint64_t *delta_ret)
{
	bool is_vdso = strcmp(recorded->name, "[vdso]") == 0;
	struct sym_segment segment;

	if (!sym_binary_segment(symbols, recorded->offset, recorded->size, &segment))
		return NULL;
	*delta_ret = segment.vaddr - segment.offset;
	if (!ret)
		return NULL;
	return get_table(search->cache_dir, symbols, is_vdso, ret);
}

struct pd_error *resolve_table_open(const struct sym_search *search, const struct pd_arch *arch,
	const struct sym_recorded *recorded, struct unw_table **ret, uint64_t *delta_ret)
{
	struct sym_binary *symbols;
	struct pd_error *err = sym_binary_open(search, recorded, &symbols);

	if (ret)
		*ret = NULL;
	if (err)
		return err;
	if (sym_binary_status(symbols) == SYM_FOUND && !sym_binary_is_debug_only(symbols) &&
		sym_binary_arch(symbols) == arch)
		err = make(search, symbols, recorded, ret, delta_ret);
	sym_binary_destroy(symbols);
	return err;
}
