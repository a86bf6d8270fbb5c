/*
 * Things that threads wait for. A pattern that ends with '*' matches by its beginning; lists are
 * separated by '|'.
 *
 * K(KIND, "name", "meaning"): kinds in the order of their columns.
 *
 * P(KIND, "functions"): functions of the kernel, the C library and language runtimes that wait.
 * The first row that has a function of the stack decides: what the program called says more than
 * what the kernel did for it, so that a condition is not a lock although both are futexes.
 */
/* clang-format off */
#define ANA_WAIT_KINDS(K)                                                                          \
	K(LOCK, "lock", "a mutex, a semaphore or a lock of the kernel")                            \
	K(CONDITION, "condition", "a condition variable, a barrier, a channel, or work to do")      \
	K(JOIN, "join", "the end of a thread or of a child process")                               \
	K(SLEEP, "sleep", "a time")                                                                \
	K(SIGNAL, "signal", "a signal")                                                            \
	K(POLL, "poll", "one of several files, sockets or events")                                 \
	K(SOCKET, "socket", "data in a socket, a pipe or a terminal")                              \
	K(IO, "io", "a disk, or a file system on it")                                              \
	K(FUTEX, "futex", "a lock, a condition or a thread: the stack does not have the function") \
	K(PREEMPTED, "preempted", "the CPU, which another thread got")                             \
	K(OTHER, "other", "something else")

#define ANA_WAIT_PATTERNS(P)                                                                       \
	P(JOIN, "pthread_join*|__pthread_join*|___pthread_join*|__pthread_clockjoin*|"             \
		"pthread_clockjoin*|pthread_timedjoin*|thrd_join|std::thread::join|"               \
		"std::thread::JoinHandle*|"                                                        \
		"do_wait|kernel_wait4|kernel_waitid|wait4|__wait4|waitpid|waitid")                 \
	P(LOCK, "__lll_lock_wait*|lll_mutex_lock*|__pthread_mutex_*|___pthread_mutex_*|"           \
		"pthread_mutex_*|__pthread_rwlock_*|___pthread_rwlock_*|pthread_rwlock_*|"         \
		"sem_wait*|sem_timedwait*|sem_clockwait*|__new_sem_wait*|___new_sem_wait*|"        \
		"do_futex_wait*|std::mutex::lock|runtime.semacquire*|runtime.lock*|"               \
		"std::sys::sync::mutex::*|<std::sys::sync::mutex::*|"                              \
		"std::sys::sync::rwlock::*|<std::sys::sync::rwlock::*|"                            \
		"parking_lot*|<parking_lot*|futex_lock_pi*|"                                       \
		"ObjectMonitor::enter*|ObjectSynchronizer::enter*")                                \
	P(SLEEP, "JVM_Sleep|JavaThread::sleep*")                                                   \
	P(CONDITION, "pthread_cond_*|__pthread_cond_*|___pthread_cond_*|"                          \
		"pthread_barrier_wait|__pthread_barrier_wait|___pthread_barrier_wait|"             \
		"std::condition_variable*|std::sys::sync::condvar::*|<std::sys::sync::condvar::*|" \
		"std::sys::sync::thread_parking::*|<std::sys::sync::thread_parking::*|"            \
		"runtime.notesleep*|runtime.notetsleep*")                                          \
	P(SIGNAL, "sigwait|__sigwait*|sigwaitinfo|__sigwaitinfo|sigtimedwait|__sigtimedwait*|"      \
		"do_sigtimedwait*|sigsuspend*|__sigsuspend*|__rt_sigsuspend*|pause|__pause*|"      \
		"__libc_pause*|__do_sys_pause|__x64_sys_pause|__se_sys_pause")                     \
	P(SLEEP, "do_nanosleep|hrtimer_nanosleep*|clock_nanosleep*|__clock_nanosleep*|"            \
		"nanosleep|__nanosleep*|usleep|sleep|__sleep|runtime.usleep*")                      \
	P(POLL, "ep_poll|do_epoll_wait|do_epoll_pwait*|epoll_wait|epoll_pwait*|do_sys_poll|"       \
		"do_poll*|poll|__poll|ppoll|__ppoll|do_select|core_sys_select|select|"             \
		"__select|pselect|__pselect|poll_schedule_timeout*|io_cqring_wait|"                \
		"read_events|runtime.netpoll*|runtime.epollwait*")                                 \
	P(SOCKET, "sk_wait_data|__skb_wait_for_more_packets|unix_stream_*|unix_dgram_*|"           \
		"tcp_recvmsg*|tcp_sendmsg*|sk_stream_wait*|inet_csk_accept|inet_wait_for*|"        \
		"inet_stream_connect|skb_wait*|sock_alloc_send*|pipe_read|pipe_write|"             \
		"anon_pipe_read|anon_pipe_write|fifo_open|wait_for_partner|n_tty_read|"            \
		"n_tty_write|eventfd_read|inotify_read|signalfd_read|recv|recvfrom|recvmsg|"       \
		"__libc_recv*|accept|accept4")                                                     \
	P(IO, "io_schedule*|wait_for_completion_io*|submit_bio_wait|bit_wait_io*|"                 \
		"folio_wait_*|wait_on_page*|__folio_lock*|blk_*|jbd2_*|ext4_*|xfs_*|btrfs_*|"      \
		"nfs_*|do_fsync|fsync|fdatasync|__libc_fsync|filemap_*|wbt_wait*|rq_qos_wait|"     \
		"balance_dirty_pages*|sync_inodes_sb|pread|pread64|preadv*|pwrite|pwrite64|"       \
		"pwritev*|__libc_pread*|__libc_pwrite*")                                           \
	P(LOCK, "rwsem_*|down_read*|down_write*|__down_*|__mutex_lock*|mutex_lock*|"               \
		"percpu_down_*|runtime.futex*")                                                    \
	P(FUTEX, "futex_wait*|__futex_*|do_futex|__x64_sys_futex|futex_do_wait")                   \
	P(PREEMPTED, "irqentry_exit*|exit_to_user_mode_loop|exit_to_user_mode_prepare|"            \
		"preempt_schedule*|raw_irqentry_exit*|__cond_resched|cond_resched*|"               \
		"schedule_preempt*|sched_yield|__sched_yield|do_sched_yield|"                      \
		"__x64_sys_sched_yield|el0_interrupt|asm_sysvec_*")

/* L("files"): libraries whose functions are not where a program waits, by their names. */
#define ANA_WAIT_LIBRARIES                                                                         \
	"libc.so*|libc-2*|libpthread*|librt.so*|librt-2*|libm.so*|ld-linux*|ld-2*|ld-musl*|"       \
	"libc.musl*|libstdc++.so*|libc++.so*|libc++abi.so*|libgcc_s.so*|libgomp.so*|"              \
	"libtbb.so*|libuv.so*|libjvm.so*|libnio.so|libnet.so|libjava.so|libnode.so*|"              \
	"[vdso]"

/*
 * Functions of libraries and runtimes that are compiled into programs. The names that begin with
 * two underscores are reserved for the C library and the compiler.
 */
#define ANA_WAIT_LIBRARY_FUNCTIONS                                                                 \
	"__*|_IO_*|_dl_*|_start|start_thread|clone*|futex_*|lll_*|pthread_*|thrd_*|mtx_*|cnd_*|"   \
	"sem_wait*|sem_timedwait*|sem_clockwait*|sem_post*|__new_sem_post*|nanosleep|clock_nanosleep*|usleep|sleep|"         \
	"pause|epoll_wait|epoll_pwait*|poll|ppoll|select|pselect|read|write|pread|pwrite|"         \
	"pread64|pwrite64|preadv*|pwritev*|readv|writev|open|openat|open64|close|ioctl|"           \
	"recv|recvfrom|recvmsg|send|sendto|sendmsg|accept|accept4|connect|fsync|fdatasync|"        \
	"malloc|free|calloc|realloc|posix_memalign|aligned_alloc|memalign|strdup|strndup|"         \
	"asprintf|vasprintf|_int_*|new_do_write|fopen*|fdopen|freopen*|fclose|fread|fwrite|"       \
	"fgets|fgetc|getc|getline|getdelim|fputs|fputc|putc|putchar|puts|printf|fprintf|"          \
	"vprintf|vfprintf|dprintf|scanf|fscanf|fflush|exit|atexit|system|popen|pclose|wait|"       \
	"waitpid|wait3|wait4|waitid|syscall|sigsuspend*|sigwait*|sigtimedwait|cancel_handler|"     \
	"std::*|core::*|alloc::*|"                                                                 \
	"<std::*|<core::*|<alloc::*|<parking_lot*|"                                                \
	"parking_lot*|runtime.*|runtime/internal/*|internal/*|syscall.*|os.(*File).*|"             \
	"net.(*|time.Sleep|sync.*|gopark*|java.lang.*|"                                            \
	"java.util.concurrent.*|jdk.internal.*|sun.nio.*"
/* clang-format on */
