#include <pdconv/feature.h>

#include "base/array.h"
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
	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
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

static bool take_number(struct pd_str *text, uint32_t *ret)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < text->len && text->s[i] >= '0' && text->s[i] <= '9' && n <= UINT32_MAX; i++)
		n = n * 10 + (uint64_t)(text->s[i] - '0');
	text->s += i;
	text->len -= i;
	*ret = (uint32_t)n;
	return i && n <= UINT32_MAX;
}

static bool take_char(struct pd_str *text, char c)
{
	if (!text->len || *text->s != c)
		return false;
	text->s++;
	text->len--;
	return true;
}

bool pd_cpu_range_take(struct pd_str *list, uint32_t *first_ret, uint32_t *last_ret)
{
	struct pd_str rest = *list;
	uint32_t first, last;

	if (!take_number(&rest, &first))
		return false;
	last = first;
	if (take_char(&rest, '-') && (!take_number(&rest, &last) || last < first))
		return false;
	if (rest.len && !take_char(&rest, ','))
		return false;
	*list = rest;
	*first_ret = first;
	*last_ret = last;
	return true;
}
