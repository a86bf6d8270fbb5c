#include "capture/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "capture/machine/machine.h"

void cap_target_init(struct cap_target *target)
{
	*target = (struct cap_target){ .start_fd = -1, .failed_fd = -1 };
}

void cap_target_deinit(struct cap_target *target)
{
	/* A command that waits to be started reads the end of the pipe, and exits. */
	base_close(&target->start_fd);
	base_close(&target->failed_fd);
	for (size_t i = 0; i < target->cgroup_fds.n; i++)
		close(target->cgroup_fds.data[i]);
	pd_vec_deinit(&target->cgroup_fds);
	if (target->child && !target->has_ended)
		waitpid(target->child, NULL, 0);
	pd_vec_deinit(&target->tids);
	pd_vec_deinit(&target->processes);
	pd_vec_deinit(&target->threads);
	pd_vec_deinit(&target->cpus);
}

static struct pd_error *no_cpus(const char *list)
{
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "invalid list of CPUs '%s': expected one like 0-2,4", list);
}

/* Parse a CPU number. Returns its end, or NULL if it is invalid. */
static const char *parse_cpu(const char *at, int *ret)
{
	enum { MOST = 1 << 16 };
	const char *end;
	uint64_t value;

	if (!base_number_parse(at, MOST - 1, &end, &value))
		return NULL;
	*ret = (int)value;
	return end;
}

/* Parse "FIRST[-LAST]". Returns its end, or NULL if it is invalid. */
static const char *parse_range(const char *at, int *first_ret, int *last_ret)
{
	at = parse_cpu(at, first_ret);
	*last_ret = *first_ret;
	if (at && *at == '-')
		at = parse_cpu(at + 1, last_ret);
	return at && *last_ret >= *first_ret ? at : NULL;
}

struct pd_error *cap_target_set_cpus(struct cap_target *target, const char *list)
{
	const char *at = list;
	int first = 0, last = 0;

	target->cpus.n = 0;
	for (;;) {
		at = parse_range(at, &first, &last);
		if (!at)
			return no_cpus(list);
		for (int cpu = first; cpu <= last; cpu++) {
			if (!pd_vec_push(&target->cpus, cpu))
				return &pd_enomem;
		}
		if (!*at || *at == '\n')
			return NULL;
		if (*at++ != ',')
			return no_cpus(list);
	}
}

bool cap_cpus_have(const char *list, int cpu)
{
	const char *at = list;
	int first = 0, last = 0;

	while ((at = parse_range(at, &first, &last))) {
		if (cpu >= first && cpu <= last)
			return true;
		if (*at++ != ',')
			break;
	}
	return false;
}

static const char cpus_dir[] = "/sys/devices/system/cpu";

bool cap_cpu_exists(int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/cpu%d", cpus_dir, cpu);
	return access(path, F_OK) == 0;
}

/* On most machines CPU 0 cannot go offline and has no such file. */
bool cap_cpu_is_online(int cpu)
{
	struct cap_machine machine = cap_machine_init(NULL);
	uint64_t value;

	if (cap_machine_number(&machine, 10, &value, "%s/cpu%d/online", cpus_dir, cpu))
		return value != 0;
	return cap_cpu_exists(cpu);
}

struct pd_error *cap_target_skip_offline(struct cap_target *target)
{
	size_t n = 0;

	for (size_t i = 0; i < target->cpus.n; i++) {
		int cpu = target->cpus.data[i];

		if (!cap_cpu_exists(cpu))
			return pd_error_create(PD_ERROR_USAGE, NULL, "there is no CPU %d", cpu);
		if (cap_cpu_is_online(cpu))
			target->cpus.data[n++] = cpu;
	}
	target->n_offline = target->cpus.n - n;
	target->cpus.n = n;
	return n ? NULL : pd_error_create(PD_ERROR_OS, NULL, "all of these CPUs are offline");
}

struct pd_error *cap_target_use_online_cpus(struct cap_target *target)
{
	struct cap_machine machine = cap_machine_init(NULL);
	_cleanup_free_ char *list = cap_machine_line(&machine, "%s/online", cpus_dir);

	return list ? cap_target_set_cpus(target, list) : pd_error_os(cpus_dir, "cannot read");
}

void cap_pids_deinit(struct cap_pids *pids)
{
	pd_vec_deinit(&pids->list);
}

bool cap_pids_have(const pid_t *pids, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++) {
		if (pids[i] == pid)
			return true;
	}
	return false;
}

struct pd_error *cap_target_add_thread(struct cap_target *target, pid_t tid)
{
	if (kill(tid, 0) < 0 && errno == ESRCH)
		return pd_error_explained(ESRCH, NULL, "there is no thread %d", (int)tid);
	/* Events of a thread that are opened twice would sample it twice. */
	if (cap_pids_have(target->tids.data, target->tids.n, tid))
		return NULL;
	if (!pd_vec_push(&target->threads, tid) || !pd_vec_push(&target->tids, tid))
		return &pd_enomem;
	return NULL;
}

/* Number of a process or thread from the name of its directory in /proc; 0: it is not a number. */
static pid_t parse_pid(const char *name)
{
	const char *end;
	uint64_t pid;

	return base_number_parse(name, INT_MAX, &end, &pid) && !*end ? (pid_t)pid : 0;
}

struct pd_error *cap_target_list_threads(pid_t pid, struct cap_pids *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	_cleanup_(cap_close_dir) DIR *dir = opendir(path);
	if (!dir)
		return pd_error_explained(ESRCH, NULL, "there is no process %d", (int)pid);
	for (struct dirent *entry; (entry = readdir(dir));) {
		pid_t tid = parse_pid(entry->d_name);

		if (tid > 0 && !pd_vec_push(&ret->list, tid))
			return &pd_enomem;
	}
	return NULL;
}

struct pd_error *cap_target_add_process(struct cap_target *target, pid_t pid)
{
	_cleanup_(cap_pids_deinit) struct cap_pids tids = { 0 };

	if (cap_pids_have(target->processes.data, target->processes.n, pid))
		return NULL;
	struct pd_error *err = cap_target_list_threads(pid, &tids);
	if (err)
		return err;
	for (size_t i = 0; i < tids.list.n; i++) {
		pid_t tid = tids.list.data[i];

		/* Threads that were added alone before have their events. */
		if (cap_pids_have(target->threads.data, target->threads.n, tid))
			continue;
		if (!pd_vec_push(&target->tids, tid))
			return &pd_enomem;
	}
	return pd_vec_push(&target->processes, pid) ? NULL : &pd_enomem;
}

/* Append the pids in @p line, which are separated by spaces. */
static struct pd_error *add_pids(const char *line, struct cap_pids *ret)
{
	uint64_t pid;

	while (base_number_parse(line, INT_MAX, &line, &pid)) {
		if (!pd_vec_push(&ret->list, (pid_t)pid))
			return &pd_enomem;
		while (*line == ' ')
			line++;
	}
	return NULL;
}

struct pd_error *cap_process_children(pid_t pid, struct cap_pids *ret)
{
	struct cap_machine machine = cap_machine_init(NULL);
	_cleanup_(cap_close_dir) DIR *dir = cap_machine_dir(&machine, "/proc/%d/task", (int)pid);

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		_cleanup_free_ char *line = NULL;

		if (parse_pid(entry->d_name) > 0)
			line = cap_machine_line(
				&machine, "/proc/%d/task/%s/children", (int)pid, entry->d_name);
		struct pd_error *err = line ? add_pids(line, ret) : NULL;
		if (err)
			return err;
	}
	return cap_machine_check(&machine);
}

/*
 * Add process @p name of /proc if it belongs to @p uid. A process that has exited since it was
 * listed is not an error.
 */
static void add_if_of(struct cap_target *target, const char *name, uid_t uid)
{
	char path[64];
	struct stat st;
	pid_t pid = parse_pid(name);

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (pid <= 0 || stat(path, &st) < 0 || st.st_uid != uid)
		return;
	pd_error_destroy(cap_target_add_process(target, pid));
}

struct pd_error *cap_target_add_user(struct cap_target *target, uid_t uid)
{
	_cleanup_(cap_close_dir) DIR *dir = opendir("/proc");

	if (!dir)
		return pd_error_os("/proc", "cannot read");
	for (struct dirent *entry; (entry = readdir(dir));)
		add_if_of(target, entry->d_name, uid);
	if (!target->tids.n)
		return pd_error_create(
			PD_ERROR_OS, NULL, "user %u has no processes", (unsigned)uid);
	return NULL;
}

struct pd_error *cap_target_add_cgroup(struct cap_target *target, const char *name)
{
	struct cap_machine machine = cap_machine_init(NULL);
	_cleanup_free_ char *mount =
		target->cgroup_dir ? strdup(target->cgroup_dir) : cap_machine_cgroups(&machine);
	char path[PATH_MAX];
	int fd = -1;

	if (machine.failed || (target->cgroup_dir && !mount))
		return &pd_enomem;
	if (!mount)
		return pd_error_create(
			PD_ERROR_OS, NULL, "no cgroup hierarchy with perf_event is mounted");
	if (cap_machine_path(&machine, path, "%s/%s", mount, name))
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return pd_error_create(
			PD_ERROR_OS, NULL, "there is no control group '%s' below %s", name, mount);
	/* perf_event_open(2) rejects events of a control group that are not bound to a CPU. */
	target->is_system_wide = true;
	if (pd_vec_push(&target->cgroup_fds, fd))
		return NULL;
	close(fd);
	return &pd_enomem;
}

/*
 * In the child: wait to be started, then execute the program. A failure is reported through the
 * pipe as an errno.
 */
static void run_child(int start_fd, int failed_fd, char *const *argv)
{
	char go;

	if (read(start_fd, &go, 1) != 1)
		_exit(0);
	execvp(argv[0], argv);
	int why = errno;
	(void)!write(failed_fd, &why, sizeof(why));
	_exit(127);
}

struct pd_error *cap_target_prepare(struct cap_target *target, char *const *argv)
{
	int start[2], failed[2];

	if (pipe2(start, O_CLOEXEC) < 0)
		return pd_error_os(argv[0], "cannot create a process");
	if (pipe2(failed, O_CLOEXEC) < 0) {
		close(start[0]);
		close(start[1]);
		return pd_error_os(argv[0], "cannot create a process");
	}
	pid_t child = fork();
	if (child == 0) {
		/*
		 * Otherwise the child would keep the pipe open and wait forever if this process
		 * exits first.
		 */
		close(start[1]);
		run_child(start[0], failed[1], argv);
	}
	close(start[0]);
	close(failed[1]);
	target->start_fd = start[1];
	target->failed_fd = failed[0];
	if (child < 0)
		return pd_error_os(argv[0], "cannot create a process");
	target->child = child;
	target->program = argv[0];
	target->records_child = !target->is_system_wide && !target->tids.n;
	if (!target->records_child)
		return NULL;
	return pd_vec_push(&target->tids, child) ? NULL : &pd_enomem;
}

struct pd_error *cap_target_start(struct cap_target *target)
{
	int why = 0;
	bool is_written = write(target->start_fd, "", 1) == 1;

	base_close(&target->start_fd);
	/* A successful exec closes the other end (O_CLOEXEC). */
	ssize_t n = read(target->failed_fd, &why, sizeof(why));
	base_close(&target->failed_fd);
	if (is_written && n == 0)
		return NULL;
	waitpid(target->child, NULL, 0);
	target->has_ended = true;
	target->exec_errno = n == sizeof(why) ? why : ECHILD;
	errno = target->exec_errno;
	return pd_error_os(target->program, "cannot run");
}

void cap_target_end(const struct cap_target *target)
{
	if (!target->child || target->has_ended || target->start_fd >= 0)
		return;
	kill(target->child, SIGTERM);
	/* A stopped process handles SIGTERM only when it continues. */
	kill(target->child, SIGCONT);
}
