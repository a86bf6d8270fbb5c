#include "capture/synth/synth.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/synth/synth_maps.h"
#include "capture/synth/synth_state.h"

struct pd_error *cap_synth_create(
	const struct cap_synth_opts *opts, cap_emit emit, void *ctx, struct cap_synth **ret)
{
	struct cap_synth *synth = calloc(1, sizeof(*synth));

	if (!synth)
		return &pd_enomem;
	synth->opts = *opts;
	synth->emit = emit;
	synth->ctx = ctx;
	synth->machine = cap_machine_init(opts->root);
	synth->zeros = calloc(1, opts->sid_bytes + 1);
	synth->hugetlb = cap_machine_mount(&synth->machine, "hugetlbfs", NULL);
	if (!synth->zeros || synth->machine.failed) {
		cap_synth_destroy(synth);
		return &pd_enomem;
	}
	*ret = synth;
	return NULL;
}

void cap_synth_destroy(struct cap_synth *synth)
{
	if (!synth)
		return;
	pd_bytes_deinit(&synth->record);
	cap_build_ids_deinit(&synth->build_ids);
	free(synth->zeros);
	free(synth->hugetlb);
	free(synth->line);
	free(synth);
}

const struct cap_synth_counts *cap_synth_counts(const struct cap_synth *synth)
{
	return &synth->counts;
}

void cap_synth_miss(struct cap_synth *synth, int error)
{
	bool is_gone = error == ENOENT || error == ESRCH;

	synth->counts.gone += is_gone;
	synth->counts.denied += !is_gone;
}

struct pd_error *cap_synth_put(struct cap_synth *synth, const struct pd_layout *layout,
	uint16_t misc, const union pd_body *body)
{
	struct pd_bytes *record = &synth->record;

	record->buf.n = 0;
	bool fits =
		pd_record_encode(layout, misc, body, synth->zeros, synth->opts.sid_bytes, record);
	if (record->failed)
		return &pd_enomem;
	if (!fits)
		return NULL;
	synth->counts.records++;
	return synth->emit(synth->ctx, record->buf.data, record->buf.n);
}

/* Postponed processes. */

void cap_postponed_deinit(struct cap_postponed *postponed)
{
	base_map_deinit(&postponed->pids);
	pd_vec_deinit(&postponed->seen);
	postponed->n_taken = 0;
}

struct pd_error *cap_postponed_add(struct cap_postponed *postponed, uint32_t pid)
{
	/* Reserve the place in seen as well, so that noting it later cannot fail. */
	if (!base_map_add(&postponed->pids, pid, NULL) ||
		!pd_vec_reserve(&postponed->seen, postponed->pids.n))
		return &pd_enomem;
	return NULL;
}

void cap_postponed_note(struct cap_postponed *postponed, uint32_t pid)
{
	uint64_t *is_seen = base_map_find(&postponed->pids, pid);

	if (!is_seen || *is_seen)
		return;
	*is_seen = 1;
	postponed->seen.data[postponed->seen.n++] = pid;
}

bool cap_postponed_take(struct cap_postponed *postponed, uint32_t *ret)
{
	if (postponed->n_taken == postponed->seen.n)
		return false;
	*ret = postponed->seen.data[postponed->n_taken++];
	return true;
}

size_t cap_postponed_n_unseen(const struct cap_postponed *postponed)
{
	return postponed->pids.n - postponed->seen.n;
}

/* Processes and their threads, from /proc/PID/task/TID/status. */

enum {
	/** Bytes of a thread name with its NUL (TASK_COMM_LEN). */
	COMM_BYTES = 16,
	NO_TASK = UINT32_MAX,
};

/** A thread, as /proc describes it. */
struct task {
	uint32_t tid;
	/** Its process, and the parent of the process. */
	uint32_t pid;
	uint32_t ppid;
	char comm[COMM_BYTES];
};

/* Copy a thread name. status escapes a newline as "\n" and doubles a backslash. */
static void copy_comm(const char *from, char ret[COMM_BYTES])
{
	size_t n = 0;

	while (*from && n < COMM_BYTES - 1) {
		bool is_escaped = from[0] == '\\' && (from[1] == '\\' || from[1] == 'n');

		from += is_escaped;
		ret[n++] = is_escaped && *from == 'n' ? '\n' : *from;
		from++;
	}
	ret[n] = '\0';
}

/* Read a line of status, which is split in place. */
static void read_status_line(char *line, struct task *ret)
{
	char *value = line + strcspn(line, ":");

	if (!*value)
		return;
	*value++ = '\0';
	value += *value == '\t';
	if (strcmp(line, "Name") == 0)
		copy_comm(value, ret->comm);
	else if (strcmp(line, "Tgid") == 0)
		ret->pid = (uint32_t)strtoul(value, NULL, 10);
	else if (strcmp(line, "PPid") == 0)
		ret->ppid = (uint32_t)strtoul(value, NULL, 10);
}

/* Read a thread. False if it has exited. */
static bool read_task(struct cap_synth *synth, uint32_t pid, uint32_t tid, struct task *ret)
{
	_cleanup_free_ char *text =
		cap_machine_read(&synth->machine, NULL, "/proc/%u/task/%u/status", pid, tid);
	char *rest = text;
	char *line;

	*ret = (struct task){ .tid = tid, .pid = NO_TASK, .ppid = NO_TASK };
	while (rest && (line = strsep(&rest, "\n")))
		read_status_line(line, ret);
	return ret->pid != NO_TASK && ret->ppid != NO_TASK;
}

/* /proc does not show which thread created another. perf assumes the first one of the process. */
static struct pd_error *put_fork(struct cap_synth *synth, const struct task *task)
{
	uint32_t parent = task->tid == task->pid ? task->ppid : task->pid;
	const union pd_body body = {
		.fork = {
			.pid = task->pid,
			.ppid = parent,
			.tid = task->tid,
			.ptid = parent,
		},
	};

	return cap_synth_put(synth, &pd_layout_fork, PD_MISC_FORK_EXEC, &body);
}

static struct pd_error *put_comm(struct cap_synth *synth, const struct task *task)
{
	const union pd_body body = {
		.comm = { .pid = task->pid, .tid = task->tid, .comm = cap_str(task->comm) },
	};

	return cap_synth_put(synth, &pd_layout_comm, 0, &body);
}

/*
 * Names are in the order of the record (NET_NS_INDEX...); a namespace that this kernel lacks is 0.
 */
static struct pd_error *put_namespaces(struct cap_synth *synth, const struct task *task)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	enum { N_NAMES = PD_ARRAY_LEN(names) };
	uint64_t links[N_NAMES][2] = { 0 };
	const union pd_body body = {
		.namespaces = {
			.pid = task->pid,
			.tid = task->tid,
			.nr = N_NAMES,
			.namespaces = {
				.data = (const uint8_t *)links,
				.size = sizeof(links),
				.n = N_NAMES,
			},
		},
	};

	for (size_t i = 0; i < N_NAMES; i++) {
		char path[PATH_MAX];
		struct stat st;

		if (!cap_machine_path(&synth->machine, path, "/proc/%u/task/%u/ns/%s", task->pid,
			    task->tid, names[i]) ||
			stat(path, &st) != 0)
			continue;
		/*
		 * stat() follows the link into nsfs. The kernel puts the same two numbers into its
		 * own records (perf_fill_ns_link_info()).
		 */
		links[i][0] = st.st_dev;
		links[i][1] = st.st_ino;
	}
	return cap_synth_put(synth, &pd_layout_namespaces, 0, &body);
}

static struct pd_error *put_task(struct cap_synth *synth, uint32_t pid, uint32_t tid)
{
	struct pd_error *err;
	struct task task;

	if (!read_task(synth, pid, tid, &task)) {
		synth->counts.gone++;
		return cap_machine_check(&synth->machine);
	}
	synth->counts.threads++;
	if (!synth->opts.no_forks) {
		err = put_fork(synth, &task);
		if (err)
			return err;
	}
	if (synth->opts.namespaces) {
		err = put_namespaces(synth, &task);
		if (err)
			return err;
	}
	/*
	 * The order is perf's: FORK, NAMESPACES, COMM, mappings. Threads share mappings, so these
	 * are written for the main thread only.
	 */
	err = put_comm(synth, &task);
	if (err || tid != pid)
		return err;
	if (synth->postpones_from && base_clock_now() >= synth->postpones_from)
		return cap_postponed_add(synth->opts.postponed, pid);
	return cap_synth_maps(synth, pid);
}

/* Find the next entry that is a number. False at the end. */
static bool next_number(DIR *dir, uint32_t *ret)
{
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *end;
		unsigned long number = strtoul(entry->d_name, &end, 10);

		if (!isdigit((unsigned char)entry->d_name[0]) || *end || number >= NO_TASK)
			continue;
		*ret = (uint32_t)number;
		return true;
	}
	return false;
}

struct pd_error *cap_synth_process(struct cap_synth *synth, uint32_t pid)
{
	_cleanup_(cap_close_dir) DIR *dir = cap_machine_dir(&synth->machine, "/proc/%u/task", pid);
	uint32_t tid;

	synth->counts.processes += dir != NULL;
	if (!dir)
		cap_synth_miss(synth, errno);
	while (next_number(dir, &tid)) {
		struct pd_error *err = put_task(synth, pid, tid);

		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *cap_synth_thread(struct cap_synth *synth, uint32_t tid)
{
	struct task task;

	/* /proc/TID/task/TID exists for each thread, although /proc does not list it. */
	if (!read_task(synth, tid, tid, &task)) {
		synth->counts.gone++;
		return cap_machine_check(&synth->machine);
	}
	synth->counts.processes++;
	struct pd_error *err = put_task(synth, task.pid, tid);
	return err || task.pid == tid ? err : put_task(synth, task.pid, task.pid);
}

struct pd_error *cap_synth_all(struct cap_synth *synth)
{
	_cleanup_(cap_close_dir) DIR *dir = cap_machine_dir(&synth->machine, "/proc");
	uint32_t pid;

	if (synth->opts.postponed)
		synth->postpones_from = base_clock_now() + synth->opts.seconds;
	while (next_number(dir, &pid)) {
		struct pd_error *err = cap_synth_process(synth, pid);

		if (err)
			return err;
	}
	synth->postpones_from = 0;
	return NULL;
}

/* Control groups: the directories of the hierarchy. */

/** A file handle with room for that of a cgroup: the 64-bit id that samples have. */
union handle {
	struct file_handle handle;
	uint8_t room[sizeof(struct file_handle) + sizeof(uint64_t)];
};

/*
 * Read the id of a cgroup. Where handles are not permitted, the inode is the same number on 64-bit
 * machines.
 */
static bool read_id(const char *path, uint64_t *ret)
{
	union handle handle = { .handle = { .handle_bytes = sizeof(uint64_t) } };
	struct stat st;
	int mount;

	if (name_to_handle_at(AT_FDCWD, path, &handle.handle, &mount, 0) == 0 &&
		handle.handle.handle_bytes == sizeof(uint64_t)) {
		memcpy(ret, handle.room + sizeof(struct file_handle), sizeof(*ret));
		return true;
	}
	if (stat(path, &st) != 0)
		return false;
	*ret = st.st_ino;
	return true;
}

/* Emit the cgroup at @p path, whose first @p mount_len bytes are the mount point. */
static struct pd_error *put_cgroup(struct cap_synth *synth, const char *path, size_t mount_len)
{
	union pd_body body = { .cgroup = { .path = cap_str(path + mount_len) } };

	if (!read_id(path, &body.cgroup.id))
		return NULL;
	if (!body.cgroup.path.len)
		body.cgroup.path = cap_str("/");
	synth->counts.cgroups++;
	return cap_synth_put(synth, &pd_layout_cgroup, 0, &body);
}

/*
 * Emit the cgroup at @p path and all below. @p path is the buffer for their paths, and unchanged
 * afterwards.
 */
static struct pd_error *put_tree(struct cap_synth *synth, char path[PATH_MAX], size_t mount_len)
{
	struct pd_error *err = put_cgroup(synth, path, mount_len);

	if (err)
		return err;
	_cleanup_(cap_close_dir) DIR *dir = opendir(path);
	size_t len = strlen(path);
	struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 ||
			strcmp(entry->d_name, "..") == 0)
			continue;
		int n = snprintf(path + len, PATH_MAX - len, "/%s", entry->d_name);
		/* A path that does not fit is skipped. System calls would not accept it either. */
		if (n > 0 && (size_t)n < PATH_MAX - len)
			err = put_tree(synth, path, mount_len);
		if (err)
			return err;
		path[len] = '\0';
	}
	return NULL;
}

struct pd_error *cap_synth_cgroups(struct cap_synth *synth)
{
	_cleanup_free_ char *mount = cap_machine_cgroups(&synth->machine);
	char path[PATH_MAX];

	if (!mount || !cap_machine_path(&synth->machine, path, "%s", mount))
		return cap_machine_check(&synth->machine);
	return put_tree(synth, path, strlen(path));
}
