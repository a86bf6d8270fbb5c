#include "parquet/parquet.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/pool.h"
#include "base/utf8.h"
#include "parquet/cells.h"
#include "parquet/pq_chunk.h"
#include "parquet/metadata.h"

/*
 * The file:
 *
 *	"PAR1"
 *	for each row group, for each column: a chunk, which is pages	chunk.c
 *	indexes of the pages, and what the row groups are		metadata.c
 *	size of the latter, "PAR1"
 */
static const char magic[] = { 'P', 'A', 'R', '1' };

enum { DEFAULT_GROUP_ROWS = 1 << 20, DEFAULT_GROUP_BYTES = 128 << 20, DEFAULT_LEVEL = 3 };

/* Readers refuse an end of the file of 2 GiB. This one would have millions of chunks. */
enum { METADATA_BYTES = 1 << 30 };

struct pq_writer {
	FILE *out;
	struct pq_opts opts;
	/** Bytes that were written. */
	uint64_t offset;
	/** Complete rows of the row group. */
	size_t n_rows;
	/** For each column: its values, and its chunk while the row group is written. */
	struct pq_cells *cells;
	struct pq_chunk *chunks;
	/** Whether memory sufficed for the chunk. */
	bool *is_encoded;
	struct base_pool *pool;
	/** One for each worker, n_coders of which exist. */
	struct pq_coder **coders;
	size_t n_coders;
	struct pq_footer footer;
};

void pq_writer_destroy(struct pq_writer *writer)
{
	if (!writer)
		return;
	base_pool_destroy(writer->pool);
	for (size_t i = 0; i < writer->n_coders; i++)
		pq_coder_destroy(writer->coders[i]);
	free(writer->coders);
	for (size_t i = 0; writer->cells && i < writer->opts.n_columns; i++)
		pq_cells_deinit(&writer->cells[i]);
	for (size_t i = 0; writer->chunks && i < writer->opts.n_columns; i++)
		pq_chunk_deinit(&writer->chunks[i]);
	free(writer->cells);
	free(writer->chunks);
	free(writer->is_encoded);
	pq_footer_deinit(&writer->footer);
	free(writer);
}

static void destroy_guard(struct pq_writer **writer)
{
	pq_writer_destroy(*writer);
}

static struct pd_error *check_text(const char *what, const char *text)
{
	if (text && base_utf8_is_valid(text, strlen(text)))
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL, "%s is not UTF-8", what);
}

static struct pd_error *check_columns(const struct pq_opts *opts)
{
	if (!opts->n_columns)
		return pd_error_create(PD_ERROR_USAGE, NULL, "the table has no columns");
	for (size_t i = 0; i < opts->n_columns; i++) {
		const struct pq_column *column = &opts->columns[i];
		struct pd_error *err = check_text("the name of a column", column->name);

		if (err)
			return err;
		if (!*column->name || (unsigned)column->type >= PQ_N_TYPES)
			return pd_error_create(
				PD_ERROR_USAGE, NULL, "column %zu has no name or type", i);
		for (size_t other = 0; other < i; other++) {
			if (strcmp(column->name, opts->columns[other].name) == 0)
				return pd_error_create(PD_ERROR_USAGE, NULL,
					"two columns have the name '%s'", column->name);
		}
	}
	return NULL;
}

static struct pd_error *check_notes(const struct pq_opts *opts)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < opts->n_notes; i++) {
		err = check_text("the key of a note", opts->notes[i].key);
		if (!err)
			err = check_text("a note", opts->notes[i].value);
	}
	if (!err && opts->created_by)
		err = check_text("the name of the program", opts->created_by);
	return err;
}

static bool set_up(struct pq_writer *writer)
{
	size_t n = writer->opts.n_columns;
	size_t n_workers = base_pool_n_workers(writer->pool);

	writer->cells = calloc(n, sizeof(*writer->cells));
	writer->chunks = calloc(n, sizeof(*writer->chunks));
	writer->is_encoded = calloc(n, sizeof(*writer->is_encoded));
	writer->coders = calloc(n_workers, sizeof(*writer->coders));
	if (!writer->cells || !writer->chunks || !writer->is_encoded || !writer->coders)
		return false;
	for (size_t i = 0; i < n; i++)
		pq_cells_init(&writer->cells[i], &writer->opts.columns[i]);
	for (; writer->n_coders < n_workers; writer->n_coders++) {
		writer->coders[writer->n_coders] = pq_coder_create(writer->opts.level);
		if (!writer->coders[writer->n_coders])
			return false;
	}
	return true;
}

static void put_bytes(struct pq_writer *writer, const void *bytes, size_t n)
{
	fwrite(bytes, 1, n, writer->out);
	writer->offset += n;
}

static struct pd_error *check_stream(const struct pq_writer *writer)
{
	return ferror(writer->out) ? pd_error_os(NULL, "cannot write") : NULL;
}

struct pd_error *pq_writer_create(FILE *out, const struct pq_opts *opts, struct pq_writer **ret)
{
	struct pd_error *err = check_columns(opts);

	if (!err)
		err = check_notes(opts);
	if (err)
		return err;
	_cleanup_(destroy_guard) struct pq_writer *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return &pd_enomem;
	writer->out = out;
	writer->opts = *opts;
	if (!writer->opts.group_rows)
		writer->opts.group_rows = DEFAULT_GROUP_ROWS;
	if (!writer->opts.group_bytes)
		writer->opts.group_bytes = DEFAULT_GROUP_BYTES;
	if (!writer->opts.level)
		writer->opts.level = DEFAULT_LEVEL;
	err = base_pool_create_up_to(opts->jobs, opts->n_columns, &writer->pool);
	if (err)
		return err;
	if (!set_up(writer))
		return &pd_enomem;
	put_bytes(writer, magic, sizeof(magic));
	*ret = take_ptr(writer);
	return NULL;
}

/* Check that there is this column and that it takes values of @p kind. */
static struct pd_error *check_kind(const struct pq_writer *writer, size_t column, enum pq_kind kind)
{
	if (column >= writer->opts.n_columns)
		return pd_error_create(PD_ERROR_USAGE, NULL, "column %zu does not exist", column);
	const struct pq_cells *cells = &writer->cells[column];
	if (cells->type->kind == kind)
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"column '%s' of the type %s takes other values", cells->column->name,
		cells->type->name);
}

static struct pd_error *put_number(struct pq_writer *writer, size_t column, enum pq_kind kind,
	uint64_t value, bool fits_32_bits)
{
	struct pd_error *err = check_kind(writer, column, kind);

	if (err)
		return err;
	struct pq_cells *cells = &writer->cells[column];
	if (cells->type->size == sizeof(uint32_t) && !fits_32_bits)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"column '%s': a value is out of range for %s", cells->column->name,
			cells->type->name);
	return pq_cells_add(cells, value);
}

struct pd_error *pq_put_boolean(struct pq_writer *writer, size_t column, bool value)
{
	return put_number(writer, column, PQ_KIND_BOOLEAN, value, true);
}

struct pd_error *pq_put_int(struct pq_writer *writer, size_t column, int64_t value)
{
	return put_number(writer, column, PQ_KIND_INT, (uint64_t)value, value == (int32_t)value);
}

struct pd_error *pq_put_uint(struct pq_writer *writer, size_t column, uint64_t value)
{
	return put_number(writer, column, PQ_KIND_UINT, value, value <= UINT32_MAX);
}

struct pd_error *pq_put_double(struct pq_writer *writer, size_t column, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return put_number(writer, column, PQ_KIND_DOUBLE, bits, true);
}

struct pd_error *pq_put_bytes(
	struct pq_writer *writer, size_t column, const void *bytes, size_t len)
{
	struct pd_error *err = check_kind(writer, column, PQ_KIND_BYTES);

	return err ? err : pq_cells_add_bytes(&writer->cells[column], bytes, len);
}

struct pd_error *pq_put_null(struct pq_writer *writer, size_t column)
{
	if (column >= writer->opts.n_columns)
		return pd_error_create(PD_ERROR_USAGE, NULL, "column %zu does not exist", column);
	return pq_cells_add_null(&writer->cells[column]);
}

/* Encode a column. All columns can be encoded in parallel. */
static void encode(void *ctx, size_t worker, size_t column)
{
	struct pq_writer *writer = ctx;

	writer->is_encoded[column] = pq_coder_encode(
		writer->coders[worker], &writer->cells[column], &writer->chunks[column]);
}

static struct pd_error *write_group(struct pq_writer *writer)
{
	if (writer->footer.metadata.buf.n > METADATA_BYTES)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
			"the table has more row groups than a Parquet file can list");
	base_pool_run(writer->pool, writer->opts.n_columns, encode, writer);
	if (!pq_footer_add_group(&writer->footer, writer->offset, writer->n_rows))
		return &pd_enomem;
	for (size_t i = 0; i < writer->opts.n_columns; i++) {
		struct pq_chunk *chunk = &writer->chunks[i];

		if (!writer->is_encoded[i] ||
			!pq_footer_add_chunk(&writer->footer, &writer->cells[i], chunk))
			return &pd_enomem;
		put_bytes(writer, chunk->bytes.buf.data, chunk->bytes.buf.n);
		pq_cells_clear(&writer->cells[i]);
	}
	writer->n_rows = 0;
	return check_stream(writer);
}

struct pd_error *pq_writer_end_rows(struct pq_writer *writer, size_t n)
{
	uint64_t bytes = 0;

	writer->n_rows += n;
	for (size_t i = 0; i < writer->opts.n_columns; i++) {
		const struct pq_cells *cells = &writer->cells[i];

		if (cells->n_rows != writer->n_rows)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"column '%s' has %zu values in %zu rows", cells->column->name,
				cells->n_rows, writer->n_rows);
		bytes += pq_cells_bytes(cells);
	}
	if (writer->n_rows < writer->opts.group_rows && bytes < writer->opts.group_bytes)
		return NULL;
	return writer->n_rows ? write_group(writer) : NULL;
}

struct pd_error *pq_writer_finish(struct pq_writer *writer)
{
	struct pd_error *err = pq_writer_end_rows(writer, 0);
	struct pd_bytes end = { .swap = pd_is_big_endian(false) };

	if (!err && writer->n_rows)
		err = write_group(writer);
	if (err)
		return err;
	pq_footer_put(&writer->footer, &writer->opts, writer->offset, &end);
	if (end.failed)
		err = &pd_enomem;
	else
		put_bytes(writer, end.buf.data, end.buf.n);
	pd_bytes_deinit(&end);
	if (err)
		return err;
	fflush(writer->out);
	return check_stream(writer);
}
