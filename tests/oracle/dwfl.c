/*
 * Compare our unwinding with libdwfl's for every user stack of a recording. usage: dwfl FILE
 * [LIMIT]
 *
 * The recorded programs must be at their recorded paths. Prints totals, and each kind of difference
 * with an example. Then unwinds all stacks by libdwfl again, with everything read, and prints its
 * CPU time per frame. LIMIT is the maximum number of samples.
 *
 * Each state of an address space has a Dwfl. Modules have unique names, because libdwfl drops one
 * of two with the same name. libdwfl reads only the captured stack.
 */
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pdconv/cursor.h>
#include <pdconv/reader.h>

#include "base/arch.h"
#include "base/cleanup.h"
#include "parse/open_file.h"
#include "resolve/resolve.h"
#include "parse/space/space.h"

enum { MAX_FRAMES = 1024, N_SLOTS = 8192, MAX_KINDS = 64, MAX_EXAMPLES = 3 };

/* Our chain of a sample. */
struct own {
	size_t first_pc;
	uint32_t n;
	uint8_t end;
	/* First frame found by frame pointers. */
	uint32_t first_by_fp;
};

struct kind {
	char text[160];
	uint64_t n;
};

/* The Dwfl of one state of one process. */
struct slot {
	uint64_t maps_id;
	Dwfl *dwfl;
};

struct comparison {
	struct pd_file *file;
	struct parse_space *space;
	PD_VEC(struct own) own;
	PD_VEC(uint64_t) pcs;
	struct slot slots[N_SLOTS];
	/* Current sample. */
	struct pd_sample sample;
	const struct parse_maps *maps;
	uint64_t stack_start;
	uint64_t theirs[MAX_FRAMES];
	size_t n_theirs;
	/* Totals. */
	uint64_t n_stacks;
	uint64_t n_equal;
	uint64_t n_theirs_shorter;
	uint64_t n_frames;
	uint64_t limit;
	/* The second pass. */
	bool is_timed;
	double seconds;
	struct kind kinds[MAX_KINDS];
	size_t n_kinds;
};

static void remember(void *ctx, const struct profile *profile, const struct pd_sample *sample,
	const struct resolve_chain *chain)
{
	struct comparison *c = ctx;
	struct own own = {
		.first_pc = c->pcs.n,
		.end = (uint8_t)chain->end,
		.first_by_fp = UINT32_MAX,
	};

	(void)sample;
	if (chain->origin != PROF_STACK_UNWOUND)
		own.end = PD_N_UNWIND_ENDS;
	for (size_t i = chain->n_system; i < chain->n; i++) {
		const struct prof_frame *frame = prof_frame(profile, chain->frames[i]);

		if (frame->flags & PROF_FRAME_BY_FP && own.first_by_fp == UINT32_MAX)
			own.first_by_fp = own.n;
		own.n += pd_vec_push(&c->pcs, chain->pcs[i]);
	}
	if (!pd_vec_push(&c->own, own))
		exit(1);
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return (pid_t)((struct comparison *)arg)->sample.tid;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
	struct comparison *c = arg;
	uint64_t off = addr - c->stack_start;

	(void)dwfl;
	if (off > c->sample.stack_user.bytes.n || c->sample.stack_user.bytes.n - off < 8)
		return false;
	*result = pd_load_u64(c->sample.stack_user.bytes.data + off, c->file->swap);
	return true;
}

static bool find_reg(const struct pd_sample *sample, unsigned perf, uint64_t *ret)
{
	uint64_t bit = UINT64_C(1) << perf;

	if (!(sample->regs_user.mask & bit))
		return false;
	*ret = pd_view_u64(&sample->regs_user.values,
		(uint64_t)__builtin_popcountll(sample->regs_user.mask & (bit - 1)));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	enum { N_REGS = 17 };
	struct comparison *c = arg;
	Dwarf_Word regs[N_REGS] = { 0 };

	for (size_t i = 0; i < base_arch_x86_64.n_regs; i++) {
		const struct pd_reg *reg = &base_arch_x86_64.regs[i];

		if (reg->dwarf < N_REGS)
			find_reg(&c->sample, reg->perf, &regs[reg->dwarf]);
	}
	return dwfl_thread_state_registers(thread, 0, N_REGS, regs);
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct comparison *c = arg;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL) || c->n_theirs == MAX_FRAMES)
		return DWARF_CB_ABORT;
	c->theirs[c->n_theirs++] = pc;
	return DWARF_CB_OK;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static void report_mapping(Dwfl *dwfl, const struct parse_mapping *mapping)
{
	char name[64];
	uint64_t base = mapping->start - mapping->pgoff;

	if (mapping->dso->name[0] != '/' || strncmp(mapping->dso->name, "//", 2) == 0)
		return;
	snprintf(name, sizeof(name), "%" PRIx64, mapping->start);
	if (!dwfl_addrmodule(dwfl, mapping->start))
		dwfl_report_elf(dwfl, name, mapping->dso->name, -1, base, false);
}

static Dwfl *dwfl_of(struct comparison *c)
{
	struct slot *slot = &c->slots[c->maps->id % N_SLOTS];

	if (slot->maps_id == c->maps->id)
		return slot->dwfl;
	dwfl_end(slot->dwfl);
	slot->maps_id = c->maps->id;
	slot->dwfl = dwfl_begin(&callbacks);
	dwfl_report_begin(slot->dwfl);
	for (const struct parse_maps_entry *e = NULL; (e = parse_maps_next(c->maps, e));)
		report_mapping(slot->dwfl, e->mapping);
	dwfl_report_end(slot->dwfl, NULL, NULL);
	if (!dwfl_attach_state(slot->dwfl, NULL, (pid_t)c->sample.pid, &thread_callbacks, c)) {
		dwfl_end(slot->dwfl);
		slot->dwfl = NULL;
	}
	return slot->dwfl;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char *binary_at(const struct comparison *c, uint64_t pc)
{
	const struct parse_mapping *mapping = parse_maps_find(c->maps, pc);

	return mapping ? mapping->dso->name : "no mapping";
}

static void note(struct comparison *c, const struct own *own, const char *what, size_t common)
{
	char text[sizeof(c->kinds[0].text)];
	const uint64_t *pcs = &c->pcs.data[own->first_pc];
	size_t i = 0;

	snprintf(text, sizeof(text), "%s, in %.80s (we: %.40s)", what,
		binary_at(c, common ? pcs[common - 1] : pcs[0]), pd_unwind_end_text(own->end));
	while (i < c->n_kinds && strcmp(c->kinds[i].text, text) != 0)
		i++;
	if (i == MAX_KINDS)
		return;
	if (i == c->n_kinds)
		memcpy(c->kinds[c->n_kinds++].text, text, sizeof(text));
	if (c->kinds[i].n++ >= MAX_EXAMPLES)
		return;
	fprintf(stderr, "%s\n  %" PRIu32 "/%" PRIu32 " %" PRIu64 "\n", text, c->sample.pid,
		c->sample.tid, c->sample.time);
	for (size_t k = common ? common - 1 : 0; k < common + 3; k++) {
		uint64_t we = k < own->n ? pcs[k] : 0, they = k < c->n_theirs ? c->theirs[k] : 0;

		fprintf(stderr, "  %zu: %" PRIx64 " %s | %" PRIx64 " %s\n", k, we,
			we ? binary_at(c, we) : "", they, they ? binary_at(c, they) : "");
	}
}

static void compare(struct comparison *c, const struct own *own)
{
	const uint64_t *pcs = &c->pcs.data[own->first_pc];
	size_t common = 0;

	/* libdwfl reports a return address of 0, and the address of an undefined one, as frames. */
	while (c->n_theirs > own->n && c->theirs[c->n_theirs - 1] == 0)
		c->n_theirs--;
	while (common < own->n && common < c->n_theirs && pcs[common] == c->theirs[common])
		common++;
	if (common == own->n && common == c->n_theirs) {
		c->n_equal++;
	} else if (common == c->n_theirs) {
		c->n_theirs_shorter++;
		note(c, own,
			own->first_by_fp == common ? "libdwfl ends where frame pointers lead on"
						   : "libdwfl ends, we go on",
			common);
	} else {
		note(c, own, common == own->n ? "we end, libdwfl goes on" : "another caller",
			common);
	}
}

static void walk(struct comparison *c, Dwfl *dwfl)
{
	c->n_theirs = 0;
	if (dwfl)
		dwfl_getthread_frames(dwfl, (pid_t)c->sample.tid, add_frame, c);
}

static void check_sample(struct comparison *c, const struct own *own)
{
	Dwfl *dwfl = dwfl_of(c);

	c->stack_start = 0;
	find_reg(&c->sample, 7, &c->stack_start);
	double start = cpu_seconds();
	walk(c, dwfl);
	c->n_stacks++;
	if (c->is_timed) {
		c->seconds += cpu_seconds() - start;
		c->n_frames += c->n_theirs;
	} else {
		compare(c, own);
	}
}

static struct pd_error *walk_all(struct comparison *c)
{
	struct pd_reader *reader;
	struct pd_record rec;
	size_t n = 0;
	struct pd_error *err = pd_reader_create(c->file, PD_ORDER_TIME, &reader);

	c->n_stacks = 0;
	if (!err)
		err = parse_space_create(c->file, &c->space);
	while (!err && !(err = pd_reader_next(reader, &rec)) && rec.bytes &&
		c->n_stacks < c->limit) {
		const struct pd_plan *plan = pd_events_plan(&c->file->events, &rec);

		if (rec.type != PD_RECORD_SAMPLE) {
			err = parse_space_apply(c->space, &rec, plan ? plan->sid_bytes : 0);
			continue;
		}
		const char *field;
		if (!plan || pd_sample_decode(plan, &rec, &c->sample, &field) == PD_SAMPLE_SHORT)
			continue;
		const struct own *own = &c->own.data[n++];
		c->maps = parse_space_maps(c->space, c->sample.pid);
		if (own->end < PD_N_UNWIND_ENDS && own->n)
			check_sample(c, own);
	}
	pd_reader_destroy(reader);
	parse_space_destroy(c->space);
	return err;
}

static int compare_kinds(const void *a, const void *b)
{
	const struct kind *x = a;
	const struct kind *y = b;

	return x->n > y->n ? -1 : x->n < y->n;
}

static void print_totals(struct comparison *c)
{
	printf("%" PRIu64 " stacks: %.3f %% equal; %.3f %% go on where libdwfl ends\n", c->n_stacks,
		100.0 * (double)c->n_equal / (double)c->n_stacks,
		100.0 * (double)c->n_theirs_shorter / (double)c->n_stacks);
	printf("libdwfl: %.0f ns a frame, %" PRIu64 " frames\n",
		1e9 * c->seconds / (double)c->n_frames, c->n_frames);
	qsort(c->kinds, c->n_kinds, sizeof(c->kinds[0]), compare_kinds);
	for (size_t i = 0; i < c->n_kinds; i++)
		printf("%8" PRIu64 "  %s\n", c->kinds[i].n, c->kinds[i].text);
}

int main(int argc, char **argv)
{
	static struct comparison c = { .limit = UINT64_MAX };
	struct resolve_opts opts = {
		.on_sample = remember, .ctx = &c, .no_names = true, .no_truncated = true
	};
	struct profile *profile = NULL;

	if (argc < 2)
		return 2;
	if (argc > 2)
		c.limit = strtoull(argv[2], NULL, 0);
	struct pd_error *err = pd_file_open(argv[1], NULL, &c.file);
	if (!err)
		err = resolve_profile(c.file, &opts, &profile);
	if (!err)
		err = walk_all(&c);
	c.is_timed = true;
	if (!err)
		err = walk_all(&c);
	if (err) {
		_cleanup_free_ char *text = pd_error_string(err);
		fprintf(stderr, "dwfl: %s\n", text);
		pd_error_destroy(err);
		return 1;
	}
	print_totals(&c);
	return 0;
}
