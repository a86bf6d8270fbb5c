/* Frames of the format script. */
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "output/script_private.h"
#include "base/text.h"

/* A frame of a stack, as it is to be shown. */
struct frame {
	struct prof_frame_id id;
	const struct prof_frame *frame;
	const struct prof_frame_offset *offset;
	/** Its functions, inlined ones first. */
	const struct prof_line *lines;
	uint32_t n_lines;
	/** In the process, and what is shown of that. */
	uint64_t pc;
	uint64_t shown;
	/** Of what is shown behind the frame's own address, which is inside the call: 0 or 1. */
	uint64_t delta;
	uint32_t pid;
};

/* Whether code may have been generated there, in process @p pid unless the name says of which. */
static bool is_generated(const char *name, uint32_t *pid)
{
	static const char *const names[] = { "//anon", "/dev/zero", "/anon_hugepage" };

	if (name[0] == '[')
		return name[1] == 'J' && sscanf(name, "[JIT] tid %" SCNu32, pid) == 1;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

/* A module of which no build id was recorded is called as the kernel calls it: "[NAME]". */
static bool is_unlisted_module(const struct prof_binary *binary, const char *name)
{
	return binary->is_kernel && name[0] == '/' && !binary->build_id.len;
}

static void write_module(const struct script *s, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	const char *end = strstr(name, ".ko");

	fputc('[', s->out);
	for (; *name && name != end; name++)
		pd_text_write(s->out, *name == '-' ? "_" : (const char[]){ *name, '\0' });
	fputc(']', s->out);
}

void script_write_binary(const struct script *s, struct prof_frame_id frame, uint32_t pid)
{
	struct prof_binary_id binary =
		prof_is_none(frame) ? prof_no_binary() : profile_frame(s->profile, frame)->binary;

	if (prof_is_none(binary)) {
		fputs("[unknown]", s->out);
		return;
	}
	const char *name = profile_string(s->profile, profile_binary(s->profile, binary)->name);
	/* Readers know generated code by the name of the file that tells of it. */
	if (is_generated(name, &pid))
		fprintf(s->out, "/tmp/perf-%" PRId32 ".map", (int32_t)pid);
	else if (is_unlisted_module(profile_binary(s->profile, binary), name))
		write_module(s, name);
	else
		pd_text_write(s->out, name);
}

static void write_function(const struct script *s, struct prof_function_id function)
{
	pd_text_write(
		s->out, profile_string(s->profile, profile_function(s->profile, function)->name));
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
	const struct prof_line *lines = profile_frame_lines(s->profile, frame, &n);
	const struct prof_frame_offset *offset = offset_of_frame(s, frame);

	if (!lines) {
		fputs("[unknown]", s->out);
		return;
	}
	write_function(s, lines[n - 1].function);
	if (with_offset && offset->has_symbol)
		fprintf(s->out, "+0x%" PRIx64, offset->in_symbol);
}

static void write_base(const struct script *s, const char *path)
{
	const char *slash = strrchr(path, '/');

	pd_text_write(s->out, slash ? slash + 1 : path);
}

/*
 * Where there is no source. Without the file, the place in it is told; where the file has none, "??:0" as
 * addr2line says, but only beside inlined functions.
 */
static void write_no_source(const struct script *s, const struct frame *f)
{
	const struct prof_binary *binary;

	if (prof_is_none(f->frame->binary))
		return;
	binary = profile_binary(s->profile, f->frame->binary);
	if (!binary->is_found || (binary->is_kernel && !binary->has_lines)) {
		fputs("\n  ", s->out);
		write_base(s, profile_string(s->profile, binary->name));
		fprintf(s->out, "[%" PRIx64 "]", f->shown);
	} else if (!s->opts->no_inline) {
		fputs("\n  ??:0", s->out);
	}
}

/* A line of source, on a line of its own. */
static void write_source(
	const struct script *s, const struct frame *f, const struct prof_line *line)
{
	const char *file = "";

	if (line)
		file = profile_string(
			s->profile, profile_function(s->profile, line->function)->file);
	if (!file[0] || !line->line) {
		write_no_source(s, f);
		return;
	}
	fputs("\n  ", s->out);
	write_base(s, file);
	fprintf(s->out, ":%" PRIu32, line->line);
}

/*
 * The function @p i at a frame: that of the frame itself, the last one, or one that was inlined there.
 * Where inlined ones are not shown, the line of source is theirs all the same.
 */
static void write_line(
	const struct script *s, const struct frame *f, uint32_t i, bool is_alone, uint32_t shown)
{
	const struct prof_line *lines = f->lines;
	bool is_inlined = i + 1 < f->n_lines;

	pd_hex_write(s->out, f->shown, 16);
	if (shown & SCRIPT_BIT(SYM)) {
		fputc(' ', s->out);
		if (lines)
			write_function(s, lines[i].function);
		else
			fputs("[unknown]", s->out);
		if (lines && shown & SCRIPT_BIT(SYMOFF) && f->offset->has_symbol) {
			fputs("+0x", s->out);
			pd_hex_write(s->out, f->offset->in_symbol + f->delta, 0);
		}
	}
	if (shown & SCRIPT_BIT(DSO) && !is_inlined) {
		fputs(" (", s->out);
		script_write_binary(s, f->id, f->pid);
		fputs(")", s->out);
	}
	/* Behind what readers take a line apart by. */
	if (shown & SCRIPT_BIT(SYM) && !is_inlined && f->frame->flags & PROF_FRAME_BY_FP)
		fputs(" [fp]", s->out);
	if (shown & SCRIPT_BIT(SRCLINE))
		write_source(s, f, lines ? &lines[is_alone ? 0 : i] : NULL);
	if (is_inlined)
		fputs(" (inlined)", s->out);
}

static uint32_t last_line(const struct frame *f)
{
	return f->n_lines ? f->n_lines - 1 : 0;
}

/* What was inlined at the frame comes first, at the same address. */
static void write_frame(const struct script *s, const struct frame *f, uint32_t shown)
{
	bool is_alone = s->opts->no_inline;

	for (uint32_t i = is_alone ? last_line(f) : 0; i <= last_line(f); i++) {
		fputc('\t', s->out);
		write_line(s, f, i, is_alone, shown);
		fputc('\n', s->out);
	}
}

static bool is_system(const struct script *s, const struct prof_frame *frame)
{
	return !prof_is_none(frame->binary) && profile_binary(s->profile, frame->binary)->is_kernel;
}

static struct frame frame_at(const struct script *s, const struct script_sample *at, uint32_t i)
{
	uint32_t n;
	const uint64_t *pcs = profile_pcs(s->profile, at->row->pcs, &n);
	const struct prof_frame_id *ids = profile_stack(s->profile, at->sample->stack, &n);
	struct prof_frame_id id = ids[i];
	struct frame ret = {
		.id = id,
		.frame = profile_frame(s->profile, id),
		.offset = offset_of_frame(s, id),
		.pc = pcs[i],
		.shown = pcs[i],
		.pid = at->thread->pid,
	};

	ret.lines = profile_frame_lines(s->profile, id, &ret.n_lines);
	/* Files are mapped by pages: a return address is one more than its frame, in all of them. */
	ret.delta = (ret.pc - ret.frame->addr) & 0xfff;
	/* Generated code has frames in its dump. */
	if (ret.delta > 1)
		ret.delta = ret.pc && i && !is_system(s, profile_frame(s->profile, ids[i - 1]));
	return ret;
}

/*
 * Frames of files are shown by their place there. Return addresses are shown as they were recorded,
 * but those that unwinding has found, as an address in the call.
 */
static void settle_address(const struct script *s, const struct script_sample *at, struct frame *f)
{
	bool is_walked = at->sample->end != PD_N_UNWIND_ENDS && !is_system(s, f->frame) &&
			 !(f->frame->flags & PROF_FRAME_JOINED);

	if (is_walked) {
		f->shown -= f->delta;
		f->delta = 0;
	}
	if (f->offset->has_file)
		f->shown = f->offset->in_file + f->delta;
}

void script_write_stack(const struct script *s, const struct script_sample *at)
{
	uint32_t n;

	profile_stack(s->profile, at->sample->stack, &n);
	for (uint32_t i = 0; i < n; i++) {
		struct frame f = frame_at(s, at, i);

		settle_address(s, at, &f);
		write_frame(s, &f, at->shown);
	}
}

void script_write_place(const struct script *s, const struct script_sample *at)
{
	uint32_t n;

	profile_stack(s->profile, at->sample->stack, &n);
	if (!n)
		return;
	struct frame f = frame_at(s, at, 0);
	write_line(s, &f, last_line(&f), true, at->shown);
}
