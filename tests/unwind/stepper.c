/*
 * Step a program, and record the samples that perf would have recorded, with the true call chains.
 *
 * usage: stepper [OPTION]... RECORDING TRUTH PROGRAM [ARGUMENT]...
 *
 *   --arch NAME       architecture, from arch_defs.h (default x86_64)
 *   --qemu COMMAND    run the program in qemu and use its gdb stub; COMMAND is split at blanks
 *   --run-to SYMBOL   run to it at full speed before stepping (default: the program's first
 *                     instruction); "-": step from the dynamic linker's first instruction
 *   --goroutine       the --run-to function is the first of a goroutine, whose stack is stepped;
 *                     chains are unknown while the thread runs another goroutine or the scheduler
 *   --skip-startup    run at full speed to main, where a static program's open calls are known
 *   --warm-up         run at full speed from main to the beginning of the window
 *   --begin SYMBOL    function whose call begins the window in which samples are taken (default
 *                     corpus_begin); "-": the window begins with the first step
 *   --end SYMBOL      function whose call ends the window, and the run (default corpus_end)
 *   --samples N       maximum number of samples (default 500)
 *   --every N         sample every N-th step of the window at first, then fewer (default 1)
 *   --steps N         maximum number of steps (default 4 million)
 *   --slice BYTES     captured bytes of the stack (default 8192)
 *   --interrupt N     send SIGUSR1 at every N-th step of the window outside of handlers
 *   --threads         step the program's other threads, too
 *
 * A program lists its stacks, except for those of its threads, in corpus_stacks: pairs of words
 * (first address, end), up to a pair of zeros. In qemu, signal handlers must be called on_signal or
 * on_signal_nested. Prints the number of steps and samples.
 */
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "tests/unwind/die.h"
#include "tests/unwind/image.h"
#include "tests/unwind/recording.h"
#include "tests/unwind/shadow.h"
#include "tests/unwind/target.h"

enum {
	MAX_STACK_BYTES = 8 << 20,
	MAX_LISTED_STACKS = 16,
	MAX_QEMU_WORDS = 16,
	/* Number of r14 in perf's masks. */
	X86_R14 = 22,
};

struct opts {
	const struct arch *arch;
	const char *qemu;
	const char *run_to;
	bool goroutine;
	bool skip_startup;
	bool warm_up;
	const char *begin;
	const char *end;
	uint64_t every;
	uint64_t samples;
	uint64_t steps;
	uint64_t slice;
	uint64_t interrupt;
	bool threads;
	char **argv;
};

struct thread {
	pid_t tid;
	struct shadow shadow;
	struct cpu cpu;
	/** The last step delivered a signal. */
	bool was_signalled;
};

struct session {
	const struct opts *opts;
	struct target *target;
	struct recording *recording;
	PD_VEC(struct thread) threads;
	struct mappings mappings;
	struct shadow_chain chain;
	uint8_t *stack;
	/** First and last function of the window, or 0. */
	uint64_t begin;
	uint64_t end;
	bool is_in_window;
	uint64_t n_steps;
	uint64_t n_in_window;
	/** Step of the window at which the next sample is taken. */
	uint64_t next;
	uint64_t n_samples;
	/** Samples left out because the true chain was not known. */
	uint64_t n_unknown;
};

static struct thread *find_thread(struct session *session, pid_t tid)
{
	for (size_t i = 0; i < session->threads.n; i++) {
		if (session->threads.data[i].tid == tid)
			return &session->threads.data[i];
	}
	return NULL;
}

/* Add the stack on which a thread begins. The stack of the first thread may grow. */
static void add_first_stack(struct session *session, struct thread *thread)
{
	uint64_t sp = arch_sp(session->target->arch, &thread->cpu);

	session->target->ops->mappings(session->target, &session->mappings);
	const struct mapping *mapping = mappings_find(&session->mappings, sp);
	if (!mapping)
		die("thread %d has no stack at %#" PRIx64, thread->tid, sp);
	uint64_t lo = mapping->start;
	if (session->threads.n == 1 && mapping->end - lo < MAX_STACK_BYTES)
		lo = mapping->end - MAX_STACK_BYTES;
	shadow_add_stack(&thread->shadow, lo, mapping->end);
}

static struct thread *add_thread(struct session *session, pid_t tid)
{
	struct thread thread = { .tid = tid };

	shadow_init(&thread.shadow, session->target);
	session->target->ops->regs(session->target, tid, &thread.cpu);
	if (!pd_vec_push(&session->threads, thread))
		die("no memory");
	struct thread *ret = &session->threads.data[session->threads.n - 1];
	add_first_stack(session, ret);
	shadow_begin(&ret->shadow, &ret->cpu);
	return ret;
}

/*
 * Restrict the stack of a thread to that of the goroutine that it runs: stacks of other goroutines are in the same mapping.
 * Since Go 1.17, r14 points to the runtime's description, which begins with the bounds of the stack. The caller of the
 * goroutine's first function is runtime.goexit.
 */
static void begin_goroutine(struct thread *thread)
{
	struct shadow *shadow = &thread->shadow;
	struct target *target = shadow->target;
	uint64_t g = thread->cpu.reg[X86_R14];

	shadow->stacks.n = 0;
	shadow_add_stack(
		shadow, target_word(target, g), target_word(target, g + target->arch->word));
	shadow_begin(shadow, &thread->cpu);
	shadow_adopt_caller(shadow, &thread->cpu);
}

/* Add the stacks that the program lists. */
static void add_listed_stacks(struct session *session, struct shadow *shadow)
{
	size_t word = session->target->arch->word;
	uint64_t at;

	if (!target_symbol(session->target, "corpus_stacks", &at))
		return;
	for (size_t i = 0; i < MAX_LISTED_STACKS; i++, at += 2 * word) {
		uint64_t lo = target_word(session->target, at);
		uint64_t hi = target_word(session->target, at + word);

		if (!hi)
			break;
		shadow_add_stack(shadow, lo, hi);
	}
}

static void take_sample(struct session *session, struct thread *thread)
{
	struct target *target = session->target;
	uint64_t sp = arch_sp(target->arch, &thread->cpu);
	uint64_t size = shadow_room(&thread->shadow, sp);

	if (size > session->opts->slice)
		size = session->opts->slice;
	size = target_read(target, sp, session->stack, size);
	if (target->ops->more_regs)
		target->ops->more_regs(target, &thread->cpu);
	target->ops->mappings(target, &session->mappings);
	recording_mappings(session->recording, target->pid, &session->mappings);
	shadow_chain(&thread->shadow, &thread->cpu, &session->chain);
	recording_sample(session->recording, target->pid, thread->tid, &thread->cpu, session->stack,
		size, &session->chain);
	session->n_samples++;
}

static void look_at_window(struct session *session, const struct thread *thread)
{
	uint64_t pc = arch_pc(session->target->arch, &thread->cpu);

	if (pc == session->begin && session->begin) {
		session->is_in_window = true;
		for (size_t i = 0; i < session->threads.n; i++)
			add_listed_stacks(session, &session->threads.data[i].shadow);
	}
	if (pc == session->end && session->end)
		session->is_in_window = false;
}

/*
 * Number of steps to the next sample. It grows as fewer samples are left, so that the first calls
 * are sampled at each instruction, and the end of the window is reached, too.
 */
static uint64_t interval_of(const struct session *session)
{
	enum { STAGES = 8 };
	uint64_t stage = session->n_samples * STAGES / session->opts->samples;

	return session->opts->every * (1 + 2 * stage);
}

static void consider_sample(struct session *session, struct thread *thread)
{
	look_at_window(session, thread);
	if (!session->is_in_window || session->n_in_window++ < session->next)
		return;
	session->next = session->n_in_window + interval_of(session) - 1;
	if (shadow_is_known(&thread->shadow))
		take_sample(session, thread);
	else
		session->n_unknown++;
}

static bool is_in_handler(const struct thread *thread)
{
	const struct shadow *shadow = &thread->shadow;

	for (size_t i = 0; i < shadow->stacks.n; i++) {
		const struct shadow_stack *stack = &shadow->stacks.data[i];
		for (size_t j = 0; j < stack->open.n; j++) {
			if (stack->open.data[j].is_signal)
				return true;
		}
	}
	return false;
}

static int choose_signal(const struct session *session, const struct thread *thread)
{
	uint64_t interval = session->opts->interrupt;

	return interval && session->is_in_window && session->n_in_window % interval == 0 &&
			       !is_in_handler(thread)
		       ? SIGUSR1
		       : 0;
}

static void take_step(struct session *session, struct thread *thread)
{
	struct cpu before = thread->cpu;

	session->target->ops->regs(session->target, thread->tid, &thread->cpu);
	if (thread->was_signalled)
		shadow_signal(&thread->shadow, &before, &thread->cpu);
	else
		shadow_step(&thread->shadow, &before, &thread->cpu);
	thread->was_signalled = false;
	session->n_steps++;
	consider_sample(session, thread);
}

static void go_on(struct session *session, struct thread *thread, int signal)
{
	thread->was_signalled = signal != 0;
	session->target->ops->step(session->target, thread->tid, signal);
}

static struct thread *stopped_thread(struct session *session, const struct target_event *event)
{
	struct thread *thread = find_thread(session, event->tid);

	if (!thread)
		die("thread %d stopped before it was born", event->tid);
	return thread;
}

static void handle(struct session *session, const struct target_event *event)
{
	struct thread *thread;

	switch (event->kind) {
	case TARGET_BORN:
		recording_fork(session->recording, session->target->pid, event->tid);
		go_on(session, add_thread(session, event->tid), 0);
		break;
	case TARGET_STEPPED:
		thread = stopped_thread(session, event);
		take_step(session, thread);
		go_on(session, thread, choose_signal(session, thread));
		break;
	case TARGET_SIGNALLED:
		thread = stopped_thread(session, event);
		take_step(session, thread);
		go_on(session, thread, event->signal);
		break;
	default:
		break;
	}
}

/* Return true if the window has ended or a limit is reached. */
static bool is_done(const struct session *session)
{
	const struct opts *opts = session->opts;

	return session->n_steps >= opts->steps || session->n_samples >= opts->samples ||
	       (session->n_in_window && !session->is_in_window && session->end);
}

static void find_window(struct session *session)
{
	const struct opts *opts = session->opts;

	session->is_in_window = strcmp(opts->begin, "-") == 0;
	if (!session->is_in_window && !target_symbol(session->target, opts->begin, &session->begin))
		die("%s has no %s", session->target->program, opts->begin);
	if (!target_symbol(session->target, opts->end, &session->end))
		session->end = 0;
}

static void run_to_start(struct session *session)
{
	const struct opts *opts = session->opts;
	struct target *target = session->target;
	pid_t tid = target->pid;
	struct image image;
	uint64_t pc;

	if (strcmp(opts->run_to, "-") != 0) {
		if (!*opts->run_to && image_read(target->program, &image))
			pc = image.entry + target->bias;
		else if (!target_symbol(target, opts->run_to, &pc))
			die("%s has no %s", target->program, opts->run_to);
		tid = target->ops->run_to(target, pc);
	}
	struct thread *thread = add_thread(session, tid);
	if (opts->goroutine)
		begin_goroutine(thread);
}

static void step_to(struct session *session, struct thread *thread, uint64_t pc)
{
	while (arch_pc(session->target->arch, &thread->cpu) != pc) {
		go_on(session, thread, 0);
		session->target->ops->wait(session->target);
		take_step(session, thread);
		if (session->n_steps >= session->opts->steps)
			die("%#" PRIx64 " is not reached", pc);
	}
}

/* Run to a function that the current one calls, directly or after a jump to another. */
static void run_to_callee(struct session *session, struct thread *thread, uint64_t pc)
{
	session->target->ops->run_to(session->target, pc);
	session->target->ops->regs(session->target, thread->tid, &thread->cpu);
	shadow_adopt_caller(&thread->shadow, &thread->cpu);
}

/*
 * Run to main at full speed. The open calls there are those of the C library's start-up functions,
 * each of which calls the next: step to the first, and take the callers of the others from where
 * the ABI puts return addresses.
 */
static void skip_startup(struct session *session)
{
	enum { FIRST, SECOND, MAIN, N_FUNCTIONS };
	static const char *const functions[N_FUNCTIONS] = { "__libc_start_main",
		"__libc_start_call_main", "main" };
	struct thread *thread = &session->threads.data[0];
	uint64_t pc[N_FUNCTIONS];

	for (size_t i = FIRST; i < N_FUNCTIONS; i++) {
		if (!target_symbol(session->target, functions[i], &pc[i]))
			die("%s has no %s", session->target->program, functions[i]);
	}
	step_to(session, thread, pc[FIRST]);
	for (size_t i = SECOND; i < N_FUNCTIONS; i++)
		run_to_callee(session, thread, pc[i]);
}

/*
 * Run through the program's preparations at full speed. main calls the function that begins the
 * window.
 */
static void skip_warm_up(struct session *session)
{
	struct thread *thread = &session->threads.data[0];
	uint64_t pc;

	if (!target_symbol(session->target, "main", &pc) || !session->begin)
		die("%s has no main or no window", session->target->program);
	step_to(session, thread, pc);
	run_to_callee(session, thread, session->begin);
}

static void run(struct session *session)
{
	struct target_event event;

	consider_sample(session, &session->threads.data[0]);
	go_on(session, &session->threads.data[0], 0);
	do {
		event = session->target->ops->wait(session->target);
		handle(session, &event);
	} while (event.kind != TARGET_EXITED && !is_done(session));
}

static void finish(struct session *session)
{
	recording_finish(session->recording);
	session->target->ops->destroy(session->target);
	for (size_t i = 0; i < session->threads.n; i++)
		shadow_deinit(&session->threads.data[i].shadow);
	pd_vec_deinit(&session->threads);
	pd_vec_deinit(&session->chain.frames);
	mappings_deinit(&session->mappings);
	free(session->stack);
}

/* The command line of qemu: its words, the option for the stub, and the program's. */
static char **qemu_argv(const char *qemu, char **argv, char *socket)
{
	char *copy = strdup(qemu); /* for as long as the program runs */
	char **words = calloc(MAX_QEMU_WORDS, sizeof(*words));
	size_t n = 0;

	if (!words || !copy)
		die("no memory");
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[n++] = word;
	words[n++] = "-g";
	words[n++] = socket;
	while (*argv && n + 1 < MAX_QEMU_WORDS)
		words[n++] = *argv++;
	return words;
}

static struct target *start_target(const struct opts *opts)
{
	struct target_opts target = {
		.arch = opts->arch,
		.argv = opts->argv,
		.program = opts->argv[0],
		.follow = opts->threads,
	};
	char socket[64];

	if (!opts->qemu)
		return target_ptrace(&target);
	snprintf(socket, sizeof(socket), "/tmp/stepper.%d", getpid());
	target.argv = qemu_argv(opts->qemu, opts->argv, socket);
	struct target *ret = target_gdbstub(&target, socket);
	unlink(socket);
	free(target.argv);
	return ret;
}

/* An option, and where its value is stored: a text, a number or a flag. */
struct option_row {
	const char *name;
	const char **text;
	uint64_t *number;
	bool *flag;
};

/* Return true if @arg is the option of @row. *at, its index in argv, then moves on to its value. */
static bool take_option(const struct option_row *row, char **argv, int *at)
{
	if (strcmp(argv[*at], row->name) != 0)
		return false;
	if (row->flag)
		return *row->flag = true;
	const char *value = argv[*at + 1];
	if (!value)
		return false;
	++*at;
	if (row->text)
		*row->text = value;
	else
		*row->number = strtoull(value, NULL, 0);
	return true;
}

static int take_options(char **argv, struct opts *opts, const char **arch)
{
	const struct option_row rows[] = {
		{ "--arch", .text = arch },
		{ "--qemu", .text = &opts->qemu },
		{ "--run-to", .text = &opts->run_to },
		{ "--goroutine", .flag = &opts->goroutine },
		{ "--skip-startup", .flag = &opts->skip_startup },
		{ "--warm-up", .flag = &opts->warm_up },
		{ "--begin", .text = &opts->begin },
		{ "--end", .text = &opts->end },
		{ "--every", .number = &opts->every },
		{ "--samples", .number = &opts->samples },
		{ "--steps", .number = &opts->steps },
		{ "--slice", .number = &opts->slice },
		{ "--interrupt", .number = &opts->interrupt },
		{ "--threads", .flag = &opts->threads },
	};
	int at = 1;

	for (; argv[at] && argv[at][0] == '-'; at++) {
		bool is_known = false;

		for (size_t i = 0; i < PD_ARRAY_LEN(rows) && !is_known; i++)
			is_known = take_option(&rows[i], argv, &at);
		if (!is_known)
			die("there is no option '%s'", argv[at]);
	}
	return at;
}

int main(int argc, char **argv)
{
	struct opts opts = { .run_to = "",
		.begin = "corpus_begin",
		.end = "corpus_end",
		.every = 1,
		.samples = 500,
		.steps = 4000000,
		.slice = 8192 };
	struct session session = { .opts = &opts };
	const char *arch = "x86_64";
	int at = take_options(argv, &opts, &arch);

	if (argc - at < 3)
		die("usage: stepper [OPTION]... RECORDING TRUTH PROGRAM [ARGUMENT]...");
	opts.arch = arch_find(arch);
	if (!opts.arch)
		die("unknown architecture '%s'", arch);
	opts.argv = argv + at + 2;
	session.recording = recording_create(opts.arch, argv[at], argv[at + 1], opts.slice);
	session.stack = malloc(opts.slice);
	session.target = start_target(&opts);
	recording_comm(session.recording, session.target->pid, "corpus");
	find_window(&session);
	run_to_start(&session);
	if (opts.skip_startup)
		skip_startup(&session);
	if (opts.warm_up)
		skip_warm_up(&session);
	run(&session);
	printf("%" PRIu64 " steps, %" PRIu64 " samples, %" PRIu64
	       " moments without a known chain\n",
		session.n_steps, session.n_samples, session.n_unknown);
	finish(&session);
	return 0;
}
