/**
 * @file Errors, and damage that is stepped over.
 *
 * A function that can fail returns `struct pd_error *`: NULL for success. The error belongs to the
 * caller, who returns it on or destroys it. Errors are for what stops the work; expected outcomes
 * (end of stream, no symbol, a walk's end) are results.
 *
 * Damage that does not stop the work goes to a `struct pd_diag`, which remembers the first of each
 * kind and counts the rest. The library never prints: the program asks for both and does.
 */
#ifndef PDCONV_ERROR_H
#define PDCONV_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>

PD_DECLS_BEGIN

#define pd_must_check __attribute__((warn_unused_result))
#define pd_printf(fmt, args) __attribute__((format(printf, fmt, args)))

enum pd_error_code {
	PD_ERROR_OS,	      /**< A system call failed. */
	PD_ERROR_FORMAT,      /**< The input is not what it should be. */
	PD_ERROR_CUT,	      /**< The same, and what is behind that place is lost. */
	PD_ERROR_UNSUPPORTED, /**< The input is sound, but pdconv cannot read it. */
	PD_ERROR_NOMEM,	      /**< Out of memory. */
	PD_ERROR_USAGE,	      /**< The caller asked for something that makes no sense. */
};

/** An offset that is not known. */
#define PD_NO_OFFSET UINT64_MAX

struct pd_error {
	enum pd_error_code code;
	/** Where in the file @a path, in bytes, or PD_NO_OFFSET. */
	uint64_t offset;
	/** File it is about, or NULL. Owned. */
	char *path;
	/**
	 * Type of the record, or the section, that it is about: "MMAP2"; or NULL. Static storage.
	 */
	const char *what;
	/** What is wrong. Owned. */
	char *message;
};

/** Out of memory. Static: may be destroyed any number of times. */
extern struct pd_error pd_enomem;

/** A new error; @p path may be NULL. Never returns NULL: without memory it is pd_enomem. */
struct pd_error *pd_error_create(enum pd_error_code code, const char *path, const char *fmt,
	...) pd_must_check pd_printf(3, 4);

/** A PD_ERROR_OS: "PATH: MESSAGE: strerror(errno)". */
struct pd_error *pd_error_os(const char *path, const char *fmt, ...) pd_must_check pd_printf(2, 3);

/** A PD_ERROR_FORMAT at @p offset of @p path, within @p what (static storage, may be NULL). */
struct pd_error *pd_error_at(const char *path, uint64_t offset, const char *what, const char *fmt,
	...) pd_must_check pd_printf(4, 5);

/** NULL is fine. */
void pd_error_destroy(struct pd_error *err);

/** "PATH: 0xOFFSET: WHAT: MESSAGE" with the parts that are known. Free with free(); NULL if no
 * memory. */
char *pd_error_string(const struct pd_error *err) pd_must_check;

/**
 * Damage stepped over, one entry per kind. Two occurrences are of one kind if they are about the
 * same sort of thing (what) and say the same (the address of the format string, or of the message).
 * Not thread-safe.
 */
struct pd_diag;

struct pd_diag_entry {
	/**
	 * The first of its kind, as the error that it would be: PD_ERROR_FORMAT or PD_ERROR_CUT.
	 */
	const struct pd_error *first;
	/** How often it occurred. */
	uint64_t count;
};

/** NULL if there is no memory. */
struct pd_diag *pd_diag_create(void) pd_must_check;
/** NULL is fine. */
void pd_diag_destroy(struct pd_diag *diag);

/**
 * Note one occurrence of a PD_ERROR_FORMAT; the first of each kind (the same @p fmt, a string
 * literal) is kept. @p diag may be NULL, then nothing happens.
 */
void pd_diag_warn(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *fmt, ...) pd_printf(5, 6);

/** The same for a @p message as it is, in static storage. */
void pd_diag_note(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *message);

/** The same as pd_diag_warn of a PD_ERROR_CUT. */
void pd_diag_cut(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *fmt, ...) pd_printf(5, 6);

/** Kinds noted so far. */
size_t pd_diag_n(const struct pd_diag *diag);

/** The @p i-th kind; @a first lives as long as the diag. */
struct pd_diag_entry pd_diag_get(const struct pd_diag *diag, size_t i);

PD_DECLS_END

#endif
