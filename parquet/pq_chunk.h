/**
 * @file Column chunks: the values of one column in a row group as pages.
 */
#ifndef PD_PARQUET_CHUNK_H
#define PD_PARQUET_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/bytes.h>

#include "parquet/cells.h"
#include "parquet/parquet_ids.h"

/** A data page. */
struct pq_page {
	/** Offset within the chunk, and size, with the header of the page. */
	size_t offset;
	size_t size;
	/** Number of the first row within the row group. */
	size_t row;
	struct pq_bounds bounds;
};

/** A zeroed one is empty. */
struct pq_chunk {
	/** The pages, with their headers. */
	struct pd_bytes bytes;
	PD_VEC(struct pq_page) pages;
	struct pq_bounds bounds;
	/** Encoding of the data pages. With PQ_RLE_DICTIONARY a dictionary page precedes them. */
	enum pq_encoding encoding;
	enum pq_codec codec;
	/** Size of the pages without compression, with their headers. */
	uint64_t plain_size;
};

void pq_chunk_deinit(struct pq_chunk *chunk);

/** Buffers and the compressor of a thread that encodes chunks, one after the other. */
struct pq_coder;

/** Create a coder that compresses at @p level of zstd. NULL if out of memory. */
struct pq_coder *pq_coder_create(int level) pd_must_check;
/** Free the coder. NULL is allowed. */
void pq_coder_destroy(struct pq_coder *coder);

/**
 * Encode all rows of @p cells, 1 or more, to @p chunk, whose content is replaced. Returns false if
 * out of memory.
 */
bool pq_coder_encode(
	struct pq_coder *coder, const struct pq_cells *cells, struct pq_chunk *chunk) pd_must_check;

#endif
