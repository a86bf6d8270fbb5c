/* Tables of code and who ran it: events, processes, threads, functions, frames, stacks. */
#include <string.h>

#include "profile/scaffolding.h"
#include "tables/columns.h"
#include "tables/source.h"

/* Events. */

ARRAY_ROWS(events, profile->events)

static void get_event_kind(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	static const char *const names[PROF_N_EVENT_KINDS] = {
#define NAME(name) [PROF_EVENT_##name] = #name,
		PROF_EVENT_KINDS(NAME)
#undef NAME
	};
	const char *name = names[((const struct prof_event *)row)->kind];

	(void)i;
	tab_set_text(source, name, strlen(name), ret);
}

static void get_counted(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct prof_event *event = row;

	(void)source;
	(void)i;
	ret->is_null = !event->is_counted;
	ret->real = event->counted;
}

static void get_leader(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct prof_event *event = row;

	(void)source;
	(void)i;
	ret->is_null = !event->leader;
	ret->integer = (int64_t)event->leader - 1;
}

static const struct tab_column event_columns[] = {
	ROW_ID("number of the event"),
	TEXT("name", struct prof_event, name, "name as perf shows it, with modifiers"),
	MAYBE_TEXT("unit", struct prof_event, unit, "unit of periods: nanoseconds, count, ..."),
	GET("kind", TEXT, false, get_event_kind,
		"PERF_TYPE_* in perf_event_open(2), OTHER for PMUs"),
	INTEGER("samples", U64, struct prof_event, total.samples, "number of samples"),
	INTEGER("period", U64, struct prof_event, total.period, "sum of their periods"),
	INTEGER("sample_period", U64, struct prof_event, sample_period,
		"requested period in the unit of the event; 0: not fixed"),
	INTEGER("period_ns", U64, struct prof_event, period_ns,
		"requested time between two samples of a task, in ns; 0: none"),
	INTEGER("has_stacks", BOOL, struct prof_event, has_stacks, "1: stacks were recorded"),
	INTEGER("stack_bytes", U32, struct prof_event, stack_bytes,
		"size of captured stacks in bytes; 0: none were captured"),
	GET_ID("leader", "events", true, get_leader,
		"event in whose samples the counter of this one was read"),
	GET("counted", REAL, true, get_counted, "count of perf stat record, in counted_unit"),
	MAYBE_TEXT("counted_unit", struct prof_event, counted_unit, "unit of that count"),
};

const struct tab_table tab_events = {
	.name = "events",
	.help = "an event that was recorded",
	COLUMNS(event_columns),
	.has_id = true,
	.n_rows = n_events,
	.row = row_of_events,
};

/* Processes and threads. */

ARRAY_ROWS(processes, profile->processes)

static const struct tab_column process_columns[] = {
	INTEGER("pid", U32, struct prof_process, pid, "number of the process"),
	TEXT("name", struct prof_process, name, "name of its main thread"),
};

const struct tab_table tab_processes = {
	.name = "processes",
	.help = "a process with samples",
	COLUMNS(process_columns),
	.n_rows = n_processes,
	.row = row_of_processes,
};

static size_t n_threads(const struct tab_source *s)
{
	return s->profile->threads.n;
}

static const void *row_of_threads(const struct tab_source *s, size_t i)
{
	return base_intern_bytes(&s->profile->threads, (uint32_t)i);
}

static const struct tab_column thread_columns[] = {
	ROW_ID("number of the thread under this name"),
	INTEGER("pid", U32, struct prof_thread, pid, "its process"),
	INTEGER("tid", U32, struct prof_thread, tid, "number of the thread"),
	TEXT("comm", struct prof_thread, comm, "its name"),
};

const struct tab_table tab_threads = {
	.name = "threads",
	.help = "a thread with samples, switches or intervals, under one name",
	COLUMNS(thread_columns),
	.has_id = true,
	.n_rows = n_threads,
	.row = row_of_threads,
};

/* Binaries. */

ARRAY_ROWS(binaries, profile->binaries)

static void get_base(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const char *name =
		prof_binary_base(source->profile, (struct prof_binary_id){ (uint32_t)i });

	(void)row;
	tab_set_text(source, name, strlen(name), ret);
}

static void get_build_id(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct pd_build_id *id = &((const struct prof_binary *)row)->build_id;

	(void)source;
	(void)i;
	ret->is_null = !id->len;
	ret->bytes = id->bytes;
	ret->len = id->len;
}

static const struct tab_column binary_columns[] = {
	ROW_ID("number of the binary"),
	TEXT("path", struct prof_binary, name, "path or name as recorded"),
	GET("name", TEXT, false, get_base, "file name without folders"),
	GET("build_id", BLOB, true, get_build_id, "its build id"),
	INTEGER("is_kernel", BOOL, struct prof_binary, is_kernel,
		"1: the kernel or a module of it"),
	INTEGER("is_generated", BOOL, struct prof_binary, is_generated,
		"1: code that a program made at run time"),
	INTEGER("is_found", BOOL, struct prof_binary, is_found,
		"1: it was found, so that addresses are those of the ELF file"),
	MAYBE_TEXT("why", struct prof_binary, why, "why it was not found"),
	INTEGER("is_mismatched", BOOL, struct prof_binary, is_mismatched,
		"1: the file in use is of another build"),
};

const struct tab_table tab_binaries = {
	.name = "binaries",
	.help = "an ELF file, or what takes its place: the kernel, generated code, anonymous memory",
	COLUMNS(binary_columns),
	.has_id = true,
	/* Whether a binary is found is known when its frames are named. */
	.needs = TAB_NEEDS_NAMES,
	.n_rows = n_binaries,
	.row = row_of_binaries,
};

/* Mappings. */

ARRAY_ROWS(mappings, profile->mappings)

static void get_mapping_pid(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	uint32_t pid = ((const struct prof_mapping *)row)->pid;

	(void)source;
	(void)i;
	ret->is_null = pid == UINT32_MAX;
	ret->integer = pid;
}

static const struct tab_column mapping_columns[] = {
	GET("pid", INTEGER, true, get_mapping_pid, "its process; NULL: the kernel"),
	INTEGER("time", TIME, struct prof_mapping, time,
		"when, in ns on the clock of the recording; NULL: before it, or not recorded"),
	INTEGER("address", U64, struct prof_mapping, start, "where it begins"),
	INTEGER("size", U64, struct prof_mapping, size, "its size in bytes"),
	INTEGER("offset", U64, struct prof_mapping, pgoff,
		"offset in the file where it begins, in bytes"),
	INTEGER("protection", U32, struct prof_mapping, prot,
		"sum of 1: readable, 2: writable, 4: code; recordings without details say only 4 or 1"),
	TEXT("path", struct prof_mapping, name,
		"path of the file, or a name in brackets as in /proc/PID/maps"),
	ID("binary", "binaries", struct prof_mapping, binary,
		"its binary; NULL: no frame is in it, or it is data"),
};

const struct tab_table tab_mappings = {
	.name = "mappings",
	.help = "memory that was mapped, in the order of the recording; it stays until another "
		"mapping of the process covers it",
	COLUMNS(mapping_columns),
	.needs = TAB_NEEDS_MAPPINGS,
	.n_rows = n_mappings,
	.row = row_of_mappings,
};

/* Functions. */

static size_t n_functions(const struct tab_source *s)
{
	return s->symbols.list.n;
}

static const void *row_of_functions(const struct tab_source *s, size_t i)
{
	return base_intern_bytes(&s->symbols.list, (uint32_t)i);
}

static void set_symbol_text(struct tab_source *source, uint32_t text, struct tab_cell *ret)
{
	tab_set_text(source, base_intern_bytes(&source->symbols.texts, text),
		base_intern_len(&source->symbols.texts, text), ret);
}

static void get_function_name(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)i;
	set_symbol_text(source, ((const struct ana_symbol *)row)->name, ret);
}

static void get_function_binary(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)i;
	set_symbol_text(source, ((const struct ana_symbol *)row)->binary, ret);
	ret->is_null = !ret->len;
}

static void get_function_inlined(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)row;
	ret->integer = ana_symbol_is_inlined(&source->symbols, (uint32_t)i);
}

static void get_function_runtime(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)row;
	ret->integer = prof_is_scaffolding(ana_symbol_pattern_name(&source->symbols, (uint32_t)i));
}

static const struct tab_column function_columns[] = {
	ROW_ID("number of the function"),
	GET("name", TEXT, false, get_function_name,
		"name as the report shows it; [binary] for all code without a name"),
	GET("binary", TEXT, true, get_function_binary, "file name of its binary, without folders"),
	GET("is_inlined", INTEGER, false, get_function_inlined,
		"1: its code is only part of other functions"),
	INTEGER("is_unnamed", U32, struct ana_symbol, is_unnamed,
		"1: it stands for several functions without names of their own"),
	GET("is_scaffolding", INTEGER, false, get_function_runtime,
		"1: a function of a library or runtime that only passes control on"),
};

const struct tab_table tab_functions = {
	.name = "functions",
	.help = "a function of a binary; binaries of one file name count as one",
	COLUMNS(function_columns),
	.has_id = true,
	.needs = TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES,
	.n_rows = n_functions,
	.row = row_of_functions,
};

/* Frames: a row for each function at an address. */

static size_t n_frames(const struct tab_source *s)
{
	return s->frame_owners.n;
}

static const void *row_of_frames(const struct tab_source *s, size_t i)
{
	return prof_frame(s->profile, s->frame_owners.data[i]);
}

/* Number of functions that are inlined into that of row @p i at its address, and in a chain. */
static uint32_t level_of(const struct tab_source *s, size_t i)
{
	return (uint32_t)i - s->symbols.places.starts.data[s->frame_owners.data[i].i];
}

/* The line of a row, or NULL if it has no name. */
static const struct prof_line *line_of(const struct tab_source *s, size_t i)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(s->profile, s->frame_owners.data[i], &n);

	return lines ? &lines[level_of(s, i)] : NULL;
}

static void get_frame_function(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	(void)row;
	ret->integer = source->symbols.places.list.data[i];
}

static void get_frame_inlined(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	uint32_t n;

	(void)row;
	ana_symbols_at(&source->symbols, source->frame_owners.data[i], &n);
	ret->integer = level_of(source, i) + 1 < n;
}

static void get_file(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct prof_line *line = line_of(source, i);

	(void)row;
	if (line)
		tab_set_string(source, prof_function(source->profile, line->function)->file, ret);
	ret->is_null = !ret->len;
}

static void get_line(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct prof_line *line = line_of(source, i);

	(void)row;
	ret->is_null = !line || !line->line;
	ret->integer = line ? line->line : 0;
}

static void get_linkage(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	const struct prof_line *line = line_of(source, i);

	(void)row;
	if (line)
		tab_set_string(
			source, prof_function(source->profile, line->function)->linkage, ret);
	ret->is_null = !ret->len;
}

static void get_offset(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	uint32_t id = source->frame_owners.data[i].i;
	const struct prof_frame_offset *at = id < source->profile->frame_offsets.n
						     ? &source->profile->frame_offsets.data[id]
						     : NULL;

	(void)row;
	ret->is_null = !at || !at->has_symbol;
	ret->integer = ret->is_null ? 0 : (int64_t)at->in_symbol;
}

static void get_is_kernel(
	struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	struct prof_binary_id binary = ((const struct prof_frame *)row)->binary;

	(void)i;
	ret->integer = !prof_is_none(binary) && prof_binary(source->profile, binary)->is_kernel;
}

static void get_mark(struct tab_source *source, const void *row, size_t i, struct tab_cell *ret)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} marks[] = { { PROF_FRAME_TRUNCATED, "truncated" }, { PROF_FRAME_STITCHED, "stitched" },
		{ PROF_FRAME_BY_FP, "frame_pointer" }, { PROF_FRAME_JOINED, "call_chain" } };
	uint32_t flags = ((const struct prof_frame *)row)->flags;

	(void)i;
	for (size_t k = 0; k < PD_ARRAY_LEN(marks); k++) {
		if (flags & marks[k].flag) {
			tab_set_text(source, marks[k].name, strlen(marks[k].name), ret);
			return;
		}
	}
	ret->is_null = true;
}

static const struct tab_column frame_columns[] = {
	ROW_ID("number of the frame"),
	GET_ID("function", "functions", false, get_frame_function, "its function"),
	ID("binary", "binaries", struct prof_frame, binary, "its binary; NULL: not mapped"),
	INTEGER("address", U64, struct prof_frame, addr,
		"address in the instruction: of the ELF file if that was found, else file offset"),
	GET("is_inlined", INTEGER, false, get_frame_inlined,
		"1: its code is part of the function that is its parent in stacks"),
	GET("is_kernel", INTEGER, false, get_is_kernel, "1: code of the kernel"),
	GET("file", TEXT, true, get_file, "source file"),
	GET("line", INTEGER, true, get_line, "line in it"),
	GET("linkage_name", TEXT, true, get_linkage, "name as in the symbol table"),
	{ .name = "offset",
		.may_be_null = true,
		.help = "distance from the start of the symbol, in bytes",
		.needs = TAB_NEEDS_OFFSETS,
		.get = get_offset },
	GET("mark", TEXT, true, get_mark,
		"truncated, stitched: no frame, but frames are missing here, or taken from another stack; "
		"frame_pointer, call_chain: how it was found in place of unwinding"),
};

const struct tab_table tab_frames = {
	.name = "frames",
	.help = "a function at an address; inlined functions have rows of their own",
	COLUMNS(frame_columns),
	.has_id = true,
	.needs = TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES,
	.n_rows = n_frames,
	.row = row_of_frames,
};

/* Stacks. */

ARRAY_ROWS(stacks, tree.nodes)

static const struct tab_column stack_columns[] = {
	ROW_ID("number of the stack"),
	ID("parent", "stacks", struct tab_stack_node, parent,
		"stack of the caller; NULL: the root"),
	ID("frame", "frames", struct tab_stack_node, frame,
		"innermost frame; NULL: the stack without frames"),
	INTEGER("depth", U32, struct tab_stack_node, depth, "number of frames"),
};

const struct tab_table tab_stacks = {
	.name = "stacks",
	.help = "a stack: its innermost frame, and the stack of the caller as its parent",
	COLUMNS(stack_columns),
	.has_id = true,
	.needs = TAB_NEEDS_NAMES | TAB_NEEDS_FRAMES | TAB_NEEDS_TREE,
	.n_rows = n_stacks,
	.row = row_of_stacks,
};
