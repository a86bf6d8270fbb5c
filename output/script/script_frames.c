/* Stacks, functions and binaries in the script format. */
#include "output/script/script_frames.h"

#include <inttypes.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/number.h"
#include "base/text.h"

/* A frame of a stack, and the values to print for it. */
struct frame {
	struct prof_frame_id id;
	const struct prof_frame *frame;
	const struct prof_frame_offset *offset;
	/** Functions at the frame, innermost inlined one first. */
	const struct prof_line *lines;
	uint32_t n_lines;
	/** Address in the process, as recorded or unwound. */
	uint64_t pc;
	/** Address to print. */
	uint64_t shown;
	/** Printed address as one of the file, if the frame is in a file; else @ref shown. */
	uint64_t in_file;
	/**
	 * Printed address minus the frame's address, which is inside the call instruction: 0 or 1.
	 */
	uint64_t delta;
	uint32_t pid;
};

/*
 * Whether the mapping @p name may contain generated code. Sets @p pid if the name contains a
 * process.
 */
static bool is_generated(const char *name, uint32_t *pid)
{
	static const char *const names[] = { "//anon", "/dev/zero", "/anon_hugepage" };
	static const char jit[] = "[JIT] tid ";
	const char *end;
	uint64_t tid;

	if (name[0] == '[') {
		if (strncmp(name, jit, strlen(jit)) != 0 ||
			!base_number_parse(name + strlen(jit), UINT32_MAX, &end, &tid))
			return false;
		*pid = (uint32_t)tid;
		return true;
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

/* perf prints a module without a recorded build id under its kernel name, "[NAME]". */
static bool is_unlisted_module(const struct prof_binary *binary, const char *name)
{
	return binary->is_kernel && name[0] == '/' && !binary->build_id.len;
}

/* Kernel names have '_' where file names may have '-', and no suffix such as .ko.xz. */
static void write_module(const struct script *s, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	const char *suffix = strstr(name, ".ko");
	const char *end = suffix ? suffix : name + strlen(name);
	const char *dash;

	base_line_put_char(s->line, '[');
	while ((dash = memchr(name, '-', (size_t)(end - name)))) {
		base_line_put_text_n(s->line, name, (size_t)(dash - name));
		base_line_put_char(s->line, '_');
		name = dash + 1;
	}
	base_line_put_text_n(s->line, name, (size_t)(end - name));
	base_line_put_char(s->line, ']');
}

void script_write_binary(const struct script *s, struct prof_frame_id frame, uint32_t pid)
{
	struct prof_binary_id binary =
		prof_is_none(frame) ? prof_no_binary() : prof_frame(s->profile, frame)->binary;

	if (prof_is_none(binary)) {
		base_line_put_str(s->line, "[unknown]");
		return;
	}
	const char *name = prof_string(s->profile, prof_binary(s->profile, binary)->name);
	bool is_data = prof_frame(s->profile, frame)->flags & PROF_FRAME_DATA;
	/* perf prints the path of the perf map for generated code, and parsers rely on it. */
	if (!is_data && is_generated(name, &pid))
		base_line_printf(s->line, "/tmp/perf-%" PRId32 ".map", (int32_t)pid);
	else if (is_unlisted_module(prof_binary(s->profile, binary), name))
		write_module(s, name);
	else
		base_line_put_text(s->line, name);
}

static bool is_system(const struct script *s, const struct prof_frame *frame)
{
	return !prof_is_none(frame->binary) && prof_binary(s->profile, frame->binary)->is_kernel;
}

static void write_function(const struct script *s, struct prof_function_id function)
{
	base_line_put_text(
		s->line, prof_string(s->profile, prof_function(s->profile, function)->name));
}

static const struct prof_frame_offset *offset_of_frame(
	const struct script *s, struct prof_frame_id frame)
{
	static const struct prof_frame_offset nowhere;

	return frame.i < s->profile->frame_offsets.n ? &s->profile->frame_offsets.data[frame.i]
						     : &nowhere;
}

void script_write_symbol(const struct script *s, struct prof_frame_id frame, bool with_offset)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(s->profile, frame, &n);
	const struct prof_frame_offset *offset = offset_of_frame(s, frame);

	if (!lines) {
		base_line_put_str(s->line, "[unknown]");
		return;
	}
	write_function(s, lines[n - 1].function);
	if (!with_offset || !offset->has_symbol)
		return;
	base_line_put_str(s->line, "+0x");
	base_line_put_hex(s->line, offset->in_symbol, 0);
}

/*
 * Write what perf prints instead of a source line: "file[offset]" if the binary was not found;
 * "??:0", from addr2line, if it has no line for the address, and then only if inlined functions are
 * printed.
 */
static void write_no_source(const struct script *s, const struct frame *f)
{
	const struct prof_binary *binary;

	if (prof_is_none(f->frame->binary))
		return;
	binary = prof_binary(s->profile, f->frame->binary);
	if (!binary->is_found || (binary->is_kernel && !binary->has_lines)) {
		base_line_put_str(s->line, "\n  ");
		base_line_put_text(s->line, base_file_name(prof_string(s->profile, binary->name)));
		base_line_printf(s->line, "[%" PRIx64 "]", f->in_file);
	} else if (!s->no_inline) {
		base_line_put_str(s->line, "\n  ??:0");
	}
}

/* Write "file:line" on a separate line. */
static void write_source(
	const struct script *s, const struct frame *f, const struct prof_line *line)
{
	const char *file = "";

	if (line)
		file = prof_string(s->profile, prof_function(s->profile, line->function)->file);
	if (!file[0] || !line->line) {
		write_no_source(s, f);
		return;
	}
	base_line_put_str(s->line, "\n  ");
	base_line_put_text(s->line, base_file_name(file));
	base_line_printf(s->line, ":%" PRIu32, line->line);
}

/* Write "+0x1f", the address in the file. perf has none for the kernel and its modules. */
static void write_file_offset(const struct script *s, const struct frame *f)
{
	if (prof_is_none(f->frame->binary) || is_system(s, f->frame))
		return;
	base_line_put_str(s->line, "+0x");
	base_line_put_hex(s->line, f->in_file, 0);
}

/*
 * Write function @p i of a frame, after its address: the last one is the frame's own, the others
 * are inlined into it. With @p is_alone inlined functions are not printed, but the source line is
 * still the innermost one's, as in perf.
 */
static void write_line(
	const struct script *s, const struct frame *f, uint32_t i, bool is_alone, uint32_t shown)
{
	const struct prof_line *lines = f->lines;
	bool is_inlined = i + 1 < f->n_lines;

	if (shown & SCRIPT_BIT(SYM)) {
		base_line_put_char(s->line, ' ');
		if (lines)
			write_function(s, lines[i].function);
		else
			base_line_put_str(s->line, "[unknown]");
		if (lines && shown & SCRIPT_BIT(SYMOFF) && f->offset->has_symbol) {
			base_line_put_str(s->line, "+0x");
			base_line_put_hex(s->line, f->offset->in_symbol + f->delta, 0);
		}
	}
	if (shown & SCRIPT_BIT(DSO) && !is_inlined) {
		base_line_put_str(s->line, " (");
		script_write_binary(s, f->id, f->pid);
		if (shown & SCRIPT_BIT(DSOFF))
			write_file_offset(s, f);
		base_line_put_str(s->line, ")");
	}
	/* At the end, where parsers of perf script ignore it. */
	if (shown & SCRIPT_BIT(SYM) && !is_inlined && f->frame->flags & PROF_FRAME_BY_FP)
		base_line_put_str(s->line, " [fp]");
	if (shown & SCRIPT_BIT(SRCLINE))
		write_source(s, f, lines ? &lines[is_alone ? 0 : i] : NULL);
	if (is_inlined)
		base_line_put_str(s->line, " (inlined)");
}

static uint32_t last_line(const struct frame *f)
{
	return f->n_lines ? f->n_lines - 1 : 0;
}

/* Write a frame: inlined functions first, at the same address. */
static void write_frame(const struct script *s, const struct frame *f, uint32_t shown)
{
	bool is_alone = s->no_inline;

	for (uint32_t i = is_alone ? last_line(f) : 0; i <= last_line(f); i++) {
		base_line_put_char(s->line, '\t');
		base_line_put_hex(s->line, f->shown, 16);
		write_line(s, f, i, is_alone, shown);
		base_line_put_char(s->line, '\n');
	}
}

/*
 * Whether the text of a frame at @p offset depends on its delta. Addresses without a mapping, which
 * are many where frame pointers are wrong, do not need that look at the frame before them.
 */
static bool needs_delta(const struct script_sample *at, const struct prof_frame_offset *offset)
{
	return offset->has_file || offset->has_symbol || at->sample->end != PD_N_UNWIND_ENDS;
}

/* Look up frame @p i of a sample. To return struct frame by value would take much longer. */
static void find_frame(
	const struct script *s, const struct script_sample *at, uint32_t i, struct frame *ret)
{
	uint32_t n;
	const uint64_t *pcs = prof_pcs(s->profile, at->row->pcs, &n);
	const struct prof_frame_id *ids = prof_stack(s->profile, at->sample->stack, &n);
	PD_IS_TRUE(pcs && ids, "a sample with a frame i has addresses and frames");
	struct prof_frame_id id = ids[i];

	ret->id = id;
	ret->frame = prof_frame(s->profile, id);
	ret->offset = offset_of_frame(s, id);
	ret->lines = prof_frame_lines(s->profile, id, &ret->n_lines);
	ret->pc = pcs[i];
	ret->shown = pcs[i];
	ret->pid = at->thread->pid;
	/*
	 * The frame of a return address is one byte before it, in whatever address space: mappings
	 * are aligned to pages, so the lowest 12 bits of the difference are enough.
	 */
	ret->delta = (ret->pc - ret->frame->addr) & 0xfff;
	/* Frames in generated code are offsets in its jitdump, which are not aligned to pages. */
	if (ret->delta > 1)
		ret->delta = needs_delta(at, ret->offset) && ret->pc && i &&
			     !is_system(s, prof_frame(s->profile, ids[i - 1]));
}

/*
 * Choose the address to print. Recorded return addresses are printed unchanged; return addresses
 * found by unwinding as an address inside the call, as in perf.
 */
static void choose_address(const struct script *s, const struct script_sample *at, struct frame *f)
{
	bool is_unwound = at->sample->end != PD_N_UNWIND_ENDS && !is_system(s, f->frame) &&
			  !(f->frame->flags & PROF_FRAME_JOINED);

	if (is_unwound) {
		f->shown -= f->delta;
		f->delta = 0;
	}
}

/* Frames of a sample, and their process addresses. */
struct chain {
	const struct prof_frame_id *ids;
	const uint64_t *pcs;
	/** Frames with an address: all, unless a stored profile was made up. */
	uint32_t n;
};

static struct chain chain_of(const struct script *s, const struct script_sample *at)
{
	struct chain chain;
	uint32_t n_pcs;

	chain.ids = prof_stack(s->profile, at->sample->stack, &chain.n);
	chain.pcs = prof_pcs(s->profile, at->row->pcs, &n_pcs);
	if (n_pcs < chain.n)
		chain.n = n_pcs;
	return chain;
}

/* Whether the text of a frame has the process, which differs between samples. */
static bool has_process(const struct script *s, const struct frame *f)
{
	uint32_t pid;

	return is_generated(
		prof_string(s->profile, prof_binary(s->profile, f->frame->binary)->name), &pid);
}

/*
 * Bits of the process address that the text depends on, apart from the address at the start of its
 * lines: those that show whether it is a return address, and all if the address is printed again in
 * place of one in the file. 0: it depends on the frames before it as well, or on the process; or
 * addresses without a mapping share the frame.
 */
static uint64_t text_mask(
	const struct script *s, const struct frame *f, const struct script_text_key *key)
{
	const uint32_t in_file = SCRIPT_BIT(SRCLINE) | SCRIPT_BIT(DSOFF);
	const uint64_t page = 0xfff;

	if (prof_is_none(f->frame->binary) || ((f->pc - f->frame->addr) & page) > 1 ||
		has_process(s, f))
		return 0;
	return key->shown & in_file && !f->offset->has_file ? UINT64_MAX : page;
}

static void write_made(
	const struct script *s, const struct frame *f, const struct script_text_key *key)
{
	if (key->is_location)
		write_line(s, f, last_line(f), true, key->shown);
	else
		write_frame(s, f, key->shown);
}

/* Write a frame, and keep its text if it can be used again. */
static void make_text(struct script *s, const struct frame *f, const struct script_text_key *key)
{
	uint64_t mask = text_mask(s, f, key);
	size_t start = s->line->n;

	write_made(s, f, key);
	/* A line in front of a stream may have written the beginning. */
	if (mask && !s->line->out && !s->line->is_full)
		script_texts_keep(s->texts, &s->text_arena, f->id,
			&(struct script_text){ .key = *key,
				.mask = mask,
				.to_shown = f->shown - f->pc,
				.len = (uint32_t)(s->line->n - start) },
			s->line->bytes + start);
}

/* Write the text @p text of a frame whose process address is @p pc. */
static void put_text(const struct script *s, const struct script_text *text, uint64_t pc)
{
	enum { ADDRESS = 1 + 16 };
	const char *line = text->bytes, *end = line + text->len;

	if (text->key.is_location || text->key.pc == pc) {
		base_line_put(s->line, text->bytes, text->len);
		return;
	}
	/* A tab begins each line that has an address. Names have none, because it is escaped. */
	while (line < end) {
		const char *next = memchr(line + ADDRESS, '\t', (size_t)(end - line - ADDRESS));

		next = next ? next : end;
		base_line_put_char(s->line, '\t');
		base_line_put_hex(s->line, pc + text->to_shown, ADDRESS - 1);
		base_line_put(s->line, line + ADDRESS, (size_t)(next - line - ADDRESS));
		line = next;
	}
}

/* Write frame @p i of the chain. */
static void write_text(struct script *s, const struct script_sample *at, const struct chain *chain,
	uint32_t i, bool is_location)
{
	const struct script_text_key key = {
		.pc = chain->pcs[i],
		.shown = at->shown,
		.is_unwound = at->sample->end != PD_N_UNWIND_ENDS,
		.is_location = is_location,
	};
	const struct script_text *text = script_texts_find(s->texts, chain->ids[i], &key);

	if (text) {
		put_text(s, text, chain->pcs[i]);
		return;
	}
	struct frame f;
	find_frame(s, at, i, &f);
	if (!is_location)
		choose_address(s, at, &f);
	f.in_file = f.offset->has_file ? f.offset->in_file + f.delta : f.shown;
	make_text(s, &f, &key);
}

void script_write_stack(struct script *s, const struct script_sample *at)
{
	struct chain chain = chain_of(s, at);

	for (uint32_t i = 0; i < chain.n; i++)
		write_text(s, at, &chain, i, false);
}

void script_write_location(struct script *s, const struct script_sample *at)
{
	struct chain chain = chain_of(s, at);

	if (!chain.n)
		return;
	PD_IS_TRUE(chain.pcs, "a chain with frames has their addresses");
	base_line_put_hex(s->line, chain.pcs[0], 16);
	write_text(s, at, &chain, 0, true);
}
