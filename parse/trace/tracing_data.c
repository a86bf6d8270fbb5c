#include <pdconv/tracing_data.h>

#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "base/containers/map.h"
#include "parse/trace/print_format.h"
#include "parse/trace/c_text.h"
#include "parse/trace/trace_fields.h"

struct pd_tracing {
	struct base_arena arena;
	struct parse_trace_formats formats;
	PD_VEC(struct pd_tracepoint) tracepoints;
	/** Print formats of the tracepoints, in their order; NULL: it cannot be evaluated. */
	PD_VEC(const struct parse_print_format *) prints;
	/** Map from tracepoint id to index in the list. */
	struct base_map by_id;
	/** Map from tid to name, a const char *. */
	struct base_map comms;
	/** Map from address to string of the kernel, a const char *. */
	struct base_map strings;
	bool swap;
	/** Description of the first damage, or NULL. */
	const char *wrong;
};

/* First bytes of tracing data. */
static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

/* Version 0.5 lacks the names of threads at the end, which 0.6 has. */
static const char version_without_cmdlines[] = "0.5";

void pd_tracing_destroy(struct pd_tracing *tracing)
{
	if (!tracing)
		return;
	for (size_t i = 0; i < tracing->tracepoints.n; i++)
		pd_vec_deinit(&tracing->tracepoints.data[i].format.fields);
	pd_vec_deinit(&tracing->tracepoints);
	pd_vec_deinit(&tracing->prints);
	base_map_deinit(&tracing->by_id);
	base_map_deinit(&tracing->comms);
	base_map_deinit(&tracing->strings);
	base_arena_deinit(&tracing->arena);
	free(tracing);
}

static void note(struct pd_tracing *tracing, const char *wrong)
{
	if (!tracing->wrong)
		tracing->wrong = wrong;
}

/* Take size bytes, or nothing if fewer are left. */
static struct pd_view take_sized(struct pd_cursor *c, uint64_t size)
{
	return pd_view_take(c, 1, size);
}

/* Skip "header_page" or "header_event": the name, then a text about the layout of trace buffers. */
static bool skip_header(struct pd_cursor *c, const char *name)
{
	size_t len;
	const char *found = pd_cursor_str(c, &len);

	if (!found || strcmp(found, name) != 0)
		return false;
	take_sized(c, pd_cursor_u64(c));
	return !c->overrun;
}

/* Add a tracepoint, unless its id is known already. Takes ownership of its fields. */
static struct pd_error *add_tracepoint(struct pd_tracing *tracing,
	const struct pd_tracepoint *tracepoint, const struct parse_print_format *print)
{
	bool is_first;
	uint64_t *index = base_map_add(&tracing->by_id, tracepoint->format.id, &is_first);

	if (index && is_first) {
		*index = tracing->tracepoints.n;
		if (pd_vec_push(&tracing->prints, print) &&
			pd_vec_push(&tracing->tracepoints, *tracepoint))
			return NULL;
	}
	free(tracepoint->format.fields.data);
	return index && !is_first ? NULL : &pd_enomem;
}

/* Parse a format. A tracepoint whose fields cannot be parsed is kept for its name. */
static struct pd_error *add_format(
	struct pd_tracing *tracing, const char *system, const struct pd_view *text)
{
	struct pd_tracepoint tracepoint = { .system = system };
	const struct parse_print_format *print;
	const char *wrong;
	struct pd_error *err = parse_trace_format_parse(&tracing->formats, (const char *)text->data,
		text->n, &tracepoint.format, &print, &wrong);

	if (err)
		return err;
	if (wrong)
		note(tracing, wrong);
	return tracepoint.format.name ? add_tracepoint(tracing, &tracepoint, print) : NULL;
}

static struct pd_error *read_system(
	struct pd_tracing *tracing, const char *system, struct pd_cursor *c)
{
	uint32_t n = pd_cursor_u32(c);

	for (uint32_t i = 0; i < n && !c->overrun; i++) {
		struct pd_view text = take_sized(c, pd_cursor_u64(c));
		struct pd_error *err = c->overrun ? NULL : add_format(tracing, system, &text);
		if (err)
			return err;
	}
	return NULL;
}

/* Read the formats of ftrace itself, then those of each subsystem, with its name. */
static struct pd_error *read_formats(struct pd_tracing *tracing, struct pd_cursor *c)
{
	struct pd_error *err = read_system(tracing, "ftrace", c);

	if (err)
		return err;
	uint32_t n = pd_cursor_u32(c);
	for (uint32_t i = 0; i < n && !c->overrun; i++) {
		size_t len;
		const char *name = pd_cursor_str(c, &len);
		const char *copy = name ? base_arena_strndup(&tracing->arena, name, len) : NULL;

		/*
		 * A truncated name has no copy either, but is not an error: keep the formats before
		 * it.
		 */
		if (c->overrun)
			break;
		err = copy ? read_system(tracing, copy, c) : &pd_enomem;
		if (err)
			return err;
	}
	return NULL;
}

/* Parse a line "TID COMM". */
static struct pd_error *add_comm(struct pd_tracing *tracing, const char *line, size_t len)
{
	uint64_t tid = 0;
	size_t i = 0;

	while (i < len && line[i] >= '0' && line[i] <= '9' && tid <= INT32_MAX)
		tid = tid * 10 + (uint64_t)(line[i++] - '0');
	if (!i || i + 1 >= len || line[i] != ' ' || tid > INT32_MAX)
		return NULL;
	const char *comm = base_arena_strndup(&tracing->arena, line + i + 1, len - i - 1);
	uint64_t *value = base_map_add(&tracing->comms, tid, NULL);
	if (!comm || !value)
		return &pd_enomem;
	*value = (uintptr_t)comm;
	return NULL;
}

/* Parse a line `0xffffffff82000000 : "TEXT"`. */
static struct pd_error *add_string(struct pd_tracing *tracing, const char *line, size_t len)
{
	struct base_span rest = { line, line + len }, text;
	uint64_t addr = 0;

	if (!base_span_take(&rest, "0x"))
		return NULL;
	for (; isxdigit((unsigned char)base_span_first(rest)); rest.at++)
		addr = addr << 4 | base_hex_digit(*rest.at);
	if (!base_span_take_word(&rest, ":") || !base_span_take_word(&rest, "\""))
		return NULL;
	text = rest;
	while (text.end > text.at && *--text.end != '"')
		continue;
	const char *copy = base_arena_strndup(&tracing->arena, text.at, base_span_len(text));
	uint64_t *value = base_map_add(&tracing->strings, addr, NULL);
	if (!copy || !value)
		return &pd_enomem;
	*value = (uintptr_t)copy;
	return NULL;
}

typedef struct pd_error *add_line(struct pd_tracing *tracing, const char *line, size_t len);

static struct pd_error *read_lines(
	struct pd_tracing *tracing, const struct pd_view *bytes, add_line *add)
{
	struct base_span text = { (const char *)bytes->data, (const char *)bytes->data + bytes->n };

	while (text.at < text.end) {
		struct base_span line = base_span_take_line(&text);
		struct pd_error *err = add(tracing, line.at, base_span_len(line));

		if (err)
			return err;
	}
	return NULL;
}

/*
 * Read the data after the formats: kernel symbols, which are skipped, strings of the kernel (those
 * of its file printk_formats), and comms.
 */
static struct pd_error *read_rest(
	struct pd_tracing *tracing, const char *version, struct pd_cursor *c)
{
	take_sized(c, pd_cursor_u32(c));
	struct pd_view strings = take_sized(c, pd_cursor_u32(c));
	struct pd_error *err = c->overrun ? NULL : read_lines(tracing, &strings, add_string);

	if (err || c->overrun || strcmp(version, version_without_cmdlines) == 0)
		return err;
	struct pd_view comms = take_sized(c, pd_cursor_u64(c));
	return c->overrun ? NULL : read_lines(tracing, &comms, add_comm);
}

static struct pd_error *read_body(
	struct pd_tracing *tracing, const char *version, struct pd_cursor *c)
{
	tracing->formats.long_size = pd_cursor_u8(c) == 4 ? 4 : 8;
	pd_cursor_u32(c); /* page size */
	if (!skip_header(c, "header_page") || !skip_header(c, "header_event")) {
		note(tracing, "tracing data end in their head");
		return NULL;
	}
	struct pd_error *err = read_formats(tracing, c);
	if (err)
		return err;
	err = read_rest(tracing, version, c);
	if (c->overrun)
		note(tracing, "tracing data are cut");
	return err;
}

struct pd_error *pd_tracing_create(
	const void *bytes, size_t len, struct pd_tracing **ret, const char **wrong_ret)
{
	struct pd_cursor c = pd_cursor_init(bytes, len, false);
	const uint8_t *begin = pd_cursor_bytes(&c, sizeof(magic));
	size_t version_len;
	const char *version = pd_cursor_str(&c, &version_len);
	uint8_t is_big_endian = pd_cursor_u8(&c);

	if (c.overrun || memcmp(begin, magic, sizeof(magic)) != 0 || is_big_endian > 1)
		return pd_error_create(PD_ERROR_FORMAT, NULL, "not tracing data");
	struct pd_tracing *tracing = calloc(1, sizeof(*tracing));
	if (!tracing)
		return &pd_enomem;
	tracing->formats.arena = &tracing->arena;
	/*
	 * The data before the byte order mark are bytes and text, so their order does not matter.
	 */
	tracing->swap = is_big_endian == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	c.swap = tracing->swap;
	struct pd_error *err = read_body(tracing, version, &c);
	if (err) {
		pd_tracing_destroy(tracing);
		return err;
	}
	*wrong_ret = tracing->wrong;
	*ret = tracing;
	return NULL;
}

const struct pd_tracepoint *pd_tracing_find(const struct pd_tracing *tracing, uint64_t id)
{
	const uint64_t *index = base_map_find(&tracing->by_id, id);

	return index ? &tracing->tracepoints.data[*index] : NULL;
}

const struct pd_tracepoint *pd_tracing_list(const struct pd_tracing *tracing, size_t *n_ret)
{
	*n_ret = tracing->tracepoints.n;
	return tracing->tracepoints.data;
}

const struct parse_print_format *parse_tracing_print_format(
	const struct pd_tracing *tracing, const struct pd_tracepoint *tracepoint)
{
	return tracing->prints.data[tracepoint - tracing->tracepoints.data];
}

const char *pd_tracing_comm(const struct pd_tracing *tracing, uint32_t tid)
{
	const uint64_t *comm = base_map_find(&tracing->comms, tid);

	return comm ? (const char *)(uintptr_t)*comm : NULL;
}

const char *pd_tracing_string(const struct pd_tracing *tracing, uint64_t addr)
{
	const uint64_t *text = base_map_find(&tracing->strings, addr);

	return text ? (const char *)(uintptr_t)*text : NULL;
}

bool pd_tracing_swap(const struct pd_tracing *tracing)
{
	return tracing->swap;
}
