/**
 * @file Encoder of Thrift's compact protocol.
 *
 *	struct pq_thrift thrift = { .out = &bytes };
 *
 *	pq_thrift_struct(&thrift, 0);
 *	pq_thrift_i64(&thrift, 1, n);
 *	pq_thrift_end(&thrift);
 *
 * Fields are written by ascending ids from 1. The id 0 is for what has no field header: elements of
 * lists, and the outermost struct. Check the `failed` of the bytes once at the end.
 */
#ifndef PD_PARQUET_THRIFT_H
#define PD_PARQUET_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/bytes.h>

/** Most structs within each other. */
enum { PQ_THRIFT_DEPTH = 8 };

/** Types of fields and elements. */
enum pq_thrift_type {
	PQ_THRIFT_TRUE = 1,
	PQ_THRIFT_FALSE = 2,
	PQ_THRIFT_BYTE = 3,
	PQ_THRIFT_I32 = 5,
	PQ_THRIFT_I64 = 6,
	PQ_THRIFT_BINARY = 8,
	PQ_THRIFT_LIST = 9,
	PQ_THRIFT_STRUCT = 12,
	/** Type of the elements of a list of booleans. */
	PQ_THRIFT_BOOL = PQ_THRIFT_TRUE,
};

struct pq_thrift {
	struct pd_bytes *out;
	/** Id of the last field in each open struct. */
	unsigned last[PQ_THRIFT_DEPTH];
	/** Number of open structs. */
	unsigned depth;
};

/** Begin a struct, which pq_thrift_end() ends. */
void pq_thrift_struct(struct pq_thrift *thrift, unsigned id);
void pq_thrift_end(struct pq_thrift *thrift);
/** Write a struct without fields. */
void pq_thrift_empty(struct pq_thrift *thrift, unsigned id);
/** Write a struct that was encoded before, from pq_thrift_struct() to pq_thrift_end(). */
void pq_thrift_encoded(struct pq_thrift *thrift, unsigned id, const uint8_t *bytes, size_t n);

/** Begin a list of @p n elements, which follow. */
void pq_thrift_list(struct pq_thrift *thrift, unsigned id, enum pq_thrift_type type, size_t n);

void pq_thrift_bool(struct pq_thrift *thrift, unsigned id, bool value);
void pq_thrift_byte(struct pq_thrift *thrift, unsigned id, int8_t value);
void pq_thrift_i32(struct pq_thrift *thrift, unsigned id, int32_t value);
void pq_thrift_i64(struct pq_thrift *thrift, unsigned id, int64_t value);
void pq_thrift_binary(struct pq_thrift *thrift, unsigned id, const void *bytes, size_t n);
/** Write a C string. */
void pq_thrift_string(struct pq_thrift *thrift, unsigned id, const char *text);

#endif
