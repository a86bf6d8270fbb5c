/**
 * @file What was reported while an answer was made, as bytes.
 */
#ifndef PD_INDEX_REPORTS_H
#define PD_INDEX_REPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

/** Write the entries of @p diag to @p ret, bytes from malloc(). Errors: no memory. */
struct pd_error *index_reports_encode(
	const struct pd_diag *diag, uint8_t **ret, size_t *size_ret) pd_must_check;

/**
 * Append the entries in @p bytes to @p diag; NULL: only check the bytes. Returns false if the bytes
 * are damaged.
 */
bool index_reports_decode(const uint8_t *bytes, size_t size, struct pd_diag *diag);

#endif
