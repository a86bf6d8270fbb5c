/**
 * @file Sizes of the records that are written.
 *
 * The size of a record is a multiple of 8, and perf 7.2 rejects a recording in which one is not.
 * Older versions wrote such records, and so does the kernel: it does not pad a captured stack that
 * ends with the address space. A few types have no padding, in recordings of perf 7.2 as well,
 * because the data in them ends with the record.
 */
#ifndef PD_PARSE_WRITE_PADDING_H
#define PD_PARSE_WRITE_PADDING_H

#include <pdconv/bytes.h>

/**
 * Number of zeros that a record of @p type with @p size bytes lacks to a multiple of 8; 0 for types
 * without padding.
 */
size_t parse_padding_bytes(uint32_t type, size_t size);
/** Whether the record does not exceed the 65535 bytes of a record with its padding. */
bool parse_padding_fits(uint32_t type, size_t size);

/**
 * Append @p record as one of @p type, with its padding, which must fit. Out of memory: sets
 * out->failed.
 */
void parse_padding_put(uint32_t type, const uint8_t *record, size_t size, struct pd_bytes *out);

#endif
