#include "capture/events/event_list.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "capture/events/event_item.h"
#include "capture/events/event_word_defs.h"
#include "capture/events/pmu_events.h"
#include "capture/events/tracepoints.h"

/* HW_BREAKPOINT_* */
enum { BREAK_R = 1, BREAK_W = 2, BREAK_X = 4 };

static const char modifiers[] = {
#define MODIFIER_LETTER(letter, meaning) letter,
	CAP_MODIFIERS(MODIFIER_LETTER) 0
};

#define EXCLUDE_MODES (CAP_FLAG(exclude_user) | CAP_FLAG(exclude_kernel) | CAP_FLAG(exclude_hv))
#define EXCLUDE_HOSTS (CAP_FLAG(exclude_host) | CAP_FLAG(exclude_guest))

/* Remove TYPE:CONFIG, and a ':' after it, from the front of @p word. */
static bool take_numbers(struct cap_word *word, struct pd_attr *ret)
{
	struct cap_word rest = *word;
	uint64_t type;
	uint64_t config;

	if (!cap_word_number(cap_word_split(&rest, ':'), &type) || type > UINT32_MAX ||
		!cap_word_number(cap_word_split(&rest, ':'), &config))
		return false;
	*ret = cap_attr((uint32_t)type, config);
	*word = rest;
	return true;
}

static struct pd_error *add_single(
	const struct cap_item *item, const struct pd_attr *attr, struct cap_word terms)
{
	struct pd_error *err = cap_item_add(item, attr, item->whole);

	return err ? err : cap_terms_apply(item, terms);
}

static struct pd_error *add_generic(const struct cap_item *item, const struct pd_attr *attr,
	struct cap_word name, struct cap_word terms)
{
	if (attr->type == PD_TYPE_HARDWARE || attr->type == PD_TYPE_HW_CACHE)
		return cap_pmu_add_generic(item, attr, name, terms);
	return add_single(item, attr, terms);
}

static bool is_modifiers(struct cap_word word)
{
	for (size_t i = 0; i < word.n; i++) {
		if (!strchr(modifiers, word.at[i]))
			return false;
	}
	return true;
}

/* Parse the letters of an access; 0 if one is invalid or repeated. */
static uint32_t parse_access(struct cap_word word)
{
	uint32_t ret = 0;

	for (size_t i = 0; i < word.n; i++) {
		uint32_t bit = word.at[i] == 'r'   ? BREAK_R
			       : word.at[i] == 'w' ? BREAK_W
			       : word.at[i] == 'x' ? BREAK_X
						   : 0;
		if (!bit || ret & bit)
			return 0;
		ret |= bit;
	}
	return ret;
}

/* Parse the part after the address: an access, modifiers, both, or nothing. */
static bool parse_breakpoint_suffix(
	struct cap_item *item, struct cap_word rest, struct pd_attr *attr)
{
	struct cap_word access = cap_word_split(&rest, ':');
	size_t n = 0;

	while (n < access.n && strchr("rwx", access.at[n]))
		n++;
	attr->bp_type = n ? parse_access((struct cap_word){ access.at, n }) : BREAK_R | BREAK_W;
	item->modifiers = (struct cap_word){ access.at + n, access.n - n };
	if (item->modifiers.n && rest.n)
		return false;
	if (!item->modifiers.n)
		item->modifiers = rest;
	return attr->bp_type != 0;
}

/* Add mem:ADDR[/LEN][:ACCESS][:MODIFIERS]. perf's name for it ends at the slash. */
static struct pd_error *add_breakpoint(struct cap_item *item)
{
	struct cap_word rest = item->whole;
	struct pd_attr attr = cap_attr(PD_TYPE_BREAKPOINT, 0);

	cap_word_split(&rest, ':');
	struct cap_word addr = cap_word_split(&rest, ':');
	struct cap_word len = addr;
	struct cap_word name = item->whole;

	addr = cap_word_split(&len, '/');
	if (len.n)
		name = cap_word_split(&name, '/');
	if (!cap_word_number(addr, &attr.config1) ||
		(len.n && !cap_word_number(len, &attr.config2)))
		return cap_item_bad(item, "expected mem:ADDRESS[/LENGTH][:rwx] with numbers");
	if (!parse_breakpoint_suffix(item, rest, &attr))
		return cap_item_bad(
			item, "invalid access: expected some of the letters rwx, each once");
	/*
	 * Defaults of perf. x86 permits only sizeof(long) to break on execution, whatever the size
	 * of the instruction (arch_build_bp_info()).
	 */
	if (!attr.config2)
		attr.config2 = attr.bp_type == BREAK_X ? sizeof(long) : 4;
	attr.sample_period = 1;
	return cap_item_add(item, &attr, name);
}

/* Add EVENT/TERMS/MODIFIERS. */
static struct pd_error *add_with_terms(struct cap_item *item)
{
	struct cap_word rest = item->whole;
	struct cap_word head = cap_word_split(&rest, '/');
	struct pd_attr attr;
	bool found;

	if (!memchr(rest.at, '/', rest.n))
		return cap_item_bad(item, "expected a '/' after the terms");
	struct cap_word terms = cap_word_split(&rest, '/');
	struct cap_word numbers = head;
	item->modifiers = rest;
	if (rest.n && rest.at[0] == ':')
		cap_word_split(&item->modifiers, ':');
	if (cap_generic_parse(head, &attr))
		return add_generic(item, &attr, head, terms);
	if (take_numbers(&numbers, &attr) && !numbers.n)
		return add_single(item, &attr, terms);
	struct pd_error *err = cap_pmu_add(item, head, terms, &found);
	if (err || found)
		return err;
	/* TYPE:CONFIG was handled above, so this colon separates a system and a tracepoint. */
	if (memchr(head.at, ':', head.n))
		return cap_item_bad(item, "tracepoints have no terms");
	return cap_item_bad(item, "this machine has no PMU '%.*s'", (int)head.n, head.at);
}

/*
 * Add EVENT[:MODIFIERS] or SYSTEM:NAME[:MODIFIERS]. Names of PMU events win over systems of
 * tracepoints.
 */
static struct pd_error *add_plain(struct cap_item *item)
{
	struct cap_word rest = item->whole;
	struct cap_word first = cap_word_split(&rest, ':');
	const struct cap_word no_terms = { NULL, 0 };
	bool has_colon = first.n < item->whole.n;
	struct pd_attr attr;
	bool found = false;

	item->modifiers = rest;
	if (cap_generic_parse(first, &attr))
		return add_generic(item, &attr, first, no_terms);
	struct cap_word numbers = item->whole;
	if (take_numbers(&numbers, &attr)) {
		item->modifiers = numbers;
		return add_single(item, &attr, no_terms);
	}
	/*
	 * A name may be both an event of a PMU and a system of tracepoints. It is the event if only
	 * modifiers follow the colon.
	 */
	struct pd_error *err = is_modifiers(rest) ? cap_pmu_add_named(item, first, &found) : NULL;
	if (err || found)
		return err;
	if (!has_colon)
		return cap_item_bad(item, "event not found");
	struct cap_word name = cap_word_split(&rest, ':');
	item->modifiers = rest;
	return cap_tracepoint_add(item, first, name);
}

static struct pd_error *check_modifiers(const struct cap_item *item)
{
	struct cap_word word = item->modifiers;

	for (size_t i = 0; i < word.n; i++) {
		char c = word.at[i];

		if (!strchr(modifiers, c))
			return cap_item_bad(
				item, "invalid modifier '%c': expected some of %s", c, modifiers);
		if (c != 'p' && memchr(word.at + i + 1, c, word.n - i - 1))
			return cap_item_bad(item, "duplicate modifier '%c'", c);
	}
	return NULL;
}

/*
 * Apply a modifier that chooses where an event counts: the first one excludes all else, further
 * ones add to it.
 */
static bool clear_exclude(struct cap_event *event, char letter)
{
	static const struct {
		char letter;
		uint64_t flag;
	} rows[] = {
		{ 'u', CAP_FLAG(exclude_user) },
		{ 'k', CAP_FLAG(exclude_kernel) },
		{ 'h', CAP_FLAG(exclude_hv) },
		{ 'H', CAP_FLAG(exclude_host) },
		{ 'G', CAP_FLAG(exclude_guest) },
	};
	/*
	 * An exclude flag of a mode is set only by an earlier modifier. exclude_guest is also set
	 * by default, so chose_host records whether a modifier chose the host or guests.
	 */
	uint64_t *flags = &event->attr.flags;

	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		if (rows[i].letter != letter)
			continue;
		if (rows[i].flag & EXCLUDE_MODES && !(*flags & EXCLUDE_MODES))
			*flags |= EXCLUDE_MODES;
		if (rows[i].flag & EXCLUDE_HOSTS && !event->chose_host) {
			*flags |= EXCLUDE_HOSTS;
			event->chose_host = true;
		}
		*flags &= ~rows[i].flag;
		return true;
	}
	return false;
}

static void set_precise(struct cap_event *event, unsigned precise)
{
	event->attr.flags &= ~(3 * CAP_FLAG(precise_ip));
	event->attr.flags |= precise * CAP_FLAG(precise_ip);
}

static void apply_letter(struct cap_event *event, char letter, bool is_leader)
{
	/* Modifiers 'u' and 'p' exclude guests, as in perf. */
	if ((letter == 'u' || letter == 'p') && !event->chose_host)
		event->attr.flags |= CAP_FLAG(exclude_guest);
	if (clear_exclude(event, letter))
		return;
	switch (letter) {
	case 'p':
		set_precise(event, pd_attr_precise_ip(&event->attr) + !event->is_precise_max);
		break;
	case 'P':
		event->is_precise_max = true;
		break;
	case 'I':
		event->attr.flags |= CAP_FLAG(exclude_idle);
		break;
	case 'D':
		event->attr.flags |= is_leader ? CAP_FLAG(pinned) : 0;
		break;
	case 'e':
		event->attr.flags |= is_leader ? CAP_FLAG(exclusive) : 0;
		break;
	case 'S':
		event->reads_group = true;
		break;
	case 'W':
		event->is_weak = true;
		break;
	}
}

static struct pd_error *apply_modifiers(
	const struct cap_item *item, struct cap_event *event, bool is_leader)
{
	for (size_t i = 0; i < item->modifiers.n; i++) {
		char letter = item->modifiers.at[i];

		if (letter == 'p' && !event->is_precise_max &&
			pd_attr_precise_ip(&event->attr) == 3)
			return cap_item_bad(item, "more than three modifiers 'p'");
		apply_letter(event, letter, is_leader);
	}
	if (event->is_precise_max)
		set_precise(event, 3);
	return NULL;
}

/*
 * Modify the events from @p first on. Any modifier, even an unrelated one, cancels the default
 * exclude_guest, as in perf.
 */
static struct pd_error *modify_events(const struct cap_item *item, size_t first)
{
	struct pd_error *err = check_modifiers(item);

	if (err || !item->modifiers.n)
		return err;
	for (size_t i = first; i < item->events->list.n; i++) {
		struct cap_event *event = &item->events->list.data[i];

		event->attr.flags &= ~CAP_FLAG(exclude_guest);
		err = apply_modifiers(item, event, true);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *modify_group(const struct cap_item *item, size_t first)
{
	struct pd_error *err = check_modifiers(item);

	if (err)
		return err;
	for (size_t i = first; i < item->events->list.n; i++) {
		err = apply_modifiers(item, &item->events->list.data[i], i == first);
		if (err)
			return err;
	}
	return NULL;
}

struct parser {
	struct cap_events *events;
	const char *words;
	const char *at;
	/** Beginning of the event or group that is parsed, or that is missing. */
	const char *begin;
};

static void skip_spaces(struct parser *p)
{
	p->at += strspn(p->at, " \t\n");
}

static bool take_char(struct parser *p, char c)
{
	skip_spaces(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static struct cap_word trimmed(const char *at, size_t n)
{
	while (n && strchr(" \t\n", at[n - 1]))
		n--;
	return (struct cap_word){ at, n };
}

/* Return the length of the event at @p at. Commas and braces end it, except between slashes. */
static size_t event_length(const char *at)
{
	size_t n = strncmp(at, "mem:", 4) == 0 ? strcspn(at, ",{}") : strcspn(at, ",{}/");

	if (at[n] != '/')
		return n;
	const char *close = strchr(at + n + 1, '/');
	n = close ? (size_t)(close + 1 - at) : n;
	return n + strcspn(at + n, ",{}");
}

static struct pd_error *missing(const struct parser *p, const char *what)
{
	return pd_error_create(PD_ERROR_USAGE, NULL, "events '%s': expected %s %s%s", p->words,
		what, *p->at ? "before " : "at the end", p->at);
}

static struct pd_error *parse_event(struct parser *p)
{
	struct cap_item item = {
		.events = p->events,
		.whole = trimmed(p->at, event_length(p->at)),
	};
	size_t first = p->events->list.n;
	struct pd_error *err;

	p->begin = p->at;
	if (!item.whole.n)
		return missing(p, "an event");
	p->at += item.whole.n;
	if (item.whole.n > 4 && memcmp(item.whole.at, "mem:", 4) == 0)
		err = add_breakpoint(&item);
	else if (memchr(item.whole.at, '/', item.whole.n))
		err = add_with_terms(&item);
	else
		err = add_plain(&item);
	return err ? err : modify_events(&item, first);
}

static struct pd_error *parse_group_events(struct parser *p)
{
	do {
		skip_spaces(p);
		struct pd_error *err = parse_event(p);
		if (err)
			return err;
	} while (take_char(p, ','));
	if (take_char(p, '}'))
		return NULL;
	p->begin = p->at;
	return missing(p, "a '}'");
}

/* Parse [NAME]{EVENTS}[:MODIFIERS]. */
static struct pd_error *parse_group(struct parser *p, struct cap_word name)
{
	size_t first = p->events->list.n;
	struct cap_item item = { .events = p->events };
	const char *begin = p->at;

	p->at += name.n;
	take_char(p, '{');
	struct pd_error *err = parse_group_events(p);
	if (err)
		return err;
	if (*p->at == ':') {
		item.modifiers = trimmed(p->at + 1, strcspn(p->at + 1, ",{}"));
		p->at = item.modifiers.at + item.modifiers.n;
	}
	item.whole = (struct cap_word){ begin, (size_t)(p->at - begin) };
	p->begin = begin;
	/* The list may have moved while its events were appended, so take its address only now. */
	struct cap_event *events = p->events->list.data;
	for (size_t i = first; i < p->events->list.n; i++)
		events[i].leader = first;
	if (name.n && !(events[first].group_name = strndup(name.at, name.n)))
		return &pd_enomem;
	return modify_group(&item, first);
}

static struct pd_error *parse_item(struct parser *p)
{
	skip_spaces(p);
	size_t n = strcspn(p->at, ",{}/:");

	return p->at[n] == '{' ? parse_group(p, trimmed(p->at, n)) : parse_event(p);
}

static struct pd_error *parse_all(struct parser *p)
{
	do {
		struct pd_error *err = parse_item(p);
		if (err)
			return err;
		skip_spaces(p);
	} while (take_char(p, ','));
	p->begin = p->at;
	if (*p->at)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "events '%s': unexpected '%s'", p->words, p->at);
	return NULL;
}

struct pd_error *cap_events_parse(struct cap_events *events, const char *words)
{
	size_t at;

	return cap_events_parse_at(events, words, &at);
}

struct pd_error *cap_events_parse_at(struct cap_events *events, const char *words, size_t *at_ret)
{
	struct parser p = { .events = events, .words = words, .at = words, .begin = words };
	size_t first = events->list.n;
	struct pd_error *err = parse_all(&p);

	if (err) {
		while (events->list.n > first)
			cap_event_deinit(&events->list.data[--events->list.n]);
		*at_ret = (size_t)(p.begin - words);
		return err;
	}
	events->last_first = first;
	return NULL;
}

void cap_event_deinit(struct cap_event *event)
{
	free(event->name);
	free(event->filter);
	free(event->pmu);
	free(event->cpus);
	free(event->group_name);
}

void cap_events_deinit(struct cap_events *events)
{
	for (size_t i = 0; i < events->list.n; i++)
		cap_event_deinit(&events->list.data[i]);
	pd_vec_deinit(&events->list);
}

/* Add a filter to those that a tracepoint has. */
static struct pd_error *add_filter(struct cap_event *event, const char *filter)
{
	if (!event->is_tracepoint)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"cannot filter event '%s': it is not a tracepoint", event->name);
	char *all =
		event->filter ? base_format("(%s) && (%s)", event->filter, filter) : strdup(filter);
	if (!all)
		return &pd_enomem;
	free(event->filter);
	event->filter = all;
	return NULL;
}

struct pd_error *cap_event_set_filter(struct cap_events *events, const char *filter)
{
	if (events->last_first >= events->list.n)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "filter '%s' does not follow a tracepoint", filter);
	for (size_t i = events->last_first; i < events->list.n; i++) {
		struct pd_error *err = add_filter(&events->list.data[i], filter);

		if (err)
			return err;
	}
	return NULL;
}
