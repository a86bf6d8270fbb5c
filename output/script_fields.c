#include "output/script_fields.h"

#include <string.h>

#include "base/array.h"

enum { NOTHING = PROF_N_FIELDS };

struct field_row {
	const char *name;
	uint8_t needs;
	/** Of enum script_kind, a bit each. */
	uint8_t defaults;
	uint8_t invalid;
	const char *help;
};

struct kind_row {
	const char *name;
	const char *title;
};

/* The kinds as the table has them. */
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

/* Parts of samples that rows do not have. */
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

/* What is asked for in one argument: of which kinds (a bit each), and whether it adds to the rest. */
struct request {
	unsigned kinds;
	bool is_for_all;
	/** The first field has been read; it is the first of a list of its own. */
	bool has_begun;
	bool replaces;
};

static bool is_text(const char *text, size_t len, const char *wanted)
{
	return strlen(wanted) == len && memcmp(text, wanted, len) == 0;
}

static struct pd_error *no_such_field(const char *text, size_t len)
{
	for (size_t i = 0; i < N_MISSING; i++) {
		if (is_text(text, len, missing_table[i].name))
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"--fields: %s is a field of perf that is not shown here: %s",
				missing_table[i].name, missing_table[i].why);
	}
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"--fields: there is no field \"%.*s\"; see pdconv help fields", (int)len, text);
}

static struct pd_error *find_field(const char *text, size_t len, enum script_field *ret)
{
	for (size_t i = 0; i < SCRIPT_N_FIELDS; i++) {
		if (is_text(text, len, fields_table[i].name)) {
			*ret = (enum script_field)i;
			return NULL;
		}
	}
	return no_such_field(text, len);
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
		"--fields: there is no type \"%.*s\" of events; see pdconv help fields", (int)len,
		text);
}

/* A list of its own takes the place of what was there. */
static struct pd_error *begin_change(
	struct script_fields *fields, struct request *request, bool replaces)
{
	if (request->has_begun && request->replaces != replaces)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--fields: fields with + or - change those that are shown, others replace "
			"them: both do not go together");
	for (size_t kind = 0; !request->has_begun && kind < SCRIPT_N_KINDS; kind++) {
		if (!(request->kinds >> kind & 1))
			continue;
		fields->is_chosen[kind] = true;
		if (replaces)
			fields->shown[kind] = fields->asked[kind] = 0;
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
		fields->asked[kind] &= ~bit;
		if (!is_shown)
			continue;
		fields->shown[kind] |= bit;
		fields->asked[kind] |= bit;
	}
}

static struct pd_error *take_field(
	struct script_fields *fields, struct request *request, const char *text, size_t len)
{
	bool is_change = text[0] == '+' || text[0] == '-';
	enum script_field field = SCRIPT_FIELD_COMM;
	struct pd_error *err = begin_change(fields, request, !is_change);

	if (!err)
		err = find_field(text + is_change, len - is_change, &field);
	if (err)
		return err;
	if (!request->is_for_all && (request->kinds & ~(unsigned)fields_table[field].invalid) == 0)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--fields: events of the type in front cannot have the field %s",
			fields_table[field].name);
	change_field(fields, request, field, text[0] != '-');
	return NULL;
}

/* "[TYPE:]FIELD,FIELD": of one type nothing at all may be shown. */
static struct pd_error *take_argument(struct script_fields *fields, const char *text)
{
	struct request request = { .kinds = ALL, .is_for_all = true };
	const char *colon = strchr(text, ':');
	struct pd_error *err = NULL;

	if (colon) {
		err = find_kind(text, (size_t)(colon - text), &request.kinds);
		request.is_for_all = false;
		text = colon + 1;
	} else if (!text[0]) {
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--fields: nothing at all would be shown of any event");
	}
	if (!err && !text[0])
		err = begin_change(fields, &request, true);
	for (; !err && *text; text += *text == ',') {
		size_t len = strcspn(text, ",");

		if (len)
			err = take_field(fields, &request, text, len);
		text += len;
	}
	return err;
}

struct pd_error *script_fields_init(const struct out_script_opts *opts, struct script_fields *ret)
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
	/* Both hold the cost of an access. */
	if (field == PROF_FIELD_WEIGHT && fields & PROF_FIELD_BIT(WEIGHT_STRUCT))
		return true;
	return field == NOTHING || fields >> field & 1;
}

/* What samples of the event lack is left out, unless it was asked for. */
static struct pd_error *check_samples(const struct profile *profile, const struct prof_event *event,
	uint32_t asked, uint32_t *shown)
{
	for (size_t i = 0; i < SCRIPT_N_FIELDS; i++) {
		if (!(*shown >> i & 1) || has(event->fields, fields_table[i].needs))
			continue;
		if (asked >> i & 1)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"--fields: samples of %s do not have %s, which the field %s shows",
				profile_string(profile, event->name),
				prof_field_name((enum prof_field)fields_table[i].needs),
				fields_table[i].name);
		*shown &= ~((uint32_t)1 << i);
	}
	return NULL;
}

/* Fields that say more of others. */
static const struct {
	enum script_field field;
	uint32_t belongs_to;
	const char *text;
} companions[] = {
	{ SCRIPT_FIELD_SYMOFF, SCRIPT_BIT(SYM), "--fields: symoff needs sym" },
	{ SCRIPT_FIELD_DSO,
		SCRIPT_BIT(IP) | SCRIPT_BIT(ADDR) | SCRIPT_BIT(BRSTACK) | SCRIPT_BIT(BRSTACKSYM),
		"--fields: dso needs ip, addr, brstack or brstacksym" },
	{ SCRIPT_FIELD_SRCLINE, SCRIPT_BIT(IP), "--fields: srcline needs ip" },
};

static struct pd_error *check_companions(uint32_t shown, uint32_t asked)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(companions); i++) {
		if (asked >> companions[i].field & 1 && !(shown & companions[i].belongs_to))
			return pd_error_create(PD_ERROR_USAGE, NULL, "%s", companions[i].text);
	}
	return NULL;
}

/* Where stacks were recorded, tracepoints have them too. */
static void add_stack(struct script_fields *fields, const struct prof_event *event)
{
	if (event->kind == PROF_EVENT_TRACEPOINT && !fields->is_chosen[SCRIPT_KIND_TRACE] &&
		event->fields & PROF_FIELD_BIT(CALLCHAIN))
		fields->shown[SCRIPT_KIND_TRACE] |=
			SCRIPT_BIT(IP) | SCRIPT_BIT(SYM) | SCRIPT_BIT(SYMOFF) | SCRIPT_BIT(DSO);
}

/* The first event of a kind decides for all of them. One that counts nothing is not asked. */
struct pd_error *script_fields_settle(struct script_fields *fields, const struct profile *profile)
{
	bool is_settled[SCRIPT_N_KINDS] = { false };

	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];
		enum script_kind kind = script_kind_of(event->kind);

		if (is_settled[kind] || event->is_dummy)
			continue;
		is_settled[kind] = true;
		struct pd_error *err =
			check_samples(profile, event, fields->asked[kind], &fields->shown[kind]);
		if (!err)
			err = check_companions(fields->shown[kind], fields->asked[kind]);
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

void out_script_help(FILE *out)
{
	fputs("Fields of the format script, in the order in which they are shown:\n", out);
	for (size_t i = 0; i < SCRIPT_N_FIELDS; i++) {
		const struct field_row *row = &fields_table[i];

		fprintf(out, "%c %-15s %s", row->defaults ? '*' : ' ', row->name, row->help);
		if (row->defaults && row->defaults != ALL)
			write_types(row->defaults, out);
		fputc('\n', out);
	}
	fputs("Those with a * are shown if nothing else is said, as far as samples have them; of\n"
	      "events of the types in parentheses only, where there are some.\n\n"
	      "  -F FIELD,FIELD        these, of all events\n"
	      "  -F +FIELD,-FIELD      one more and one less than otherwise\n"
	      "  -F TYPE:FIELD,FIELD   these, of events of a type; -F TYPE: shows none of them\n\n"
	      "Types:\n",
		out);
	for (size_t i = 0; i < SCRIPT_N_KINDS; i++) {
		if (kinds_table[i].name)
			fprintf(out, "  %-15s %s events\n", kinds_table[i].name,
				kinds_table[i].title);
	}
	fputs("\nFields of perf script that are not shown here:\n", out);
	for (size_t i = 0; i < N_MISSING; i++)
		fprintf(out, "  %-15s %s\n", missing_table[i].name, missing_table[i].why);
}
