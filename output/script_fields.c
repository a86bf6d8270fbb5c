#include "output/script_fields.h"

#include <string.h>

#include "base/array.h"
#include "base/names/nearest.h"

enum { NOTHING = PROF_N_FIELDS };

struct field_row {
	const char *name;
	uint8_t needs;
	/**
	 * Kinds of events with the field by default, and kinds that cannot have it: bits of enum
	 * script_kind.
	 */
	uint8_t defaults;
	uint8_t invalid;
	const char *help;
};

struct kind_row {
	const char *name;
	const char *title;
};

/* Bits of the kinds, under the names that SCRIPT_FIELDS uses. */
enum {
#define KIND_BIT(name, ...) name = 1 << SCRIPT_KIND_##name,
	SCRIPT_KINDS(KIND_BIT)
#undef KIND_BIT
		ALL = (1 << SCRIPT_N_KINDS) - 1,
};

#define FIELD_ROW(name_, text_, needs_, defaults_, invalid_, write_, help_) \
	{ text_, needs_, defaults_, invalid_, help_ },
static const struct field_row fields_table[] = { SCRIPT_FIELDS(FIELD_ROW) };
#undef FIELD_ROW

#define KIND_ROW(name_, text_, title_) { text_, title_ },
static const struct kind_row kinds_table[] = { SCRIPT_KINDS(KIND_ROW) };
#undef KIND_ROW

#define MISSING_ROW(name_, why_) { name_, why_ },
static const struct {
	const char *name;
	const char *why;
} missing_table[] = { SCRIPT_MISSING_FIELDS(MISSING_ROW) };
#undef MISSING_ROW

enum { N_MISSING = PD_ARRAY_LEN(missing_table) };

/* Parts of samples that struct prof_row lacks, so that they are kept as details. */
static const uint32_t DETAILS =
	PROF_FIELD_BIT(ADDR) | PROF_FIELD_BIT(DATA_SRC) | PROF_FIELD_BIT(WEIGHT) |
	PROF_FIELD_BIT(WEIGHT_STRUCT) | PROF_FIELD_BIT(REGS_INTR) | PROF_FIELD_BIT(REGS_USER) |
	PROF_FIELD_BIT(PHYS_ADDR) | PROF_FIELD_BIT(DATA_PAGE_SIZE) | PROF_FIELD_BIT(CODE_PAGE_SIZE);

static void set_defaults(struct script_fields *fields)
{
	for (size_t kind = 0; kind < SCRIPT_N_KINDS; kind++) {
		for (size_t i = 0; i < SCRIPT_N_FIELDS; i++)
			fields->shown[kind] |= (uint32_t)(fields_table[i].defaults >> kind & 1)
					       << i;
	}
}

/* A field list that is being parsed: "[TYPE:]FIELD,FIELD". */
struct request {
	/** Kinds of events that it applies to: a bit each. */
	unsigned kinds;
	/** The list names no type. */
	bool is_for_all;
	/** A field was read before. */
	bool has_begun;
	/** The list replaces the defaults; otherwise its fields have a + or - and modify them. */
	bool replaces;
};

static bool is_text(const char *text, size_t len, const char *wanted)
{
	return strlen(wanted) == len && memcmp(text, wanted, len) == 0;
}

static struct pd_error *unknown_field(const char *text, size_t len)
{
	struct base_nearest nearest;

	for (size_t i = 0; i < N_MISSING; i++) {
		if (is_text(text, len, missing_table[i].name))
			return pd_error_create(PD_ERROR_USAGE, NULL, "unsupported field '%s': %s",
				missing_table[i].name, missing_table[i].why);
	}
	base_nearest_init(&nearest, text, len);
	for (size_t i = 0; i < SCRIPT_N_FIELDS; i++)
		base_nearest_try(&nearest, fields_table[i].name);
	if (nearest.name)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"unknown field '%.*s': did you mean '%s'?", (int)len, text, nearest.name);
	return pd_error_create(PD_ERROR_USAGE, NULL, "unknown field '%.*s'", (int)len, text);
}

static struct pd_error *find_field(const char *text, size_t len, enum script_field *ret)
{
	for (size_t i = 0; i < SCRIPT_N_FIELDS; i++) {
		if (is_text(text, len, fields_table[i].name)) {
			*ret = (enum script_field)i;
			return NULL;
		}
	}
	return unknown_field(text, len);
}

static struct pd_error *find_kind(const char *text, size_t len, unsigned *ret)
{
	for (size_t i = 0; i < SCRIPT_N_KINDS; i++) {
		if (kinds_table[i].name && is_text(text, len, kinds_table[i].name)) {
			*ret = 1u << i;
			return NULL;
		}
	}
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"unknown event type '%.*s': expected hw, sw, trace, hw-cache, raw, break or synth",
		(int)len, text);
}

/*
 * Take note of the next field of a list: one that @p replaces the defaults, or one with a + or -
 * that modifies them. The first field decides, and clears the defaults if it replaces them.
 */
static struct pd_error *begin_change(
	struct script_fields *fields, struct request *request, bool replaces)
{
	if (request->has_begun && request->replaces != replaces)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid field list: fields with + or - modify the defaults and cannot be "
			"combined with fields that replace them");
	for (size_t kind = 0; !request->has_begun && kind < SCRIPT_N_KINDS; kind++) {
		if (!(request->kinds >> kind & 1))
			continue;
		fields->is_chosen[kind] = true;
		if (replaces)
			fields->shown[kind] = fields->requested[kind] = 0;
	}
	request->has_begun = true;
	request->replaces = replaces;
	return NULL;
}

static void change_field(struct script_fields *fields, const struct request *request,
	enum script_field field, bool is_shown)
{
	uint32_t bit = (uint32_t)1 << field;

	for (size_t kind = 0; kind < SCRIPT_N_KINDS; kind++) {
		if (!(request->kinds >> kind & 1) || fields_table[field].invalid >> kind & 1)
			continue;
		fields->shown[kind] &= ~bit;
		fields->requested[kind] &= ~bit;
		if (!is_shown)
			continue;
		fields->shown[kind] |= bit;
		fields->requested[kind] |= bit;
	}
}

/* Apply one field of the list, which has @p len bytes including the + or -. */
static struct pd_error *take_field(
	struct script_fields *fields, struct request *request, const char *text, size_t len)
{
	bool is_change = text[0] == '+' || text[0] == '-';
	enum script_field field = SCRIPT_FIELD_COMM;
	struct pd_error *err = begin_change(fields, request, !is_change);

	if (err)
		return err;
	err = find_field(text + is_change, len - is_change, &field);
	if (err)
		return err;
	if (!request->is_for_all && (request->kinds & ~(unsigned)fields_table[field].invalid) == 0)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid field '%s': events of the given type do not have it",
			fields_table[field].name);
	change_field(fields, request, field, text[0] != '-');
	return NULL;
}

/* Parse "FIELD,FIELD"; an empty list prints nothing for events of the requested kinds. */
static struct pd_error *take_list(
	struct script_fields *fields, struct request *request, const char *text)
{
	if (!text[0])
		return begin_change(fields, request, true);
	for (; *text; text += *text == ',') {
		size_t len = strcspn(text, ",");
		struct pd_error *err = len ? take_field(fields, request, text, len) : NULL;

		if (err)
			return err;
		text += len;
	}
	return NULL;
}

/* Parse "[TYPE:]FIELD,FIELD". The list may be empty only if it names a type. */
static struct pd_error *take_argument(struct script_fields *fields, const char *text)
{
	struct request request = { .kinds = ALL, .is_for_all = true };
	const char *colon = strchr(text, ':');

	if (!text[0])
		return pd_error_create(PD_ERROR_USAGE, NULL, "empty field list");
	if (!colon)
		return take_list(fields, &request, text);
	struct pd_error *err = find_kind(text, (size_t)(colon - text), &request.kinds);
	if (err)
		return err;
	request.is_for_all = false;
	return take_list(fields, &request, colon + 1);
}

struct pd_error *script_fields_init(const struct pd_script_opts *opts, struct script_fields *ret)
{
	struct script_fields fields = { 0 };

	set_defaults(&fields);
	for (size_t i = 0; i < opts->n_fields; i++) {
		struct pd_error *err = take_argument(&fields, opts->fields[i]);

		if (err)
			return err;
	}
	*ret = fields;
	return NULL;
}

enum script_kind script_kind_of(enum prof_event_kind kind)
{
	static const enum script_kind kinds[PROF_N_EVENT_KINDS] = {
		[PROF_EVENT_HARDWARE] = SCRIPT_KIND_HW,
		[PROF_EVENT_SOFTWARE] = SCRIPT_KIND_SW,
		[PROF_EVENT_TRACEPOINT] = SCRIPT_KIND_TRACE,
		[PROF_EVENT_HW_CACHE] = SCRIPT_KIND_HW_CACHE,
		[PROF_EVENT_RAW] = SCRIPT_KIND_RAW,
		[PROF_EVENT_BREAKPOINT] = SCRIPT_KIND_BREAK,
		[PROF_EVENT_OTHER] = SCRIPT_KIND_OTHER,
	};

	return kinds[kind];
}

static bool has(uint32_t fields, unsigned field)
{
	/* WEIGHT_STRUCT contains the weight, as the first of three numbers. */
	if (field == PROF_FIELD_WEIGHT && fields & PROF_FIELD_BIT(WEIGHT_STRUCT))
		return true;
	return field == NOTHING || fields >> field & 1;
}

/*
 * Remove fields that samples of the event lack. A field that was requested by name is an error
 * instead.
 */
static struct pd_error *check_samples(const struct profile *profile, const struct prof_event *event,
	uint32_t requested, uint32_t *shown)
{
	for (size_t i = 0; i < SCRIPT_N_FIELDS; i++) {
		if (!(*shown >> i & 1) || has(event->fields, fields_table[i].needs))
			continue;
		if (requested >> i & 1)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"cannot print field '%s': samples of %s have no %s",
				fields_table[i].name, prof_string(profile, event->name),
				prof_field_name((enum prof_field)fields_table[i].needs));
		*shown &= ~((uint32_t)1 << i);
	}
	return NULL;
}

/* Fields that only extend other fields, and are useless without them. */
static const struct {
	enum script_field field;
	uint32_t belongs_to;
	const char *text;
} companions[] = {
	{ SCRIPT_FIELD_SYMOFF, SCRIPT_BIT(SYM), "field 'symoff' requires sym" },
	{ SCRIPT_FIELD_DSO,
		SCRIPT_BIT(IP) | SCRIPT_BIT(ADDR) | SCRIPT_BIT(BRSTACK) | SCRIPT_BIT(BRSTACKSYM),
		"field 'dso' requires ip, addr, brstack or brstacksym" },
	{ SCRIPT_FIELD_DSOFF, SCRIPT_BIT(DSO), "field 'dsoff' requires dso" },
	{ SCRIPT_FIELD_SRCLINE, SCRIPT_BIT(IP), "field 'srcline' requires ip" },
};

static struct pd_error *check_companions(uint32_t shown, uint32_t requested)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(companions); i++) {
		if (requested >> companions[i].field & 1 && !(shown & companions[i].belongs_to))
			return pd_error_create(PD_ERROR_USAGE, NULL, "%s", companions[i].text);
	}
	return NULL;
}

/*
 * perf prints the stacks of tracepoints by default if they were recorded, although ip is not one of
 * their default fields.
 */
static void add_stack(struct script_fields *fields, const struct prof_event *event)
{
	if (event->kind == PROF_EVENT_TRACEPOINT && !fields->is_chosen[SCRIPT_KIND_TRACE] &&
		event->fields & PROF_FIELD_BIT(CALLCHAIN))
		fields->shown[SCRIPT_KIND_TRACE] |=
			SCRIPT_BIT(IP) | SCRIPT_BIT(SYM) | SCRIPT_BIT(SYMOFF) | SCRIPT_BIT(DSO);
}

/*
 * The first event of a kind decides for all events of that kind, as in perf. Dummy events are
 * skipped: their samples, if any, say nothing about the others.
 */
struct pd_error *script_fields_check(struct script_fields *fields, const struct profile *profile)
{
	bool is_checked[SCRIPT_N_KINDS] = { false };

	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];
		enum script_kind kind = script_kind_of(event->kind);

		if (is_checked[kind] || event->is_dummy)
			continue;
		is_checked[kind] = true;
		struct pd_error *err = check_samples(
			profile, event, fields->requested[kind], &fields->shown[kind]);
		if (err)
			return err;
		/* Must follow check_samples(), which removes fields that other fields need. */
		err = check_companions(fields->shown[kind], fields->requested[kind]);
		if (err)
			return err;
	}
	for (size_t i = 0; i < profile->events.n; i++)
		add_stack(fields, &profile->events.data[i]);
	return NULL;
}

uint32_t script_fields_details(const struct script_fields *fields, enum script_kind kind)
{
	uint32_t shown = fields->shown[kind];
	uint32_t ret = 0;

	for (size_t i = 0; i < SCRIPT_N_FIELDS; i++) {
		if (shown >> i & 1 && fields_table[i].needs != NOTHING)
			ret |= (uint32_t)1 << fields_table[i].needs;
	}
	if (shown & SCRIPT_BIT(WEIGHT))
		ret |= PROF_FIELD_BIT(WEIGHT_STRUCT);
	ret &= DETAILS;
	/*
	 * These fields need nothing according to the table, so that check_samples() keeps them
	 * even if the samples lack the data.
	 */
	if (shown & (SCRIPT_BIT(BRSTACK) | SCRIPT_BIT(BRSTACKSYM)))
		ret |= PROF_FIELD_BIT(BRANCH_STACK);
	if (shown & SCRIPT_BIT(BPF_OUTPUT))
		ret |= PROF_FIELD_BIT(RAW);
	return ret;
}

bool script_fields_show(const struct script_fields *fields, enum script_field field)
{
	for (size_t kind = 0; kind < SCRIPT_N_KINDS; kind++) {
		if (fields->shown[kind] >> field & 1)
			return true;
	}
	return false;
}

static void write_types(unsigned kinds, FILE *out)
{
	const char *separator = " (";

	if (kinds == (ALL & ~TRACE)) {
		fputs(" (not trace)", out);
		return;
	}
	for (size_t i = 0; i < SCRIPT_N_KINDS; i++) {
		if (!(kinds >> i & 1) || !kinds_table[i].name)
			continue;
		fprintf(out, "%s%s", separator, kinds_table[i].name);
		separator = ", ";
	}
	fputs(")", out);
}

const char *out_script_field(size_t i, const char **help_ret)
{
	if (i >= SCRIPT_N_FIELDS)
		return NULL;
	*help_ret = fields_table[i].help;
	return fields_table[i].name;
}

void out_script_help(FILE *out)
{
	fputs("Fields of the script format, in the order of printing:\n", out);
	for (size_t i = 0; i < SCRIPT_N_FIELDS; i++) {
		const struct field_row *row = &fields_table[i];

		fprintf(out, "%c %-15s %s", row->defaults ? '*' : ' ', row->name, row->help);
		if (row->defaults && row->defaults != ALL)
			write_types(row->defaults, out);
		fputc('\n', out);
	}
	fputs("Fields marked with * are printed by default if the samples have them. Types in\n"
	      "parentheses limit the default to events of these types.\n\n"
	      "  FIELD,FIELD        print these fields for all events\n"
	      "  +FIELD,-FIELD      add a field to the defaults, remove another\n"
	      "  TYPE:FIELD,FIELD   print these fields for events of a type\n"
	      "  TYPE:              print nothing for events of a type\n\n"
	      "Event types:\n",
		out);
	for (size_t i = 0; i < SCRIPT_N_KINDS; i++) {
		if (kinds_table[i].name)
			fprintf(out, "  %-15s %s events\n", kinds_table[i].name,
				kinds_table[i].title);
	}
	fputs("\nUnsupported fields of perf script:\n", out);
	for (size_t i = 0; i < N_MISSING; i++)
		fprintf(out, "  %-15s %s\n", missing_table[i].name, missing_table[i].why);
}
