#include "symbolize/file/local_processes.h"

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include <pdconv/vec.h>

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

/* Identity of a root directory. */
struct root {
	dev_t dev;
	ino_t ino;
	/** Inode of the mount namespace. */
	ino_t mounts;
};

struct sym_process_roots {
	/** Guards the members below until they are read. They do not change after that. */
	pthread_mutex_t lock;
	bool is_read;
	PD_VEC(struct root) roots;
	/** A process for each root. */
	PD_VEC(uint32_t) pids;
};

struct pd_error *sym_process_roots_create(struct sym_process_roots **ret)
{
	struct sym_process_roots *roots = calloc(1, sizeof(*roots));

	if (!roots)
		return &pd_enomem;
	pthread_mutex_init(&roots->lock, NULL);
	*ret = roots;
	return NULL;
}

void sym_process_roots_destroy(struct sym_process_roots *roots)
{
	if (!roots)
		return;
	pd_vec_deinit(&roots->roots);
	pd_vec_deinit(&roots->pids);
	pthread_mutex_destroy(&roots->lock);
	free(roots);
}

static bool identify(const char *process, struct root *ret)
{
	char path[320];
	struct stat root, mounts;

	snprintf(path, sizeof(path), "/proc/%s/root", process);
	if (stat(path, &root) < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (stat(path, &mounts) < 0)
		return false;
	*ret = (struct root){ root.st_dev, root.st_ino, mounts.st_ino };
	return true;
}

static bool is_same(const struct root *a, const struct root *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->mounts == b->mounts;
}

static bool is_known(const struct sym_process_roots *roots, const struct root *root)
{
	for (size_t i = 0; i < roots->roots.n; i++) {
		if (is_same(root, &roots->roots.data[i]))
			return true;
	}
	return false;
}

/* Add the root of the entry @p name of /proc, if that is a process. Returns false: no memory. */
static bool add_process(struct sym_process_roots *roots, const struct root *own, const char *name)
{
	struct root root;
	char *end;
	unsigned long pid = strtoul(name, &end, 10);

	if (!pid || *end || !identify(name, &root) || is_same(&root, own) || is_known(roots, &root))
		return true;
	return pd_vec_push(&roots->pids, (uint32_t)pid) && pd_vec_push(&roots->roots, root);
}

static void read_roots(struct sym_process_roots *roots)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	struct root own;

	if (!proc)
		return;
	/* Without memory the list ends early, like that of a user who may not look at others. */
	bool ok = identify("self", &own);
	while (ok && (entry = readdir(proc)))
		ok = add_process(roots, &own, entry->d_name);
	closedir(proc);
}

const uint32_t *sym_process_roots_pids(struct sym_process_roots *roots, size_t *n_ret)
{
	*n_ret = 0;
	if (!roots)
		return NULL;
	pthread_mutex_lock(&roots->lock);
	if (!roots->is_read)
		read_roots(roots);
	roots->is_read = true;
	*n_ret = roots->roots.n;
	pthread_mutex_unlock(&roots->lock);
	return roots->pids.data;
}

bool sym_process_roots_hash(uint64_t *ret)
{
	struct sym_process_roots *roots;
	struct pd_error *err = sym_process_roots_create(&roots);
	size_t n;

	if (err) {
		pd_error_destroy(err);
		return false;
	}
	sym_process_roots_pids(roots, &n);
	/* The order of processes does not matter, so neither does that of their roots. */
	*ret = n;
	for (size_t i = 0; i < n; i++)
		*ret ^= XXH3_64bits(&roots->roots.data[i], sizeof(struct root));
	sym_process_roots_destroy(roots);
	return true;
}
