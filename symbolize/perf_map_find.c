/* Search for perf-PID.map. */
#include "symbolize/perf_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "symbolize/file/path.h"
#include "symbolize/file/text_file.h"

/* Prefixes of names in brackets that are memory of the process. Others are pages of the kernel. */
static const char *const MEMORY[] = { "[anon", "[heap]", "[stack" };

bool sym_may_be_generated(const char *name)
{
	if (!sym_is_no_image(name))
		return false;
	for (size_t i = 0; i < PD_ARRAY_LEN(MEMORY); i++) {
		if (strncmp(name, MEMORY[i], strlen(MEMORY[i])) == 0)
			return true;
	}
	return name[0] != '[';
}

/* Process on this machine that may be the recorded one. */
struct process {
	bool is_alive;
	uid_t uid;
	/** Process id within its own namespace. */
	uint32_t own_pid;
};

static struct pd_error *read_proc(uint32_t pid, const char *name, char **ret)
{
	struct sym_failure failure;
	struct sym_path path;
	size_t len;

	return sym_text_file_read(
		sym_path_format(&path, "/proc/%" PRIu32 "/%s", pid, name), ret, &len, &failure);
}

/* Start time of a process in seconds since 1970, from /proc/PID/stat; 0 if it is not known. */
static int64_t began_at(const char *stat)
{
	enum { STARTTIME = 22, AFTER_COMM = 2 };
	const char *p = stat ? strrchr(stat, ')') : NULL;
	struct timespec since_boot;

	for (int field = AFTER_COMM; p && field < STARTTIME; field++)
		p = (p = strchr(p, ' ')) ? p + 1 : NULL;
	if (!p || clock_gettime(CLOCK_BOOTTIME, &since_boot))
		return 0;
	return time(NULL) - since_boot.tv_sec + strtoll(p, NULL, 10) / sysconf(_SC_CLK_TCK);
}

/* Process id in the innermost namespace, which is the last number of NStgid in /proc/PID/status. */
static uint32_t innermost(const char *status, uint32_t otherwise)
{
	const char *line = status ? strstr(status, "\nNStgid:") : NULL;

	if (!line)
		return otherwise;
	size_t len = strcspn(line + 1, "\n") + 1;
	while (len && line[len - 1] >= '0' && line[len - 1] <= '9')
		len--;
	return (uint32_t)strtoul(line + len, NULL, 10);
}

static struct pd_error *read_process(
	const struct sym_search *search, uint32_t pid, struct process *ret)
{
	_cleanup_free_ char *stat_text = NULL, *status = NULL;
	struct sym_path path;
	struct stat st;

	*ret = (struct process){ .own_pid = pid };
	if (stat(sym_path_format(&path, "/proc/%" PRIu32, pid), &st))
		return NULL;
	struct pd_error *err = read_proc(pid, "stat", &stat_text);
	if (err)
		return err;
	err = read_proc(pid, "status", &status);
	if (err)
		return err;
	/* Process ids are reused: a process that started after the recording is another one. */
	int64_t began = began_at(stat_text);
	if (!began || (search->ended_at && began > search->ended_at + 1))
		return NULL;
	ret->is_alive = true;
	ret->uid = st.st_uid;
	ret->own_pid = innermost(status, pid);
	return NULL;
}

/*
 * Any user may create a file or link in /tmp, so the file must have a trusted owner, and must not
 * be a link.
 */
static bool is_trusted(const char *path, int fd, const struct process *process)
{
	struct stat st, named;

	if (fstat(fd, &st) || lstat(path, &named) || named.st_ino != st.st_ino ||
		named.st_dev != st.st_dev)
		return false;
	return !st.st_uid || st.st_uid == geteuid() ||
	       (process->is_alive && st.st_uid == process->uid);
}

/*
 * Whether @p path is a usable map. @p process is set for a map in /tmp, and NULL for one in a
 * directory that the user gave.
 */
static bool is_map(const char *path, const struct process *process)
{
	struct sym_failure failure;
	_cleanup_close_ int fd = sym_open_regular(path, &failure);

	return fd >= 0 && (!process || is_trusted(path, fd, process));
}

static bool find_in_dirs(const struct sym_search *search, uint32_t pid, struct sym_path *ret)
{
	struct sym_path dir;
	size_t pos = 0;

	if (search->perf_map_dir &&
		is_map(sym_path_format(ret, "%s/perf-%" PRIu32 ".map", search->perf_map_dir, pid),
			NULL))
		return true;
	if (search->symfs &&
		is_map(sym_path_format(ret, "%s/tmp/perf-%" PRIu32 ".map", search->symfs, pid),
			NULL))
		return true;
	while (sym_path_next(search->debug_dirs, &pos, &dir)) {
		if (is_map(sym_path_format(ret, "%s/perf-%" PRIu32 ".map", dir.text, pid), NULL))
			return true;
	}
	return false;
}

static struct pd_error *find_on_this_machine(
	const struct sym_search *search, uint32_t pid, struct sym_path *ret, bool *found_ret)
{
	struct process process;
	struct pd_error *err = read_process(search, pid, &process);

	*found_ret = false;
	if (err)
		return err;
	if (process.is_alive)
		*found_ret = is_map(
			sym_path_format(ret, "/proc/%" PRIu32 "/root/tmp/perf-%" PRIu32 ".map", pid,
				process.own_pid),
			&process);
	if (!*found_ret)
		*found_ret =
			is_map(sym_path_format(ret, "/tmp/perf-%" PRIu32 ".map", pid), &process);
	return NULL;
}

struct pd_error *sym_perf_map_find(const struct sym_search *search, uint32_t pid, char **ret)
{
	struct sym_path path;
	bool found = find_in_dirs(search, pid, &path);

	*ret = NULL;
	if (!found && search->is_here && !search->symfs && !search->perf_map_dir) {
		struct pd_error *err = find_on_this_machine(search, pid, &path, &found);
		if (err)
			return err;
	}
	if (!found)
		return NULL;
	*ret = strdup(path.text);
	return *ret ? NULL : &pd_enomem;
}
