/**
 * @file What is recorded: a program that is started for it, threads that run, or all of the
 * machine.
 */
#ifndef PD_CAPTURE_TARGET_H
#define PD_CAPTURE_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

/** Zero it. */
struct cap_target {
	/** All processes, or those of the control groups, on the CPUs below. */
	bool is_system_wide;
	/** Threads; of a program that is started, its first one. */
	PD_VEC(pid_t) tids;
	/** Whose threads all are among them, and threads that were named by themselves. */
	PD_VEC(pid_t) processes;
	PD_VEC(pid_t) threads;
	/** All processes of these control groups instead: their directories. */
	PD_VEC(int) cgroup_fds;
	/** CPUs that are looked at: all that are online, unless some were named. */
	PD_VEC(int) cpus;
	/** How many of those that were named are left out, as they are offline. */
	size_t n_offline;
	/** A program that waits to be started; 0: there is none. */
	pid_t child;
	/** What it waits for, and where it says that it cannot be run; -1: not open. */
	int start_fd;
	int failed_fd;
	/** It has ended, and how: as of waitpid(2). */
	bool has_ended;
	int status;
};

void cap_target_init(struct cap_target *target);
/** A program that has not been started never will be; one that was is waited for. */
void cap_target_deinit(struct cap_target *target);

/** False if there is no CPU @p cpu, too. */
bool cap_cpu_is_online(int cpu);

/** Whether @p cpu is in @p list, "0-2,4" of /sys; what makes no sense in it ends it. */
bool cap_cpus_have(const char *list, int cpu);

/** "0-2,4" of /sys or of a user. Errors: USAGE, none or no list. */
struct pd_error *cap_target_set_cpus(struct cap_target *target, const char *list) pd_must_check;
/**
 * Leave those of them out that are offline. Errors: USAGE, there is no such CPU; OS, none is left.
 */
struct pd_error *cap_target_skip_offline(struct cap_target *target) pd_must_check;
/** All CPUs that are online. */
struct pd_error *cap_target_use_online_cpus(struct cap_target *target) pd_must_check;

/** Add all threads of process @p pid, or the thread @p tid. Errors: there is none. */
struct pd_error *cap_target_add_process(struct cap_target *target, pid_t pid) pd_must_check;
struct pd_error *cap_target_add_thread(struct cap_target *target, pid_t tid) pd_must_check;

/** Add all threads of all processes of user @p uid. Errors: there is none. */
struct pd_error *cap_target_add_user(struct cap_target *target, uid_t uid) pd_must_check;
/** Add the control group @p name, below where these are mounted. Errors: there is none. */
struct pd_error *cap_target_add_cgroup(struct cap_target *target, const char *name) pd_must_check;

/** Make a process that will run @p argv when it is started. Errors: it cannot be made. */
struct pd_error *cap_target_prepare(struct cap_target *target, char *const *argv) pd_must_check;
/** Let it run. Errors: it cannot be run. */
struct pd_error *cap_target_start(struct cap_target *target) pd_must_check;
/** If it was started and goes on, tell it to end (SIGTERM), even if it is stopped. */
void cap_target_end(const struct cap_target *target);

#endif
