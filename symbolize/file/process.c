#include "symbolize/file/process.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "symbolize/file/path.h"
#include "symbolize/file/text_file.h"

static struct pd_error *read_proc(uint32_t pid, const char *name, char **ret)
{
	struct sym_failure failure;
	struct sym_path path;
	size_t len;

	return sym_text_file_read(sym_path_format(&path, "/proc/%" PRIu32 "/%s", pid, name),
		(struct sym_access){ 0 }, ret, &len, &failure);
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

struct pd_error *sym_process_read(uint32_t pid, int64_t ended_at, struct sym_process *ret)
{
	_cleanup_free_ char *stat_text = NULL, *status = NULL;
	struct sym_path path;
	struct stat st;

	*ret = (struct sym_process){ .own_pid = pid };
	if (stat(sym_path_format(&path, "/proc/%" PRIu32, pid), &st))
		return NULL;
	struct pd_error *err = read_proc(pid, "stat", &stat_text);
	if (err)
		return err;
	err = read_proc(pid, "status", &status);
	if (err)
		return err;
	int64_t began = began_at(stat_text);
	if (!began || (ended_at && began > ended_at + 1))
		return NULL;
	ret->is_alive = true;
	ret->uid = st.st_uid;
	ret->own_pid = innermost(status, pid);
	return NULL;
}
