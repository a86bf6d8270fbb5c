#include "base/names/pattern.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct base_pattern {
	regex_t regex;
	char *text;
};

struct pd_error *base_pattern_create(const char *text, struct base_pattern **ret)
{
	struct base_pattern *pattern = calloc(1, sizeof(*pattern));
	char why[128];

	if (!pattern)
		return &pd_enomem;
	pattern->text = strdup(text);
	if (!pattern->text) {
		free(pattern);
		return &pd_enomem;
	}
	int code = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB);
	if (!code) {
		*ret = pattern;
		return NULL;
	}
	regerror(code, &pattern->regex, why, sizeof(why));
	free(pattern->text);
	free(pattern);
	if (code == REG_ESPACE)
		return &pd_enomem;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "\"%s\" is not a regular expression: %s", text, why);
}

void base_pattern_destroy(struct base_pattern *pattern)
{
	if (!pattern)
		return;
	regfree(&pattern->regex);
	free(pattern->text);
	free(pattern);
}

const char *base_pattern_text(const struct base_pattern *pattern)
{
	return pattern->text;
}

bool base_pattern_matches(const struct base_pattern *pattern, const char *text)
{
	return regexec(&pattern->regex, text, 0, NULL, 0) == 0 || strstr(text, pattern->text);
}
