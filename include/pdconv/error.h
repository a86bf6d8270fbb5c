/**
 * @file Errors, and diagnostics about damaged input.
 *
 * A function that can fail returns `struct pd_error *`: NULL on success. The caller owns the error
 * and either returns it or destroys it. Errors are for conditions that end an operation; expected
 * outcomes, such as the end of a stream or an address without a symbol, are results.
 *
 * Damage that can be skipped is noted in a `struct pd_diag`, which keeps the first occurrence of
 * each kind and counts all of them. The library never prints.
 */
#ifndef PDCONV_ERROR_H
#define PDCONV_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/decls.h>

PD_DECLS_BEGIN

#define pd_must_check __attribute__((warn_unused_result))
#define pd_printf(fmt, args) __attribute__((format(printf, fmt, args)))

enum pd_error_code {
	PD_ERROR_OS,	      /**< A system call failed. */
	PD_ERROR_FORMAT,      /**< The input is invalid. */
	PD_ERROR_CUT,	      /**< The input is invalid and cannot be read past this point. */
	PD_ERROR_UNSUPPORTED, /**< The input is valid, but pdconv does not support it. */
	PD_ERROR_NOMEM,	      /**< Out of memory. */
	PD_ERROR_USAGE,	      /**< An argument is invalid. */
	PD_ERROR_NOTHING,     /**< The input has nothing of what was asked for. */
};

/** Unknown offset. */
#define PD_NO_OFFSET UINT64_MAX

struct pd_error {
	enum pd_error_code code;
	/** errno of the system call that failed; 0 if none did, or if it is not known. */
	int errnum;
	/** Offset within the file @ref path, in bytes, or PD_NO_OFFSET. */
	uint64_t offset;
	/** File that the error is about, or NULL. Owned by the error. */
	char *path;
	/**
	 * Record type or section that the error is about, e.g. "MMAP2", or NULL. Static storage.
	 */
	const char *what;
	/** Description of the error. Owned by the error. */
	char *message;
};

/** The error for PD_ERROR_NOMEM. It is static: destroying it has no effect. */
extern struct pd_error pd_enomem;

/** Create an error. @p path may be NULL. Never returns NULL: returns pd_enomem if out of memory. */
struct pd_error *pd_error_create(enum pd_error_code code, const char *path, const char *fmt,
	...) pd_must_check pd_printf(3, 4);

/**
 * Create a PD_ERROR_OS for errno, with the message "MESSAGE: strerror(errno)". @p path may be NULL.
 */
struct pd_error *pd_error_os(const char *path, const char *fmt, ...) pd_must_check pd_printf(2, 3);

/**
 * Create a PD_ERROR_OS for the errno @p errnum, with a message that says more than strerror(). @p
 * path may be NULL.
 */
struct pd_error *pd_error_explained(
	int errnum, const char *path, const char *fmt, ...) pd_must_check pd_printf(3, 4);

/**
 * Create a PD_ERROR_FORMAT at @p offset of @p path, within @p what (static storage, may be NULL).
 */
struct pd_error *pd_error_at(const char *path, uint64_t offset, const char *what, const char *fmt,
	...) pd_must_check pd_printf(4, 5);

/** Free @p err, which may be NULL. */
void pd_error_destroy(struct pd_error *err);

/**
 * Format @p err as "PATH: 0xOFFSET: WHAT: MESSAGE", without the items that are not known. The
 * caller frees the string with free(). NULL if out of memory.
 */
char *pd_error_string(const struct pd_error *err) pd_must_check;

/**
 * Write @p err as a line to @p stream and destroy it. If it is NULL, do nothing. Returns 1 after an
 * error and 0 without one, which main() can return.
 */
int pd_error_print(struct pd_error *err, FILE *stream);

/**
 * Diagnostics about damage that was skipped, one entry per kind. Two occurrences are of the same
 * kind if they have the same `what` and the same format string or message (compared by address).
 * Not thread-safe.
 */
struct pd_diag;

struct pd_diag_entry {
	/**
	 * First occurrence, as a PD_ERROR_FORMAT or PD_ERROR_CUT; PD_ERROR_NOMEM: there was no
	 * memory to note these occurrences. Lives as long as the diag.
	 */
	const struct pd_error *first;
	/** Number of occurrences. */
	uint64_t count;
};

/** Create an empty diag. NULL if out of memory. */
struct pd_diag *pd_diag_create(void) pd_must_check;
/** Free @p diag, which may be NULL, and its entries. */
void pd_diag_destroy(struct pd_diag *diag);

/**
 * Note an occurrence of PD_ERROR_FORMAT. @p fmt must be a string literal, @p what is in static
 * storage. @p diag may be NULL: then nothing is noted. Without memory it is counted in an entry of
 * its own, the last one, which is a PD_ERROR_NOMEM.
 */
void pd_diag_warn(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *fmt, ...) pd_printf(5, 6);

/** Like pd_diag_warn(), with @p message, in static storage, instead of a format string. */
void pd_diag_note(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *message);

/** Like pd_diag_warn(), for a PD_ERROR_CUT. */
void pd_diag_cut(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *fmt, ...) pd_printf(5, 6);

/** Number of entries so far. */
size_t pd_diag_n(const struct pd_diag *diag);

/** Entry @p i, which must be less than pd_diag_n(), in the order of first occurrence. */
struct pd_diag_entry pd_diag_get(const struct pd_diag *diag, size_t i);

PD_DECLS_END

#endif
