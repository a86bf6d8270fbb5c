#include <pdconv/feature.h>

#include "parse/layout_private.h"

#define FEATURE_LAYOUT(member, fields) PD_DEFINE_LAYOUT(member, fields, .name = #member)
PD_FEATURE_STRUCTS(FEATURE_LAYOUT)

struct feature_row {
	const char *name;
	unsigned bit;
	const struct pd_layout *layout;
};

#define FEATURE_ROW(bit_, name_, layout_) \
	{ .name = #name_, .bit = bit_, .layout = &pd_layout_##layout_ },
static const struct feature_row rows[] = { PD_FEATURES(FEATURE_ROW) };

static const struct feature_row *find_row(unsigned bit)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].bit == bit)
			return &rows[i];
	}
	return NULL;
}

const char *pd_feature_name(unsigned bit)
{
	const struct feature_row *row = find_row(bit);

	return row ? row->name : NULL;
}

const struct pd_layout *pd_feature_layout(unsigned bit)
{
	const struct feature_row *row = find_row(bit);

	return row ? row->layout : NULL;
}
