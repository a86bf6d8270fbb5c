#include "symbolize/table/ranges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/limit.h"
#include "base/containers/merge_sort.h"
#include "base/lower_bound.h"
#include "base/format.h"
#include "symbolize/file/image.h"

/*
 * Upper limit for strings in bytes, hundreds of times what large programs need. Strings beyond it
 * are left out.
 */
static const size_t MAX_STRINGS = PD_LIMIT_NAME_TABLE_BYTES;

/* Common first members of location and symbol ranges. Sorting and merging use nothing else. */
struct span {
	uint64_t start;
	uint64_t end;
};

_Static_assert(offsetof(struct sym_location_range, end) == offsetof(struct span, end) &&
		       offsetof(struct sym_symbol_range, end) == offsetof(struct span, end),
	"ranges begin alike");

void sym_ranges_deinit(struct sym_ranges *ranges)
{
	pd_vec_deinit(&ranges->locations);
	pd_vec_deinit(&ranges->symbols);
	pd_vec_deinit(&ranges->scopes);
	pd_vec_deinit(&ranges->functions);
	pd_vec_deinit(&ranges->files);
	pd_vec_deinit(&ranges->strings);
	base_map_deinit(&ranges->texts);
}

void sym_new_ranges_deinit(struct sym_new_ranges *fresh)
{
	pd_vec_deinit(&fresh->locations);
	pd_vec_deinit(&fresh->symbols);
}

static const struct span *span_at(const void *list, size_t i, size_t size)
{
	return (const struct span *)((const char *)list + i * size);
}

static bool are_sorted(const void *list, size_t n, size_t size)
{
	uint64_t end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct span *span = span_at(list, i, size);

		if (span->start < end || span->end <= span->start)
			return false;
		end = span->end;
	}
	return true;
}

static bool is_string(const struct sym_ranges *ranges, uint32_t offset)
{
	return !offset || offset < ranges->strings.n;
}

static bool is_index(uint32_t i, size_t n)
{
	return i == SYM_NONE || i < n;
}

static bool are_scopes_sound(const struct sym_ranges *ranges)
{
	for (size_t i = 0; i < ranges->scopes.n; i++) {
		const struct sym_range_scope *scope = &ranges->scopes.data[i];

		if (!is_index(scope->outer, i) || !is_index(scope->function, ranges->functions.n) ||
			!is_string(ranges, scope->call_file))
			return false;
	}
	for (size_t i = 0; i < ranges->functions.n; i++) {
		const struct sym_range_function *function = &ranges->functions.data[i];

		if (!is_string(ranges, function->linkage) ||
			!is_string(ranges, function->qualified) ||
			!is_string(ranges, function->file))
			return false;
	}
	return true;
}

static bool are_references_sound(const struct sym_ranges *ranges)
{
	for (size_t i = 0; i < ranges->locations.n; i++) {
		if (!is_index(ranges->locations.data[i].scope, ranges->scopes.n) ||
			!is_string(ranges, ranges->locations.data[i].file))
			return false;
	}
	for (size_t i = 0; i < ranges->symbols.n; i++) {
		if (!is_string(ranges, ranges->symbols.data[i].name))
			return false;
	}
	for (size_t i = 0; i < ranges->files.n; i++) {
		if (!is_string(ranges, ranges->files.data[i].path) ||
			!is_string(ranges, ranges->files.data[i].build_id))
			return false;
	}
	return are_scopes_sound(ranges);
}

bool sym_ranges_are_sound(const struct sym_ranges *ranges)
{
	const char *strings = ranges->strings.data;
	size_t n = ranges->strings.n;

	if (n && (strings[0] || strings[n - 1]))
		return false;
	return are_sorted(ranges->locations.data, ranges->locations.n,
		       sizeof(*ranges->locations.data)) &&
	       are_sorted(ranges->symbols.data, ranges->symbols.n, sizeof(*ranges->symbols.data)) &&
	       are_references_sound(ranges);
}

/*
 * Enter all strings in the map. If two strings have the same hash, the second one is stored again
 * on each use, which costs space only.
 */
static bool index_strings(struct sym_ranges *ranges)
{
	for (size_t pos = 1; pos < ranges->strings.n;) {
		const char *text = ranges->strings.data + pos;
		size_t len = strlen(text);
		uint64_t *offset = base_map_add(&ranges->texts, XXH3_64bits(text, len), NULL);

		if (!offset) {
			/* An empty map is built again on the next use. */
			base_map_deinit(&ranges->texts);
			return false;
		}
		*offset = pos;
		pos += len + 1;
	}
	return true;
}

/* Offset of the next string. */
static size_t next_offset(const struct sym_ranges *ranges)
{
	return ranges->strings.n ? ranges->strings.n : 1;
}

/* Append a string for which there is room. Returns its offset. */
static uint32_t append_string(struct sym_ranges *ranges, const char *text, size_t len)
{
	size_t start = next_offset(ranges);

	ranges->strings.data[0] = '\0';
	memcpy(ranges->strings.data + start, text, len + 1);
	ranges->strings.n = start + len + 1;
	return (uint32_t)start;
}

struct pd_error *sym_ranges_string(struct sym_ranges *ranges, const char *text, uint32_t *ret)
{
	size_t len = text ? strlen(text) : 0;
	bool is_new;

	*ret = 0;
	if (!len)
		return NULL;
	if (len > MAX_STRINGS || ranges->strings.n > MAX_STRINGS) {
		base_limit_reach(PD_LIMIT_ID_NAME_TABLE_BYTES);
		return NULL;
	}
	if (!ranges->texts.n && !index_strings(ranges))
		return &pd_enomem;
	/* An entry without its string would be left in the map if the string could not be added. */
	if (!pd_vec_reserve(&ranges->strings, next_offset(ranges) + len + 1))
		return &pd_enomem;
	/*
	 * The map has hashes instead of strings, which may move when the array grows. A collision
	 * is detected by comparing the text.
	 */
	uint64_t *offset = base_map_add(&ranges->texts, XXH3_64bits(text, len), &is_new);
	if (!offset)
		return &pd_enomem;
	if (!is_new && strcmp(ranges->strings.data + *offset, text) == 0) {
		*ret = (uint32_t)*offset;
		return NULL;
	}
	*ret = append_string(ranges, text, len);
	*offset = *ret;
	return NULL;
}

/* Add @p file, replacing one with the same kind, path and dwo_id. */
static struct pd_error *add_file(struct sym_ranges *ranges, const struct sym_range_file *file)
{
	for (size_t i = 0; i < ranges->files.n; i++) {
		struct sym_range_file *have = &ranges->files.data[i];

		if (have->kind == file->kind && have->path == file->path &&
			have->dwo_id == file->dwo_id) {
			*have = *file;
			return NULL;
		}
	}
	return pd_vec_push(&ranges->files, *file) ? NULL : &pd_enomem;
}

struct pd_error *sym_note_range_file(struct sym_ranges *ranges, enum sym_range_file_kind kind,
	const struct sym_image *image, const char *wanted, uint64_t dwo_id)
{
	struct sym_range_file file = {
		.kind = kind,
		.is_found = image != NULL,
		.dwo_id = dwo_id,
	};
	char hex[PD_BUILD_ID_HEX_MAX];
	struct pd_error *err = sym_ranges_string(ranges, image ? image->path : wanted, &file.path);

	if (err)
		return err;
	/*
	 * The cache uses a stored table only as long as its files are the same. They are compared
	 * by these facts.
	 */
	if (image) {
		pd_build_id_hex(&image->build_id, hex);
		err = sym_ranges_string(ranges, hex, &file.build_id);
		if (err)
			return err;
		sym_image_stamp(image, &file.size, &file.mtime_ns);
	}
	return add_file(ranges, &file);
}

static const char *source_name(uint32_t kind)
{
	return kind == SYM_RANGE_FILE_SUPPLEMENT ? "supplementary debug file" : "split debug file";
}

struct pd_error *sym_ranges_missing(const struct sym_ranges *ranges, char **ret)
{
	const struct sym_range_file *first = NULL;
	size_t n = 0;

	*ret = NULL;
	for (size_t i = 0; i < ranges->files.n; i++) {
		const struct sym_range_file *file = &ranges->files.data[i];

		/* Only files that another file refers to can be missing. */
		if (file->is_found || file->kind < SYM_RANGE_FILE_SUPPLEMENT)
			continue;
		first = first ? first : file;
		n++;
	}
	if (!n)
		return NULL;
	const char *path = sym_ranges_text(ranges, first->path);
	/* A table of the cache may have no path for it, even no strings at all. */
	path = path ? path : "file without a name";
	const char *kind = source_name(first->kind);
	*ret = n > 1 ? base_format("%s: no such %s found, and %zu more", path, kind, n - 1)
		     : base_format("%s: no such %s found", path, kind);
	return *ret ? NULL : &pd_enomem;
}

/* Order of spans: by start, and the longest first among those with the same start. */
static bool starts_before(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start != y->start ? x->start < y->start : x->end > y->end;
}

/* List under construction, merged from an old and a new one. */
struct merge {
	char *list;
	size_t n;
	size_t size;
};

static void put(struct merge *m, const void *element, uint64_t start, uint64_t end)
{
	struct span *span = (struct span *)(m->list + m->n * m->size);

	if (start >= end)
		return;
	memcpy(span, element, m->size);
	span->start = start;
	span->end = end;
	m->n++;
}

static void put_whole(struct merge *m, const void *element)
{
	const struct span *span = element;

	put(m, element, span->start, span->end);
}

static uint64_t end_of(const struct merge *m)
{
	return m->n ? span_at(m->list, m->n - 1, m->size)->end : 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Merge two sorted lists; the ranges of @p old do not overlap. The result has room for both lists
 * and @p old once again, because each old range can cut a new one in two.
 */
static void merge_lists(
	struct merge *m, const void *old, size_t n_old, const void *fresh, size_t n_fresh)
{
	size_t at = 0;

	for (size_t i = 0; i < n_fresh; i++) {
		const struct span *f = span_at(fresh, i, m->size);
		uint64_t start = f->start;

		for (; at < n_old && span_at(old, at, m->size)->start < f->end; at++) {
			const struct span *o = span_at(old, at, m->size);

			/*
			 * New ranges may overlap. The previous one keeps its part, up to end_of().
			 */
			put(m, f, later(start, end_of(m)), o->start);
			put_whole(m, o);
			start = later(start, o->end);
		}
		put(m, f, later(start, end_of(m)), f->end);
	}
	for (; at < n_old; at++)
		put_whole(m, span_at(old, at, m->size));
}

/*
 * Sort a list that consists of sorted runs, one or two for each unit. Returns false if there is no
 * memory.
 */
static bool sort_runs(void *list, size_t n, size_t size)
{
	const struct base_merge_order by_start = { size, starts_before };

	if (base_merge_is_sorted(list, n, &by_start))
		return true;
	_cleanup_free_ void *scratch = reallocarray(NULL, n, size);
	if (!scratch)
		return false;
	base_merge_sort(list, scratch, n, &by_start);
	return true;
}

/* Replace the list *old with its merge with *fresh. Returns false if there is no memory. */
static bool merge_into(
	void **old, size_t *n_old, size_t *cap, void **fresh, size_t n_fresh, size_t size)
{
	struct merge m = { .size = size };

	if (!n_fresh)
		return true;
	if (!sort_runs(*fresh, n_fresh, size))
		return false;
	size_t room = 2 * *n_old + n_fresh;
	m.list = reallocarray(NULL, room, size);
	if (!m.list)
		return false;
	merge_lists(&m, *old, *n_old, *fresh, n_fresh);
	free(*old);
	*old = m.list;
	*n_old = m.n;
	*cap = room;
	return true;
}

struct pd_error *sym_ranges_merge(struct sym_ranges *ranges, struct sym_new_ranges *fresh)
{
	bool ok = merge_into((void **)&ranges->locations.data, &ranges->locations.n,
			  &ranges->locations.cap, (void **)&fresh->locations.data,
			  fresh->locations.n, sizeof(*fresh->locations.data)) &&
		  merge_into((void **)&ranges->symbols.data, &ranges->symbols.n,
			  &ranges->symbols.cap, (void **)&fresh->symbols.data, fresh->symbols.n,
			  sizeof(*fresh->symbols.data));

	return ok ? NULL : &pd_enomem;
}

/* Index of the first range that ends after @p addr. No range before @p from does. */
static size_t first_ending_after(
	const void *list, size_t n, size_t size, size_t from, uint64_t addr)
{
	size_t low = from, step = 1;

	while (step < n - low && span_at(list, low + step - 1, size)->end <= addr)
		low += step, step *= 2;
	size_t end = step < n - low ? low + step : n;

	return base_lower_bound_from(low, end, i, span_at(list, i, size)->end <= addr);
}

static uint32_t find_next(const void *list, size_t n, size_t size, size_t *from, uint64_t addr)
{
	*from = first_ending_after(list, n, size, *from, addr);
	bool is_covered = *from < n && span_at(list, *from, size)->start <= addr;

	return is_covered ? (uint32_t)*from : SYM_NONE;
}

size_t sym_ranges_find(
	const struct sym_ranges *ranges, const uint64_t *vaddrs, size_t n, struct sym_covering *ret)
{
	size_t location = 0, symbol = 0, missing = 0;

	for (size_t i = 0; i < n; i++) {
		ret[i].location = find_next(ranges->locations.data, ranges->locations.n,
			sizeof(*ranges->locations.data), &location, vaddrs[i]);
		ret[i].symbol = find_next(ranges->symbols.data, ranges->symbols.n,
			sizeof(*ranges->symbols.data), &symbol, vaddrs[i]);
		missing += ret[i].location == SYM_NONE || ret[i].symbol == SYM_NONE;
	}
	return missing;
}
