/**
 * @file The target of a recording: a command that is started for it, running threads, or the whole
 * machine. With a command, running threads and the machine are recorded until it exits.
 */
#ifndef PD_CAPTURE_TARGET_H
#define PD_CAPTURE_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

/** Threads or CPUs to record. Fill it with the functions below. */
struct cap_target {
	/** All processes, or all of the control groups, on the CPUs below. */
	bool is_system_wide;
	/** Threads to open events for; if the command is recorded, its first thread. */
	PD_VEC(pid_t) tids;
	/** Processes that were added with all their threads, and threads that were added alone. */
	PD_VEC(pid_t) processes;
	PD_VEC(pid_t) threads;
	/** Directories of the control groups that are recorded instead of all processes. */
	PD_VEC(int) cgroup_fds;
	/** Mount point of the cgroup hierarchy; NULL: the one of this machine. Borrowed. */
	const char *cgroup_dir;
	/** CPUs to open events on: those that were chosen, or all that are online. */
	PD_VEC(int) cpus;
	/** Chosen CPUs that are left out because they are offline. */
	size_t n_offline;
	/** Process of the command, which waits to be started; 0: there is no command. */
	pid_t child;
	/** Name of its program, borrowed. */
	const char *program;
	/** errno of the exec() that failed; 0: none has. */
	int exec_errno;
	/**
	 * The command is what is recorded. False: it only says for how long the threads or the
	 * machine are.
	 */
	bool records_child;
	/**
	 * Pipe by which the command is started, and the one by which it reports that exec failed;
	 * -1: not open.
	 */
	int start_fd;
	int failed_fd;
	/** The command has exited, with @a status as of waitpid(2). */
	bool has_ended;
	int status;
};

/** Ids of processes or threads. A zeroed list is empty. */
struct cap_pids {
	PD_VEC(pid_t) list;
};
void cap_pids_deinit(struct cap_pids *pids);
/** Whether @p pid is one of the @p n ids at @p pids. */
bool cap_pids_have(const pid_t *pids, size_t n, pid_t pid);

/** Initialise an empty target. */
void cap_target_init(struct cap_target *target);
/**
 * Free the target. A command that was not started exits without running; one that was started is
 * waited for.
 */
void cap_target_deinit(struct cap_target *target);

/** Whether the machine has the CPU @p cpu, online or not. */
bool cap_cpu_exists(int cpu);

/** Whether the CPU @p cpu exists and is online. */
bool cap_cpu_is_online(int cpu);

/** Whether @p cpu is in @p list, "0-2,4" as in /sys. The list ends at the first invalid range. */
bool cap_cpus_have(const char *list, int cpu);

/** Set the CPUs from a list like "0-2,4". Errors: USAGE, the list is empty or invalid. */
struct pd_error *cap_target_set_cpus(struct cap_target *target, const char *list) pd_must_check;
/** Remove CPUs that are offline. Errors: USAGE, a CPU does not exist; OS, all are offline. */
struct pd_error *cap_target_skip_offline(struct cap_target *target) pd_must_check;
/** Set the CPUs to all that are online. Errors: OS. */
struct pd_error *cap_target_use_online_cpus(struct cap_target *target) pd_must_check;

/**
 * Add all threads of process @p pid, except for those that were added before. Errors: OS, it does
 * not exist.
 */
struct pd_error *cap_target_add_process(struct cap_target *target, pid_t pid) pd_must_check;
/**
 * Append the children of process @p pid that are alive; none on kernels without
 * CONFIG_PROC_CHILDREN. Errors: NOMEM.
 */
struct pd_error *cap_process_children(pid_t pid, struct cap_pids *ret) pd_must_check;

/**
 * Append the threads that process @p pid has now to @p ret. Free it with
 * cap_pids_deinit() even if this fails. Errors: OS, the process does not exist.
 */
struct pd_error *cap_target_list_threads(pid_t pid, struct cap_pids *ret) pd_must_check;
/** Add the thread @p tid, unless it was added before. Errors: OS, it does not exist. */
struct pd_error *cap_target_add_thread(struct cap_target *target, pid_t tid) pd_must_check;

/** Add all threads of all processes of user @p uid. Errors: OS, the user has none. */
struct pd_error *cap_target_add_user(struct cap_target *target, uid_t uid) pd_must_check;
/**
 * Add the control group @p name, a path below the mount point of the hierarchy. Errors: OS, it does
 * not exist.
 */
struct pd_error *cap_target_add_cgroup(struct cap_target *target, const char *name) pd_must_check;

/**
 * Create a process that will run @p argv once it is started. It is recorded if @p target has
 * nothing else, so add other threads before. Errors: OS.
 */
struct pd_error *cap_target_prepare(struct cap_target *target, char *const *argv) pd_must_check;
/** Start the command. Errors: OS, the program cannot be executed. */
struct pd_error *cap_target_start(struct cap_target *target) pd_must_check;
/** Terminate a command that was started and still runs (SIGTERM), even if it is stopped. */
void cap_target_end(const struct cap_target *target);

#endif
