/* Waits of a profile that was made by hand. */
#include "tests/unit/test.h"

#include "analyze/waits/waits.h"

enum { PROGRAM, LIBC, KERNEL, N_BINARIES };

/* Functions are written "binary:name", innermost first: p, l or k for program, libc and kernel. */
static struct prof_frame_id add_frame(
	struct profile *profile, const struct prof_binary_id *binaries, const char *text)
{
	struct prof_binary_id binary = binaries[*text == 'p'   ? PROGRAM
						: *text == 'l' ? LIBC
							       : KERNEL];
	const struct prof_function function = {
		.name = prof_add_string(profile, text + 2),
		.binary = binary,
	};
	const struct prof_line line = { .function = prof_add_function(profile, &function) };
	const struct prof_frame frame = { .addr = line.function.i + 1, .binary = binary };
	const struct prof_lines lines = { (uint32_t)profile->lines.n, 1 };
	struct prof_frame_id id = prof_add_frame(profile, &frame);

	if (id.i == profile->frame_lines.n) {
		assert_true(pd_vec_push(&profile->lines, line));
		assert_true(pd_vec_push(&profile->frame_lines, lines));
	}
	return id;
}

static struct prof_event_id add_event(struct profile *profile, const char *name, const char *unit)
{
	const struct prof_event event = {
		.name = prof_add_string(profile, name),
		.unit = prof_add_string(profile, unit),
	};

	return prof_add_event(profile, &event);
}

struct made {
	struct profile *profile;
	struct prof_binary_id binaries[N_BINARIES];
};

static struct made make(void)
{
	static const char *const names[] = { "/home/u/program", "/lib/libc.so.6", "[kernel]" };
	struct made m;

	assert_ok(prof_create(&m.profile));
	for (size_t i = 0; i < N_BINARIES; i++) {
		const struct prof_binary binary = {
			.name = prof_add_string(m.profile, names[i]),
			.is_kernel = i == KERNEL,
		};

		m.binaries[i] = prof_add_binary(m.profile, &binary);
	}
	return m;
}

/* Add a sample of a stack, whose functions are separated by spaces. */
static void add(struct made *m, struct prof_event_id event, const char *comm, const char *stack,
	uint64_t period)
{
	const struct prof_thread thread = { 1, 1, prof_add_string(m->profile, comm) };
	struct prof_frame_id frames[16];
	size_t n = 0;
	char text[256], *save;

	snprintf(text, sizeof(text), "%s", stack);
	for (char *at = strtok_r(text, " ", &save); at; at = strtok_r(NULL, " ", &save))
		frames[n++] = add_frame(m->profile, m->binaries, at);
	const struct prof_sample sample = {
		.stack = prof_add_stack(m->profile, frames, n),
		.thread = prof_add_thread(m->profile, &thread),
		.event = event,
		.tags = prof_no_tags(),
	};
	assert_ok(prof_add_sample(m->profile, &sample, period, NULL));
}

static void test_kinds(void **state)
{
	static const struct {
		const char *stack;
		enum ana_wait_kind kind;
		const char *place;
	} cases[] = {
		{ "k:schedule k:futex_wait l:__lll_lock_wait l:pthread_mutex_lock p:work p:main",
			ANA_WAIT_LOCK, "work" },
		{ "k:schedule k:futex_wait p:__lll_lock_wait p:__pthread_mutex_lock p:work",
			ANA_WAIT_LOCK, "work" },
		{ "k:schedule k:futex_wait l:__pthread_cond_wait p:pop p:main", ANA_WAIT_CONDITION,
			"pop" },
		{ "k:schedule k:futex_wait l:__pthread_clockjoin_ex p:main", ANA_WAIT_JOIN,
			"main" },
		/* The C library has no symbols, and has been left out by frame pointers. */
		{ "k:schedule k:futex_do_wait k:__futex_wait k:__x64_sys_futex l:0x85e50 l:0x8abb0 "
		  "p:main",
			ANA_WAIT_FUTEX, "main" },
		{ "k:schedule k:futex_wait l:__futex_abstimed_wait_common64 p:main", ANA_WAIT_FUTEX,
			"main" },
		{ "k:schedule k:futex_wait l:__futex_abstimed_wait_common64 l:sem_wait p:main",
			ANA_WAIT_LOCK, "main" },
		{ "k:schedule k:rwsem_down_read_slowpath k:do_user_addr_fault p:main",
			ANA_WAIT_LOCK, "main" },
		{ "k:schedule k:do_wait l:wait4 p:main", ANA_WAIT_JOIN, "main" },
		{ "k:schedule k:schedule_hrtimeout_range k:do_sigtimedwait l:sigtimedwait l:sigwait "
		  "p:reload",
			ANA_WAIT_SIGNAL, "reload" },
		{ "k:schedule k:__do_sys_pause p:pause p:reload", ANA_WAIT_SIGNAL, "reload" },
		{ "k:schedule k:do_nanosleep l:clock_nanosleep l:usleep p:idle", ANA_WAIT_SLEEP,
			"idle" },
		{ "k:schedule k:ep_poll l:epoll_wait p:serve", ANA_WAIT_POLL, "serve" },
		{ "k:schedule k:anon_pipe_read l:read p:get", ANA_WAIT_SOCKET, "get" },
		{ "k:schedule k:io_schedule k:ext4_sync_file l:fsync p:store", ANA_WAIT_IO,
			"store" },
		{ "k:schedule k:rwsem_down_write_slowpath k:ext4_file_write_iter l:write p:put",
			ANA_WAIT_IO, "put" },
		{ "k:schedule k:irqentry_exit_to_user_mode p:spin p:main", ANA_WAIT_PREEMPTED,
			"spin" },
		{ "k:schedule k:something p:work", ANA_WAIT_OTHER, "work" },
		{ "k:schedule k:worker_thread", ANA_WAIT_OTHER, NULL },
		/* Rust, with names of both manglings, Go and Java. */
		{ "k:futex_wait p:<std::sys::sync::mutex::futex::Mutex>::lock_contended p:w::work",
			ANA_WAIT_LOCK, "w::work" },
		{ "k:futex_wait p:std::sys::sync::rwlock::futex::RwLock::read_contended p:w::work",
			ANA_WAIT_LOCK, "w::work" },
		{ "k:futex_wait p:<std::sys::sync::condvar::futex::Condvar>::wait p:w::pop",
			ANA_WAIT_CONDITION, "w::pop" },
		{ "k:futex_wait p:<std::sys::sync::thread_parking::futex::Parker>::park "
		  "p:<std::sync::mpmc::list::Channel<i32>>::recv p:w::receive",
			ANA_WAIT_CONDITION, "w::receive" },
		{ "k:ext4_sync_file p:<std::sys::fs::unix::File>::fsync p:w::store", ANA_WAIT_IO,
			"w::store" },
		{ "k:futex_wait p:runtime.futex.abi0 p:runtime.notesleep p:runtime.stopm",
			ANA_WAIT_CONDITION, NULL },
		{ "k:futex_wait p:runtime.futex.abi0 p:runtime.lock2 p:main.work", ANA_WAIT_LOCK,
			"main.work" },
		{ "k:ext4_sync_file p:runtime/internal/syscall.Syscall6 p:syscall.Fsync "
		  "p:internal/poll.(*FD).Fsync p:os.(*File).Sync p:main.store",
			ANA_WAIT_IO, "main.store" },
		{ "k:futex_wait l:pthread_cond_timedwait l:ObjectMonitor::enter p:W.work",
			ANA_WAIT_LOCK, "W.work" },
		{ "k:futex_wait l:pthread_cond_timedwait l:JavaThread::sleep l:JVM_Sleep p:W.nap",
			ANA_WAIT_SLEEP, "W.nap" },
		{ "k:futex_wait l:pthread_cond_wait l:ObjectMonitor::wait p:W.pop",
			ANA_WAIT_CONDITION, "W.pop" },
		/* Functions that the program calls do not count after its place. */
		{ "k:schedule k:something p:callback l:pthread_mutex_lock p:main", ANA_WAIT_OTHER,
			"callback" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct made m = make();
		struct ana_symbols symbols;
		struct ana_waits waits;
		struct prof_event_id event = add_event(m.profile, "offcpu-time", "nanoseconds");

		add(&m, event, "a", cases[i].stack, 5);
		assert_ok(ana_symbols_create(m.profile, &symbols));
		assert_ok(ana_waits_count(m.profile, &symbols, &waits));
		assert_int_equal(waits.list.n, 1);
		assert_int_equal(waits.list.data[0].kind, cases[i].kind);
		assert_int_equal(waits.list.data[0].amount, 5);
		if (cases[i].place)
			assert_string_equal(ana_symbol_name(&symbols, waits.list.data[0].place),
				cases[i].place);
		else
			assert_int_equal(waits.list.data[0].place, PROF_NONE);
		ana_waits_deinit(&waits);
		ana_symbols_deinit(&symbols);
		prof_destroy(m.profile);
	}
}

/* On-CPU time is that of the function and of what it calls, once for each sample. */
static void test_on_cpu(void **state)
{
	struct made m = make();
	struct prof_event_id waits_of = add_event(m.profile, "offcpu-time", "nanoseconds");
	struct prof_event_id clock = add_event(m.profile, "cpu-clock", "nanoseconds");
	struct ana_symbols symbols;
	struct ana_waits waits;

	(void)state;
	add(&m, waits_of, "a", "k:schedule k:ep_poll l:epoll_wait p:serve", 10);
	add(&m, waits_of, "a", "k:schedule k:do_nanosleep l:usleep p:serve", 20);
	add(&m, waits_of, "b", "k:schedule k:do_nanosleep l:usleep p:nap", 7);
	add(&m, clock, "a", "p:handle p:serve p:serve", 100);
	add(&m, clock, "c", "p:other", 1000);
	assert_int_equal(ana_wait_event(m.profile).i, waits_of.i);
	assert_ok(ana_symbols_create(m.profile, &symbols));
	assert_ok(ana_waits_count(m.profile, &symbols, &waits));
	assert_true(waits.has_times);
	assert_int_equal(waits.on_cpu.i, clock.i);
	assert_int_equal(waits.amount, 37);
	assert_int_equal(waits.list.n, 3);
	assert_int_equal(waits.list.data[0].amount, 20);
	assert_int_equal(waits.list.data[0].on_cpu, 100);
	assert_int_equal(waits.list.data[1].on_cpu, 100);
	assert_int_equal(waits.list.data[2].on_cpu, 0);
	assert_int_equal(waits.threads.n, 3);
	assert_int_equal(waits.threads.data[0].on_cpu, 100);
	assert_int_equal(waits.threads.data[0].amounts[ANA_WAIT_SLEEP], 20);
	assert_int_equal(waits.threads.data[2].on_cpu, 1000);
	ana_waits_deinit(&waits);
	ana_symbols_deinit(&symbols);
	prof_destroy(m.profile);
}

/* Context switches have no times: their number counts. */
static void test_switches(void **state)
{
	struct made m = make();
	struct prof_event_id event = add_event(m.profile, "sched:sched_switch", "count");
	struct ana_symbols symbols;
	struct ana_waits waits;

	(void)state;
	assert_true(prof_is_none(ana_wait_event(m.profile)));
	add(&m, event, "a", "k:schedule k:ep_poll l:epoll_wait p:serve", 1);
	add(&m, event, "a", "k:schedule k:ep_poll l:epoll_wait p:serve", 1);
	assert_ok(ana_symbols_create(m.profile, &symbols));
	assert_ok(ana_waits_count(m.profile, &symbols, &waits));
	assert_false(waits.has_times);
	assert_true(prof_is_none(waits.on_cpu));
	assert_int_equal(waits.list.data[0].amount, 2);
	ana_waits_deinit(&waits);
	ana_symbols_deinit(&symbols);
	prof_destroy(m.profile);
}

/* Times between switches are in a part of the profile, by state. */
static void test_times_of_switches(void **state)
{
	struct made m = make();
	struct prof_event_id event = add_event(m.profile, "sched:sched_switch", "count");
	const struct prof_wait waits_of[] = {
		{ .sample = { 0 },
			.state = PROF_WAIT_SLEEPING,
			.n = 3,
			.total_ns = 300,
			.delay_ns = 30 },
		{ .sample = { 0 },
			.state = PROF_WAIT_RUNNABLE,
			.n = 1,
			.total_ns = 50,
			.delay_ns = 50 },
		{ .sample = { 1 }, .state = PROF_WAIT_DISK, .n = 2, .total_ns = 20 },
	};
	struct ana_symbols symbols;
	struct ana_waits waits;

	(void)state;
	add(&m, event, "a", "k:schedule k:ep_poll l:epoll_wait p:serve", 1);
	add(&m, event, "b", "k:schedule k:something p:load", 1);
	for (size_t i = 0; i < 3; i++)
		assert_true(pd_vec_push(&m.profile->waits, waits_of[i]));
	assert_ok(ana_symbols_create(m.profile, &symbols));
	assert_ok(ana_waits_count(m.profile, &symbols, &waits));
	assert_true(waits.has_times);
	assert_true(waits.has_delays);
	assert_int_equal(waits.amount, 370);
	assert_int_equal(waits.list.n, 3);
	assert_int_equal(waits.list.data[0].kind, ANA_WAIT_POLL);
	assert_int_equal(waits.list.data[0].n, 3);
	assert_int_equal(waits.list.data[0].delay, 30);
	assert_int_equal(waits.list.data[1].kind, ANA_WAIT_PREEMPTED);
	assert_int_equal(waits.list.data[1].amount, 50);
	assert_int_equal(waits.list.data[2].kind, ANA_WAIT_IO);
	assert_int_equal(waits.threads.data[0].delay, 80);
	assert_int_equal(waits.threads.data[0].amounts[ANA_WAIT_PREEMPTED], 50);
	ana_waits_deinit(&waits);
	ana_symbols_deinit(&symbols);
	prof_destroy(m.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_on_cpu),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_times_of_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
