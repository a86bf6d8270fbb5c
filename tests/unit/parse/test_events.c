/* Names of events, and which event a record belongs to. */
#include "tests/unit/test_recording.h"

#include <pdconv/events.h>

#include "base/array.h"
#include "parse/event_index.h"
#include "parse/event_name.h"
#include "parse/open_file.h"

#define FLAG(name) ((uint64_t)1 << PD_ATTR_##name)

struct name_case {
	const char *want;
	uint32_t type;
	uint64_t config;
	uint64_t flags;
	const char *pmu;
};

/* Output of `perf evlist` of perf 6.1, except for names with that of a PMU. */
static const struct name_case name_cases[] = {
	{ "cycles:HG", PD_TYPE_HARDWARE, 0, 0, NULL },
	{ "cycles", PD_TYPE_HARDWARE, 0, FLAG(exclude_guest), NULL },
	{ "cycles:G", PD_TYPE_HARDWARE, 0, FLAG(exclude_host), NULL },
	{ "cycles", PD_TYPE_HARDWARE, 0, FLAG(exclude_host) | FLAG(exclude_guest), NULL },
	{ "cycles:u", PD_TYPE_HARDWARE, 0, FLAG(exclude_kernel) | FLAG(exclude_hv), NULL },
	{ "cycles:uh", PD_TYPE_HARDWARE, 0, FLAG(exclude_kernel), NULL },
	{ "cycles:uhG", PD_TYPE_HARDWARE, 0, FLAG(exclude_kernel) | FLAG(exclude_host), NULL },
	{ "cycles", PD_TYPE_HARDWARE, 0,
		FLAG(exclude_user) | FLAG(exclude_kernel) | FLAG(exclude_hv), NULL },
	{ "cycles:ppp", PD_TYPE_HARDWARE, 0, 3 * FLAG(precise_ip), NULL },
	{ "cycles:pppH", PD_TYPE_HARDWARE, 0, 3 * FLAG(precise_ip) | FLAG(exclude_guest), NULL },
	{ "ref-cycles", PD_TYPE_HARDWARE, 9, FLAG(exclude_guest), NULL },
	{ "unknown-hardware", PD_TYPE_HARDWARE, 10, FLAG(exclude_guest), NULL },
	{ "cpu/cycles/", PD_TYPE_HARDWARE, 4ULL << 32, FLAG(exclude_guest), NULL },
	{ "cpu_core/cycles/", PD_TYPE_HARDWARE, 4ULL << 32, FLAG(exclude_guest), "cpu_core" },
	{ "cpu-clock:uH", PD_TYPE_SOFTWARE, 0,
		FLAG(exclude_kernel) | FLAG(exclude_hv) | FLAG(exclude_guest), NULL },
	{ "dummy", PD_TYPE_SOFTWARE, 9, FLAG(exclude_guest), NULL },
	{ "unknown-software", PD_TYPE_SOFTWARE, 12, FLAG(exclude_guest), NULL },
	{ "L1-dcache-loads", PD_TYPE_HW_CACHE, 0, FLAG(exclude_guest), NULL },
	{ "LLC-store-misses", PD_TYPE_HW_CACHE, 0x10102, FLAG(exclude_guest), NULL },
	{ "node-prefetches", PD_TYPE_HW_CACHE, 0x206, FLAG(exclude_guest), NULL },
	{ "branch-loads", PD_TYPE_HW_CACHE, 0x5, FLAG(exclude_guest), NULL },
	{ "invalid-cache", PD_TYPE_HW_CACHE, 0x104, FLAG(exclude_guest), NULL },
	{ "unknown-ext-hardware-cache-type", PD_TYPE_HW_CACHE, 7, FLAG(exclude_guest), NULL },
	{ "unknown-ext-hardware-cache-op", PD_TYPE_HW_CACHE, 0x300, FLAG(exclude_guest), NULL },
	{ "unknown-ext-hardware-cache-result", PD_TYPE_HW_CACHE, 0x20000, FLAG(exclude_guest),
		NULL },
	{ "raw 0x1a8:pH", PD_TYPE_RAW, 0x1a8, FLAG(precise_ip) | FLAG(exclude_guest), NULL },
	{ "unknown tracepoint", PD_TYPE_TRACEPOINT, 300, 0, NULL },
	{ "unknown attr type: 9", 9, 0x304, 0, NULL },
	{ "unknown attr type: -1", UINT32_MAX, 0x304, 0, NULL },
	{ "uncore_imc_0/config=0x304/", 9, 0x304, 0, "uncore_imc_0" },
	{ "cpu_atom/config=0xc0/kup", 9, 0xc0, FLAG(precise_ip) | FLAG(exclude_hv), "cpu_atom" },
};

static void derived_names_are_those_of_perf(void **state)
{
	char name[PD_EVENT_NAME_BYTES];

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(name_cases); i++) {
		const struct name_case *c = &name_cases[i];
		struct pd_attr attr = { .type = c->type, .config = c->config, .flags = c->flags };

		parse_event_derive_name(&attr, c->pmu, name);
		assert_string_equal(name, c->want);
	}
}

static void breakpoints_and_long_names(void **state)
{
	struct pd_attr attr = {
		.type = PD_TYPE_BREAKPOINT,
		.bp_type = 3,
		.config1 = 0x7fffdeadbeef,
		.config2 = 8,
		.flags = FLAG(exclude_guest),
	};
	char name[PD_EVENT_NAME_BYTES];
	char pmu[1000];

	(void)state;
	parse_event_derive_name(&attr, NULL, name);
	assert_string_equal(name, "mem:0x7fffdeadbeef:rw");
	memset(pmu, 'x', sizeof(pmu));
	pmu[sizeof(pmu) - 1] = 0;
	attr.type = 7;
	attr.config = attr.config1 = attr.config2 = UINT64_MAX;
	parse_event_derive_name(&attr, pmu, name);
	assert_int_equal(name[strlen(name) - 1], '/');
}

static const char *name_of(const struct pd_events *events, uint32_t index)
{
	return events->list.data[index].name;
}

static void set(struct pd_events *events, enum pd_name_source source, const char *name)
{
	assert_ok(parse_events_set_name(events, 0, source, name, strlen(name)));
}

static void the_best_source_names_an_event(void **state)
{
	struct pd_events events = { 0 };
	struct pd_attr attr = { .type = 9, .config = 1 };

	(void)state;
	assert_ok(parse_events_add(&events, &attr));
	assert_ok(parse_events_add_pmu(&events, 9, "imc"));
	assert_ok(parse_events_finish(&events, 0));
	assert_string_equal(name_of(&events, 0), "imc/config=0x1/");
	set(&events, PD_NAME_EVENT_DESC, "reads");
	set(&events, PD_NAME_EVENT_TYPES, "older");
	set(&events, PD_NAME_UPDATE, "");
	assert_ok(parse_events_finish(&events, 0));
	assert_string_equal(name_of(&events, 0), "reads");
	set(&events, PD_NAME_UPDATE, "updated");
	assert_string_equal(name_of(&events, 0), "updated");
	parse_events_deinit(&events);
}

/* Streams add one event after another. Naming all again for each would take quadratic time. */
static void only_new_events_are_named(void **state)
{
	struct pd_events events = { 0 };
	const struct pd_attr attrs[] = { { .type = 9, .config = 1 }, { .type = 9, .config = 2 },
		{ .type = 9, .config = 1, .sample_period = 2 } };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(attrs); i++)
		assert_ok(parse_events_add(&events, &attrs[i]));
	assert_int_equal(parse_events_n_with_config(&events, 1), 2);
	assert_int_equal(parse_events_n_with_config(&events, 2), 1);
	assert_int_equal(parse_events_n_with_config(&events, 3), 0);
	assert_ok(parse_events_finish(&events, 2));
	assert_null(name_of(&events, 1));
	assert_string_equal(name_of(&events, 2), "unknown attr type: 9");
	assert_ok(parse_events_add_pmu(&events, 9, "imc"));
	assert_ok(parse_events_add_pmu(&events, 9, "other"));
	assert_ok(parse_events_finish(&events, 0));
	assert_string_equal(name_of(&events, 1), "imc/config=0x2/");
	assert_string_equal(name_of(&events, 2), "imc/config=0x1/");
	parse_events_deinit(&events);
}

static void event_types_name_what_is_not_ambiguous(void **state)
{
	struct pd_file file = { 0 };
	const uint64_t configs[] = { 5, 6, 6, 7 };
	const struct {
		uint64_t config;
		const char *name;
	} types[] = { { 5, "five" }, { 6, "six" }, { 7, "seven" }, { 7, "again" }, { 8, "" } };
	struct bytes b = { 0 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct pd_attr attr = { .type = PD_TYPE_RAW, .config = configs[i] };
		assert_ok(parse_events_add(&file.events, &attr));
	}
	for (size_t i = 0; i < 5; i++) {
		char name[64] = { 0 };

		snprintf(name, sizeof(name), "%s", types[i].name);
		u64(&b, types[i].config);
		bytes_add(&b, name, sizeof(name));
	}
	struct pd_cursor c = pd_cursor_init(b.data, b.n - 1, false);
	while (!c.overrun)
		assert_ok(parse_event_type_decode(&file, &c));
	assert_ok(parse_file_name_events(&file, 0));
	assert_string_equal(name_of(&file.events, 0), "five");
	for (uint32_t i = 1; i < 4; i++)
		assert_int_equal(file.events.list.data[i].name_source, PD_NAME_DERIVED);
	parse_events_deinit(&file.events);
	base_map_deinit(&file.event_types);
	base_arena_deinit(&file.arena);
	bytes_free(&b);
}

static const struct pd_event *apply(
	struct pd_events *events, uint64_t type, uint64_t id, const void *data, size_t n)
{
	struct bytes b = { 0 };
	const struct pd_event *event;
	const char *wrong = NULL;
	size_t start = record_begin(&b, PD_RECORD_EVENT_UPDATE, 0);

	u64(&b, type);
	u64(&b, id);
	bytes_add(&b, data, n);
	record_end(&b, start);
	struct pd_record rec = {
		.type = PD_RECORD_EVENT_UPDATE,
		.bytes = b.data,
		.size = (uint16_t)b.n,
	};
	assert_ok(parse_events_apply_update(events, &rec, &event, &wrong));
	assert_true(event || wrong);
	for (rec.size = PD_RECORD_HEADER_BYTES; rec.size < 24; rec.size++) {
		const struct pd_event *none;

		assert_ok(parse_events_apply_update(events, &rec, &none, &wrong));
		assert_null(none);
	}
	bytes_free(&b);
	return event;
}

static void updates_change_events(void **state)
{
	struct pd_events events = { 0 };
	struct pd_attr attr = { .type = PD_TYPE_RAW };
	struct bytes half = { 0 };

	(void)state;
	assert_ok(parse_events_add(&events, &attr));
	assert_ok(parse_events_add_id(&events, 11, 0));
	u64(&half, 0x3fe0000000000000);
	const struct pd_event *event = apply(&events, 0, 11, "Joules\0", 8);
	assert_ptr_equal(event, events.list.data);
	assert_string_equal(event->unit, "Joules");
	assert_true(event->scale == 1);
	assert_non_null(apply(&events, 1, 11, half.data, 8));
	assert_true(event->scale == 0.5);
	assert_null(apply(&events, 1, 11, half.data, 7));
	assert_non_null(apply(&events, 2, 11, "power", 5));
	assert_string_equal(event->name, "power");
	assert_non_null(apply(&events, 3, 11, "\0", 2));
	assert_non_null(apply(&events, 99, 11, "", 0));
	assert_null(apply(&events, 2, 12, "other", 6));
	bytes_free(&half);
	parse_events_deinit(&events);
}

enum { ID = 1 << PD_SAMPLE_ID, IDENTIFIER = 1 << PD_SAMPLE_IDENTIFIER, IP = 1 << PD_SAMPLE_IP };

static void add_event(struct pd_events *events, uint64_t sample_type, bool id_all, uint64_t id)
{
	struct pd_attr attr = {
		.type = PD_TYPE_RAW,
		.sample_type = sample_type,
		.flags = id_all ? FLAG(sample_id_all) : 0,
	};

	assert_ok(parse_events_add(events, &attr));
	if (id)
		assert_ok(parse_events_add_id(events, id, (uint32_t)events->list.n - 1));
}

enum { NOBODY = -1, UNATTRIBUTED = -2 };

/* Index of the event of a record that consists of these words, which is the same with hints. */
static int hinted_owner(const struct pd_events *events, struct parse_event_hints *hints,
	enum pd_record_type type, uint64_t word0, uint64_t word1)
{
	struct bytes b = { 0 };
	size_t start = record_begin(&b, type, 0);

	u64(&b, word0);
	u64(&b, word1);
	record_end(&b, start);
	struct pd_record rec = { .type = type, .bytes = b.data, .size = (uint16_t)b.n };
	const struct pd_event *event = pd_events_find(events, &rec);
	/* The second time, the id is known. */
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(parse_events_find_hinted(events, hints, &rec), event);
		assert_int_equal(parse_events_time_hinted(events, hints, &rec),
			pd_events_time(events, &rec));
	}
	bytes_free(&b);
	if (!event)
		return NOBODY;
	return event->index == PD_EVENT_UNATTRIBUTED ? UNATTRIBUTED : (int)event->index;
}

static int owner(
	const struct pd_events *events, enum pd_record_type type, uint64_t word0, uint64_t word1)
{
	struct parse_event_hints hints = { 0 };

	return hinted_owner(events, &hints, type, word0, word1);
}

static void ids_identify_events(void **state)
{
	struct pd_events events = { 0 };

	(void)state;
	add_event(&events, IP | ID, true, 21);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 0, 99), 0);
	add_event(&events, IP | ID, true, 22);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 21, 22), 1);
	assert_int_equal(owner(&events, PD_RECORD_COMM, 21, 22), 1);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 21, 0), 0);
	assert_int_equal(owner(&events, PD_RECORD_MMAP, 22, 0), 0);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 21, 99), UNATTRIBUTED);
	assert_int_equal(owner(&events, PD_RECORD_FORK, 21, 99), UNATTRIBUTED);
	/* The third event has another layout, so a record of an unknown event cannot be decoded. */
	add_event(&events, IP | ID | 1 << PD_SAMPLE_PERIOD, true, 23);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 0, 23), 2);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 0, 99), NOBODY);
	parse_events_deinit(&events);
}

static void hints_do_not_change_events(void **state)
{
	/* The first two ids have the same remainder. */
	const uint64_t ids[] = { 21, 21 + PD_EVENT_HINTS, 21, 99, 99 - PD_EVENT_HINTS, 22, 0, 21 };
	const int owners[] = { 0, 1, 0, UNATTRIBUTED, UNATTRIBUTED, 1, 0, 0 };
	struct pd_events events = { 0 };
	struct parse_event_hints hints = { 0 };

	(void)state;
	add_event(&events, IP | ID, true, 21);
	add_event(&events, IP | ID, true, 22);
	assert_ok(parse_events_add_id(&events, 21 + PD_EVENT_HINTS, 1));
	for (size_t i = 0; i < PD_ARRAY_LEN(ids); i++)
		assert_int_equal(
			hinted_owner(&events, &hints, PD_RECORD_SAMPLE, 0, ids[i]), owners[i]);
	/* An id moves to another event. */
	assert_ok(parse_events_add_id(&events, 21, 1));
	assert_int_equal(hinted_owner(&events, &hints, PD_RECORD_SAMPLE, 0, 21), 1);
	parse_events_deinit(&events);
}

static void without_ids_the_event_is_unknown(void **state)
{
	struct pd_events events = { 0 };

	(void)state;
	add_event(&events, IP, false, 0);
	add_event(&events, IP, false, 0);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 1, 2), UNATTRIBUTED);
	assert_int_equal(owner(&events, PD_RECORD_COMM, 1, 2), 0);
	add_event(&events, IP | 1 << PD_SAMPLE_CPU, false, 0);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 1, 2), NOBODY);
	parse_events_deinit(&events);
}

static void ids_at_different_positions_are_tried(void **state)
{
	struct pd_events events = { 0 };

	(void)state;
	add_event(&events, IP | IDENTIFIER, true, 31);
	add_event(&events, IP | ID, true, 32);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 31, 7), 0);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 7, 32), 1);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 32, 31), NOBODY);
	assert_int_equal(owner(&events, PD_RECORD_SAMPLE, 31, 32), NOBODY);
	assert_int_equal(owner(&events, PD_RECORD_COMM, 7, 7), 0);
	parse_events_deinit(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(derived_names_are_those_of_perf),
		cmocka_unit_test(breakpoints_and_long_names),
		cmocka_unit_test(the_best_source_names_an_event),
		cmocka_unit_test(only_new_events_are_named),
		cmocka_unit_test(event_types_name_what_is_not_ambiguous),
		cmocka_unit_test(updates_change_events),
		cmocka_unit_test(ids_identify_events),
		cmocka_unit_test(hints_do_not_change_events),
		cmocka_unit_test(without_ids_the_event_is_unknown),
		cmocka_unit_test(ids_at_different_positions_are_tried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
