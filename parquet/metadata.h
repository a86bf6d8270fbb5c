/**
 * @file Structures of Parquet: headers of pages, the indexes of pages, and the end of the file.
 */
#ifndef PD_PARQUET_METADATA_H
#define PD_PARQUET_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/bytes.h>

#include "parquet/pq_chunk.h"

struct pq_page_header {
	enum pq_page_kind kind;
	/** Encoding of the values. */
	enum pq_encoding encoding;
	/** Values with nulls; of a dictionary, its entries. */
	size_t n_values;
	/** Size without compression, and as it is stored. Neither counts the header. */
	size_t plain_size;
	size_t stored_size;
	/** CRC-32 of what is stored. */
	uint32_t crc;
};

/** Append a page header. The sizes are less than 2^31. */
void pq_put_page_header(struct pd_bytes *out, const struct pq_page_header *page);

/** Position and sizes of a row group. */
struct pq_group {
	uint64_t offset;
	uint64_t n_rows;
	uint64_t plain_size;
	uint64_t stored_size;
};

/** Sizes of the structures of a column chunk. */
struct pq_chunk_sizes {
	size_t metadata;
	/** 0: there is none. */
	size_t column_index;
	size_t offset_index;
};

/**
 * Contents of the end of the file. A zeroed one has no row groups. Structures of chunks are encoded
 * when they are added, and follow each other as the chunks do.
 */
struct pq_footer {
	uint64_t n_rows;
	PD_VEC(struct pq_group) groups;
	PD_VEC(struct pq_chunk_sizes) chunks;
	struct pd_bytes metadata;
	struct pd_bytes column_indexes;
	struct pd_bytes offset_indexes;
};

void pq_footer_deinit(struct pq_footer *footer);

/** Add a row group at @p offset of the file, without chunks. Returns false if out of memory. */
bool pq_footer_add_group(struct pq_footer *footer, uint64_t offset, uint64_t n_rows) pd_must_check;
/**
 * Add @p chunk, which begins where the last one ended, to the last row group. Returns false if out
 * of memory.
 */
bool pq_footer_add_chunk(struct pq_footer *footer, const struct pq_cells *cells,
	const struct pq_chunk *chunk) pd_must_check;

/**
 * Append the end of the file, which begins at @p offset, to @p out, which is little-endian. Check
 * its `failed`.
 */
void pq_footer_put(const struct pq_footer *footer, const struct pq_opts *opts, uint64_t offset,
	struct pd_bytes *out);

#endif
