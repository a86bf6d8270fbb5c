#include "analyze/ratios.h"

#include <string.h>

#include "analyze/ratio_defs.h"
#include "base/array.h"

const struct ana_ratio *ana_ratios(size_t *n_ret)
{
#define RATIO_ROW(...) { __VA_ARGS__ },
	static const struct ana_ratio rows[] = { ANA_RATIOS(RATIO_ROW) };
#undef RATIO_ROW

	*n_ret = PD_ARRAY_LEN(rows);
	return rows;
}

static bool is_text(const char *text, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(text, name, len) == 0;
}

bool ana_ratio_is_event(const char *event, const char *name)
{
#define SYNONYM_ROW(other, common) { other, common },
	static const struct {
		const char *other;
		const char *common;
	} synonyms[] = { ANA_EVENT_SYNONYMS(SYNONYM_ROW) };
#undef SYNONYM_ROW
	const char *slash = strchr(event, '/');
	const char *start = slash ? slash + 1 : event;
	size_t len = strcspn(start, slash ? "/," : ":");

	if (is_text(start, len, name))
		return true;
	for (size_t i = 0; i < PD_ARRAY_LEN(synonyms); i++) {
		if (is_text(start, len, synonyms[i].other) && strcmp(synonyms[i].common, name) == 0)
			return true;
	}
	return false;
}
