/**
 * @file Numbers of the format: enumerations of parquet.thrift.
 */
#ifndef PD_PARQUET_PARQUET_IDS_H
#define PD_PARQUET_PARQUET_IDS_H

/** How values are stored. */
enum pq_physical {
	PQ_PHYSICAL_BOOLEAN = 0,
	PQ_PHYSICAL_INT32 = 1,
	PQ_PHYSICAL_INT64 = 2,
	PQ_PHYSICAL_DOUBLE = 5,
	PQ_PHYSICAL_BYTE_ARRAY = 6,
};

enum pq_converted {
	PQ_CONVERTED_NONE = -1,
	PQ_CONVERTED_UTF8 = 0,
	PQ_CONVERTED_UINT_32 = 13,
	PQ_CONVERTED_UINT_64 = 14,
};

/** Fields of the union of annotations. */
enum pq_logical {
	PQ_LOGICAL_NONE = 0,
	PQ_LOGICAL_STRING = 1,
	PQ_LOGICAL_TIMESTAMP = 8,
	PQ_LOGICAL_INTEGER = 10,
};

enum { PQ_UNIT_NANOS = 3 };

enum pq_repetition { PQ_REQUIRED = 0, PQ_OPTIONAL = 1 };

enum pq_encoding {
	PQ_PLAIN = 0,
	/** Levels: hybrid of runs and packed bits. */
	PQ_RLE = 3,
	PQ_DELTA_BINARY_PACKED = 5,
	PQ_RLE_DICTIONARY = 8,
};

enum pq_codec { PQ_UNCOMPRESSED = 0, PQ_ZSTD = 6 };

enum pq_page_kind { PQ_DATA_PAGE = 0, PQ_DICTIONARY_PAGE = 2 };

enum pq_boundary_order { PQ_UNORDERED = 0, PQ_ASCENDING = 1, PQ_DESCENDING = 2 };

#endif
