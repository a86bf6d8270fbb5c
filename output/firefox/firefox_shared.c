/* Tables that all threads of the firefox format share: functions, frames, stacks and strings. */
#include "output/firefox/firefox_shared.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/binary_roles.h"
#include "base/array.h"

/* Functions of the kernel in which a CPU waits for work. */
static const char *const idle_functions[] = { "acpi_idle_do_entry", "acpi_idle_enter",
	"acpi_safe_halt", "arch_cpu_idle", "cpuidle_enter", "cpuidle_enter_state", "cpu_idle_poll",
	"cpu_startup_entry", "default_idle", "default_idle_call", "do_idle", "intel_idle",
	"intel_idle_ibrs", "intel_idle_irq", "mwait_idle", "native_safe_halt", "poll_idle",
	"pv_native_safe_halt" };

static bool is_idle(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(idle_functions); i++) {
		if (strcmp(idle_functions[i], name) == 0)
			return true;
	}
	return false;
}

static enum firefox_category category(const struct firefox *f, uint32_t id)
{
	const struct ana_function *function = ana_function(&f->locations, id);

	if (prof_is_none(function->binary))
		return FIREFOX_OTHER;
	switch (ana_binary_kind(f->profile, prof_binary(f->profile, function->binary))) {
	case ANA_BINARY_GENERATED:
		return FIREFOX_JIT;
	case ANA_BINARY_KERNEL:
		return is_idle(ana_function_name(&f->locations, id)) ? FIREFOX_IDLE
								     : FIREFOX_KERNEL;
	case ANA_BINARY_PROGRAM:
		return FIREFOX_USER;
	default:
		return FIREFOX_LIBRARY;
	}
}

/* A column of a table: writes the value of row @p i. */
struct column {
	const char *key;
	void (*write)(struct firefox *f, uint32_t i);
};

/* Write a table of @p n rows. The columns of the profiler are separate arrays. */
static void write_table(struct firefox *f, const char *key, const struct column *columns,
	size_t n_columns, size_t n)
{
	base_json_object(&f->json, key);
	base_json_uint(&f->json, "length", n);
	for (size_t c = 0; c < n_columns; c++) {
		base_json_array(&f->json, columns[c].key);
		for (uint32_t i = 0; i < n; i++)
			columns[c].write(f, i);
		base_json_end(&f->json, ']');
	}
	base_json_end(&f->json, '}');
}

static void put_null(struct firefox *f, uint32_t i)
{
	(void)i;
	firefox_write_null(f, NULL);
}

/* Columns in which nothing is known are 0, and the flags of the row say so. */
static void put_zero(struct firefox *f, uint32_t i)
{
	(void)i;
	base_json_uint(&f->json, NULL, 0);
}

static void put_one(struct firefox *f, uint32_t i)
{
	(void)i;
	base_json_uint(&f->json, NULL, 1);
}

static void put_stack_frame(struct firefox *f, uint32_t i)
{
	base_json_uint(&f->json, NULL, f->nodes.data[i].frame);
}

/* Distance to the caller; 0 at a root. */
static void put_stack_prefix(struct firefox *f, uint32_t i)
{
	uint32_t caller = f->nodes.data[i].caller;

	base_json_uint(&f->json, NULL, caller ? i + 1 - caller : 0);
}

static const struct column stack_columns[] = {
	{ "frame", put_stack_frame },
	{ "prefixOffset", put_stack_prefix },
};

/* Frames of the file are the locations of all frames of the profile, in their order. */

static const struct prof_binary *binary_of(const struct firefox *f, uint32_t location)
{
	const struct ana_function *function =
		ana_function(&f->locations, f->locations.list.data[location].function);

	return prof_is_none(function->binary) ? NULL : prof_binary(f->profile, function->binary);
}

static void put_frame_func(struct firefox *f, uint32_t i)
{
	base_json_uint(&f->json, NULL, f->locations.list.data[i].function);
}

static void put_frame_line(struct firefox *f, uint32_t i)
{
	base_json_uint(&f->json, NULL, f->locations.list.data[i].line);
}

static void put_frame_category(struct firefox *f, uint32_t i)
{
	base_json_uint(&f->json, NULL, category(f, f->locations.list.data[i].function));
}

/* Flags of frames: what is known of them. */
enum { FRAME_INLINED = 1, FRAME_ADDRESS = 2, FRAME_CATEGORY = 4, FRAME_LINE = 16 };

/* Whether a frame in @p binary has an address in a library, which a file has. */
static bool has_address(const struct prof_binary *binary)
{
	return binary && binary->has_image && !binary->is_kernel;
}

static void put_frame_lib(struct firefox *f, uint32_t i)
{
	const struct prof_binary *binary = binary_of(f, i);

	base_json_uint(&f->json, NULL,
		has_address(binary) ? (uint64_t)(binary - f->profile->binaries.data) : 0);
}

static unsigned frame_flags(const struct firefox *f, uint32_t i, bool is_inlined)
{
	unsigned flags = FRAME_CATEGORY;

	flags |= is_inlined ? FRAME_INLINED : 0;
	flags |= has_address(binary_of(f, i)) ? FRAME_ADDRESS : 0;
	return flags | (f->locations.list.data[i].line ? FRAME_LINE : 0);
}

/* Write the flags of the locations of all frames. All but the outermost at a frame are inlined. */
static void write_frame_flags(struct firefox *f)
{
	const uint32_t *starts = f->locations.starts.data;

	base_json_array(&f->json, "flags");
	for (struct prof_frame_id id = { 0 }; id.i < f->profile->frames.n; id.i++) {
		for (uint32_t i = starts[id.i]; i < starts[id.i + 1]; i++)
			base_json_uint(&f->json, NULL, frame_flags(f, i, i + 1 < starts[id.i + 1]));
	}
	base_json_end(&f->json, ']');
}

static void write_frame_addresses(struct firefox *f)
{
	const uint32_t *starts = f->locations.starts.data;

	base_json_array(&f->json, "address");
	for (struct prof_frame_id id = { 0 }; id.i < f->profile->frames.n; id.i++) {
		uint64_t addr = prof_frame(f->profile, id)->addr;

		for (uint32_t i = starts[id.i]; i < starts[id.i + 1]; i++)
			base_json_uint(&f->json, NULL, has_address(binary_of(f, i)) ? addr : 0);
	}
	base_json_end(&f->json, ']');
}

static const struct column frame_columns[] = {
	{ "func", put_frame_func },
	{ "line", put_frame_line },
	{ "column", put_zero },
	{ "lib", put_frame_lib },
	{ "category", put_frame_category },
	{ "subcategory", put_zero },
	{ "nativeSymbol", put_zero },
	{ "innerWindowID", put_zero },
	{ "originalLocation", put_zero },
};

static void write_frames(struct firefox *f)
{
	base_json_object(&f->json, "frameTable");
	base_json_uint(&f->json, "length", f->locations.list.n);
	write_frame_addresses(f);
	write_frame_flags(f);
	for (size_t c = 0; c < PD_ARRAY_LEN(frame_columns); c++) {
		base_json_array(&f->json, frame_columns[c].key);
		for (uint32_t i = 0; i < f->locations.list.n; i++)
			frame_columns[c].write(f, i);
		base_json_end(&f->json, ']');
	}
	base_json_end(&f->json, '}');
}

static void put_func_name(struct firefox *f, uint32_t i)
{
	base_json_uint(&f->json, NULL, firefox_string(f, ana_function_name(&f->locations, i)));
}

/* Flags of functions: what is known of them. */
enum { FUNC_RESOURCE = 4, FUNC_SOURCE = 8, FUNC_LINE = 16 };

static void put_func_flags(struct firefox *f, uint32_t i)
{
	const struct ana_function *function = ana_function(&f->locations, i);
	unsigned flags = 0;

	flags |= prof_is_none(function->binary) ? 0 : FUNC_RESOURCE;
	flags |= function->file.i ? FUNC_SOURCE : 0;
	flags |= function->start_line ? FUNC_LINE : 0;
	base_json_uint(&f->json, NULL, flags);
}

/* Libraries and resources are the binaries of the profile, in their order. */
static void put_func_resource(struct firefox *f, uint32_t i)
{
	struct prof_binary_id binary = ana_function(&f->locations, i)->binary;

	base_json_uint(&f->json, NULL, prof_is_none(binary) ? 0 : binary.i);
}

/* Sources are the files of functions, in the order of the functions. */
static void put_func_source(struct firefox *f, uint32_t i)
{
	struct prof_string_id file = ana_function(&f->locations, i)->file;
	uint32_t id = file.i ? base_intern_add(&f->sources, &file, sizeof(file)) : 0;

	f->no_memory |= id == PD_INTERN_NONE;
	base_json_uint(&f->json, NULL, id);
}

static void put_func_line(struct firefox *f, uint32_t i)
{
	base_json_uint(&f->json, NULL, ana_function(&f->locations, i)->start_line);
}

static const struct column func_columns[] = {
	{ "name", put_func_name },
	{ "flags", put_func_flags },
	{ "resource", put_func_resource },
	{ "source", put_func_source },
	{ "lineNumber", put_func_line },
	{ "columnNumber", put_zero },
	{ "originalLocation", put_zero },
};

static void put_resource_name(struct firefox *f, uint32_t i)
{
	base_json_uint(&f->json, NULL,
		firefox_string(f, prof_binary_base(f->profile, (struct prof_binary_id){ i })));
}

/* Type 1 is a library. */
static const struct column resource_columns[] = {
	{ "name", put_resource_name },
	{ "host", put_null },
	{ "type", put_one },
};

static void put_source_name(struct firefox *f, uint32_t i)
{
	const struct prof_string_id *file = base_intern_bytes(&f->sources, i);

	base_json_uint(&f->json, NULL, firefox_string(f, prof_string(f->profile, *file)));
}

static const struct column source_columns[] = {
	{ "id", put_null },
	{ "filename", put_source_name },
	{ "startLine", put_one },
	{ "startColumn", put_one },
	{ "sourceMapURL", put_null },
	{ "content", put_null },
};

/* Native symbols are written as functions, and source maps do not exist. */
static const struct column symbol_columns[] = {
	{ "libIndex", put_null },
	{ "address", put_null },
	{ "name", put_null },
	{ "functionSize", put_null },
};

static const struct column source_location_columns[] = {
	{ "source", put_null },
	{ "line", put_null },
	{ "column", put_null },
};

#define WRITE_TABLE(f, key, columns, n) write_table(f, key, columns, PD_ARRAY_LEN(columns), n)

void firefox_write_shared(struct firefox *f)
{
	base_json_object(&f->json, "shared");
	WRITE_TABLE(f, "stackTable", stack_columns, f->nodes.n);
	write_frames(f);
	WRITE_TABLE(f, "funcTable", func_columns, f->locations.functions.n);
	WRITE_TABLE(f, "resourceTable", resource_columns, f->profile->binaries.n);
	WRITE_TABLE(f, "nativeSymbols", symbol_columns, 0);
	WRITE_TABLE(f, "sources", source_columns, f->sources.n);
	WRITE_TABLE(f, "sourceLocationTable", source_location_columns, 0);
	base_json_array(&f->json, "stringArray");
	for (uint32_t i = 0; i < f->strings.n; i++)
		base_json_text(&f->json, NULL, base_intern_bytes(&f->strings, i),
			base_intern_len(&f->strings, i));
	base_json_end(&f->json, ']');
	base_json_end(&f->json, '}');
}

/* Return the node plus 1 of @p frame called by the node @p caller - 1. */
static uint32_t add_node(struct firefox *f, uint32_t caller, uint32_t frame)
{
	const struct firefox_node node = { .frame = frame, .caller = caller };
	bool is_new;
	uint64_t *id = base_map_add(&f->node_ids, (uint64_t)caller << 32 | frame, &is_new);

	if (!id || (is_new && !pd_vec_push(&f->nodes, node))) {
		f->no_memory = true;
		return caller;
	}
	if (is_new)
		*id = f->nodes.n;
	return (uint32_t)*id;
}

static uint32_t add_stack(struct firefox *f, struct prof_stack_id stack)
{
	const uint32_t *starts = f->locations.starts.data;
	uint32_t n, node = 0;
	const struct prof_frame_id *frames = prof_stack(f->profile, stack, &n);

	while (n-- > 0) {
		/* Locations are innermost first. */
		for (uint32_t i = starts[frames[n].i + 1]; i-- > starts[frames[n].i];)
			node = add_node(f, node, i);
	}
	return node;
}

void firefox_write_stack(struct firefox *f, const char *key, struct prof_stack_id stack)
{
	uint32_t *leaf = &f->leaves[stack.i];

	if (!*leaf)
		*leaf = add_stack(f, stack);
	if (*leaf)
		base_json_uint(&f->json, key, *leaf - 1);
	else
		firefox_write_null(f, key);
}
