/*
 * The callgrind format, for KCachegrind and callgrind_annotate: the costs of source lines and of
 * calls. It is described in the manual of Valgrind, "Callgrind Format Specification".
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/call_graph.h"
#include "base/array.h"
#include "base/containers/sort.h"
#include "base/text.h"
#include "output/formats.h"

/* Kinds of names. A name is written once, and then referred to by its number. */
enum name_kind { NAME_OBJECT, NAME_FILE, NAME_FUNCTION, N_NAME_KINDS };

/* A line of a function as it is written: its own cost, or a call from it. */
struct item {
	struct ana_location caller;
	/** Number in ana_call_graph.calls; PROF_NONE for the cost of the line itself. */
	uint32_t call;
	/** Number in ana_call_graph.lines. */
	uint32_t line;
};

struct callgrind {
	const struct profile *profile;
	struct ana_locations locations;
	struct ana_call_graph graph;
	PD_VEC(struct item) items;
	/** Whether a name was written, indexed by kind, then by its number. */
	bool *is_written[N_NAME_KINDS];
	/** Object and file of the function that is being written. */
	uint32_t object;
	uint32_t file;
	FILE *out;
};

/* Write "fn=(4) main", or "fn=(4)" if the name was written before. */
static void write_name(struct callgrind *c, enum name_kind kind, const char *key, uint32_t number,
	const char *text)
{
	fprintf(c->out, "%s=(%" PRIu32 ")", key, number + 1);
	if (!c->is_written[kind][number]) {
		putc_unlocked(' ', c->out);
		base_text_write(c->out, text[0] ? text : "???");
	}
	c->is_written[kind][number] = true;
	putc_unlocked('\n', c->out);
}

static bool is_thread(const struct callgrind *c, uint32_t function)
{
	return function >= c->graph.n_functions;
}

/* Threads and addresses that are not mapped have neither an object nor a file. */
static struct ana_function function_of(const struct callgrind *c, uint32_t function)
{
	if (is_thread(c, function))
		return (struct ana_function){ .binary = prof_no_binary() };
	return *ana_function(&c->locations, function);
}

static void write_object(struct callgrind *c, const char *key, struct prof_binary_id binary)
{
	if (prof_is_none(binary)) {
		write_name(c, NAME_OBJECT, key, (uint32_t)c->profile->binaries.n, "");
		return;
	}
	write_name(c, NAME_OBJECT, key, binary.i,
		prof_string(c->profile, prof_binary(c->profile, binary)->name));
}

static void write_file(struct callgrind *c, const char *key, struct prof_string_id file)
{
	write_name(c, NAME_FILE, key, file.i, prof_string(c->profile, file));
}

static void write_function(struct callgrind *c, const char *key, uint32_t function)
{
	char thread[64];

	if (!is_thread(c, function)) {
		write_name(c, NAME_FUNCTION, key, function,
			ana_function_name(&c->locations, function));
		return;
	}
	const struct prof_string_id *comm =
		base_intern_bytes(&c->graph.comms, function - c->graph.n_functions);
	snprintf(thread, sizeof(thread), "thread %s", prof_string(c->profile, *comm));
	write_name(c, NAME_FUNCTION, key, function, thread);
}

static void write_costs(struct callgrind *c, uint32_t line, const uint64_t *costs)
{
	fprintf(c->out, "%" PRIu32, line);
	for (size_t i = 0; i < c->graph.n_events; i++) {
		if (c->profile->events.data[i].total.samples)
			fprintf(c->out, " %" PRIu64, costs[i]);
	}
	putc_unlocked('\n', c->out);
}

static void begin_function(struct callgrind *c, uint32_t id)
{
	const struct ana_function function = function_of(c, id);

	putc_unlocked('\n', c->out);
	write_object(c, "ob", function.binary);
	write_file(c, "fl", function.file);
	write_function(c, "fn", id);
	c->object = function.binary.i;
	c->file = function.file.i;
}

static void write_call(struct callgrind *c, const struct item *item)
{
	const struct ana_call *call = &c->graph.calls.data[item->call];
	const struct ana_function callee = function_of(c, call->callee);

	/* Without cob and cfi the callee is in the object and file of its caller. */
	if (callee.binary.i != c->object)
		write_object(c, "cob", callee.binary);
	if (callee.file.i != c->file)
		write_file(c, "cfi", callee.file);
	write_function(c, "cfn", call->callee);
	fprintf(c->out, "calls=%" PRIu64 " %" PRIu32 "\n", call->samples, callee.start_line);
	write_costs(
		c, item->caller.line, &c->graph.call_costs.data[item->call * c->graph.n_events]);
}

static void write_item(struct callgrind *c, const struct item *item)
{
	if (item->call == PROF_NONE)
		write_costs(c, item->caller.line,
			&c->graph.line_costs.data[item->line * c->graph.n_events]);
	else
		write_call(c, item);
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = base_compare_u32(x->caller.function, y->caller.function);

	order = order ? order : base_compare_u32(x->caller.line, y->caller.line);
	/* The number after PROF_NONE is 0: the line itself comes before its calls. */
	return order ? order : base_compare_u32(x->call + 1, y->call + 1);
}

static bool has_cost(const struct ana_call_graph *graph, uint32_t line)
{
	for (size_t i = 0; i < graph->n_events; i++) {
		if (graph->line_costs.data[line * graph->n_events + i])
			return true;
	}
	return false;
}

static bool add_item(struct callgrind *c, uint32_t line, uint32_t call)
{
	const struct ana_location *caller = base_intern_bytes(&c->graph.lines, line);
	const struct item item = { .caller = *caller, .call = call, .line = line };

	return pd_vec_push(&c->items, item);
}

static bool sort_items(struct callgrind *c)
{
	for (uint32_t line = 0; line < c->graph.lines.n; line++) {
		if (has_cost(&c->graph, line) && !add_item(c, line, PROF_NONE))
			return false;
	}
	for (uint32_t call = 0; call < c->graph.calls.n; call++) {
		if (!add_item(c, c->graph.calls.data[call].line, call))
			return false;
	}
	if (c->items.n)
		qsort(c->items.data, c->items.n, sizeof(*c->items.data), compare_items);
	return true;
}

static bool make_names(struct callgrind *c)
{
	const size_t n[N_NAME_KINDS] = {
		[NAME_OBJECT] = c->profile->binaries.n + 1,
		[NAME_FILE] = c->profile->strings.n + 1,
		[NAME_FUNCTION] = c->graph.n_functions + c->graph.comms.n,
	};

	for (size_t i = 0; i < N_NAME_KINDS; i++) {
		c->is_written[i] = base_calloc_n(n[i], sizeof(*c->is_written[i]));
		if (!c->is_written[i])
			return false;
	}
	return true;
}

/*
 * Write the name of an event as a word of letters, digits and underscores, which is all that
 * KCachegrind accepts.
 */
static void write_word(FILE *out, const char *name)
{
	if (!isalpha((unsigned char)*name))
		putc_unlocked('_', out);
	for (const char *p = name; *p; p++)
		putc_unlocked(isalnum((unsigned char)*p) ? *p : '_', out);
}

/* Write the event types with their full names, then the order of their costs. */
static void write_events(struct callgrind *c)
{
	const struct profile *profile = c->profile;

	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (!event->total.samples)
			continue;
		fputs("event: ", c->out);
		write_word(c->out, prof_string(profile, event->name));
		fputs(" : ", c->out);
		base_text_write(c->out, prof_string(profile, event->name));
		fputs(" (", c->out);
		base_text_write(c->out, prof_string(profile, event->unit));
		fputs(")\n", c->out);
	}
	fputs("events:", c->out);
	for (size_t i = 0; i < profile->events.n; i++) {
		if (!profile->events.data[i].total.samples)
			continue;
		putc_unlocked(' ', c->out);
		write_word(c->out, prof_string(profile, profile->events.data[i].name));
	}
	fputs("\nsummary:", c->out);
	for (size_t i = 0; i < profile->events.n; i++) {
		if (profile->events.data[i].total.samples)
			fprintf(c->out, " %" PRIu64, profile->events.data[i].total.period);
	}
	putc_unlocked('\n', c->out);
}

static void write_head(struct callgrind *c)
{
	fputs("# callgrind format\nversion: 1\ncreator: pdconv " PD_VERSION "\n", c->out);
	if (c->profile->about.command.i) {
		fputs("cmd: ", c->out);
		base_text_write(c->out, prof_string(c->profile, c->profile->about.command));
		putc_unlocked('\n', c->out);
	}
	fputs("positions: line\n", c->out);
	write_events(c);
}

static void write_all(struct callgrind *c)
{
	uint32_t function = PROF_NONE;

	write_head(c);
	for (size_t i = 0; i < c->items.n; i++) {
		const struct item *item = &c->items.data[i];

		if (item->caller.function != function)
			begin_function(c, item->caller.function);
		function = item->caller.function;
		write_item(c, item);
	}
}

static struct pd_error *write_graph(struct callgrind *c)
{
	struct pd_error *err = ana_call_graph_create(c->profile, &c->locations, &c->graph);

	if (err)
		return err;
	if (!make_names(c) || !sort_items(c))
		return &pd_enomem;
	write_all(c);
	return NULL;
}

static struct pd_error *write_callgrind(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct callgrind c = { .profile = profile, .out = out };
	struct pd_error *err = ana_locations_create(profile, &c.locations);

	(void)opts;
	if (!err)
		err = write_graph(&c);
	for (size_t i = 0; i < N_NAME_KINDS; i++)
		free(c.is_written[i]);
	pd_vec_deinit(&c.items);
	ana_call_graph_deinit(&c.graph);
	ana_locations_deinit(&c.locations);
	return err;
}

const struct out_format out_format_callgrind = {
	.name = "callgrind",
	.suffix = ".callgrind",
	.is_binary = true,
	.help = "costs of lines and calls, for KCachegrind and callgrind_annotate",
	.write = write_callgrind,
};
