#include "profile/time_spans.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

enum { NS_DIGITS = 9 };
static const uint64_t ns_of_second = 1000000000;

static struct pd_error *no_time(const char *text)
{
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"invalid time span '%s': expected one like 12.5,13.25 or 10%%-20%% or 10%%/2 or 1s-10s or 1s+9s",
		text);
}

/* Add the digits of a fraction. Digits after nanoseconds are ignored. */
static const char *parse_fraction(const char *at, uint64_t unit, uint64_t *ns)
{
	uint64_t worth = unit;

	for (; *at >= '0' && *at <= '9'; at++) {
		worth /= 10;
		*ns += (uint64_t)(*at - '0') * worth;
	}
	return at;
}

/* Parse "12.5", a number of units of @p unit ns. Return the end of it, or NULL. */
static const char *parse_number(const char *at, uint64_t unit, uint64_t *ret)
{
	const char *end;
	uint64_t whole;

	if (!base_number_parse(at, UINT64_MAX / unit - 1, &end, &whole))
		return NULL;
	*ret = whole * unit;
	return *end == '.' ? parse_fraction(end + 1, unit, ret) : end;
}

/* Parse "12.5,13.25", of which either number may be missing. It ends at a space. */
static const char *parse_absolute(const char *at, struct prof_time_span *ret)
{
	*ret = (struct prof_time_span){ .base = PROF_TIME_ABSOLUTE, .end = UINT64_MAX };
	if (*at != ',')
		at = parse_number(at, ns_of_second, &ret->start);
	if (!at || *at++ != ',')
		return NULL;
	if (!*at || *at == ' ')
		return at;
	return parse_number(at, ns_of_second, &ret->end);
}

static const char *parse_percent(const char *at, double *ret)
{
	const char *end;
	double value;

	if (!base_decimal_parse(at, &end, &value) || *end != '%' || value > 100)
		return NULL;
	*ret = value / 100;
	return end + 1;
}

/* Parse "10%-20%", "10%/2" or "10%", the first slice. It ends at a comma. */
static const char *parse_share(const char *at, struct prof_time_span *ret)
{
	uint64_t number = 1;

	*ret = (struct prof_time_span){ .base = PROF_TIME_SHARE };
	at = parse_percent(at, &ret->start_share);
	if (at && *at == '-')
		return parse_percent(at + 1, &ret->end_share);
	if (!at || (*at && *at != '/' && *at != ','))
		return NULL;
	/* Slices are numbered from 1, as in --time of perf script: 10%/2 is 10%-20%. */
	double slice = ret->start_share;
	if (*at == '/' && (!base_number_parse(at + 1, UINT32_MAX, &at, &number) || !number))
		return NULL;
	ret->start_share = slice * (double)(number - 1);
	ret->end_share = slice * (double)number;
	/* Rounding may put the end of the last slice slightly above 1. */
	return ret->end_share <= 1 + 1e-9 ? at : NULL;
}

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60000000000 },
	{ "h", 3600000000000 },
};

/* Parse "1.5s". Return the end of it, or NULL. */
static const char *parse_duration(const char *at, uint64_t *ret)
{
	size_t digits = strspn(at, "0123456789.");

	for (size_t i = 0; i < PD_ARRAY_LEN(units); i++) {
		const char *unit = at + digits;
		size_t len = strlen(units[i].name);

		if (strncmp(unit, units[i].name, len) != 0 ||
			(unit[len] && !strchr("+-", unit[len])))
			continue;
		return parse_number(at, units[i].ns, ret) == unit ? unit + len : NULL;
	}
	return NULL;
}

/* Parse "1s-10s", "1s+9s", "1s-" or "-10s". */
static const char *parse_since_first(const char *at, struct prof_time_span *ret)
{
	*ret = (struct prof_time_span){ .base = PROF_TIME_SINCE_FIRST, .end = UINT64_MAX };
	if (*at != '-')
		at = parse_duration(at, &ret->start);
	if (!at || (*at != '-' && *at != '+'))
		return NULL;
	bool is_length = *at++ == '+';
	if (!*at && !is_length)
		return at;
	at = parse_duration(at, &ret->end);
	if (at && is_length)
		ret->end = ret->end > UINT64_MAX - ret->start ? UINT64_MAX : ret->end + ret->start;
	return at;
}

typedef const char *parse_fn(const char *at, struct prof_time_span *ret);

/* Parse a list whose elements @p parse reads. */
static struct pd_error *parse_list(
	struct prof_time_spans *spans, const char *text, parse_fn *parse, char separator)
{
	const char *at = text;

	for (;;) {
		struct prof_time_span span;

		at = parse(at, &span);
		if (!at || (*at && *at != separator) || span.start > span.end ||
			span.start_share > span.end_share)
			return no_time(text);
		if (!pd_vec_push(&spans->list, span))
			return &pd_enomem;
		if (!*at)
			return NULL;
		while (*at == separator)
			at++;
	}
}

struct pd_error *prof_time_spans_parse(struct prof_time_spans *spans, const char *text)
{
	if (strchr(text, '%'))
		return parse_list(spans, text, parse_share, ',');
	if (strchr(text, ','))
		return parse_list(spans, text, parse_absolute, ' ');
	return parse_list(spans, text, parse_since_first, ' ');
}

void prof_time_spans_deinit(struct prof_time_spans *spans)
{
	pd_vec_deinit(&spans->list);
}

static void make_absolute(struct prof_time_span *span, uint64_t first, uint64_t last)
{
	double length = (double)(last - first);

	switch (span->base) {
	case PROF_TIME_ABSOLUTE:
		return;
	case PROF_TIME_SINCE_FIRST:
		span->start += first;
		/* An open end, UINT64_MAX, stays open. */
		if (span->end <= UINT64_MAX - first)
			span->end += first;
		break;
	case PROF_TIME_SHARE:
		span->start = first + (uint64_t)llround(span->start_share * length);
		span->end = first + (uint64_t)llround(span->end_share * length);
		break;
	}
	span->base = PROF_TIME_ABSOLUTE;
}

bool prof_time_spans_are_absolute(const struct prof_time_spans *spans)
{
	for (size_t i = 0; i < spans->list.n; i++) {
		if (spans->list.data[i].base != PROF_TIME_ABSOLUTE)
			return false;
	}
	return true;
}

struct pd_error *prof_time_spans_bind(const struct prof_time_spans *spans, uint64_t first,
	uint64_t last, struct prof_time_spans *ret)
{
	*ret = (struct prof_time_spans){ 0 };
	for (size_t i = 0; i < spans->list.n; i++) {
		struct prof_time_span span = spans->list.data[i];

		make_absolute(&span, first, last);
		if (pd_vec_push(&ret->list, span))
			continue;
		prof_time_spans_deinit(ret);
		return &pd_enomem;
	}
	return NULL;
}

bool prof_time_spans_contain(const struct prof_time_spans *spans, uint64_t time)
{
	for (size_t i = 0; i < spans->list.n; i++) {
		const struct prof_time_span *span = &spans->list.data[i];

		if (time >= span->start && time <= span->end)
			return true;
	}
	return !spans->list.n;
}
