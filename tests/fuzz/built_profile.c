#include "tests/fuzz/built_profile.h"

#include <stdlib.h>

#include "base/array.h"
#include "profile/known_runtimes.h"
#include "profile/store.h"

/* Each call takes its arguments from the input, and refers to what was added before. */
typedef void add_fn(struct fuzz_input *in, struct profile *p);

static struct prof_string_id take_string(struct fuzz_input *in, const struct profile *p)
{
	return (struct prof_string_id){ (uint32_t)fuzz_choice(in, p->strings.n) };
}

/* Take the number of one of @p n things, or of none. */
static uint32_t take_id(struct fuzz_input *in, size_t n)
{
	size_t i = fuzz_choice(in, (n < 255 ? n : 255) + 1);

	return i < n ? (uint32_t)i : PROF_NONE;
}

static void add_string(struct fuzz_input *in, struct profile *p)
{
	struct fuzz_input text = fuzz_take(in, fuzz_byte(in));
	char *copy = fuzz_text(&text);

	/* Strings of a profile have no NUL inside. */
	prof_add_string(p, copy);
	free(copy);
}

static void add_binary(struct fuzz_input *in, struct profile *p)
{
	uint8_t flags = fuzz_byte(in), more = fuzz_byte(in);
	struct prof_binary binary = {
		.name = take_string(in, p),
		.why = take_string(in, p),
		.build_id = { .len = (uint8_t)fuzz_choice(in, PD_BUILD_ID_MAX + 1) },
		.is_kernel = flags & 1,
		.is_generated = flags & 2,
		.has_image = flags & 4,
		.is_found = flags & 8,
		.is_absent = flags & 16,
		.lacks_cfi = flags & 32,
		.has_lines = flags & 64,
		.is_mismatched = flags & 128,
		.is_go = more & 1,
		.is_id_found = more & 2,
		.is_id_refuted = more & 8,
		.has_unusable_debug_frame = more & 4,
		.start = fuzz_number(in, 2),
		.limit = fuzz_number(in, 2),
		.offset = fuzz_number(in, 2),
		.load_addr = fuzz_number(in, 1),
	};

	binary.ref_symbol = take_string(in, p);
	binary.jitdump = take_string(in, p);
	binary.ends[fuzz_choice(in, PD_N_UNWIND_ENDS)].samples = fuzz_byte(in);
	prof_add_binary(p, &binary);
}

static void add_function(struct fuzz_input *in, struct profile *p)
{
	const struct prof_function function = {
		.name = take_string(in, p),
		.linkage = take_string(in, p),
		.file = take_string(in, p),
		.start_line = fuzz_byte(in),
		.binary = { take_id(in, p->binaries.n) },
	};

	prof_add_function(p, &function);
}

/* Lines of a new frame, so that all frames have some, or none. */
static void add_lines(struct fuzz_input *in, struct profile *p)
{
	struct prof_lines lines = { .first = (uint32_t)p->lines.n };
	struct prof_frame_offset offset = { .in_file = fuzz_byte(in) };

	offset.has_file = offset.in_file & 1;
	offset.has_symbol = offset.in_file & 2;
	for (size_t n = p->functions.n ? fuzz_choice(in, 4) : 0; lines.n < n; lines.n++) {
		struct prof_line line = { { (uint32_t)fuzz_choice(in, p->functions.n) },
			fuzz_byte(in), fuzz_byte(in) };

		if (!pd_vec_push(&p->lines, line))
			abort();
	}
	if (!pd_vec_push(&p->frame_lines, lines) || !pd_vec_push(&p->frame_offsets, offset))
		abort();
}

static void add_frame(struct fuzz_input *in, struct profile *p)
{
	const struct prof_frame frame = {
		.addr = fuzz_number(in, fuzz_choice(in, 9)),
		.binary = { take_id(in, p->binaries.n) },
		.flags = fuzz_byte(in) &
			 (PROF_FRAME_BY_FP | PROF_FRAME_JOINED | PROF_FRAME_TRUNCATED |
				 PROF_FRAME_STITCHED | PROF_FRAME_ROOT),
	};

	if (prof_add_frame(p, &frame).i == p->frame_lines.n)
		add_lines(in, p);
}

static void add_stack(struct fuzz_input *in, struct profile *p)
{
	struct prof_frame_id frames[16];
	size_t n = p->frames.n ? fuzz_choice(in, PD_ARRAY_LEN(frames) + 1) : 0;

	for (size_t i = 0; i < n; i++)
		frames[i].i = (uint32_t)fuzz_choice(in, p->frames.n);
	prof_add_stack(p, frames, n);
}

static void add_thread(struct fuzz_input *in, struct profile *p)
{
	const struct prof_thread thread = {
		.pid = fuzz_byte(in),
		.tid = fuzz_byte(in),
		.comm = take_string(in, p),
	};

	prof_add_thread(p, &thread);
}

static void add_event(struct fuzz_input *in, struct profile *p)
{
	uint8_t flags = fuzz_byte(in);
	const struct prof_event event = {
		.name = take_string(in, p),
		.unit = flags & 1 ? prof_add_string(p, "nanoseconds") : take_string(in, p),
		.kind = (enum prof_event_kind)fuzz_choice(in, PROF_N_EVENT_KINDS),
		.fields = (uint32_t)fuzz_number(in, 3),
		.is_wanted = flags & 2,
		.has_stacks = flags & 4,
		.is_page_fault = flags & 8,
		.is_bpf_output = flags & 16,
		.is_dummy = flags & 32,
		.leader = (uint32_t)fuzz_choice(in, p->events.n + 1),
		.period_ns = fuzz_number(in, 2),
		.sample_period = fuzz_byte(in),
	};

	prof_add_event(p, &event);
}

static void add_tags(struct fuzz_input *in, struct profile *p)
{
	struct prof_tags tags = {
		.cpu = take_id(in, 8),
		.cgroup = take_string(in, p),
		.input = take_string(in, p),
		.labels = prof_no_labels(),
	};
	const struct prof_string_id labels[] = { take_string(in, p), take_string(in, p) };

	if (fuzz_bool(in))
		tags.labels = prof_add_labels(p, labels, PD_ARRAY_LEN(labels));
	prof_add_tags(p, &tags);
}

static void add_sample(struct fuzz_input *in, struct profile *p)
{
	if (!p->stacks.n || !p->threads.n || !p->events.n)
		return;
	const struct prof_sample sample = {
		.stack = { (uint32_t)fuzz_choice(in, p->stacks.n) },
		.thread = { p->threads.n ? (uint32_t)fuzz_choice(in, p->threads.n) : 0 },
		.event = { (uint32_t)fuzz_choice(in, p->events.n) },
		.end = (uint32_t)fuzz_choice(in, PD_N_UNWIND_ENDS + 1),
		.tags = { take_id(in, p->tags.n) },
	};
	const struct prof_value value = { 1, fuzz_number(in, fuzz_choice(in, 9)) };
	uint64_t time = fuzz_bool(in) ? PD_NO_TIME : fuzz_number(in, 4);

	pd_error_destroy(prof_add_samples(p, &sample, time, &value, NULL));
	p->stats.n_samples++;
}

/* Registers as u64: the ABI, the mask and the values. */
static struct prof_bytes_id take_regs(struct fuzz_input *in, struct profile *p)
{
	uint64_t regs[6] = { fuzz_byte(in), fuzz_number(in, 8) };

	return prof_add_bytes(p, regs, fuzz_choice(in, 7) * sizeof(*regs));
}

static struct prof_bytes_id take_branches(struct fuzz_input *in, struct profile *p)
{
	struct prof_branch branches[4];
	size_t n = fuzz_choice(in, PD_ARRAY_LEN(branches) + 1);

	for (size_t i = 0; i < n; i++) {
		branches[i] = (struct prof_branch){
			.from = fuzz_number(in, 2),
			.to = fuzz_number(in, 2),
			.flags = fuzz_number(in, 8),
			.from_frame = { take_id(in, p->frames.n) },
			.to_frame = { take_id(in, p->frames.n) },
		};
	}
	return prof_add_bytes(p, branches, n * sizeof(*branches));
}

static void add_detail(struct fuzz_input *in, struct profile *p)
{
	struct fuzz_input raw = fuzz_take(in, fuzz_byte(in));
	struct prof_detail detail = {
		.addr = fuzz_number(in, 2),
		.weight = fuzz_number(in, fuzz_choice(in, 9)),
		.data_src = fuzz_number(in, 8),
		.phys_addr = fuzz_number(in, 2),
		.data_page_size = fuzz_number(in, 2),
		.code_page_size = fuzz_number(in, 2),
		.transaction = fuzz_number(in, 8),
		.addr_frame = { take_id(in, p->frames.n) },
	};

	detail.regs_user = take_regs(in, p);
	detail.regs_intr = take_regs(in, p);
	detail.branches = take_branches(in, p);
	detail.raw = prof_add_bytes(p, raw.bytes, raw.size);
	if (!pd_vec_push(&p->details, detail))
		abort();
}

static struct prof_pcs_id take_pcs(struct fuzz_input *in, struct profile *p)
{
	uint64_t pcs[8];
	size_t n = fuzz_choice(in, PD_ARRAY_LEN(pcs) + 2);

	if (n > PD_ARRAY_LEN(pcs))
		return prof_no_pcs();
	for (size_t i = 0; i < n; i++)
		pcs[i] = fuzz_number(in, 2);
	return prof_add_pcs(p, pcs, n);
}

static void add_origin(struct fuzz_input *in, struct profile *p)
{
	const struct prof_origin origin = {
		.key = { .offset = fuzz_number(in, 2) },
		.chain = take_pcs(in, p),
	};

	if (p->origins.n + 1 == p->rows.n && !pd_vec_push(&p->origins, origin))
		abort();
}

static struct prof_trace_text_id take_trace_text(struct fuzz_input *in, struct profile *p)
{
	const char *text = prof_string(p, take_string(in, p));

	return prof_add_trace_text(p, text, strlen(text));
}

static void add_row(struct fuzz_input *in, struct profile *p)
{
	if (!p->samples.n)
		return;
	struct prof_row row = {
		.time = fuzz_bool(in) ? fuzz_number(in, 4) : UINT64_MAX,
		.period = fuzz_number(in, 2),
		.sample = { (uint32_t)fuzz_choice(in, p->samples.n) },
		.cpu = take_id(in, 8),
		.trace = take_trace_text(in, p),
	};
	row.pcs = take_pcs(in, p);
	if (!pd_vec_push(&p->rows, row))
		abort();
	add_origin(in, p);
	if (p->details.n + 1 == p->rows.n && fuzz_bool(in))
		add_detail(in, p);
}

static struct prof_note_text_id take_note_text(struct fuzz_input *in, struct profile *p)
{
	const char *text = prof_string(p, take_string(in, p));

	return prof_add_note_text(p, text, strlen(text));
}

static void add_note(struct fuzz_input *in, struct profile *p)
{
	const struct prof_note note = {
		.time = fuzz_number(in, 4),
		.pid = fuzz_byte(in),
		.tid = fuzz_byte(in),
		.cpu = take_id(in, 8),
		.row = (uint32_t)p->rows.n,
		.event = { take_id(in, p->events.n) },
		.comm = take_note_text(in, p),
		.text = take_note_text(in, p),
	};

	if (!pd_vec_push(&p->notes, note))
		abort();
}

static void add_wait(struct fuzz_input *in, struct profile *p)
{
	if (!p->samples.n)
		return;
	uint32_t woken_by = (uint32_t)fuzz_choice(in, PROF_N_WOKEN_BY);
	const struct prof_wait wait = {
		.sample = { (uint32_t)fuzz_choice(in, p->samples.n) },
		.waker = { woken_by == PROF_WOKEN_BY_SAMPLE
				   ? (uint32_t)fuzz_choice(in, p->samples.n)
				   : PROF_NONE },
		.state = (uint32_t)fuzz_choice(in, PROF_N_WAIT_STATES),
		.woken_by = woken_by,
		.n = fuzz_byte(in),
		.total_ns = fuzz_number(in, 4),
		.delay_ns = fuzz_number(in, 3),
		.blocked_ns = fuzz_number(in, 3),
	};
	if (!pd_vec_push(&p->waits, wait))
		abort();
}

static void add_interval(struct fuzz_input *in, struct profile *p)
{
	const struct prof_interval_kind kind = {
		.name = { p->strings.n ? (uint32_t)fuzz_choice(in, p->strings.n) : 0 },
		.is_of_threads = p->threads.n && fuzz_byte(in) & 1,
		.n_unended = fuzz_byte(in),
		.n_restarted = fuzz_byte(in),
	};

	if (!p->strings.n)
		return;
	if (!p->interval_kinds.n || fuzz_byte(in) < 64) {
		if (!pd_vec_push(&p->interval_kinds, kind))
			abort();
	}
	uint32_t i = (uint32_t)fuzz_choice(in, p->interval_kinds.n);
	const struct prof_interval interval = {
		.begin_ns = fuzz_number(in, 4),
		.ns = fuzz_number(in, 3),
		.kind = (uint16_t)i,
		.label = { fuzz_byte(in) & 1 ? (uint32_t)fuzz_choice(in, p->strings.n)
					     : PROF_NONE },
		.thread = { p->interval_kinds.data[i].is_of_threads
				    ? (uint32_t)fuzz_choice(in, p->threads.n)
				    : PROF_NONE },
		.has_failed = fuzz_byte(in) & 1,
		.stack = { p->stacks.n ? (uint32_t)fuzz_choice(in, p->stacks.n) : PROF_NONE },
	};
	struct pd_error *err = base_spill_push(&p->intervals, interval);
	if (err)
		abort();
}

static void add_ledger(struct fuzz_input *in, struct profile *p)
{
	const struct prof_ledger ledger = {
		.end_ns = fuzz_number(in, 4),
		.has_switches = fuzz_byte(in) & 1,
		.has_waits = fuzz_byte(in) & 1,
		.has_wakes = fuzz_byte(in) & 1,
	};
	const struct prof_ledger_thread thread = {
		.thread = { p->threads.n ? (uint32_t)fuzz_choice(in, p->threads.n) : 0 },
		.cgroup = prof_no_string(),
		.is_older = fuzz_byte(in) & 1,
		.life_ns = fuzz_number(in, 4),
		.ns = { fuzz_number(in, 3), fuzz_number(in, 3), fuzz_number(in, 3) },
	};
	const struct prof_ledger_cpu cpu = {
		.cpu = fuzz_byte(in),
		.wall_ns = fuzz_number(in, 4),
		.ns = { fuzz_number(in, 3), fuzz_number(in, 3) },
	};

	const struct prof_ledger_change change = {
		.time_ns = fuzz_number(in, 3),
		.thread = thread.thread,
		.by = fuzz_byte(in) & 1 ? thread.thread : prof_no_thread(),
		.cpu = fuzz_byte(in) & 1 ? fuzz_byte(in) : PROF_NONE,
		.from = (uint8_t)fuzz_choice(in, PROF_LEDGER_GONE + 1),
		.to = (uint8_t)fuzz_choice(in, PROF_LEDGER_GONE + 1),
		.is_disk = fuzz_byte(in) & 1,
	};

	if (!p->threads.n)
		return;
	if (!pd_vec_push(&p->ledgers, ledger) || !pd_vec_push(&p->ledger_threads, thread) ||
		!pd_vec_push(&p->ledger_cpus, cpu))
		abort();
	struct pd_error *err = base_spill_push(&p->ledger_changes, change);
	if (err)
		abort();
}

static void add_phase(struct fuzz_input *in, struct profile *p)
{
	bool has_waker = fuzz_byte(in) & 1;
	const struct prof_ledger_phase phase = {
		.life = p->ledger_threads.n ? (uint32_t)fuzz_choice(in, p->ledger_threads.n) : 0,
		.waker =
			has_waker && p->threads.n ? (struct prof_thread_id){ 0 } : prof_no_thread(),
		.state = (uint16_t)fuzz_choice(in, PROF_N_LEDGER_STATES),
		.is_woken = has_waker,
		.begin_ns = fuzz_number(in, 3),
		.ns = fuzz_number(in, 3) + 1,
	};

	if (!p->ledger_threads.n)
		return;
	struct pd_error *err = base_spill_push(&p->ledger_phases, phase);
	if (err)
		abort();
}

static void add_mapping(struct fuzz_input *in, struct profile *p)
{
	const struct prof_mapping mapping = {
		.time = fuzz_byte(in) & 1 ? fuzz_number(in, 3) : PD_NO_TIME,
		.start = fuzz_number(in, 8),
		.size = fuzz_number(in, 4),
		.pid = fuzz_byte(in) & 1 ? fuzz_byte(in) : UINT32_MAX,
		.prot = fuzz_byte(in),
		.name = { p->strings.n ? (uint32_t)fuzz_choice(in, p->strings.n) : 0 },
		.binary = { p->binaries.n ? (uint32_t)fuzz_choice(in, p->binaries.n) : PROF_NONE },
	};

	if (p->strings.n && !pd_vec_push(&p->mappings, mapping))
		abort();
}

static void add_path(struct fuzz_input *in, struct profile *p)
{
	uint32_t thread = p->threads.n ? (uint32_t)fuzz_choice(in, p->threads.n) : 0;
	const struct prof_path path = { .thread = { thread }, .ns = fuzz_number(in, 3) };
	bool has_thread = fuzz_byte(in) & 1;
	const struct prof_path_step step = {
		.thread = { thread },
		.instead = has_thread ? (struct prof_thread_id){ thread } : prof_no_thread(),
		.state = (uint16_t)fuzz_choice(in, PROF_N_LEDGER_STATES),
		.instead_kind = has_thread ? PROF_INSTEAD_THREAD : PROF_INSTEAD_IDLE,
		.path = (uint32_t)p->paths.n,
		.since_ns = fuzz_number(in, 3),
		.begin_ns = fuzz_number(in, 3),
		.end_ns = fuzz_number(in, 3),
		.until_ns = fuzz_number(in, 3),
	};

	if (!p->threads.n)
		return;
	if (!pd_vec_push(&p->paths, path) || !pd_vec_push(&p->path_steps, step))
		abort();
}

static void add_runtime(struct fuzz_input *in, struct profile *p)
{
	const struct prof_runtime_use use = {
		.pid = fuzz_byte(in),
		.runtime = (uint32_t)fuzz_choice(in, PROF_N_RUNTIMES),
		.version = (uint32_t)fuzz_number(in, 2),
	};

	if (!pd_vec_push(&p->runtimes, use))
		abort();
}

static void add_socket(struct fuzz_input *in, struct profile *p)
{
	uint32_t socket = take_id(in, 4);

	if (!pd_vec_push(&p->sockets, socket))
		abort();
}

static void add_about(struct fuzz_input *in, struct profile *p)
{
	p->arch = fuzz_arch(in);
	p->about.host = take_string(in, p);
	p->about.kernel_release = take_string(in, p);
	p->about.command = take_string(in, p);
	p->about.description = take_string(in, p);
	p->about.n_cpus = fuzz_byte(in);
	p->about.start_ns = fuzz_number(in, 8);
	p->stats.first_ns = fuzz_number(in, 4);
	p->stats.last_ns = p->stats.first_ns + fuzz_number(in, 4);
	p->stats.n_lost_samples = fuzz_byte(in);
	p->stats.n_frames = fuzz_byte(in);
}

/* Parts that are needed most often are several times in the list. */
static add_fn *const calls[] = { add_string, add_string, add_binary, add_function, add_function,
	add_frame, add_frame, add_stack, add_stack, add_thread, add_event, add_tags, add_sample,
	add_sample, add_sample, add_row, add_row, add_note, add_wait, add_interval, add_ledger,
	add_phase, add_path, add_mapping, add_runtime, add_socket, add_about };

struct profile *fuzz_build_profile(struct fuzz_input *in)
{
	struct profile *profile;
	struct pd_error *err = prof_create(&profile);

	if (err)
		abort();
	while (in->size)
		calls[fuzz_choice(in, PD_ARRAY_LEN(calls))](in, profile);
	if (!prof_store_is_sound(profile))
		__builtin_trap();
	return profile;
}
