/**
 * @file Common header of all unit tests: cmocka and assertions on errors.
 */
#ifndef PD_TESTS_UNIT_TEST_H
#define PD_TESTS_UNIT_TEST_H

/* cmocka.h requires these headers but does not include them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
/* cmocka 2 has a macro for each type, and deprecates the only one of cmocka 1. */
#ifndef assert_uint_in_range
#define assert_uint_in_range assert_in_range
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/error.h>

#include "base/system/base_machine.h"

/** Skip a test about what only Linux has: the plain build is nowhere. */
#define needs_linux() \
	do { \
		struct utsname machine_; \
		if (!base_machine_here(&machine_)) \
			skip(); \
	} while (0)

/** Fail the test with the text of @p err unless it is NULL. */
static inline void assert_ok(struct pd_error *err)
{
	if (!err)
		return;
	char *text = pd_error_string(err);
	print_error("%s\n", text);
	free(text);
	pd_error_destroy(err);
	fail();
}

/** Assert that @p err is an error with the code @p code, and destroy it. */
static inline void assert_error(struct pd_error *err, enum pd_error_code code)
{
	assert_non_null(err);
	assert_int_equal(err->code, code);
	pd_error_destroy(err);
}

/** Return the text of entry @p i of @p diag. Valid until the next call. */
static inline const char *diag_text(const struct pd_diag *diag, size_t i)
{
	static char buf[512];
	char *text = pd_error_string(pd_diag_get(diag, i).first);

	snprintf(buf, sizeof(buf), "%s", text);
	free(text);
	return buf;
}

#endif
