/**
 * @file An output directory, which appears under its name when all of its files are complete.
 *
 * The files are written to a directory with another name next to it, which is renamed at the end.
 * A directory that exists is replaced if it is empty, or if each file in it is known by the mark or
 * the list of the format: an earlier conversion wrote it. Nothing else is ever removed.
 */
#ifndef PD_CMD_OUTPUT_DIRECTORY_H
#define PD_CMD_OUTPUT_DIRECTORY_H

#include <dirent.h>

#include <pdconv/error.h>

#include "base/io/destination.h"
#include "output/formats.h"

struct cmd_output_directory {
	/** Add files by it. */
	struct out_directory to;
	/** Borrowed. */
	const char *path;
	const struct out_format *format;
	struct base_destination destination;
	/** Name next to the destination until the directory is complete; NULL: it has its own. */
	char *temporary;
	/** The new directory. It is open from the start: a failure may leave no memory for that. */
	DIR *list;
};

/** Remove slashes from the end of @p path, after which it would be the directory in itself. */
void cmd_output_directory_trim(char *path);

/**
 * Find out early whether cmd_output_directory_open() can create @p path. Errors: USAGE, it is
 * something that @p format did not write; OS, NOMEM.
 */
struct pd_error *cmd_output_directory_check(
	const char *path, const struct out_format *format) pd_must_check;

/**
 * Create the new file @p name in the directory @p dir, whose name in messages is @p path, and let
 * @p write write it. Errors: OS, those of @p write.
 */
struct pd_error *cmd_output_add_file(int dir, const char *path, const char *name,
	out_write_file *write, void *what) pd_must_check;

/**
 * Create the directory that will be @p path, which is borrowed and has no slash at its end. @p ret
 * must not be moved. Errors: those of cmd_output_directory_check().
 */
struct pd_error *cmd_output_directory_open(const char *path, const struct out_format *format,
	struct cmd_output_directory *ret) pd_must_check;

/**
 * If writing the files succeeded (@p err is NULL), give the directory its name, and remove the one
 * that it replaces; otherwise remove it, and return @p err. Errors: OS.
 */
struct pd_error *cmd_output_directory_finish(
	struct cmd_output_directory *directory, struct pd_error *err) pd_must_check;

#endif
