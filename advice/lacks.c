#include "advice/lacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/deleted.h"
#include "base/containers/map.h"
#include "profile/ahead.h"

enum { NO_TALLY = UINT32_MAX };

/* Properties of a frame: all that is read for each frame of each sample. */
struct mark {
	/** Refers to nothing if it is not known. */
	struct prof_binary_id binary;
	/** enum prof_runtime, PROF_N_RUNTIMES: none. */
	uint8_t interpreter;
	uint8_t script;
	bool is_generated;
	/** A location in a program, not in the kernel, or a mark. */
	bool is_user;
	/** The function is not known, which may be main(). */
	bool is_nameless;
	/** The function is called by the C library, not by the program. */
	bool is_start;
	/** The function goes on on another stack. */
	bool is_switch;
	/** Generated code without a name, although names were requested. */
	bool is_unnamed;
};

/* Samples of a runtime in a process. */
struct tally {
	enum prof_runtime runtime;
	uint32_t version;
	/** Next tally of the process, or NO_TALLY. */
	uint32_t next;
	/** Functions of programs have frames. */
	bool has_script;
	/** The program runs without the option that gives its code frame pointers. */
	bool lacks_frame_pointers;
	/** Stacks that could lack callers. */
	uint64_t n_stacks;
	uint64_t samples[ADVICE_N_LACKS];
};

struct process {
	uint32_t first;
	/** Tally of the one runtime that lacks names or callers; NO_TALLY if it is not clear. */
	uint32_t for_names;
	uint32_t for_callers;
};

struct counter {
	const struct profile *profile;
	struct advice_lacks *ret;
	/** Indexed by frame id. */
	struct mark *marks;
	/** Bitmap indexed by frame id: the frame belongs to a runtime. */
	uint64_t *runs;
	bool has_interpreters;
	/** Index in processes by process id. */
	struct base_map by_pid;
	PD_VEC(struct process) processes;
	PD_VEC(struct tally) tallies;
};

/* Properties of all frames of a sample. */
struct view {
	uint64_t interpreters;
	uint64_t scripts;
	bool is_generated;
	bool is_unnamed;
	/** Frames in mappings of the program. */
	uint32_t n_user;
	/** All frames. */
	uint32_t n;
	/** A frame is main(), starts a thread, or may do either. */
	bool has_start;
	/** The last frame switches to another stack. */
	bool ends_in_switch;
	bool ends_in_generated;
	/** Binary of the last frame; refers to nothing if it is not known. */
	struct prof_binary_id last;
};

_Static_assert(PROF_N_RUNTIMES <= 64, "runtimes are bits of struct view");

/*
 * Whether the file in memory (memfd_create) called @p name is a program: the kernel names the
 * process that executes it after it. Only that name begins without a slash.
 */
static bool is_program_in_memory(const struct profile *profile, const char *name)
{
	/** Most bytes of the name of a process in the kernel, without the NUL. */
	enum { COMM_LEN = 15 };
	static const char prefix[] = "/memfd:";

	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return false;
	const char *comm = name + 1;
	size_t len = base_undeleted_len(comm);
	len = len < COMM_LEN ? len : COMM_LEN;
	return base_intern_find(&profile->strings, comm, len) != PD_INTERN_NONE;
}

bool advice_is_generated_code(const struct profile *profile, const struct prof_binary *binary)
{
	const char *name = prof_string(profile, binary->name);

	if (binary->is_generated)
		return !binary->is_kernel;
	if (binary->is_kernel)
		return false;
	/* Names in brackets are those of the kernel: [vdso], or of guests. */
	if (!binary->has_image)
		return name[0] != '[' && !is_program_in_memory(profile, name);
	return !binary->is_found && prof_runtime_is_image(name);
}

/* Go names the ABI of functions in assembly, unless their names come from its own table. */
static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(names[i]);

		if (strncmp(name, names[i], len) == 0 &&
			(!name[len] || strcmp(name + len, ".abi0") == 0))
			return true;
	}
	return false;
}

/* Whether the function is at the base of a stack, whatever the chain has after it. */
static bool is_start(const char *name)
{
	static const char *const names[] = { "main", "_start", "__libc_start_main",
		"__libc_start_call_main", "__libc_init", "start_thread", "__pthread_start", "clone",
		"clone3", "__clone", "__clone3", "_dl_start", "runtime.main", "runtime.goexit",
		"runtime.mcall", "runtime.mstart", "runtime.rt0_go" };

	return is_one_of(name, names, PD_ARRAY_LEN(names));
}

/* Whether the function goes on on another stack, where the chain of frame pointers ends. */
static bool is_switch(const char *name)
{
	static const char *const names[] = { "runtime.morestack", "runtime.systemstack" };

	return is_one_of(name, names, PD_ARRAY_LEN(names));
}

static void mark_function(
	const struct profile *profile, struct prof_function_id id, struct mark *mark)
{
	const struct prof_function *function = prof_function(profile, id);
	const char *path = "";

	if (!prof_is_none(function->binary))
		path = prof_string(profile, prof_binary(profile, function->binary)->name);
	mark->interpreter =
		(uint8_t)prof_runtime_of_function(prof_string(profile, function->linkage), path);
	mark->is_start = is_start(prof_string(profile, function->linkage));
	mark->is_switch = is_switch(prof_string(profile, function->linkage));
	mark->script = (uint8_t)prof_runtime_of_script(prof_string(profile, function->name));
}

/* Recognize each distinct function once. */
static struct mark *mark_functions(const struct profile *profile)
{
	struct mark *marks = base_calloc_n(profile->functions.n, sizeof(*marks));

	for (struct prof_function_id id = { 0 }; marks && id.i < profile->functions.n; id.i++)
		mark_function(profile, id, &marks[id.i]);
	return marks;
}

static void mark_frame(struct counter *c, const struct mark *functions, struct prof_frame_id id)
{
	const struct prof_frame *frame = prof_frame(c->profile, id);
	struct mark *mark = &c->marks[id.i];
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(c->profile, id, &n);
	bool has_symbol = n && !prof_function(c->profile, lines[0].function)->made_size;

	*mark = (struct mark){
		.binary = frame->binary,
		.interpreter = PROF_N_RUNTIMES,
		.script = PROF_N_RUNTIMES,
	};
	if (!prof_is_none(frame->binary)) {
		const struct prof_binary *binary = prof_binary(c->profile, frame->binary);

		mark->is_generated = advice_is_generated_code(c->profile, binary);
		mark->is_user = !binary->is_kernel;
		mark->is_nameless = !has_symbol && mark->is_user && !mark->is_generated;
		mark->is_unnamed = !n && mark->is_generated && c->profile->frame_lines.n;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct mark *function = &functions[lines[i].function.i];

		if (function->interpreter != PROF_N_RUNTIMES)
			mark->interpreter = function->interpreter;
		if (function->script != PROF_N_RUNTIMES)
			mark->script = function->script;
		mark->is_start |= function->is_start;
		mark->is_switch |= function->is_switch;
	}
	c->has_interpreters |= mark->interpreter != PROF_N_RUNTIMES;
	if (mark->interpreter != PROF_N_RUNTIMES || mark->script != PROF_N_RUNTIMES)
		c->runs[id.i / 64] |= UINT64_C(1) << id.i % 64;
}

static bool mark_frames(struct counter *c)
{
	_cleanup_free_ struct mark *functions = mark_functions(c->profile);

	c->marks = base_calloc_n(c->profile->frames.n, sizeof(*c->marks));
	c->runs = calloc(c->profile->frames.n / 64 + 1, sizeof(*c->runs));
	if (!functions || !c->marks || !c->runs)
		return false;
	for (struct prof_frame_id id = { 0 }; id.i < c->profile->frames.n; id.i++)
		mark_frame(c, functions, id);
	return true;
}

static struct process *find_process(const struct counter *c, struct prof_thread_id thread)
{
	const uint64_t *at =
		c->processes.n ? base_map_find(&c->by_pid, prof_thread(c->profile, thread)->pid)
			       : NULL;

	return at ? &c->processes.data[*at] : NULL;
}

/* Return the tally of a runtime in a process, which is created if it is not known. */
static struct tally *get_tally(struct counter *c, uint32_t pid, enum prof_runtime runtime)
{
	const struct process fresh = { NO_TALLY, NO_TALLY, NO_TALLY };
	bool is_new;
	uint64_t *at = base_map_add(&c->by_pid, pid, &is_new);

	if (!at)
		return NULL;
	if (is_new) {
		*at = c->processes.n;
		if (!pd_vec_push(&c->processes, fresh))
			return NULL;
	}
	struct process *process = &c->processes.data[*at];
	for (uint32_t i = process->first; i != NO_TALLY; i = c->tallies.data[i].next) {
		if (c->tallies.data[i].runtime == runtime)
			return &c->tallies.data[i];
	}
	const struct tally tally = {
		.runtime = runtime,
		.next = process->first,
		.lacks_frame_pointers = advice_runtime_lacks_frame_pointers(
			runtime, prof_string(c->profile, c->profile->about.command)),
	};
	process->first = (uint32_t)c->tallies.n;
	return pd_vec_push(&c->tallies, tally) ? &c->tallies.data[process->first] : NULL;
}

static bool add_mapped(struct counter *c)
{
	for (size_t i = 0; i < c->profile->runtimes.n; i++) {
		const struct prof_runtime_use *use = &c->profile->runtimes.data[i];
		struct tally *tally = get_tally(c, use->pid, use->runtime);

		if (!tally)
			return false;
		tally->version = use->version;
	}
	return true;
}

static struct view look(const struct counter *c, struct prof_stack_id stack)
{
	struct view view = { .last = prof_no_binary() };
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(c->profile, stack, &n);

	view.n = n;
	for (uint32_t i = 0; i < n; i++) {
		const struct mark *mark = &c->marks[frames[i].i];

		if (mark->interpreter != PROF_N_RUNTIMES)
			view.interpreters |= 1ULL << mark->interpreter;
		if (mark->script != PROF_N_RUNTIMES)
			view.scripts |= 1ULL << mark->script;
		view.is_generated |= mark->is_generated;
		view.ends_in_generated = mark->is_generated;
		view.ends_in_switch = mark->is_switch;
		view.is_unnamed |= mark->is_unnamed;
		view.last = mark->binary;
		/* The function that ran is hardly ever main(). */
		view.has_start |= mark->is_start || (mark->is_nameless && view.n_user);
		view.n_user += mark->is_user;
	}
	return view;
}

/* Whether a frame of the stack belongs to a runtime. Few do, and the bitmap is in the cache. */
static bool has_runtime(const struct counter *c, struct prof_stack_id stack)
{
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(c->profile, stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		if (c->runs[frames[i].i / 64] >> frames[i].i % 64 & 1)
			return true;
	}
	return false;
}

/* Add the runtimes of a sample that only their functions show, and note those with scripts. */
static bool note_sample(struct counter *c, const struct prof_sample *sample)
{
	if (!has_runtime(c, sample->stack))
		return true;
	uint32_t pid = prof_thread(c->profile, sample->thread)->pid;
	struct view view = look(c, sample->stack);

	for (uint64_t left = view.interpreters | view.scripts; left; left &= left - 1) {
		int runtime = __builtin_ctzll(left);
		struct tally *tally = get_tally(c, pid, (enum prof_runtime)runtime);

		if (!tally)
			return false;
		tally->has_script |= view.scripts >> runtime & 1;
	}
	return true;
}

/* Find out which runtime of the process explains what generated code lacks. */
static uint32_t find_owner(const struct counter *c, const struct process *process, unsigned lack)
{
	uint32_t owner = NO_TALLY;

	for (uint32_t i = process->first; i != NO_TALLY; i = c->tallies.data[i].next) {
		if (!advice_remedy_exists(c->tallies.data[i].runtime, lack))
			continue;
		if (owner != NO_TALLY)
			return NO_TALLY;
		owner = i;
	}
	return owner;
}

static bool find_runtimes(struct counter *c)
{
	if (!add_mapped(c))
		return false;
	for (struct prof_sample_id id = { 0 }; c->has_interpreters && id.i < c->profile->samples.n;
		id.i++) {
		prof_load_stacks_after(c->profile, id);
		if (!note_sample(c, prof_sample(c->profile, id)))
			return false;
	}
	for (size_t i = 0; i < c->processes.n; i++) {
		struct process *process = &c->processes.data[i];

		process->for_names = find_owner(c, process, ADVICE_LACKS_NAMES);
		process->for_callers = find_owner(c, process, ADVICE_LACKS_CALLERS);
	}
	return true;
}

/* Whether the unwind ended early for a reason that its runtime may explain. */
static bool is_early_end(uint32_t end)
{
	return !pd_unwind_end_has_root(end) && end != PD_UNWIND_END_STACK_SHORT &&
	       end != PD_UNWIND_END_LIMIT && end != PD_UNWIND_END_NO_STACK &&
	       end < PD_N_UNWIND_ENDS;
}

/* Whether the stack is what was recorded, not unwound by pdconv. */
static bool has_recorded_stack(const struct profile *profile, const struct prof_sample *sample)
{
	return sample->end >= PD_N_UNWIND_ENDS && prof_event(profile, sample->event)->has_stacks;
}

/* Whether the kernel recorded the user stack by following frame pointers. */
static bool is_chain(
	const struct counter *c, const struct prof_sample *sample, const struct view *view)
{
	return view->n_user && has_recorded_stack(c->profile, sample);
}

/* Count a stack that could lack callers, and return whether it does. */
static bool lacks_callers(struct counter *c, struct tally *tally, const struct view *view,
	const struct prof_sample *sample, uint64_t times)
{
	uint32_t end = sample->end;
	bool is_cut = end == PD_UNWIND_END_STACK_SHORT;

	if (advice_runtime_has_no_stack(tally->runtime)) {
		bool is_endless = is_cut && advice_runtime_is_endless(tally->runtime);

		tally->n_stacks += times;
		c->ret->n_endless += is_endless ? times : 0;
		return is_endless || is_early_end(end) ||
		       (is_chain(c, sample, view) && !view->has_start);
	}
	tally->n_stacks += view->is_generated ? times : 0;
	if (end == PD_UNWIND_END_ROOT_DOUBTFUL)
		return view->is_generated;
	if (is_chain(c, sample, view) && view->is_generated && tally->lacks_frame_pointers)
		return true;
	/* The kernel does not say why the chains that it recorded end. */
	return view->ends_in_generated && (end >= PD_N_UNWIND_ENDS || is_early_end(end));
}

/* Count what a sample lacks. Returns ADVICE_LACKS_* that a runtime explains. */
static unsigned count_lacks(struct counter *c, const struct process *process,
	const struct view *view, const struct prof_sample *sample, uint64_t times)
{
	unsigned all = 0;

	for (uint32_t i = process->first; i != NO_TALLY; i = c->tallies.data[i].next) {
		struct tally *tally = &c->tallies.data[i];
		unsigned lacks = 0;

		if (!tally->has_script && view->interpreters >> tally->runtime & 1)
			lacks |= ADVICE_LACKS_FRAMES;
		if (i == process->for_names && view->is_unnamed)
			lacks |= ADVICE_LACKS_NAMES;
		if (i == process->for_callers && lacks_callers(c, tally, view, sample, times))
			lacks |= ADVICE_LACKS_CALLERS;
		tally->samples[lacks] += times;
		all |= lacks;
	}
	return all;
}

/* Whether the stack is most likely not the one that the processor uses for calls. */
static bool has_own_stack(
	const struct counter *c, const struct process *process, const struct view *view)
{
	if (!process || process->for_callers == NO_TALLY)
		return false;
	return view->is_generated ||
	       advice_runtime_has_no_stack(c->tallies.data[process->for_callers].runtime);
}

static void count_chain(struct counter *c, const struct process *process,
	const struct prof_sample *sample, const struct view *view, uint64_t times)
{
	/* Setting kernel.perf_event_max_stack. */
	enum { MOST_FRAMES = 127 };
	struct advice_chains *chains = &c->ret->chains;

	chains->n += times;
	if (view->has_start)
		return;
	chains->n_cut += times;
	chains->n_leaf_only += view->n_user == 1 ? times : 0;
	if (view->n >= MOST_FRAMES)
		chains->n_full += times;
	else if (view->ends_in_switch)
		chains->n_switched += times;
	else if (prof_event(c->profile, sample->event)->has_walked_chains)
		chains->n_walked += times;
	else if (!has_own_stack(c, process, view))
		c->ret->n_chains += times;
}

static void count_sample(struct counter *c, struct prof_sample_id id)
{
	const struct prof_sample *sample = prof_sample(c->profile, id);
	const struct process *process = find_process(c, sample->thread);
	uint64_t times = prof_value(c->profile, id)->samples;
	struct view view = look(c, sample->stack);
	unsigned lacks = process ? count_lacks(c, process, &view, sample, times) : 0;

	if (is_chain(c, sample, &view))
		count_chain(c, process, sample, &view, times);
	if (view.is_unnamed && !(lacks & ADVICE_LACKS_NAMES))
		c->ret->n_unnamed += times;
	if (sample->end == PD_UNWIND_END_NO_CFI && !(lacks & ADVICE_LACKS_CALLERS) &&
		!prof_is_none(view.last))
		c->ret->stuck[view.last.i] += times;
}

/*
 * A single unwind may end early for other reasons. The runtime is the reason only if it happens to
 * most of its stacks.
 */
static void check_callers(struct tally *tally)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < ADVICE_N_LACKS; i++)
		n += i & ADVICE_LACKS_CALLERS ? tally->samples[i] : 0;
	if (n >= tally->n_stacks - n)
		return;
	for (unsigned i = ADVICE_LACKS_CALLERS; i < ADVICE_N_LACKS; i++) {
		tally->samples[i & ~(unsigned)ADVICE_LACKS_CALLERS] += tally->samples[i];
		tally->samples[i] = 0;
	}
}

/* Add the tally of a process to those of the same version in other processes. */
static bool add_tally(const struct tally *tally, struct advice_lacks *ret)
{
	struct advice_lack *sum = NULL;

	for (size_t i = 0; i < ret->runtimes.n && !sum; i++) {
		struct advice_lack *other = &ret->runtimes.data[i];

		if (other->runtime == tally->runtime && other->version == tally->version)
			sum = other;
	}
	if (!sum) {
		const struct advice_lack fresh = { tally->runtime, tally->version, { 0 } };

		if (!pd_vec_push(&ret->runtimes, fresh))
			return false;
		sum = &ret->runtimes.data[ret->runtimes.n - 1];
	}
	for (unsigned i = 0; i < ADVICE_N_LACKS; i++)
		sum->samples[i] += tally->samples[i];
	return true;
}

static bool has_generated(const struct counter *c)
{
	for (size_t i = 0; i < c->profile->binaries.n; i++) {
		if (advice_is_generated_code(c->profile, &c->profile->binaries.data[i]))
			return true;
	}
	return false;
}

/* Whether any sample may lack something. In most recordings none does. */
static bool may_lack(const struct counter *c)
{
	if (c->processes.n || has_generated(c) || c->profile->stats.origins[PROF_STACK_RECORDED])
		return true;
	for (size_t i = 0; i < c->profile->binaries.n; i++) {
		if (c->profile->binaries.data[i].ends[PD_UNWIND_END_NO_CFI].samples)
			return true;
	}
	return false;
}

static bool count_all(struct counter *c)
{
	const struct profile *profile = c->profile;

	c->ret->stuck = base_calloc_n(profile->binaries.n, sizeof(*c->ret->stuck));
	if (!c->ret->stuck || !mark_frames(c) || !find_runtimes(c))
		return false;
	if (!may_lack(c))
		return true;
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		prof_load_stacks_after(profile, id);
		count_sample(c, id);
	}
	for (size_t i = 0; i < c->tallies.n; i++) {
		check_callers(&c->tallies.data[i]);
		if (!add_tally(&c->tallies.data[i], c->ret))
			return false;
	}
	return true;
}

struct pd_error *advice_lacks_count(const struct profile *profile, struct advice_lacks *ret)
{
	struct counter c = { .profile = profile, .ret = ret };

	*ret = (struct advice_lacks){ 0 };
	bool ok = count_all(&c);
	free(c.marks);
	free(c.runs);
	base_map_deinit(&c.by_pid);
	pd_vec_deinit(&c.processes);
	pd_vec_deinit(&c.tallies);
	if (ok)
		return NULL;
	advice_lacks_deinit(ret);
	return &pd_enomem;
}

void advice_lacks_deinit(struct advice_lacks *lacks)
{
	pd_vec_deinit(&lacks->runtimes);
	free(lacks->stuck);
	lacks->stuck = NULL;
}

/* Branch records hold only the last calls, never the start of a stack. */
static enum advice_chain_end find_chain_end(const struct counter *c, struct prof_stack_id stack)
{
	struct view view = look(c, stack);

	if (!view.n_user)
		return ADVICE_CHAIN_NONE;
	if (!c->profile->stats.origins[PROF_STACK_RECORDED])
		return ADVICE_CHAIN_BRANCHES;
	return view.has_start ? ADVICE_CHAIN_ROOTED : ADVICE_CHAIN_CUT;
}

struct pd_error *advice_chain_ends_find(
	const struct profile *profile, struct advice_chain_ends *ret)
{
	const uint64_t *sources = profile->stats.origins;
	struct counter c = { .profile = profile };

	*ret = (struct advice_chain_ends){ 0 };
	if (!sources[PROF_STACK_RECORDED] && !sources[PROF_STACK_BRANCHES])
		return NULL;
	ret->by_stack = base_calloc_n(profile->stacks.n, sizeof(*ret->by_stack));
	bool ok = ret->by_stack && mark_frames(&c);
	for (struct prof_stack_id id = { 0 }; ok && id.i < profile->stacks.n; id.i++)
		ret->by_stack[id.i] = (uint8_t)find_chain_end(&c, id);
	free(c.marks);
	free(c.runs);
	if (ok)
		return NULL;
	advice_chain_ends_deinit(ret);
	return &pd_enomem;
}

void advice_chain_ends_deinit(struct advice_chain_ends *ends)
{
	free(ends->by_stack);
	ends->by_stack = NULL;
}

enum advice_chain_end advice_chain_end_of(const struct profile *profile,
	const struct advice_chain_ends *ends, const struct prof_sample *sample)
{
	if (!ends->by_stack || !has_recorded_stack(profile, sample))
		return ADVICE_CHAIN_NONE;
	return (enum advice_chain_end)ends->by_stack[sample->stack.i];
}

const char *advice_chain_end_text(enum advice_chain_end end)
{
	static const char *const texts[ADVICE_N_CHAIN_ENDS] = {
		[ADVICE_CHAIN_NONE] = "no recorded call chain",
		[ADVICE_CHAIN_ROOTED] =
			"recorded call chain that reaches main or the start of a thread",
		[ADVICE_CHAIN_CUT] =
			"recorded call chain that does not reach main or the start of a thread",
		[ADVICE_CHAIN_BRANCHES] = "stack from branch records of the processor",
	};

	return texts[end];
}
