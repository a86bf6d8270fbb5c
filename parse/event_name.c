#include "parse/event_name.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/names.h>

#include "base/array.h"

#define CACHE_OPS_ROW(id, ops, ...) [id] = (ops),
/* Operations that exist for each cache, a bit for each PERF_COUNT_HW_CACHE_OP_*. */
static const unsigned cache_ops[] = { PD_CACHES(CACHE_OPS_ROW) };

#define PLURAL_ROW(id, one, many) [id] = (many),
static const char *const plural_ops[] = { PD_CACHE_OPS(PLURAL_ROW) };

struct text {
	char *to;
	size_t len;
};

static void pd_printf(2, 3) add(struct text *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(text->to + text->len, PD_EVENT_NAME_BYTES - text->len, fmt, args);
	va_end(args);
	text->len += n > 0 ? (size_t)n : 0;
	if (text->len >= PD_EVENT_NAME_BYTES)
		text->len = PD_EVENT_NAME_BYTES - 1;
}

static bool is_hybrid(const struct pd_attr *attr)
{
	return (attr->type == PD_TYPE_HARDWARE || attr->type == PD_TYPE_HW_CACHE) &&
	       attr->config >> 32;
}

uint32_t pd_attr_pmu(const struct pd_attr *attr)
{
	return is_hybrid(attr) ? (uint32_t)(attr->config >> 32) : attr->type;
}

static void add_hardware(struct text *text, const struct pd_attr *attr, const char *pmu)
{
	const char *known = pd_hardware_event_name((uint32_t)attr->config);
	const char *name = known ? known : "unknown-hardware";

	if (is_hybrid(attr))
		add(text, "%.64s/%s/", pmu ? pmu : "cpu", name);
	else
		add(text, "%s", name);
}

static void add_software(struct text *text, const struct pd_attr *attr)
{
	const char *name = pd_software_event_name(attr->config);

	add(text, "%s", name ? name : "unknown-software");
}

static void add_cache(struct text *text, const struct pd_attr *attr)
{
	struct pd_cache_event event = pd_attr_cache(attr);
	const char *cache = pd_cache_name(event.cache);
	const char *op = pd_cache_op_name(event.op);

	if (!cache)
		add(text, "unknown-ext-hardware-cache-type");
	else if (!op)
		add(text, "unknown-ext-hardware-cache-op");
	else if (!pd_cache_result_name(event.result))
		add(text, "unknown-ext-hardware-cache-result");
	else if (!(cache_ops[event.cache] >> event.op & 1))
		add(text, "invalid-cache");
	else if (event.result)
		add(text, "%s-%s-misses", cache, op);
	else
		add(text, "%s-%s", cache, plural_ops[event.op]);
}

static void add_breakpoint(struct text *text, const struct pd_attr *attr)
{
	add(text, "mem:0x%" PRIx64 ":", attr->config1);
	for (unsigned bit = 0; pd_breakpoint_kind_name(bit); bit++) {
		if (attr->bp_type >> bit & 1)
			add(text, "%s", pd_breakpoint_kind_name(bit));
	}
}

/*
 * Write the modifiers for privilege levels, if any level is excluded, and for precision to ret.
 * Returns the number of letters, at most five.
 */
static size_t who_letters(const struct pd_attr *attr, char *ret)
{
	static const struct {
		enum pd_attr_flag exclude;
		char letter;
	} who[] = {
		{ PD_ATTR_exclude_kernel, 'k' },
		{ PD_ATTR_exclude_user, 'u' },
		{ PD_ATTR_exclude_hv, 'h' },
	};
	size_t n_left = 0;

	for (size_t i = 0; i < PD_ARRAY_LEN(who); i++) {
		if (!pd_attr_has(attr, who[i].exclude))
			ret[n_left++] = who[i].letter;
	}
	/* perf writes these letters only for an event that excludes a level. */
	size_t n = n_left < PD_ARRAY_LEN(who) ? n_left : 0;
	for (unsigned i = 0; i < (attr->flags >> PD_ATTR_precise_ip & 3); i++)
		ret[n++] = 'p';
	return n;
}

/*
 * Write modifiers for host and guest if they differ from perf's default, which is the host for an
 * event without other modifiers, and both for an event with modifiers.
 */
static size_t host_letters(const struct pd_attr *attr, char *ret)
{
	bool host = pd_attr_has(attr, PD_ATTR_exclude_host);
	bool guest = pd_attr_has(attr, PD_ATTR_exclude_guest);
	uint64_t narrowing = (uint64_t)1 << PD_ATTR_exclude_kernel |
			     (uint64_t)1 << PD_ATTR_exclude_user |
			     (uint64_t)1 << PD_ATTR_exclude_hv | (uint64_t)3 << PD_ATTR_precise_ip;
	size_t n = 0;

	if (!host && guest != !!(attr->flags & narrowing))
		return 0;
	if (!host)
		ret[n++] = 'H';
	if (!guest)
		ret[n++] = 'G';
	return n;
}

static void add_modifiers(struct text *text, const struct pd_attr *attr)
{
	char letters[8];
	size_t n = who_letters(attr, letters);

	n += host_letters(attr, letters + n);
	if (n)
		add(text, ":%.*s", (int)n, letters);
}

/* Add the name of an event of a dynamic PMU, in the syntax of perf's -e, with modifiers. */
static void add_dynamic(struct text *text, const struct pd_attr *attr, const char *pmu)
{
	char letters[8];

	if (!pmu) {
		add(text, "unknown attr type: %" PRId32, (int32_t)attr->type);
		return;
	}
	add(text, "%.64s/config=0x%" PRIx64, pmu, attr->config);
	if (attr->config1)
		add(text, ",config1=0x%" PRIx64, attr->config1);
	if (attr->config2)
		add(text, ",config2=0x%" PRIx64, attr->config2);
	add(text, "/%.*s", (int)who_letters(attr, letters), letters);
}

void parse_event_derive_name(
	const struct pd_attr *attr, const char *pmu, char ret[static PD_EVENT_NAME_BYTES])
{
	struct text text = { .to = ret };

	ret[0] = 0;
	switch (attr->type) {
	case PD_TYPE_TRACEPOINT:
		/*
		 * The attr only has an id. The name, if recorded, is in the tracing data
		 * (parse_tracepoints_name()).
		 */
		add(&text, "unknown tracepoint");
		return;
	case PD_TYPE_HARDWARE:
		add_hardware(&text, attr, pmu);
		break;
	case PD_TYPE_SOFTWARE:
		add_software(&text, attr);
		break;
	case PD_TYPE_HW_CACHE:
		add_cache(&text, attr);
		break;
	case PD_TYPE_RAW:
		add(&text, "raw 0x%" PRIx64, attr->config);
		break;
	case PD_TYPE_BREAKPOINT:
		add_breakpoint(&text, attr);
		break;
	default:
		/* The modifiers of a PMU event follow its closing slash, without a colon. */
		add_dynamic(&text, attr, pmu);
		return;
	}
	add_modifiers(&text, attr);
}
