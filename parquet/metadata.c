#include "parquet/metadata.h"

#include <string.h>

#include "parquet/thrift.h"

/* The ids of fields are those of parquet.thrift. */

static void put_data_header(struct pq_thrift *thrift, const struct pq_page_header *page)
{
	pq_thrift_struct(thrift, 5);
	pq_thrift_i32(thrift, 1, (int32_t)page->n_values);
	pq_thrift_i32(thrift, 2, (int32_t)page->encoding);
	/* Definition levels, and repetition levels, which flat columns do not have. */
	pq_thrift_i32(thrift, 3, PQ_RLE);
	pq_thrift_i32(thrift, 4, PQ_RLE);
	pq_thrift_end(thrift);
}

static void put_dictionary_header(struct pq_thrift *thrift, const struct pq_page_header *page)
{
	pq_thrift_struct(thrift, 7);
	pq_thrift_i32(thrift, 1, (int32_t)page->n_values);
	pq_thrift_i32(thrift, 2, (int32_t)page->encoding);
	pq_thrift_end(thrift);
}

void pq_put_page_header(struct pd_bytes *out, const struct pq_page_header *page)
{
	struct pq_thrift thrift = { .out = out };

	pq_thrift_struct(&thrift, 0);
	pq_thrift_i32(&thrift, 1, (int32_t)page->kind);
	pq_thrift_i32(&thrift, 2, (int32_t)page->plain_size);
	pq_thrift_i32(&thrift, 3, (int32_t)page->stored_size);
	pq_thrift_i32(&thrift, 4, (int32_t)page->crc);
	if (page->kind == PQ_DATA_PAGE)
		put_data_header(&thrift, page);
	else
		put_dictionary_header(&thrift, page);
	pq_thrift_end(&thrift);
}

static void put_statistics(struct pq_thrift *thrift, unsigned id, const struct pq_cells *cells,
	const struct pq_bounds *bounds)
{
	struct pq_bound least, most;

	pq_thrift_struct(thrift, id);
	pq_thrift_i64(thrift, 3, (int64_t)bounds->n_nulls);
	if (bounds->has_values && pq_cells_store_bounds(cells, bounds, &least, &most)) {
		pq_thrift_binary(thrift, 5, most.bytes, most.n);
		pq_thrift_binary(thrift, 6, least.bytes, least.n);
		pq_thrift_bool(thrift, 7, most.is_exact);
		pq_thrift_bool(thrift, 8, least.is_exact);
	}
	if (cells->type->kind == PQ_KIND_DOUBLE)
		pq_thrift_i64(thrift, 9, (int64_t)bounds->n_nans);
	pq_thrift_end(thrift);
}

static void put_encoding_count(
	struct pq_thrift *thrift, enum pq_page_kind kind, enum pq_encoding encoding, size_t n)
{
	pq_thrift_struct(thrift, 0);
	pq_thrift_i32(thrift, 1, (int32_t)kind);
	pq_thrift_i32(thrift, 2, (int32_t)encoding);
	pq_thrift_i32(thrift, 3, (int32_t)n);
	pq_thrift_end(thrift);
}

/* The encodings that any page of the chunk has, of levels, too. */
static void put_encodings(struct pq_thrift *thrift, const struct pq_chunk *chunk)
{
	bool has_dictionary = chunk->encoding == PQ_RLE_DICTIONARY;

	pq_thrift_list(thrift, 2, PQ_THRIFT_I32, has_dictionary ? 3 : 2);
	if (has_dictionary)
		pq_thrift_i32(thrift, 0, PQ_PLAIN);
	pq_thrift_i32(thrift, 0, PQ_RLE);
	pq_thrift_i32(thrift, 0, (int32_t)chunk->encoding);
}

static void put_chunk(struct pq_thrift *thrift, const struct pq_cells *cells,
	const struct pq_chunk *chunk, uint64_t offset)
{
	bool has_dictionary = chunk->encoding == PQ_RLE_DICTIONARY;

	pq_thrift_struct(thrift, 0);
	pq_thrift_i32(thrift, 1, (int32_t)cells->type->physical);
	put_encodings(thrift, chunk);
	pq_thrift_list(thrift, 3, PQ_THRIFT_BINARY, 1);
	pq_thrift_string(thrift, 0, cells->column->name);
	pq_thrift_i32(thrift, 4, (int32_t)chunk->codec);
	pq_thrift_i64(thrift, 5, (int64_t)cells->n_rows);
	pq_thrift_i64(thrift, 6, (int64_t)chunk->plain_size);
	pq_thrift_i64(thrift, 7, (int64_t)chunk->bytes.buf.n);
	pq_thrift_i64(thrift, 9, (int64_t)(offset + chunk->pages.data[0].offset));
	if (has_dictionary)
		pq_thrift_i64(thrift, 11, (int64_t)offset);
	put_statistics(thrift, 12, cells, &chunk->bounds);
	pq_thrift_list(thrift, 13, PQ_THRIFT_STRUCT, has_dictionary ? 2 : 1);
	if (has_dictionary)
		put_encoding_count(thrift, PQ_DICTIONARY_PAGE, PQ_PLAIN, 1);
	put_encoding_count(thrift, PQ_DATA_PAGE, chunk->encoding, chunk->pages.n);
	pq_thrift_end(thrift);
}

/* Whether each page has bounds or only nulls, as the index of a column requires. */
static bool has_column_index(const struct pq_cells *cells, const struct pq_chunk *chunk)
{
	for (size_t i = 0; i < chunk->pages.n; i++) {
		const struct pq_bounds *bounds = &chunk->pages.data[i].bounds;
		struct pq_bound least, most;

		if (bounds->has_values ? !pq_cells_store_bounds(cells, bounds, &least, &most)
				       : bounds->n_nans > 0)
			return false;
	}
	return true;
}

/* Order of the bounds of pages that have some. Bounds that are cut have the order of the values. */
static enum pq_boundary_order boundary_order(
	const struct pq_cells *cells, const struct pq_chunk *chunk)
{
	const struct pq_bounds *last = NULL;
	bool ascends = true;
	bool descends = true;

	for (size_t i = 0; i < chunk->pages.n; i++) {
		const struct pq_bounds *bounds = &chunk->pages.data[i].bounds;

		if (!bounds->has_values)
			continue;
		if (last) {
			ascends &= !pq_cells_is_less(cells, bounds->least, last->least) &&
				   !pq_cells_is_less(cells, bounds->most, last->most);
			descends &= !pq_cells_is_less(cells, last->least, bounds->least) &&
				    !pq_cells_is_less(cells, last->most, bounds->most);
		}
		last = bounds;
	}
	return ascends ? PQ_ASCENDING : descends ? PQ_DESCENDING : PQ_UNORDERED;
}

static void put_page_bounds(struct pq_thrift *thrift, unsigned id, const struct pq_cells *cells,
	const struct pq_chunk *chunk, bool is_most)
{
	pq_thrift_list(thrift, id, PQ_THRIFT_BINARY, chunk->pages.n);
	for (size_t i = 0; i < chunk->pages.n; i++) {
		const struct pq_bounds *bounds = &chunk->pages.data[i].bounds;
		struct pq_bound least, most;

		if (!bounds->has_values || !pq_cells_store_bounds(cells, bounds, &least, &most))
			pq_thrift_binary(thrift, 0, "", 0);
		else if (is_most)
			pq_thrift_binary(thrift, 0, most.bytes, most.n);
		else
			pq_thrift_binary(thrift, 0, least.bytes, least.n);
	}
}

static void put_column_index(
	struct pq_thrift *thrift, const struct pq_cells *cells, const struct pq_chunk *chunk)
{
	pq_thrift_struct(thrift, 0);
	pq_thrift_list(thrift, 1, PQ_THRIFT_BOOL, chunk->pages.n);
	for (size_t i = 0; i < chunk->pages.n; i++)
		pq_thrift_bool(thrift, 0, !chunk->pages.data[i].bounds.has_values);
	put_page_bounds(thrift, 2, cells, chunk, false);
	put_page_bounds(thrift, 3, cells, chunk, true);
	pq_thrift_i32(thrift, 4, (int32_t)boundary_order(cells, chunk));
	pq_thrift_list(thrift, 5, PQ_THRIFT_I64, chunk->pages.n);
	for (size_t i = 0; i < chunk->pages.n; i++)
		pq_thrift_i64(thrift, 0, (int64_t)chunk->pages.data[i].bounds.n_nulls);
	if (cells->type->kind == PQ_KIND_DOUBLE) {
		pq_thrift_list(thrift, 8, PQ_THRIFT_I64, chunk->pages.n);
		for (size_t i = 0; i < chunk->pages.n; i++)
			pq_thrift_i64(thrift, 0, (int64_t)chunk->pages.data[i].bounds.n_nans);
	}
	pq_thrift_end(thrift);
}

static void put_offset_index(
	struct pq_thrift *thrift, const struct pq_chunk *chunk, uint64_t offset)
{
	pq_thrift_struct(thrift, 0);
	pq_thrift_list(thrift, 1, PQ_THRIFT_STRUCT, chunk->pages.n);
	for (size_t i = 0; i < chunk->pages.n; i++) {
		const struct pq_page *page = &chunk->pages.data[i];

		pq_thrift_struct(thrift, 0);
		pq_thrift_i64(thrift, 1, (int64_t)(offset + page->offset));
		pq_thrift_i32(thrift, 2, (int32_t)page->size);
		pq_thrift_i64(thrift, 3, (int64_t)page->row);
		pq_thrift_end(thrift);
	}
	pq_thrift_end(thrift);
}

void pq_footer_deinit(struct pq_footer *footer)
{
	pd_vec_deinit(&footer->groups);
	pd_vec_deinit(&footer->chunks);
	pd_bytes_deinit(&footer->metadata);
	pd_bytes_deinit(&footer->column_indexes);
	pd_bytes_deinit(&footer->offset_indexes);
}

bool pq_footer_add_group(struct pq_footer *footer, uint64_t offset, uint64_t n_rows)
{
	const struct pq_group group = { .offset = offset, .n_rows = n_rows };

	footer->n_rows += n_rows;
	return pd_vec_push(&footer->groups, group);
}

bool pq_footer_add_chunk(
	struct pq_footer *footer, const struct pq_cells *cells, const struct pq_chunk *chunk)
{
	struct pq_group *group = &footer->groups.data[footer->groups.n - 1];
	uint64_t offset = group->offset + group->stored_size;
	struct pq_thrift metadata = { .out = &footer->metadata };
	struct pq_thrift column_index = { .out = &footer->column_indexes };
	struct pq_thrift offset_index = { .out = &footer->offset_indexes };
	struct pq_chunk_sizes sizes = {
		.metadata = footer->metadata.buf.n,
		.column_index = footer->column_indexes.buf.n,
		.offset_index = footer->offset_indexes.buf.n,
	};

	put_chunk(&metadata, cells, chunk, offset);
	if (has_column_index(cells, chunk))
		put_column_index(&column_index, cells, chunk);
	put_offset_index(&offset_index, chunk, offset);
	sizes.metadata = footer->metadata.buf.n - sizes.metadata;
	sizes.column_index = footer->column_indexes.buf.n - sizes.column_index;
	sizes.offset_index = footer->offset_indexes.buf.n - sizes.offset_index;
	group->plain_size += chunk->plain_size;
	group->stored_size += chunk->bytes.buf.n;
	return !footer->metadata.failed && !footer->column_indexes.failed &&
	       !footer->offset_indexes.failed && pd_vec_push(&footer->chunks, sizes);
}

static void put_annotation(struct pq_thrift *thrift, const struct pq_type_info *type)
{
	pq_thrift_struct(thrift, 10);
	pq_thrift_struct(thrift, type->logical);
	if (type->logical == PQ_LOGICAL_TIMESTAMP) {
		pq_thrift_bool(thrift, 1, true);
		pq_thrift_struct(thrift, 2);
		pq_thrift_empty(thrift, PQ_UNIT_NANOS);
		pq_thrift_end(thrift);
	}
	if (type->logical == PQ_LOGICAL_INTEGER) {
		pq_thrift_byte(thrift, 1, (int8_t)(type->size * 8));
		pq_thrift_bool(thrift, 2, type->kind == PQ_KIND_INT);
	}
	pq_thrift_end(thrift);
	pq_thrift_end(thrift);
}

static void put_column(struct pq_thrift *thrift, const struct pq_column *column)
{
	const struct pq_type_info *type = &pq_type_infos[column->type];

	pq_thrift_struct(thrift, 0);
	pq_thrift_i32(thrift, 1, (int32_t)type->physical);
	pq_thrift_i32(thrift, 3, column->is_optional ? PQ_OPTIONAL : PQ_REQUIRED);
	pq_thrift_string(thrift, 4, column->name);
	if (type->converted != PQ_CONVERTED_NONE)
		pq_thrift_i32(thrift, 6, (int32_t)type->converted);
	if (type->logical != PQ_LOGICAL_NONE)
		put_annotation(thrift, type);
	pq_thrift_end(thrift);
}

static void put_schema(struct pq_thrift *thrift, unsigned id, const struct pq_opts *opts)
{
	pq_thrift_list(thrift, id, PQ_THRIFT_STRUCT, opts->n_columns + 1);
	/* The root, whose children the columns are. */
	pq_thrift_struct(thrift, 0);
	pq_thrift_string(thrift, 4, "schema");
	pq_thrift_i32(thrift, 5, (int32_t)opts->n_columns);
	pq_thrift_end(thrift);
	for (size_t i = 0; i < opts->n_columns; i++)
		put_column(thrift, &opts->columns[i]);
}

static void put_notes(struct pq_thrift *thrift, unsigned id, const struct pq_opts *opts)
{
	if (!opts->n_notes)
		return;
	pq_thrift_list(thrift, id, PQ_THRIFT_STRUCT, opts->n_notes);
	for (size_t i = 0; i < opts->n_notes; i++) {
		pq_thrift_struct(thrift, 0);
		pq_thrift_string(thrift, 1, opts->notes[i].key);
		pq_thrift_string(thrift, 2, opts->notes[i].value);
		pq_thrift_end(thrift);
	}
}

/* Where the structures of the next chunk are: in memory, and in the file. */
struct place {
	const uint8_t *metadata;
	uint64_t column_index;
	uint64_t offset_index;
};

static void put_chunk_place(
	struct pq_thrift *thrift, const struct pq_chunk_sizes *sizes, struct place *place)
{
	pq_thrift_struct(thrift, 0);
	/* The metadata are nowhere else. */
	pq_thrift_i64(thrift, 2, 0);
	pq_thrift_encoded(thrift, 3, place->metadata, sizes->metadata);
	pq_thrift_i64(thrift, 4, (int64_t)place->offset_index);
	pq_thrift_i32(thrift, 5, (int32_t)sizes->offset_index);
	if (sizes->column_index) {
		pq_thrift_i64(thrift, 6, (int64_t)place->column_index);
		pq_thrift_i32(thrift, 7, (int32_t)sizes->column_index);
	}
	pq_thrift_end(thrift);
	place->metadata += sizes->metadata;
	place->column_index += sizes->column_index;
	place->offset_index += sizes->offset_index;
}

static void put_groups(
	struct pq_thrift *thrift, unsigned id, const struct pq_footer *footer, uint64_t offset)
{
	struct place place = {
		.metadata = footer->metadata.buf.data,
		.column_index = offset,
		.offset_index = offset + footer->column_indexes.buf.n,
	};
	size_t n_columns = footer->groups.n ? footer->chunks.n / footer->groups.n : 0;

	pq_thrift_list(thrift, id, PQ_THRIFT_STRUCT, footer->groups.n);
	for (size_t i = 0; i < footer->groups.n; i++) {
		const struct pq_group *group = &footer->groups.data[i];

		pq_thrift_struct(thrift, 0);
		pq_thrift_list(thrift, 1, PQ_THRIFT_STRUCT, n_columns);
		for (size_t column = 0; column < n_columns; column++)
			put_chunk_place(
				thrift, &footer->chunks.data[i * n_columns + column], &place);
		pq_thrift_i64(thrift, 2, (int64_t)group->plain_size);
		pq_thrift_i64(thrift, 3, (int64_t)group->n_rows);
		pq_thrift_i64(thrift, 5, (int64_t)group->offset);
		pq_thrift_i64(thrift, 6, (int64_t)group->stored_size);
		pq_thrift_end(thrift);
	}
}

static void put_file(struct pq_thrift *thrift, const struct pq_footer *footer,
	const struct pq_opts *opts, uint64_t offset)
{
	pq_thrift_struct(thrift, 0);
	/* Readers and writers do not agree on what version 2 is. */
	pq_thrift_i32(thrift, 1, 1);
	put_schema(thrift, 2, opts);
	pq_thrift_i64(thrift, 3, (int64_t)footer->n_rows);
	put_groups(thrift, 4, footer, offset);
	put_notes(thrift, 5, opts);
	if (opts->created_by)
		pq_thrift_string(thrift, 6, opts->created_by);
	/* Bounds have the order of their type: the first, empty, member of the union. */
	pq_thrift_list(thrift, 7, PQ_THRIFT_STRUCT, opts->n_columns);
	for (size_t i = 0; i < opts->n_columns; i++) {
		pq_thrift_struct(thrift, 0);
		pq_thrift_empty(thrift, 1);
		pq_thrift_end(thrift);
	}
	pq_thrift_end(thrift);
}

void pq_footer_put(const struct pq_footer *footer, const struct pq_opts *opts, uint64_t offset,
	struct pd_bytes *out)
{
	struct pq_thrift thrift = { .out = out };

	pd_bytes_put(out, footer->column_indexes.buf.data, footer->column_indexes.buf.n);
	pd_bytes_put(out, footer->offset_indexes.buf.data, footer->offset_indexes.buf.n);
	size_t begin = out->buf.n;
	put_file(&thrift, footer, opts, offset);
	pd_bytes_u32(out, (uint32_t)(out->buf.n - begin));
	pd_bytes_put(out, "PAR1", 4);
}
