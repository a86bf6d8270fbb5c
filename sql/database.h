/**
 * @file Database files: the tables of a profile as a file of SQLite.
 */
#ifndef PD_SQL_DATABASE_H
#define PD_SQL_DATABASE_H

#include <stdio.h>

#include <pdconv/error.h>

#include "profile/profile.h"

/**
 * Write @p profile, which was read for all tables, to @p out as a database of SQLite. It is built
 * in a temporary file, since SQLite writes its pages in any order. The caller checks @p out for
 * write errors. Errors: NOMEM; OS, the temporary file cannot be written.
 */
struct pd_error *sql_database_write(const struct profile *profile, FILE *out) pd_must_check;

#endif
