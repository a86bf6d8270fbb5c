/*
 * System calls that a conversion may make: CALL(name), or CALL_IF(name, argument, mask, value) if
 * the bits of the argument that are in the mask have the value. Calls that an architecture lacks
 * are skipped.
 *
 * pdconv, the C library with its threads and allocators, and LLVM's disassembler make them. Calls
 * that can reach another process, the network, a device or other rights are not here, nor those
 * that change files by path, except for what Landlock restricts to folders.
 */
/* clang-format off */
#define CMD_ALLOWED_CALLS(CALL, CALL_IF) \
	/* Open files. */ \
	CALL(read) CALL(readv) CALL(pread64) CALL(preadv) CALL(preadv2) \
	CALL(write) CALL(writev) CALL(pwrite64) CALL(pwritev) CALL(pwritev2) \
	CALL(lseek) CALL(_llseek) CALL(close) CALL(close_range) \
	CALL(dup) CALL(dup2) CALL(dup3) CALL(fcntl) CALL(fcntl64) CALL(flock) \
	CALL(fstat) CALL(fstat64) CALL(fstatfs) CALL(fstatfs64) \
	CALL(fadvise64) CALL(fadvise64_64) CALL(arm_fadvise64_64) CALL(readahead) \
	CALL(ftruncate) CALL(ftruncate64) CALL(fallocate) CALL(fsync) CALL(fdatasync) \
	CALL(sync_file_range) CALL(sync_file_range2) CALL(fchmod) CALL(utimensat) CALL(utimensat_time64) \
	CALL(copy_file_range) CALL(sendfile) CALL(sendfile64) CALL(splice) \
	CALL(pipe) CALL(pipe2) CALL(memfd_create) \
	CALL(poll) CALL(ppoll) CALL(ppoll_time64) CALL(select) CALL(_newselect) CALL(pselect6) CALL(pselect6_time64) \
	/* Files by path: Landlock has the say. */ \
	CALL(open) CALL(openat) CALL(openat2) CALL(creat) \
	CALL(stat) CALL(stat64) CALL(lstat) CALL(lstat64) CALL(fstatat64) CALL(newfstatat) CALL(statx) \
	CALL(statfs) CALL(statfs64) CALL(access) CALL(faccessat) CALL(faccessat2) \
	CALL(readlink) CALL(readlinkat) CALL(getcwd) CALL(getdents) CALL(getdents64) \
	CALL(rename) CALL(renameat) CALL(renameat2) CALL(link) CALL(linkat) CALL(unlink) CALL(unlinkat) CALL(mkdirat) CALL(umask) \
	/* Whether it is a terminal, and its size. TIOCSTI would type for the user. */ \
	CALL_IF(ioctl, 1, UINT32_MAX, TCGETS) CALL_IF(ioctl, 1, UINT32_MAX, TCGETS2) CALL_IF(ioctl, 1, UINT32_MAX, TIOCGWINSZ) \
	/* Memory. */ \
	CALL(brk) CALL(mmap) CALL(mmap2) CALL(munmap) CALL(mremap) CALL(mprotect) CALL(madvise) CALL(msync) \
	CALL(mlock) CALL(munlock) CALL(mincore) CALL(membarrier) CALL(get_mempolicy) \
	CALL_IF(prctl, 0, UINT32_MAX, PR_SET_VMA) \
	/* Threads, not processes: filters cannot see the flags of clone3(). */ \
	CALL_IF(clone, CLONE_FLAGS, CLONE_THREAD, CLONE_THREAD) \
	CALL(set_tid_address) CALL(set_robust_list) CALL(get_robust_list) CALL(rseq) CALL(set_thread_area) \
	CALL(arch_prctl) CALL(futex) CALL(futex_time64) CALL(futex_waitv) CALL(gettid) CALL(getpid) CALL(getppid) \
	CALL(sched_yield) CALL(sched_getaffinity) CALL(sched_getparam) CALL(sched_getscheduler) CALL(getcpu) \
	CALL_IF(prctl, 0, UINT32_MAX, PR_SET_NAME) CALL_IF(prctl, 0, UINT32_MAX, PR_GET_NAME) \
	CALL(exit) CALL(exit_group) CALL(wait4) CALL(waitpid) CALL(waitid) \
	/* Signals, to this process only. */ \
	CALL(rt_sigaction) CALL(rt_sigprocmask) CALL(rt_sigreturn) CALL(sigaction) CALL(sigprocmask) CALL(sigreturn) \
	CALL(rt_sigpending) CALL(rt_sigtimedwait) CALL(rt_sigtimedwait_time64) CALL(rt_sigsuspend) \
	CALL(sigaltstack) CALL(restart_syscall) CALL(pause) \
	CALL_IF(tgkill, 0, UINT32_MAX, (uint32_t)getpid()) CALL_IF(kill, 0, UINT32_MAX, (uint32_t)getpid()) \
	/* Time. */ \
	CALL(clock_gettime) CALL(clock_gettime64) CALL(clock_getres) CALL(clock_getres_time64) CALL(gettimeofday) CALL(time) \
	CALL(clock_nanosleep) CALL(clock_nanosleep_time64) CALL(nanosleep) CALL(times) CALL(getitimer) CALL(setitimer) \
	/* This process and its machine. */ \
	CALL(getuid) CALL(getuid32) CALL(geteuid) CALL(geteuid32) CALL(getgid) CALL(getgid32) CALL(getegid) CALL(getegid32) \
	CALL(getgroups) CALL(getgroups32) CALL(getpgrp) CALL(getpgid) CALL(getsid) \
	CALL(getrlimit) CALL(ugetrlimit) CALL_IF(prlimit64, 0, UINT32_MAX, 0) CALL(getrusage) \
	CALL(uname) CALL(sysinfo) CALL(getrandom) CALL(riscv_hwprobe) CALL(riscv_flush_icache) CALL(cacheflush)

/* The leak sanitizer creates a process that stops the threads with ptrace(). */
#define CMD_SANITIZER_CALLS(CALL) \
	CALL(clone) CALL(fork) CALL(vfork) CALL(prctl) CALL(ptrace) CALL(kill) CALL(tkill) CALL(tgkill) CALL(personality) \
	CALL(process_vm_readv)
/* clang-format on */
