#include "resolve/facts/recording_facts.h"

#include <stdio.h>
#include <string.h>

#include <pdconv/trace_value.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/text.h"
#include "parse/attr_store.h"
#include "parse/meta_info.h"
#include "parse/open_file.h"

struct resolve_facts resolve_facts_init(const struct pd_file *file, struct profile *profile)
{
	return (struct resolve_facts){
		.file = file,
		.profile = profile,
		.unattributed = prof_no_event(),
		.labels = prof_no_labels(),
	};
}

void resolve_facts_deinit(struct resolve_facts *facts)
{
	pd_vec_deinit(&facts->event_ids);
	resolve_periods_deinit(&facts->periods);
	base_map_deinit(&facts->cgroups);
}

/* Whether the periods of samples vary, and are not in them. */
static bool lacks_periods(const struct pd_attr *attr)
{
	return attr->sample_period && !parse_attr_fixed_period(attr) &&
	       !(attr->sample_type >> PD_SAMPLE_PERIOD & 1) &&
	       !(attr->sample_type >> PD_SAMPLE_READ & 1);
}

/*
 * Return the time between two samples of a task that runs, or 0 if the event has none, or does not
 * belong to tasks. perf sets inherit for events of all CPUs, too, but by default only they sample
 * the CPU.
 */
static uint64_t period_ns(const struct pd_attr *attr)
{
	static const uint64_t ns_of_second = 1000000000;

	if (!pd_attr_has(attr, PD_ATTR_inherit) || attr->sample_type >> PD_SAMPLE_CPU & 1)
		return 0;

	if (pd_attr_has(attr, PD_ATTR_freq))
		return attr->sample_period ? ns_of_second / attr->sample_period : 0;
	return strcmp(pd_attr_unit(attr), "nanoseconds") == 0 ? attr->sample_period : 0;
}

/* PERF_COUNT_SW_* */
enum {
	SW_PAGE_FAULTS = 2,
	SW_PAGE_FAULTS_MIN = 5,
	SW_PAGE_FAULTS_MAJ = 6,
	SW_DUMMY = 9,
	SW_BPF_OUTPUT = 10,
};

static bool is_software(const struct pd_attr *attr, uint64_t config)
{
	return attr->type == PD_TYPE_SOFTWARE && attr->config == config;
}

enum prof_event_kind resolve_event_kind(uint32_t type)
{
	switch (type) {
	case PD_TYPE_HARDWARE:
		return PROF_EVENT_HARDWARE;
	case PD_TYPE_SOFTWARE:
		return PROF_EVENT_SOFTWARE;
	case PD_TYPE_TRACEPOINT:
		return PROF_EVENT_TRACEPOINT;
	case PD_TYPE_HW_CACHE:
		return PROF_EVENT_HW_CACHE;
	case PD_TYPE_RAW:
		return PROF_EVENT_RAW;
	case PD_TYPE_BREAKPOINT:
		return PROF_EVENT_BREAKPOINT;
	default:
		return PROF_EVENT_OTHER;
	}
}

uint32_t resolve_event_fields(uint64_t sample_type)
{
	static const struct {
		enum pd_sample_bit bit;
		uint32_t field;
	} rows[] = {
#define FIELD_ROW(name) { PD_SAMPLE_##name, PROF_FIELD_BIT(name) },
		PROF_FIELDS(FIELD_ROW)
#undef FIELD_ROW
	};
	uint32_t fields = 0;

	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++)
		fields |= sample_type >> rows[i].bit & 1 ? rows[i].field : 0;
	return fields;
}

/*
 * Whether the recorder adds the user part of call chains, which the kernel leaves out, unless it is
 * made from copies of the stack or from branches.
 */
static bool has_walked_chains(const struct pd_attr *attr)
{
	const uint64_t others =
		UINT64_C(1) << PD_SAMPLE_STACK_USER | UINT64_C(1) << PD_SAMPLE_BRANCH_STACK;

	return attr->sample_type >> PD_SAMPLE_CALLCHAIN & 1 && !(attr->sample_type & others) &&
	       pd_attr_has(attr, PD_ATTR_exclude_callchain_user);
}

static struct pd_error *add_event(
	struct resolve_facts *facts, const struct pd_event *event, struct prof_event_id *ret)
{
	struct profile *profile = facts->profile;
	struct prof_event entry = {
		.name = prof_add_string(profile, event->name),
		.unit = prof_add_string(profile, pd_event_unit(event)),
		.kind = resolve_event_kind(event->attr.type),
		.fields = resolve_event_fields(event->attr.sample_type),
		.is_page_fault = is_software(&event->attr, SW_PAGE_FAULTS) ||
				 is_software(&event->attr, SW_PAGE_FAULTS_MIN) ||
				 is_software(&event->attr, SW_PAGE_FAULTS_MAJ),
		.is_bpf_output = is_software(&event->attr, SW_BPF_OUTPUT),
		.is_dummy = is_software(&event->attr, SW_DUMMY),
		.has_stacks = event->attr.sample_type >> PD_SAMPLE_CALLCHAIN & 1 ||
			      event->attr.sample_type >> PD_SAMPLE_STACK_USER & 1,
		.has_walked_chains = has_walked_chains(&event->attr),
		.stack_bytes = event->attr.sample_stack_user,
		.user_regs = event->attr.sample_regs_user,
		/*
		 * Name, unit and is_wanted are final in finish_events(): a stream may name events
		 * later.
		 */
		.is_wanted = true,
		.sample_period = parse_attr_fixed_period(&event->attr),
		.lacks_periods = lacks_periods(&event->attr),
		/* perf samples the CPU then, and does not begin with exec(). */
		.is_of_cpus = event->attr.sample_type >> PD_SAMPLE_CPU & 1 &&
			      !pd_attr_has(&event->attr, PD_ATTR_enable_on_exec),
		.period_ns = period_ns(&event->attr),
	};

	if (prof_is_none(entry.name) || prof_is_none(entry.unit))
		return &pd_enomem;
	*ret = prof_add_event(profile, &entry);
	if (prof_is_none(*ret) || !resolve_periods_add_event(&facts->periods, *ret))
		return &pd_enomem;
	return NULL;
}

/* Add the events of the file that were not added yet. */
static struct pd_error *add_events(struct resolve_facts *facts)
{
	const struct pd_events *events = &facts->file->events;

	while (facts->event_ids.n < events->list.n) {
		struct prof_event_id id;
		struct pd_error *err =
			add_event(facts, &events->list.data[facts->event_ids.n], &id);

		if (err)
			return err;
		if (!pd_vec_push(&facts->event_ids, id))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *add_labels(struct resolve_facts *facts)
{
	/* Labels are a flat list: a key and its value in turn. */
	PD_VEC(struct prof_string_id) list = { 0 };
	const char *texts[2];
	size_t at = 0;
	bool ok = true;

	while (ok && parse_meta_info_next_tag(facts->file, &at, &texts[0], &texts[1])) {
		for (size_t i = 0; ok && i < 2; i++) {
			struct prof_string_id text = prof_add_string(facts->profile, texts[i]);

			ok = !prof_is_none(text) && pd_vec_push(&list, text);
		}
	}
	if (ok && list.n) {
		facts->labels = prof_add_labels(facts->profile, list.data, list.n);
		ok = !prof_is_none(facts->labels);
	}
	pd_vec_deinit(&list);
	return ok ? NULL : &pd_enomem;
}

struct pd_error *resolve_facts_begin(struct resolve_facts *facts, const char *input)
{
	facts->input = prof_add_string(facts->profile, input);
	/* One more for samples without a known event. */
	if (prof_is_none(facts->input) ||
		!pd_vec_reserve(&facts->profile->events, facts->file->events.list.n + 1))
		return &pd_enomem;
	struct pd_error *err = add_labels(facts);
	return err ? err : add_events(facts);
}

/*
 * Update the names of events, which a stream may send after the first sample, and the members that
 * depend on them.
 */
static struct pd_error *finish_events(struct resolve_facts *facts, const struct prof_filter *filter)
{
	for (size_t i = 0; i < facts->event_ids.n; i++) {
		struct prof_event *event = &facts->profile->events.data[facts->event_ids.data[i].i];

		const char *name = facts->file->events.list.data[i].name;

		event->unit = prof_add_string(
			facts->profile, pd_event_unit(&facts->file->events.list.data[i]));
		event->is_wanted = !filter || prof_filter_event(filter, name) == PROF_N_FILTERS;
		event->name = prof_add_string(facts->profile, name);
		if (prof_is_none(event->name) || prof_is_none(event->unit))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *unattributed_event(
	struct resolve_facts *facts, const struct pd_event *event, struct prof_event_id *ret)
{
	if (prof_is_none(facts->unattributed)) {
		struct pd_error *err = add_event(facts, event, &facts->unattributed);
		if (err)
			return err;
	}
	*ret = facts->unattributed;
	return NULL;
}

struct pd_error *resolve_facts_event(
	struct resolve_facts *facts, const struct pd_event *event, struct prof_event_id *ret)
{
	if (event->index == PD_EVENT_UNATTRIBUTED)
		return unattributed_event(facts, event, ret);
	if (event->index >= facts->event_ids.n) {
		struct pd_error *err = add_events(facts);
		if (err)
			return err;
	}
	*ret = facts->event_ids.data[event->index];
	return NULL;
}

static struct pd_error *join_command(struct resolve_facts *facts)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return &pd_enomem;
	for (size_t i = 0; i < facts->file->cmdline.n; i++) {
		if (i)
			fputc(' ', out);
		base_text_write_word(out, facts->file->cmdline.data[i]);
	}
	if (!base_memstream_close(out, &text))
		return &pd_enomem;
	facts->profile->about.command = prof_add_string(facts->profile, text);
	return prof_is_none(facts->profile->about.command) ? &pd_enomem : NULL;
}

static struct pd_error *add_about(struct resolve_facts *facts)
{
	struct prof_about *about = &facts->profile->about;
	const struct {
		struct prof_string_id *to;
		enum pd_feature_bit feature;
	} texts[] = {
		{ &about->host, PD_FEATURE_HOSTNAME },
		{ &about->kernel_release, PD_FEATURE_OSRELEASE },
		{ &about->arch, PD_FEATURE_ARCH },
		{ &about->perf_version, PD_FEATURE_VERSION },
	};

	struct pd_nrcpus cpus;

	if (pd_file_feature(facts->file, PD_FEATURE_NRCPUS, &cpus))
		about->n_cpus = cpus.nr_cpus_online;
	for (size_t i = 0; i < PD_ARRAY_LEN(texts); i++) {
		*texts[i].to = prof_add_string(facts->profile, facts->file->text[texts[i].feature]);
		if (prof_is_none(*texts[i].to))
			return &pd_enomem;
	}
	return join_command(facts);
}

struct pd_error *resolve_facts_add_cgroup(
	struct resolve_facts *facts, const struct pd_cgroup *cgroup)
{
	struct prof_string_id path = prof_add_string(facts->profile, cgroup->path.s);
	uint64_t *known = base_map_add(&facts->cgroups, cgroup->id, NULL);

	if (prof_is_none(path) || !known)
		return &pd_enomem;
	*known = path.i;
	return NULL;
}

struct prof_string_id resolve_facts_cgroup(const struct resolve_facts *facts, uint64_t id)
{
	const uint64_t *known = base_map_find(&facts->cgroups, id);

	return (struct prof_string_id){ known ? (uint32_t)*known : 0 };
}

/* Return the wall-clock time of the first sample in ns; 0 if not known. */
static uint64_t start_ns(const struct resolve_facts *facts)
{
	const struct prof_stats *stats = &facts->profile->stats;
	struct pd_clock_data clock;

	if (!stats->first_ns || !pd_file_feature(facts->file, PD_FEATURE_CLOCK_DATA, &clock))
		return 0;
	return clock.wall_clock + (stats->first_ns - clock.clockid_time);
}

/* Return about.clock. */
static uint32_t clock_of(const struct pd_file *file)
{
	const struct pd_attr *attr = file->events.list.n ? &file->events.list.data[0].attr : NULL;

	return attr && attr->flags >> PD_ATTR_use_clockid & 1 ? attr->clockid + 1 : 0;
}

/* Add which processor package each CPU belongs to. */
static struct pd_error *add_sockets(struct resolve_facts *facts)
{
	struct pd_cpu_topology topology;
	struct pd_cpu_topology_id id;

	if (!pd_file_feature(facts->file, PD_FEATURE_CPU_TOPOLOGY, &topology))
		return NULL;
	struct pd_list_iter ids = pd_list_iter(&topology.ids, &facts->file->env);
	while (pd_list_next(&ids, &pd_layout_cpu_topology_id, &id)) {
		if (!pd_vec_push(&facts->profile->sockets, (uint32_t)id.socket_id))
			return &pd_enomem;
	}
	return NULL;
}

struct pd_error *resolve_facts_finish(struct resolve_facts *facts, const struct prof_filter *filter)
{
	struct pd_error *err = add_events(facts);

	if (err)
		return err;
	err = finish_events(facts, filter);
	if (err)
		return err;
	resolve_periods_finish(&facts->periods, facts->profile);
	prof_sort_processes(facts->profile);
	facts->profile->about.start_ns = start_ns(facts);
	facts->profile->about.clock = clock_of(facts->file);
	err = add_sockets(facts);
	return err ? err : add_about(facts);
}
