#include "cmd/process/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limit.h"
#include "base/number.h"

/* The default is this part of the memory. */
enum { SHARE = 2 };

/* The limit as it was before cmd_memory_enforce(). */
static struct rlimit before;
static bool is_enforced;

/* Memory of the machine, as far as a process has addresses for it. */
static uint64_t memory_of_machine(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;

	return bytes < SIZE_MAX ? bytes : SIZE_MAX;
}

/* Number in the file @p name of the folder @p dir; UINT64_MAX if there is none, or "max". */
static uint64_t read_limit(const char *dir, const char *name)
{
	char path[4096], text[32] = "";
	const char *end;
	uint64_t value;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return UINT64_MAX;
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	if (!in || !fgets(text, sizeof(text), in))
		return UINT64_MAX;
	return base_number_parse(text, UINT64_MAX, &end, &value) ? value : UINT64_MAX;
}

/*
 * Least limit of the control group @p group below @p root and of those that contain it. In a
 * container the path may be that of the host, which does not exist: then the root is the group.
 */
static uint64_t least_limit(const char *root, const char *group, const char *name)
{
	uint64_t least = UINT64_MAX;
	char dir[4096];

	if (snprintf(dir, sizeof(dir), "%s%s", root, group) >= (int)sizeof(dir))
		return least;
	for (char *slash = dir; slash; slash = strrchr(dir, '/')) {
		uint64_t limit;

		if (slash != dir)
			*slash = '\0';
		if (strlen(dir) < strlen(root))
			break;
		limit = read_limit(dir, name);
		least = limit < least ? limit : least;
	}
	return least;
}

/* Limit by a line of /proc/self/cgroup, "0::/path" (version 2) or "4:memory:/path" (version 1). */
static uint64_t limit_of_line(char *line)
{
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return UINT64_MAX;
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	if (!controllers[1])
		return least_limit("/sys/fs/cgroup", path, "memory.max");
	if (strcmp(controllers + 1, "memory") == 0)
		return least_limit("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
	return UINT64_MAX;
}

static uint64_t memory_of_cgroup(void)
{
	_cleanup_fclose_ FILE *in = fopen("/proc/self/cgroup", "re");
	_cleanup_free_ char *line = NULL;
	uint64_t least = UINT64_MAX;
	size_t size = 0;

	while (in && getline(&line, &size, in) > 0) {
		uint64_t limit = limit_of_line(line);

		least = limit < least ? limit : least;
	}
	return least;
}

uint64_t cmd_memory_default(void)
{
	uint64_t machine = memory_of_machine(), cgroup = memory_of_cgroup();

	return (machine < cgroup ? machine : cgroup) / SHARE;
}

/* Memory that the stacks of threads reserve: the kernel counts it although little of it is used. */
static uint64_t bytes_of_stacks(size_t jobs)
{
	enum { DEFAULT_STACK = 8 << 20 };
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t n = jobs ? jobs : (uint64_t)(processors > 0 ? processors : 1);
	struct rlimit stack;

	if (getrlimit(RLIMIT_STACK, &stack) || stack.rlim_cur == RLIM_INFINITY)
		stack.rlim_cur = DEFAULT_STACK;
	return n * stack.rlim_cur;
}

/* Sanitizers reserve terabytes for shadow memory. */
static bool can_enforce(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	return false;
#endif
#endif
	return true;
}

void cmd_memory_enforce(const struct cmd_options *options)
{
	uint64_t limit = pd_budget_limit(options->profile.budget);
	uint64_t more = PD_LIMIT_PROGRAM_BYTES + bytes_of_stacks(options->profile.jobs);

	if (!can_enforce() || limit > UINT64_MAX - more || getrlimit(RLIMIT_DATA, &before))
		return;
	if (limit + more >= before.rlim_cur)
		return;
	const struct rlimit enforced = { limit + more, before.rlim_max };
	is_enforced = setrlimit(RLIMIT_DATA, &enforced) == 0;
}

void cmd_memory_lift(void)
{
	if (is_enforced)
		setrlimit(RLIMIT_DATA, &before);
}
