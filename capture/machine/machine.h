/**
 * @file The machine as its small files in /proc, /sys and elsewhere describe it.
 *
 * A file that is missing or may not be read is a result, not an error. If memory runs out, `failed`
 * is set and stays set, so that the caller can read several files and check once, by
 * cap_machine_check.
 */
#ifndef PD_CAPTURE_MACHINE_MACHINE_H
#define PD_CAPTURE_MACHINE_MACHINE_H

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>

struct cap_machine {
	/** Prefix of every path, borrowed; "": this machine. */
	const char *root;
	/** Memory ran out. */
	bool failed;
};

/** Scope guard of directories: _cleanup_(cap_close_dir). NULL is left alone. */
static inline void cap_close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/** A machine below @p root, or NULL for this one. */
static inline struct cap_machine cap_machine_init(const char *root)
{
	return (struct cap_machine){ .root = root ? root : "" };
}

/** Return pd_enomem if memory ran out. */
static inline struct pd_error *cap_machine_check(const struct cap_machine *machine)
{
	return machine->failed ? &pd_enomem : NULL;
}

/** Format the path @p fmt below the root. False if it is too long. */
bool cap_machine_path(const struct cap_machine *machine, char ret[PATH_MAX], const char *fmt,
	...) pd_must_check pd_printf(3, 4);

/** Open a file for reading, close-on-exec. NULL on failure, with errno. Close with fclose(). */
FILE *cap_machine_open(const struct cap_machine *machine, const char *fmt, ...) pd_must_check
	pd_printf(2, 3);

/**
 * Open /proc/PID/task/TID/maps of the process @p pid for reading. A main thread that has ended
 * before the others has no mappings any more, so *tid_ret is a thread that has: its other files in
 * /proc are those of the process. Returns NULL and sets errno on failure.
 */
FILE *cap_machine_open_maps(
	const struct cap_machine *machine, uint32_t pid, uint32_t *tid_ret) pd_must_check;
/** Open a directory. NULL on failure, with errno. Close with closedir(). */
DIR *cap_machine_dir(const struct cap_machine *machine, const char *fmt, ...) pd_must_check
	pd_printf(2, 3);

/**
 * Read a whole file and append a NUL. NULL if it cannot be read. @p size_ret, in bytes without the
 * NUL, may be NULL. Free with free().
 */
char *cap_machine_read(struct cap_machine *machine, size_t *size_ret, const char *fmt,
	...) pd_must_check pd_printf(3, 4);

/**
 * Read the first line of a file, without trailing blanks. NULL if it cannot be read. Free with
 * free().
 */
char *cap_machine_line(struct cap_machine *machine, const char *fmt, ...) pd_must_check
	pd_printf(2, 3);

/** Read the number in @p base that a file begins with. False if it does not begin with one. */
bool cap_machine_number(struct cap_machine *machine, int base, uint64_t *ret, const char *fmt,
	...) pd_must_check pd_printf(4, 5);

/**
 * Find the first line "KEY : VALUE" of a file whose key is @p key, and return its value without
 * surrounding blanks. NULL if there is none. Free with free().
 */
char *cap_machine_value(struct cap_machine *machine, const char *key, const char *fmt,
	...) pd_must_check pd_printf(3, 4);

/**
 * Find the mount point, without the root, of the first file system of type @p type that has the
 * mount option @p option (NULL: any). NULL if there is none. Free with free().
 */
char *cap_machine_mount(
	struct cap_machine *machine, const char *type, const char *option) pd_must_check;

/**
 * Find the mount point of the cgroup hierarchy that perf events use: in cgroup v1 that of the
 * perf_event controller if it is mounted, else cgroup v2. NULL if there is none. Free with free().
 */
char *cap_machine_cgroups(struct cap_machine *machine) pd_must_check;

/**
 * Let this thread go first. Recordings are made of busy machines: while the thread that reads the
 * rings waits for the programs that it records, the rings fill up and stacks become shorter; while
 * tables of BPF are being made, stacks are incomplete. Both take little time in all.
 *
 * Returns the nice value of the thread until now, for cap_priority_restore(). Without the right to
 * do that nothing changes.
 */
int cap_priority_raise(void);
void cap_priority_restore(int nice);

#endif
