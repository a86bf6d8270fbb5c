/**
 * @file Words for a data_src value, which describes a memory access, as perf uses them.
 */
#ifndef PD_ANALYZE_DATA_SRC_H
#define PD_ANALYZE_DATA_SRC_H

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

#endif
