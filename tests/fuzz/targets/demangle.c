/*
 * Demangle a name in every form, and shorten the result so that it fits a line: names are
 * compared with each of these. Input: a byte that selects the languages and the width, then the name.
 */
#include <stdlib.h>
#include <string.h>

#include "base/names/name_fit.h"
#include "base/names/name_match.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/symbols/languages.h"
#include "tests/fuzz/fuzz.h"

static void compare(const char *wanted_text, const char *name)
{
	struct base_wanted_name *wanted;
	struct pd_error *err = base_wanted_name_create(wanted_text, &wanted);

	/* "/(/" is no regular expression. */
	if (err) {
		pd_error_destroy(err);
		return;
	}
	base_wanted_name_compare(wanted, name);
	base_wanted_name_distance(wanted, name);
	base_wanted_name_destroy(wanted);
}

void fuzz_target_demangle(struct fuzz_input *in)
{
	static const enum pd_name_form forms[] = { PD_NAME_FORM_TEMPLATES, PD_NAME_FORM_SHORT,
		PD_NAME_FORM_FULL, PD_NAME_FORM_MANGLED };
	uint8_t flags = fuzz_byte(in);
	uint32_t languages = flags & 1 ? UINT32_MAX : 0;
	size_t width = flags >> 1;
	char *name = fuzz_text(in);
	struct base_arena arena = { 0 };

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const char *text = sym_demangle(&arena, name, forms[i], languages);

		if (!text)
			abort();
		char *fitted = base_name_fit(text, name, width);
		if (!fitted)
			abort();
		compare(fitted, text);
		free(fitted);
	}
	base_name_least_columns(name);
	base_arena_deinit(&arena);
	free(name);
}
