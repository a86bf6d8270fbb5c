#include "parquet/pq_chunk.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>
#include <zstd.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/integer.h"
#include "base/containers/map.h"
#include "parquet/metadata.h"
#include "parquet/packing.h"

/*
 * A page ends at so many rows, or at so many bytes of plain strings. It is what readers skip, so
 * smaller pages let them skip more; but each has a header and is compressed alone.
 */
enum { PAGE_ROWS = 1 << 16, PAGE_BYTES = 1 << 20 };

/** Most bytes of a dictionary, which readers keep in memory. */
enum { DICTIONARY_BYTES = 64 << 20 };

/** Bytes of a page, as they are and compressed. Little-endian. */
struct content {
	struct pd_bytes plain;
	struct pd_bytes packed;
};

struct pq_coder {
	ZSTD_CCtx *zstd;
	int level;
	/** Levels of a page, as the packer takes them. */
	PD_VEC(uint64_t) levels;
	/** Distinct values of the chunk, by the order of their first appearance. */
	PD_VEC(uint64_t) entries;
	/** For each value of the chunk, the number of its entry. Not used for strings. */
	PD_VEC(uint64_t) numbers;
	/** For each string, the last page that has it. */
	PD_VEC(uint32_t) seen;
	bool has_dictionary;
	struct content dictionary;
	struct content page;
};

void pq_chunk_deinit(struct pq_chunk *chunk)
{
	pd_bytes_deinit(&chunk->bytes);
	pd_vec_deinit(&chunk->pages);
}

static void content_init(struct content *content)
{
	content->plain.swap = pd_is_big_endian(false);
}

static void content_deinit(struct content *content)
{
	pd_bytes_deinit(&content->plain);
	pd_bytes_deinit(&content->packed);
}

static void empty(struct pd_bytes *bytes)
{
	bytes->buf.n = 0;
}

struct pq_coder *pq_coder_create(int level)
{
	struct pq_coder *coder = calloc(1, sizeof(*coder));

	if (!coder)
		return NULL;
	coder->zstd = ZSTD_createCCtx();
	coder->level = level;
	content_init(&coder->dictionary);
	content_init(&coder->page);
	if (!coder->zstd) {
		pq_coder_destroy(coder);
		return NULL;
	}
	return coder;
}

void pq_coder_destroy(struct pq_coder *coder)
{
	if (!coder)
		return;
	ZSTD_freeCCtx(coder->zstd);
	pd_vec_deinit(&coder->levels);
	pd_vec_deinit(&coder->entries);
	pd_vec_deinit(&coder->numbers);
	pd_vec_deinit(&coder->seen);
	content_deinit(&coder->dictionary);
	content_deinit(&coder->page);
	free(coder);
}

/* Compress the plain bytes. Returns false if out of memory. */
static bool compress(struct pq_coder *coder, struct content *content)
{
	struct pd_bytes *plain = &content->plain;
	struct pd_bytes *packed = &content->packed;

	empty(packed);
	if (plain->failed)
		return false;
	size_t room = ZSTD_compressBound(plain->buf.n);
	uint8_t *to = pd_bytes_extend(packed, room);
	if (!to)
		return false;
	size_t n = ZSTD_compressCCtx(
		coder->zstd, to, room, plain->buf.data, plain->buf.n, coder->level);
	packed->buf.n = n;
	/* With enough room, nothing but memory can be missing. */
	return !ZSTD_isError(n);
}

static void put_strings(
	const struct base_intern *strings, const uint64_t *ids, size_t n, struct pd_bytes *out)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t len = base_intern_len(strings, (uint32_t)ids[i]);

		pd_bytes_u32(out, len);
		pd_bytes_put(out, base_intern_bytes(strings, (uint32_t)ids[i]), len);
	}
}

static void put_numbers(const uint64_t *values, size_t n, size_t size, struct pd_bytes *out)
{
	uint8_t *to = n ? pd_bytes_extend(out, n * size) : NULL;
	bool swap = pd_is_big_endian(false);

	if (!to)
		return;
	for (size_t i = 0; size == sizeof(uint64_t) && i < n; i++)
		base_store_u64(to + i * sizeof(uint64_t), swap, values[i]);
	for (size_t i = 0; size == sizeof(uint32_t) && i < n; i++)
		base_store_u32(to + i * sizeof(uint32_t), swap, (uint32_t)values[i]);
}

static void put_plain(
	const struct pq_cells *cells, const uint64_t *values, size_t n, struct pd_bytes *out)
{
	switch (cells->type->kind) {
	case PQ_KIND_BYTES:
		put_strings(&cells->strings, values, n, out);
		break;
	case PQ_KIND_BOOLEAN:
		pq_pack(values, n, 1, out);
		break;
	default:
		put_numbers(values, n, cells->type->size, out);
	}
}

/* Find the number of @p value, or give it the next one. Returns false if out of memory. */
static bool number_value(
	struct pq_coder *coder, struct base_map *map, uint64_t value, uint64_t *ret)
{
	bool is_new;
	uint64_t *number = base_map_add(map, value, &is_new);

	if (!number)
		return false;
	if (is_new) {
		*number = coder->entries.n;
		if (!pd_vec_push(&coder->entries, value))
			return false;
	}
	*ret = *number;
	return true;
}

/*
 * Number the distinct values. *@p few_ret: whether there are so few of them that a dictionary could
 * be smaller than the values. Returns false if out of memory.
 */
static bool number_values(struct pq_coder *coder, const struct pq_cells *cells, bool *few_ret)
{
	const uint64_t *values = cells->values.data;
	size_t n = cells->values.n;
	size_t most = DICTIONARY_BYTES / cells->type->size;
	struct base_map map = { 0 };
	bool ok = pd_vec_reserve(&coder->numbers, n);
	uint64_t *numbers = coder->numbers.data;

	*few_ret = true;
	for (size_t i = 0; ok && *few_ret && i < n; i++) {
		if (i && values[i] == values[i - 1]) {
			numbers[i] = numbers[i - 1];
			continue;
		}
		ok = number_value(coder, &map, values[i], &numbers[i]);
		/* Each second value may be a new one, after a page. */
		*few_ret = coder->entries.n < most && coder->entries.n <= (PAGE_ROWS + i) / 2;
	}
	base_map_deinit(&map);
	return ok;
}

/* Like number_values(), for strings, which have numbers already: their ids. */
static bool number_strings(struct pq_coder *coder, const struct pq_cells *cells, bool *few_ret)
{
	const struct base_intern *strings = &cells->strings;

	*few_ret = strings->n <= cells->values.n / 2 && strings->arena.used <= DICTIONARY_BYTES;
	if (!*few_ret)
		return true;
	if (!pd_vec_reserve(&coder->entries, strings->n))
		return false;
	for (size_t i = 0; i < strings->n; i++)
		coder->entries.data[i] = i;
	coder->entries.n = strings->n;
	return true;
}

/* Make the dictionary of the chunk, if it may have a use. Returns false if out of memory. */
static bool make_dictionary(struct pq_coder *coder, const struct pq_cells *cells)
{
	coder->has_dictionary = false;
	coder->entries.n = 0;
	empty(&coder->dictionary.plain);
	if (cells->type->kind == PQ_KIND_BOOLEAN || !cells->values.n)
		return true;
	if (!(cells->type->kind == PQ_KIND_BYTES ? number_strings : number_values)(
		    coder, cells, &coder->has_dictionary))
		return false;
	if (!coder->has_dictionary)
		return true;
	put_plain(cells, coder->entries.data, coder->entries.n, &coder->dictionary.plain);
	return compress(coder, &coder->dictionary);
}

static void put_entries(const struct pq_coder *coder, const struct pq_cells *cells, size_t value,
	size_t n, struct pd_bytes *out)
{
	const uint64_t *numbers =
		cells->type->kind == PQ_KIND_BYTES ? cells->values.data : coder->numbers.data;
	unsigned width = pq_n_bits(coder->entries.n - 1);

	/* Not all readers know a width of 0. */
	width = width ? width : 1;
	pd_bytes_u8(out, (uint8_t)width);
	pq_pack_runs(numbers + value, n, width, out);
}

/* Append @p n values to the page. */
static void put_values(struct pq_coder *coder, const struct pq_cells *cells,
	enum pq_encoding encoding, size_t value, size_t n)
{
	const uint64_t *values = pq_cells_values(cells, value);
	struct pd_bytes *out = &coder->page.plain;

	PD_IS_TRUE(values || !n, "ranges of a column without values have none");
	if (encoding == PQ_RLE_DICTIONARY)
		put_entries(coder, cells, value, n, out);
	else if (encoding == PQ_DELTA_BINARY_PACKED)
		pq_pack_deltas(values, n, (unsigned)cells->type->size * 8, out);
	else
		put_plain(cells, values, n, out);
}

static bool can_encode(
	const struct pq_coder *coder, const struct pq_cells *cells, enum pq_encoding encoding)
{
	switch (encoding) {
	case PQ_RLE_DICTIONARY:
		return coder->has_dictionary;
	case PQ_DELTA_BINARY_PACKED:
		return cells->type->kind == PQ_KIND_INT || cells->type->kind == PQ_KIND_UINT;
	default:
		return true;
	}
}

/* Encodings, in the order in which they are preferred if the sizes are equal. */
static const enum pq_encoding encodings[] = { PQ_PLAIN, PQ_RLE_DICTIONARY, PQ_DELTA_BINARY_PACKED };

/*
 * Values by which the encoding is chosen: a page in the middle of the chunk, because its begin may
 * be unlike the rest.
 */
static struct pq_range sample(const struct pq_cells *cells)
{
	size_t n = cells->values.n;
	size_t begin = n > PAGE_ROWS ? (n - PAGE_ROWS) / 2 : 0;
	struct pq_range range = { .value = begin, .n_values = n - begin };
	uint64_t bytes = 0;

	range.n_values = range.n_values < PAGE_ROWS ? range.n_values : PAGE_ROWS;
	for (size_t i = 0; !cells->type->size && i < range.n_values; i++) {
		bytes += base_intern_len(&cells->strings, (uint32_t)cells->values.data[begin + i]);
		if (bytes >= PAGE_BYTES)
			range.n_values = i + 1;
	}
	return range;
}

/*
 * Choose the encoding that makes a page and its part of the dictionary the smallest, and whether to
 * compress: zstd has to save a sixteenth to be worth its time. Returns false if out of memory.
 */
static bool choose(struct pq_coder *coder, const struct pq_cells *cells, struct pq_chunk *chunk)
{
	const struct pq_range range = sample(cells);
	double least = 0;

	chunk->encoding = PQ_PLAIN;
	chunk->codec = PQ_UNCOMPRESSED;
	if (!range.n_values)
		return true;
	double n_pages = (double)cells->values.n / (double)range.n_values;
	for (size_t i = 0; i < PD_ARRAY_LEN(encodings); i++) {
		if (!can_encode(coder, cells, encodings[i]))
			continue;
		empty(&coder->page.plain);
		put_values(coder, cells, encodings[i], range.value, range.n_values);
		if (!compress(coder, &coder->page))
			return false;
		double plain = (double)coder->page.plain.buf.n * n_pages;
		double packed = (double)coder->page.packed.buf.n * n_pages;
		if (encodings[i] == PQ_RLE_DICTIONARY) {
			plain += (double)coder->dictionary.plain.buf.n;
			packed += (double)coder->dictionary.packed.buf.n;
		}
		bool is_worth = packed < plain * 15 / 16;
		double size = is_worth ? packed : plain;
		if (i == 0 || size < least) {
			least = size;
			chunk->encoding = encodings[i];
			chunk->codec = is_worth ? PQ_ZSTD : PQ_UNCOMPRESSED;
		}
	}
	return true;
}

static void put_page(struct pq_chunk *chunk, enum pq_page_kind kind, enum pq_encoding encoding,
	size_t n, const struct content *content)
{
	const struct pd_bytes *stored =
		chunk->codec == PQ_ZSTD ? &content->packed : &content->plain;
	const struct pq_page_header header = {
		.kind = kind,
		.encoding = encoding,
		.n_values = n,
		.plain_size = content->plain.buf.n,
		.stored_size = stored->buf.n,
		.crc = libdeflate_crc32(0, stored->buf.data, stored->buf.n),
	};
	size_t begin = chunk->bytes.buf.n;

	pq_put_page_header(&chunk->bytes, &header);
	chunk->plain_size += chunk->bytes.buf.n - begin + content->plain.buf.n;
	pd_bytes_put(&chunk->bytes, stored->buf.data, stored->buf.n);
}

/* Append the levels of @p range to the page: which of its rows have a value. */
static bool put_levels(
	struct pq_coder *coder, const struct pq_cells *cells, const struct pq_range *range)
{
	struct pd_bytes *out = &coder->page.plain;
	size_t begin = out->buf.n;

	if (!cells->column->is_optional)
		return true;
	if (!pd_vec_reserve(&coder->levels, range->n_rows))
		return false;
	for (size_t i = 0; i < range->n_rows; i++)
		coder->levels.data[i] = cells->levels.data[range->row + i];
	/* Their size, which is known afterwards. */
	pd_bytes_u32(out, 0);
	pq_pack_runs(coder->levels.data, range->n_rows, 1, out);
	if (out->failed)
		return false;
	base_store_u32(out->buf.data + begin, out->swap,
		(uint32_t)(out->buf.n - begin - sizeof(uint32_t)));
	return true;
}

static bool add_page(struct pq_coder *coder, const struct pq_cells *cells,
	const struct pq_range *range, struct pq_chunk *chunk)
{
	struct pq_page page = { .offset = chunk->bytes.buf.n, .row = range->row };
	uint32_t stamp = (uint32_t)chunk->pages.n + 1;

	empty(&coder->page.plain);
	if (!put_levels(coder, cells, range))
		return false;
	put_values(coder, cells, chunk->encoding, range->value, range->n_values);
	if (coder->page.plain.failed || (chunk->codec == PQ_ZSTD && !compress(coder, &coder->page)))
		return false;
	put_page(chunk, PQ_DATA_PAGE, chunk->encoding, range->n_rows, &coder->page);
	page.size = chunk->bytes.buf.n - page.offset;
	page.bounds =
		pq_cells_bounds(cells, range, cells->strings.n ? coder->seen.data : NULL, stamp);
	pq_bounds_merge(cells, &chunk->bounds, &page.bounds);
	return pd_vec_push(&chunk->pages, page);
}

/* Forget which strings were seen in the last chunk. */
static bool clear_seen(struct pq_coder *coder, const struct pq_cells *cells)
{
	size_t n = cells->strings.n;

	if (!n)
		return true;
	if (!pd_vec_reserve(&coder->seen, n))
		return false;
	memset(coder->seen.data, 0, n * sizeof(*coder->seen.data));
	return true;
}

bool pq_coder_encode(struct pq_coder *coder, const struct pq_cells *cells, struct pq_chunk *chunk)
{
	struct pq_range range = { 0 };

	empty(&chunk->bytes);
	chunk->pages.n = 0;
	chunk->plain_size = 0;
	chunk->bounds = (struct pq_bounds){ 0 };
	if (!clear_seen(coder, cells) || !make_dictionary(coder, cells) ||
		!choose(coder, cells, chunk))
		return false;
	if (chunk->encoding == PQ_RLE_DICTIONARY)
		put_page(chunk, PQ_DICTIONARY_PAGE, PQ_PLAIN, coder->entries.n, &coder->dictionary);
	size_t plain_bytes = chunk->encoding == PQ_PLAIN ? PAGE_BYTES : 0;
	while (range.row + range.n_rows < cells->n_rows) {
		range = pq_cells_range(cells, &range, PAGE_ROWS, plain_bytes);
		if (!add_page(coder, cells, &range, chunk))
			return false;
	}
	return !chunk->bytes.failed;
}
