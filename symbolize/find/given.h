/**
 * @file Directories and archives in which the caller wants binaries to be looked for.
 */
#ifndef PD_SYMBOLIZE_FIND_GIVEN_H
#define PD_SYMBOLIZE_FIND_GIVEN_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

struct sym_archive;
struct sym_deps;
struct sym_search;

/** Zero-initialise. */
struct sym_given {
	/** Directories, each followed by ':'; NULL: none. */
	char *dirs;
	PD_VEC(struct sym_archive *) archives;
};

/** Whether @p path, which may be NULL, is a regular file. It is added to @p deps. */
bool sym_given_is_file(const char *path, struct sym_deps *deps);

/** Add the tarball @p path. @p deps is borrowed and may be NULL. Errors: no memory. */
struct pd_error *sym_given_add_archive(
	struct sym_given *given, const char *path, struct sym_deps *deps) pd_must_check;

/**
 * Add @p path, or each of several paths separated by ':': an archive if it is a regular file,
 * otherwise a directory. Errors: no memory.
 */
struct pd_error *sym_given_add(
	struct sym_given *given, const char *path, struct sym_deps *deps) pd_must_check;

/** Let @p search look in @p given, which it borrows. */
void sym_given_use(const struct sym_given *given, struct sym_search *search);

/** Add what failed when the archives were read to @p diag. */
void sym_given_report(const struct sym_given *given, struct pd_diag *diag);

void sym_given_deinit(struct sym_given *given);

#endif
