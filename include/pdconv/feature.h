/**
 * @file Feature sections: structs and layouts that are made from pdconv/feature_defs.h. The members
 * are in pdconv/structs.h and in the manual page libpdconv-structs(3).
 */
#ifndef PDCONV_FEATURE_H
#define PDCONV_FEATURE_H

#include <pdconv/decls.h>
#include <pdconv/feature_defs.h>
#include <pdconv/record.h>

PD_DECLS_BEGIN

/** Bits of the header's feature bitmap: HEADER_* of perf. */
enum pd_feature_bit {
#define PD_FEATURE_ENUM(bit, name, layout) PD_FEATURE_##name = bit,
	PD_FEATURES(PD_FEATURE_ENUM)
#undef PD_FEATURE_ENUM
		PD_N_FEATURE_BITS = 256,
};

/** Name of the feature @p bit, e.g. "HOSTNAME"; NULL for an unknown bit. Static storage. */
const char *pd_feature_name(unsigned bit);

/**
 * Layout of the section of feature @p bit, which is decoded to struct pd_NAME, where NAME is the
 * name of the layout in pdconv/feature_defs.h. NULL for an unknown bit.
 */
const struct pd_layout *pd_feature_layout(unsigned bit);

/**
 * Parse the first range of a CPU list such as "0-3,8", both ends inclusive, and remove it from
 * @p list. False at the end of the list and for invalid text.
 */
bool pd_cpu_range_take(struct pd_str *list, uint32_t *first_ret, uint32_t *last_ret);

PD_DECLS_END

#endif
