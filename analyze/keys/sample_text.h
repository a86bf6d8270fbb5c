/**
 * @file Texts of parts of samples: words for a data_src value, which describes a memory access, as
 * perf uses them; and fields in the text of a tracepoint, prof_row.trace, "name=value name=value".
 */
#ifndef PD_ANALYZE_SAMPLE_TEXT_H
#define PD_ANALYZE_SAMPLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Parts of a data_src value. */
enum ana_data_src_part {
	ANA_DATA_SRC_OP,
	/** Cache or memory that had the data: "L1 hit". */
	ANA_DATA_SRC_LEVEL,
	ANA_DATA_SRC_SNOOP,
	ANA_DATA_SRC_TLB,
	ANA_DATA_SRC_LOCK,
	/** Reason why the access was blocked. */
	ANA_DATA_SRC_BLOCK,
	ANA_N_DATA_SRC_PARTS,
};

/**
 * Describe a part of @p data_src in @p buf, "N/A" if it is not known. Returns @p buf. Truncated if
 * the buffer is full; 256 bytes are enough.
 */
const char *ana_data_src_text(
	uint64_t data_src, enum ana_data_src_part part, char *buf, size_t size);

/** A field. Texts are borrowed, and do not end with a NUL. */
struct ana_trace_field {
	const char *name;
	const char *value;
	size_t name_len;
	size_t value_len;
};

/**
 * Read the next field at *at, and move *at to the one after that. False at the end. A value ends
 * with the text, or before a space and a name; a string may contain such a name itself.
 */
bool ana_trace_next(const char **at, struct ana_trace_field *ret);

/** Find the first field called @p name, @p name_len bytes. False if @p text has none. */
bool ana_trace_find(
	const char *text, const char *name, size_t name_len, struct ana_trace_field *ret);

#endif
