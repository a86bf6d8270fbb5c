/**
 * @file What every unit test includes: cmocka, and short cuts.
 */
#ifndef PD_TESTS_UNIT_TEST_H
#define PD_TESTS_UNIT_TEST_H

/* cmocka.h wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/error.h>

/** Fails with the error's text if there is one. */
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

/** Destroys the error, which must be there and of that code. */
static inline void assert_error(struct pd_error *err, enum pd_error_code code)
{
	assert_non_null(err);
	assert_int_equal(err->code, code);
	pd_error_destroy(err);
}

/** The text of the @p i-th kind of damage, until the next call. */
static inline const char *diag_text(const struct pd_diag *diag, size_t i)
{
	static char buf[512];
	char *text = pd_error_string(pd_diag_get(diag, i).first);

	snprintf(buf, sizeof(buf), "%s", text);
	free(text);
	return buf;
}

#endif
