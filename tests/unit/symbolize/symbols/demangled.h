/**
 * @file Names that compilers wrote, and what they stand for.
 */
#ifndef PD_TEST_SYM_DEMANGLED_H
#define PD_TEST_SYM_DEMANGLED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/symbols/languages.h"

struct demangled {
	const char *mangled;
	/** Name without types, and with them; NULL if it is the same. */
	const char *plain;
	const char *full;
};

/** Check that @p name stays as it is, except for suffixes of compilers of C. */
static inline void check_stays(const char *name, uint32_t language)
{
	struct base_arena arena = { 0 };
	size_t len = sym_unsuffixed_length(name);
	const char *text = sym_demangle(&arena, name, PD_NAME_FORM_FULL, language);

	assert_int_equal(strlen(text), len);
	assert_memory_equal(text, name, len);
	base_arena_deinit(&arena);
}

/** Check names in each form. Where the language is not used, they stay as they are. */
static inline void check_names(const struct demangled *names, size_t n, uint32_t language)
{
	struct base_arena arena = { 0 };

	for (size_t i = 0; i < n; i++) {
		const char *name = names[i].mangled, *plain = names[i].plain;
		const char *full = names[i].full ? names[i].full : plain;

		assert_string_equal(
			sym_demangle(&arena, name, PD_NAME_FORM_TEMPLATES, language), plain);
		assert_string_equal(
			sym_demangle(&arena, name, PD_NAME_FORM_SHORT, language), plain);
		assert_string_equal(sym_demangle(&arena, name, PD_NAME_FORM_FULL, language), full);
		assert_ptr_equal(sym_demangle(&arena, name, PD_NAME_FORM_MANGLED, language), name);
		if (language)
			check_stays(name, 0);
	}
	base_arena_deinit(&arena);
}

/** Check that names stay as they are, although the language is used. */
static inline void check_others(const char *const *names, size_t n, uint32_t language)
{
	for (size_t i = 0; i < n; i++)
		check_stays(names[i], language);
}

/** Demangle damaged names. They may give anything, but must be read within their limits. */
static inline void check_damaged(const struct demangled *names, size_t n, uint32_t language)
{
	static const char letters[] = "_$.zZXOSM019afTB@\x80";
	struct base_arena arena = { 0 };
	uint32_t state = 1;
	char text[512];

	for (size_t i = 0; i < 20000; i++) {
		const char *name = names[i % n].mangled;
		size_t len = strlen(name), n_changes = i % 4, copies = 1 + i % 3;

		text[0] = '\0';
		while (copies-- && strlen(text) + len < sizeof(text))
			strcat(text, name);
		len = strlen(text);
		while (n_changes--) {
			state = state * 1664525 + 1013904223;
			text[(state >> 8) % len] = letters[(state >> 24) % (sizeof(letters) - 1)];
		}
		state = state * 1664525 + 1013904223;
		text[len - (state >> 8) % len] = '\0';
		for (int form = PD_NAME_FORM_TEMPLATES; form <= PD_NAME_FORM_MANGLED; form++)
			assert_non_null(sym_demangle(&arena, text, form, language));
		base_arena_deinit(&arena);
	}
}

#endif
