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

/** How its section is laid out; NULL for a bit that is not known. */
const struct pd_layout *pd_feature_layout(unsigned bit);

PD_DECLS_END

#endif
