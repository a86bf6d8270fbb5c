#include "capture/capture_opts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/reserved.h"
#include "capture/sampling.h"
#include "capture/session_open.h"
#include "parse/event_index.h"
#include "parse/event_name.h"

/* Two members, of which one at most may be set. */
struct conflict {
	bool has_both;
	const char *first;
	const char *second;
};

static struct pd_error *check_conflicts(const struct conflict *conflicts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (conflicts[i].has_both)
			return pd_error_create(PD_ERROR_USAGE, NULL, "%s and %s cannot be combined",
				conflicts[i].first, conflicts[i].second);
	}
	return NULL;
}

static bool copies_stack(const struct pd_capture_opts *opts)
{
	return opts->stack_bytes && opts->stack_bytes != PD_STACK_NONE;
}

/* Check members that set the same field of an attr. */
static struct pd_error *check_attr(const struct pd_capture_opts *opts, const struct pd_attr *attr)
{
	bool has_rate = opts->frequency || opts->period;
	const struct conflict conflicts[] = {
		{ has_rate && attr->sample_period, "frequency or period", "attrs->sample_period" },
		{ copies_stack(opts) && attr->sample_stack_user, "stack_bytes",
			"attrs->sample_stack_user" },
		{ opts->sample_regs_user && attr->sample_regs_user, "sample_regs_user",
			"attrs->sample_regs_user" },
		{ opts->sample_regs_intr && attr->sample_regs_intr, "sample_regs_intr",
			"attrs->sample_regs_intr" },
		{ opts->branch_sample_type && attr->branch_sample_type, "branch_sample_type",
			"attrs->branch_sample_type" },
		{ opts->use_clockid && pd_attr_has(attr, PD_ATTR_use_clockid), "use_clockid",
			"attrs->use_clockid" },
		{ opts->user_only && pd_attr_has(attr, PD_ATTR_exclude_user), "user_only",
			"attrs->exclude_user" },
	};

	if (pd_attr_has(attr, PD_ATTR_write_backward))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"attrs->write_backward is not possible: ring buffers are read forward");
	return check_conflicts(conflicts, PD_ARRAY_LEN(conflicts));
}

static struct pd_error *check_opts(const struct pd_capture_opts *opts)
{
	const struct conflict conflicts[] = {
		{ opts->frequency && opts->period, "frequency", "period" },
		{ opts->call_graph && copies_stack(opts), "call_graph", "stack_bytes" },
		{ opts->call_graph && opts->callchain, "call_graph", "callchain" },
		{ opts->event && opts->n_attrs > 1, "event", "n_attrs > 1" },
	};

	if (!opts->attrs != !opts->n_attrs)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "attrs and n_attrs must be set together");
	if (opts->call_graph > PD_CALL_GRAPH_BPF)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "invalid call_graph %d", (int)opts->call_graph);
	if (opts->ring_pages & (opts->ring_pages - 1))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid ring_pages %zu: expected a power of two",
			(size_t)opts->ring_pages);
	if (opts->use_clockid && opts->clockid < 0)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "invalid clockid %d", (int)opts->clockid);
	for (size_t i = 0; i < opts->n_attrs; i++) {
		struct pd_error *err = check_attr(opts, &opts->attrs[i]);

		if (err)
			return err;
	}
	struct pd_error *err = PD_CHECK_RESERVED("struct pd_capture_opts", opts);
	return err ? err : check_conflicts(conflicts, PD_ARRAY_LEN(conflicts));
}

static struct pd_error *apply_stack(
	const struct pd_capture_opts *opts, struct cap_sampling *sampling)
{
	uint64_t bytes = ((uint64_t)opts->stack_bytes + 7) / 8 * 8;
	bool has_regs = opts->sample_regs_user || (opts->attrs && opts->attrs->sample_regs_user);

	if (bytes > CAP_MAX_STACK_BYTES)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid stack_bytes %llu: a sample holds at most %d bytes of the stack",
			(unsigned long long)bytes, CAP_MAX_STACK_BYTES);
	sampling->stacks = CAP_STACKS_DWARF;
	sampling->stack_bytes = (uint32_t)bytes;
	return has_regs ? NULL : cap_sampling_use_regs(sampling, NULL);
}

static struct pd_error *apply_sampling(
	const struct pd_capture_opts *opts, struct cap_session *session)
{
	struct cap_sampling *sampling = &session->sampling;
	struct pd_error *err = check_opts(opts);

	if (err)
		return err;
	sampling->pages = opts->ring_pages;
	sampling->frequency = opts->frequency;
	sampling->period = opts->period;
	sampling->inherit = opts->inherit;
	sampling->with_cpu = true;
	sampling->sample_type = opts->sample_type;
	sampling->user_regs = opts->sample_regs_user;
	sampling->intr_regs = opts->sample_regs_intr;
	sampling->branch_sample_type = opts->branch_sample_type;
	sampling->no_kernel_chain = opts->no_kernel_chain;
	sampling->with_user_chain = opts->callchain;
	if (opts->use_clockid)
		sampling->clock = opts->clockid;
	if (opts->callchain)
		sampling->stacks = CAP_STACKS_FP;
	if (opts->call_graph == PD_CALL_GRAPH_BPF)
		sampling->stacks = CAP_STACKS_BPF;
	return copies_stack(opts) ? apply_stack(opts, sampling) : NULL;
}

/* Make @p event, of which only the parsed attr and name are set, start from @p attr. */
static void start_from(struct cap_event *event, const struct pd_attr *attr)
{
	event->attr = *attr;
	event->is_exact = true;
	event->exact_flags = attr->flags;
	event->exact_read_format = attr->read_format;
	event->is_tracepoint = attr->type == PD_TYPE_TRACEPOINT;
}

static struct pd_error *add_attr(
	const struct pd_attr *attr, size_t leader, struct cap_events *events)
{
	struct cap_event event = { .leader = leader };
	char name[PD_EVENT_NAME_BYTES];

	parse_event_derive_name(attr, NULL, name);
	start_from(&event, attr);
	event.name = strdup(name);
	if (event.name && pd_vec_push(&events->list, event))
		return NULL;
	free(event.name);
	return &pd_enomem;
}

/* Let the attr of a parsed event be @p base, except for what the text of the event says. */
static struct pd_error *rebase(struct cap_event *event, const struct pd_attr *base)
{
	const struct pd_attr said = event->attr;
	const struct conflict conflicts[] = {
		{ base->type, "event", "attrs->type" },
		{ base->config, "event", "attrs->config" },
		{ base->config1, "event", "attrs->config1" },
		{ base->config2, "event", "attrs->config2" },
		{ base->config3, "event", "attrs->config3" },
		{ base->config4, "event", "attrs->config4" },
		{ base->bp_type, "event", "attrs->bp_type" },
		{ event->has_period && base->sample_period, "the period in event",
			"attrs->sample_period" },
		{ pd_attr_precise_ip(&said) && pd_attr_precise_ip(base), "the modifiers of event",
			"attrs->precise_ip" },
	};
	struct pd_error *err = check_conflicts(conflicts, PD_ARRAY_LEN(conflicts));

	if (err)
		return err;
	start_from(event, base);
	event->attr.type = said.type;
	event->attr.config = said.config;
	event->attr.config1 = said.config1;
	event->attr.config2 = said.config2;
	event->attr.config3 = said.config3;
	event->attr.config4 = said.config4;
	event->attr.bp_type = said.bp_type;
	event->attr.flags |= said.flags;
	event->is_tracepoint = said.type == PD_TYPE_TRACEPOINT;
	if (!base->sample_period)
		event->attr.sample_period = said.sample_period;
	return NULL;
}

static struct pd_error *add_events(const struct pd_capture_opts *opts, struct cap_session *session)
{
	struct cap_events *events = &session->events;

	if (!opts->event && !opts->attrs)
		return cap_session_add_default(session);
	struct pd_error *err = opts->event ? cap_session_add_events(session, opts->event) : NULL;
	for (size_t i = 0; !err && i < events->list.n; i++)
		events->list.data[i].has_no_substitute = true;
	for (size_t i = 0; !err && opts->event && opts->attrs && i < events->list.n; i++)
		err = rebase(&events->list.data[i], opts->attrs);
	for (size_t i = 0; !err && !opts->event && i < opts->n_attrs; i++)
		err = add_attr(&opts->attrs[i], 0, events);
	return err;
}

static struct pd_error *apply_events(
	const struct pd_capture_opts *opts, struct cap_session *session)
{
	struct pd_error *err = add_events(opts, session);

	if (err)
		return err;
	if (opts->filter) {
		err = cap_event_set_filter(&session->events, opts->filter);
		if (err)
			return err;
	}
	for (size_t i = 0; i < session->events.list.n && opts->user_only; i++)
		cap_event_user_only(&session->events.list.data[i]);
	return NULL;
}

struct pd_capture_opts cap_capture_opts_with_stack(const struct pd_capture_opts *opts)
{
	struct pd_capture_opts ret = *opts;

	if (!opts->stack_bytes && !opts->callchain && !opts->attrs && !opts->call_graph)
		ret.stack_bytes = CAP_DEFAULT_STACK_BYTES;
	return ret;
}

struct pd_error *cap_capture_opts_apply(
	const struct pd_capture_opts *opts, struct cap_session *session)
{
	struct pd_error *err = apply_sampling(opts, session);

	return err ? err : apply_events(opts, session);
}

#define HAS(attr, name) ((attr)->sample_type >> PD_SAMPLE_##name & 1)

/* Check that each field of a sample has what it needs. The kernel would only say EINVAL. */
static struct pd_error *check_fields(const struct pd_attr *attr)
{
	const struct {
		bool is_missing;
		const char *field;
		const char *needed;
	} needs[] = {
		{ HAS(attr, STACK_USER) && !attr->sample_stack_user, "STACK_USER", "stack_bytes" },
		{ HAS(attr, REGS_USER) && !attr->sample_regs_user, "REGS_USER",
			"sample_regs_user" },
		{ HAS(attr, REGS_INTR) && !attr->sample_regs_intr, "REGS_INTR",
			"sample_regs_intr" },
		{ HAS(attr, BRANCH_STACK) && !attr->branch_sample_type, "BRANCH_STACK",
			"branch_sample_type" },
	};
	const struct conflict weights = { HAS(attr, WEIGHT) && HAS(attr, WEIGHT_STRUCT), "WEIGHT",
		"WEIGHT_STRUCT in sample_type" };

	for (size_t i = 0; i < PD_ARRAY_LEN(needs); i++) {
		if (needs[i].is_missing)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"sample_type has %s, but %s is 0", needs[i].field, needs[i].needed);
	}
	return check_conflicts(&weights, 1);
}

/*
 * Check that the ring has room for one sample of @p attr and, before it, the LOST record that
 * reports samples without room. Once one was lost, the kernel writes both or neither, so without
 * that room it writes nothing from then on.
 */
static struct pd_error *check_room(const struct cap_session *session, const struct pd_attr *attr)
{
	enum { LOST_BYTES = PD_RECORD_HEADER_BYTES + 2 * 8 };
	struct pd_plan plan;
	size_t bytes = session->sampling.ring_bytes, pages = session->sampling.pages;

	pd_plan_compile(attr, &plan);
	size_t sample = cap_sample_bytes(attr, session->events.list.n);
	size_t needed = sample + LOST_BYTES + plan.sid_bytes;
	/* The kernel leaves one byte of a ring free (CIRC_SPACE). */
	if (needed < bytes)
		return NULL;
	while (needed >= bytes) {
		bytes *= 2;
		pages *= 2;
	}
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"ring_pages is %zu, but a sample of %zu bytes needs %zu", session->sampling.pages,
		sample, pages);
}

static struct pd_error *check_samples(const struct cap_session *session)
{
	const struct cap_events *events = &session->events;

	for (size_t i = 0; i < events->list.n; i++) {
		const struct pd_attr *attr = &events->list.data[i].attr;
		struct pd_error *err = check_fields(attr);

		if (err)
			return err;
		err = check_room(session, attr);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *cap_capture_opts_open(
	const struct pd_capture_opts *opts, struct cap_session *session)
{
	/* The program writes stacks to the rings, and only a recording puts them into samples. */
	if (opts->call_graph == PD_CALL_GRAPH_BPF)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
			"call_graph: only a profiler can unwind by BPF");
	struct pd_error *err = cap_capture_opts_apply(opts, session);

	if (err)
		return err;
	session->sampling.no_tracking = !opts->tracking;
	session->sampling.with_ids = true;
	session->sampling.read_format = PD_READ_TIME_ENABLED | PD_READ_TIME_RUNNING;
	session->has_one_level = true;
	err = cap_session_prepare(session);
	if (err)
		return err;
	err = check_samples(session);
	if (err)
		return err;
	return cap_session_open(session);
}
