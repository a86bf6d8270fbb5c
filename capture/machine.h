/**
 * @file What the machine says of itself: small files of /proc, /sys and the like.
 *
 * A file that is not there, or may not be read, is a result and no error. Without memory `failed` is
 * set and stays set: whoever reads several files asks once, by cap_machine_check.
 */
#ifndef PD_CAPTURE_MACHINE_H
#define PD_CAPTURE_MACHINE_H

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>

struct cap_machine {
	/** In front of every path, borrowed; "": the files of this machine. */
	const char *root;
	/** No memory. */
	bool failed;
};

/** Zeroed but for its root, which may be NULL for "". */
static inline struct cap_machine cap_machine_init(const char *root)
{
	return (struct cap_machine){ .root = root ? root : "" };
}

/** pd_enomem if reading has failed for lack of memory. */
static inline struct pd_error *cap_machine_check(const struct cap_machine *machine)
{
	return machine->failed ? &pd_enomem : NULL;
}

/** The path @p fmt below the root; false if it is too long. */
bool cap_machine_path(const struct cap_machine *machine, char ret[PATH_MAX], const char *fmt,
	...) pd_must_check pd_printf(3, 4);

/** Open for reading, closed by exec; NULL, and errno, if that is not possible. Close with fclose(). */
FILE *cap_machine_open(const struct cap_machine *machine, const char *fmt, ...) pd_must_check
	pd_printf(2, 3);

/** The same of a directory. Close with closedir(). */
DIR *cap_machine_dir(const struct cap_machine *machine, const char *fmt, ...) pd_must_check
	pd_printf(2, 3);

/**
 * All that is in a file, with a NUL behind it; NULL if it cannot be read or there is no memory. Free
 * with free(). @p size_ret, in bytes without the NUL, may be NULL.
 */
char *cap_machine_read(struct cap_machine *machine, size_t *size_ret, const char *fmt,
	...) pd_must_check pd_printf(3, 4);

/** The first line of a file without blanks at its end; NULL as above. Free with free(). */
char *cap_machine_line(struct cap_machine *machine, const char *fmt, ...) pd_must_check
	pd_printf(2, 3);

/** The number that a file begins with, in @p base; false if there is none. */
bool cap_machine_number(struct cap_machine *machine, int base, uint64_t *ret, const char *fmt,
	...) pd_must_check pd_printf(4, 5);

/**
 * Of a file of lines "KEY : VALUE", the value of the first line whose key is @p key, without blanks
 * around it. NULL and freeing as above.
 */
char *cap_machine_value(struct cap_machine *machine, const char *key, const char *fmt,
	...) pd_must_check pd_printf(3, 4);

/**
 * Where the first file system of type @p type, with the option @p option unless that is NULL, is
 * mounted, without the root in front; NULL and freeing as above.
 */
char *cap_machine_mount(
	struct cap_machine *machine, const char *type, const char *option) pd_must_check;

/**
 * Where the hierarchy of control groups is mounted that events go by; NULL and freeing as above. Of the
 * older kind each controller has a hierarchy, and it is that of perf_event, if it is mounted.
 */
char *cap_machine_cgroups(struct cap_machine *machine) pd_must_check;

#endif
