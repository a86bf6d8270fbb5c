/**
 * @file Feature sections: the structs of pdconv/feature_defs.h and their layouts.
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

PD_FEATURE_STRUCTS(PD_DECLARE_STRUCT)

/** "HOSTNAME", or NULL for a bit without a name. */
const char *pd_feature_name(unsigned bit);

/**
 * How its section is laid out: as struct pd_NAME, where NAME is the layout's name in
 * pdconv/feature_defs.h. NULL for a bit that is not known.
 */
const struct pd_layout *pd_feature_layout(unsigned bit);

/**
 * Take the first range of CPUs off @p list, a text such as "0-3,8"; both ends belong to it. False
 * at the end of the list, and where it makes no sense.
 */
bool pd_cpu_range_take(struct pd_str *list, uint32_t *first_ret, uint32_t *last_ret);

PD_DECLS_END

#endif
