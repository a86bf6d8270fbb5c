/*
 * The types of columns, by the number that the format gives to each property. Expanded by
 * parquet/parquet.h and parquet/cells.c.
 *
 * T(name, kind, physical, size, converted, logical)
 *
 * kind:      how values are given and ordered (enum pq_kind)
 * physical:  how values are stored (enum pq_physical)
 * size:      bytes of a plain value; 0: each value has its length
 * converted: the old annotation, which readers from before 2018 need (enum pq_converted)
 * logical:   the annotation (enum pq_logical)
 */
T(BOOLEAN, BOOLEAN, BOOLEAN, 1, NONE, NONE)
T(INT32, INT, INT32, 4, NONE, NONE)
T(INT64, INT, INT64, 8, NONE, NONE)
T(UINT32, UINT, INT32, 4, UINT_32, INTEGER)
T(UINT64, UINT, INT64, 8, UINT_64, INTEGER)
/* Nanoseconds since 1970, in UTC. */
T(TIMESTAMP, INT, INT64, 8, NONE, TIMESTAMP)
T(DOUBLE, DOUBLE, DOUBLE, 8, NONE, NONE)
/* Well-formed UTF-8. */
T(STRING, BYTES, BYTE_ARRAY, 0, UTF8, STRING)
/* Any bytes. */
T(BINARY, BYTES, BYTE_ARRAY, 0, NONE, NONE)
