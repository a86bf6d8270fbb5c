/* Event specifications to attrs, on fake machines made of files; opening events; probes. */
#include "capture/events/probe.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "capture/open.h"

#define FLAG(name) ((uint64_t)1 << PD_ATTR_##name)
#define HOST FLAG(exclude_guest)
#define U (FLAG(exclude_kernel) | FLAG(exclude_hv))
#define K (FLAG(exclude_user) | FLAG(exclude_hv))
#define PRECISE(n) ((n)*FLAG(precise_ip))
#define CACHE(cache, op, result) \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
		PERF_COUNT_HW_CACHE_RESULT_##result << 16)

/* A directory with the sysfs and tracefs of a fake machine. */
struct machine {
	char dir[64];
	char devices[96];
	char tracing[96];
};

static void put(const struct machine *m, const char *path, const char *text)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", m->dir, path);
	for (char *slash = full + strlen(m->dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(full, 0777);
		*slash = '/';
	}
	FILE *file = fopen(full, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

static const char *const files[][2] = {
	{ "devices/cpu/type", "4" },
	{ "devices/cpu/format/event", "config:0-7,32-35" },
	{ "devices/cpu/format/umask", "config:8-15" },
	{ "devices/cpu/format/edge", "config:18" },
	{ "devices/cpu/format/ldlat", "config1:0-15" },
	{ "devices/cpu/format/late", "config3:4-7" },
	{ "devices/cpu/format/odd", "config9:0-3" },
	{ "devices/cpu/format/strange", "config:70" },
	{ "devices/cpu/format/whole", "config2:0-63" },
	{ "devices/cpu/events/cpu-cycles", "event=0x3c" },
	{ "devices/cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
	{ "devices/cpu/events/mem-loads.unit", "B" },
	{ "devices/cpu/events/open", "event=0x1,umask=?" },
	{ "devices/cpu/events/broken", "event=0x1,missing=1" },
	{ "devices/uncore_imc_0/type", "20" },
	{ "devices/uncore_imc_0/cpumask", "0" },
	{ "devices/uncore_imc_0/format/event", "config:0-7" },
	{ "devices/uncore_imc_0/events/reads", "event=0x04" },
	{ "devices/uncore_imc_1/type", "21" },
	{ "devices/uncore_imc_1/cpumask", "8" },
	{ "devices/uncore_imc_1/format/event", "config:0-7" },
	{ "devices/uncore_imc_1/events/reads", "event=0x04" },
	{ "devices/uncore_imc_free_0/type", "22" },
	{ "devices/uncore_imc_free_0/format/event", "config:0-7" },
	{ "tracing/events/sched/enable", "0" },
	{ "tracing/events/sched/sched_switch/id", "316" },
	{ "tracing/events/sched/sched_wakeup/id", "318" },
	{ "tracing/events/sched/sched_wakeup_new/id", "317" },
	{ "tracing/events/task/task_newtask/id", "120" },
};

static int set_up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	snprintf(m->dir, sizeof(m->dir), "/tmp/pdconv-events-XXXXXX");
	assert_non_null(mkdtemp(m->dir));
	snprintf(m->devices, sizeof(m->devices), "%s/devices", m->dir);
	snprintf(m->tracing, sizeof(m->tracing), "%s/tracing", m->dir);
	for (size_t i = 0; i < PD_ARRAY_LEN(files); i++)
		put(m, files[i][0], files[i][1]);
	*state = m;
	return 0;
}

static int tear_down(void **state)
{
	struct machine *m = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", m->dir);
	int status = system(command);
	free(m);
	return status;
}

static struct cap_events on(const struct machine *m)
{
	return (struct cap_events){ .devices_dir = m->devices, .tracing_dir = m->tracing };
}

struct event_case {
	const char *words;
	/** Expected event name; NULL: the specification itself. */
	const char *name;
	uint32_t type;
	uint64_t config;
	uint64_t flags;
	uint64_t config1;
	uint64_t config2;
	uint64_t period;
};

/* clang-format off */
static const struct event_case cases[] = {
	{ "cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, HOST, 0, 0, 0 },
	{ "cpu-cycles:u", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, HOST | U, 0, 0, 0 },
	{ "instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, HOST, 0, 0, 0 },
	{ "cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, HOST, 0, 0, 0 },
	{ "cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, HOST, 0, 0, 0 },
	{ "branches", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, HOST, 0, 0, 0 },
	{ "branch-instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, HOST, 0, 0, 0 },
	{ "branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, HOST, 0, 0, 0 },
	{ "bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, HOST, 0, 0, 0 },
	{ "idle-cycles-frontend", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, HOST, 0, 0, 0 },
	{ "stalled-cycles-backend", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, HOST, 0, 0, 0 },
	{ "ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, HOST, 0, 0, 0 },
	{ "cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, HOST, 0, 0, 0 },
	{ "faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, HOST, 0, 0, 0 },
	{ "cs", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, HOST, 0, 0, 0 },
	{ "migrations", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, HOST, 0, 0, 0 },
	{ "minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, HOST, 0, 0, 0 },
	{ "major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, HOST, 0, 0, 0 },
	{ "bpf-output", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, HOST, 0, 0, 1 },
	{ "L1-dcache-load-misses", NULL, PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), HOST, 0, 0, 0 },
	{ "L1-dcache", NULL, PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS), HOST, 0, 0, 0 },
	{ "l1d-stores", NULL, PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, ACCESS), HOST, 0, 0, 0 },
	{ "l1-i-prefetch-miss", NULL, PERF_TYPE_HW_CACHE, CACHE(L1I, PREFETCH, MISS), HOST, 0, 0, 0 },
	{ "LLC-misses-write", NULL, PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS), HOST, 0, 0, 0 },
	{ "L2-speculative-read-ops", NULL, PERF_TYPE_HW_CACHE, CACHE(LL, PREFETCH, ACCESS), HOST, 0, 0, 0 },
	{ "Data-TLB-refs", NULL, PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS), HOST, 0, 0, 0 },
	{ "Instruction-TLB-miss", NULL, PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS), HOST, 0, 0, 0 },
	{ "branch-loads", NULL, PERF_TYPE_HW_CACHE, CACHE(BPU, READ, ACCESS), HOST, 0, 0, 0 },
	{ "node-prefetch-misses:uk", "node-prefetch-misses", PERF_TYPE_HW_CACHE, CACHE(NODE, PREFETCH, MISS), HOST | FLAG(exclude_hv), 0, 0, 0 },
	{ "LLC-loads/period=5/k", "LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS), K, 0, 0, 5 },
	{ "r1a8", NULL, PERF_TYPE_RAW, 0x1a8, HOST, 0, 0, 0 },
	{ "rFFFFffffFFFFffff:p", NULL, PERF_TYPE_RAW, UINT64_MAX, HOST | PRECISE(1), 0, 0, 0 },
	{ "r1a8/config1=0x7,freq=99/u", NULL, PERF_TYPE_RAW, 0x1a8, HOST | U | FLAG(freq), 7, 0, 99 },
	{ "4:0x1a8/period=3/", NULL, PERF_TYPE_RAW, 0x1a8, HOST, 0, 0, 3 },
	{ "1:3:u", NULL, PERF_TYPE_SOFTWARE, 3, HOST | U, 0, 0, 0 },
	{ "cycles//u", NULL, PERF_TYPE_HARDWARE, 0, HOST | U, 0, 0, 0 },
	{ "cycles/period=10,freq=7/", NULL, PERF_TYPE_HARDWARE, 0, HOST | FLAG(freq), 0, 0, 7 },
	{ "cycles/freq=7,period=10,name=mine/", "mine", PERF_TYPE_HARDWARE, 0, HOST, 0, 0, 10 },
	{ "cycles:", NULL, PERF_TYPE_HARDWARE, 0, HOST, 0, 0, 0 },
	{ "cycles:k", NULL, PERF_TYPE_HARDWARE, 0, K, 0, 0, 0 },
	{ "cycles:ukh", NULL, PERF_TYPE_HARDWARE, 0, HOST, 0, 0, 0 },
	{ "cycles:G", NULL, PERF_TYPE_HARDWARE, 0, FLAG(exclude_host), 0, 0, 0 },
	{ "cycles:uG", NULL, PERF_TYPE_HARDWARE, 0, FLAG(exclude_host) | U, 0, 0, 0 },
	{ "cycles:HGu", NULL, PERF_TYPE_HARDWARE, 0, U, 0, 0, 0 },
	{ "cycles:P", NULL, PERF_TYPE_HARDWARE, 0, PRECISE(3), 0, 0, 0 },
	{ "cycles:ppp", NULL, PERF_TYPE_HARDWARE, 0, HOST | PRECISE(3), 0, 0, 0 },
	{ "cycles:IDe", NULL, PERF_TYPE_HARDWARE, 0, FLAG(exclude_idle) | FLAG(pinned) | FLAG(exclusive), 0, 0, 0 },
	{ "cpu/event=0x3c,umask=1/", NULL, 4, 0x13c, HOST, 0, 0, 0 },
	{ "cpu/event=0xf3c/", NULL, 4, 0xf0000003cULL, HOST, 0, 0, 0 },
	{ "cpu/edge,whole=0xffffffffffffffff/pp", NULL, 4, 0x40000, HOST | PRECISE(2), 0, UINT64_MAX, 0 },
	{ "cpu/mem-loads/P", NULL, 4, 0x1cd, PRECISE(3), 3, 0, 0 },
	{ "cpu/mem-loads,ldlat=0x30,name=slow/", "slow", 4, 0x1cd, HOST, 0x30, 0, 0 },
	{ "cpu/cycles/", NULL, 4, 0x3c, HOST, 0, 0, 0 },
	{ "cpu/open,umask=5/", NULL, 4, 0x501, HOST, 0, 0, 0 },
	{ "cpu/config=0x100,config1=1,config2=2,period=9/", NULL, 4, 0x100, HOST, 1, 2, 9 },
	{ "cpu/r1a8/", NULL, 4, 0x1a8, HOST, 0, 0, 0 },
	{ "mem-loads:u", NULL, 4, 0x1cd, HOST | U, 3, 0, 0 },
	{ "sched:sched_switch", NULL, PERF_TYPE_TRACEPOINT, 316, HOST, 0, 0, 1 },
	{ "sched:sched_switch:k", "sched:sched_switch", PERF_TYPE_TRACEPOINT, 316, K, 0, 0, 1 },
	{ "mem:0x1000", NULL, PERF_TYPE_BREAKPOINT, 0, HOST, 0x1000, HW_BREAKPOINT_LEN_4, 1 },
	{ "mem:4096/8:w:u", "mem:4096", PERF_TYPE_BREAKPOINT, 0, HOST | U, 0x1000, HW_BREAKPOINT_LEN_8, 1 },
	{ "mem:0x1000:x", NULL, PERF_TYPE_BREAKPOINT, 0, HOST, 0x1000, sizeof(long), 1 },
	{ "mem:0x1000:rwu", NULL, PERF_TYPE_BREAKPOINT, 0, HOST | U, 0x1000, 4, 1 },
	{ "mem:0x1000:k", NULL, PERF_TYPE_BREAKPOINT, 0, K, 0x1000, 4, 1 },
};
/* clang-format on */

static void specifications_become_attrs(void **state)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		const struct event_case *c = &cases[i];
		struct cap_events events = on(*state);

		assert_ok(cap_events_parse(&events, c->words));
		const struct cap_event *event = &events.list.data[0];
		assert_int_equal(events.list.n, 1);
		assert_string_equal(event->name, c->name ? c->name : c->words);
		assert_int_equal(event->attr.type, c->type);
		assert_int_equal(event->attr.config, c->config);
		assert_int_equal(event->attr.flags, c->flags);
		assert_int_equal(event->attr.config1, c->config1);
		assert_int_equal(event->attr.config2, c->config2);
		assert_int_equal(event->attr.sample_period, c->period);
		assert_int_equal(event->has_period,
			strstr(c->words, "period=") || strstr(c->words, "freq="));
		cap_events_deinit(&events);
	}
}

static void messages_name_what_is_invalid(void **state)
{
	/* A specification, and a part of the message about it. */
	static const char *const bad[][2] = {
		{ "", "expected an event" },
		{ "nope", "event not found" },
		{ "cycles,", "expected an event" },
		{ ",cycles", "expected an event" },
		{ "cycles,,cs", "expected an event" },
		{ "{cycles,cs", "'}'" },
		{ "{}", "expected an event" },
		{ "{{cs}}", "expected an event" },
		{ "cs}", "unexpected" },
		{ "{cs}cs", "unexpected" },
		{ "cs:uu", "duplicate" },
		{ "cs:z", "invalid modifier" },
		{ "cs:pppp", "three" },
		{ "{cs:pp}:pp", "three" },
		{ "{cs}:x", "invalid modifier" },
		{ "cs/", "'/'" },
		{ "cs/umask=1/", "umask" },
		{ "cs/call-graph=fp/", "not supported" },
		{ "cs/period=x/", "number" },
		{ "cs/period/", "number" },
		{ "cs/freq=0/", "0" },
		{ "cs/name=/", "name" },
		{ "CYCLES", "event not found" },
		{ "r", "event not found" },
		{ "r12345678901234567", "event not found" },
		{ "r0x1a8", "event not found" },
		{ "L1-dcache-", "event not found" },
		{ "L1-dcache-load-stores", "event not found" },
		{ "L1-icache-stores", "event not found" },
		{ "iTLB-store-misses", "event not found" },
		{ "LLC-loads-loads", "event not found" },
		{ "nopmu/config=1/", "nopmu" },
		{ "cpu/nope/", "nope" },
		{ "cpu/event=x/", "number" },
		{ "cpu/event=0x10000/", "fit" },
		{ "cpu/edge=2/", "fit" },
		{ "cpu/odd=1/", "odd" },
		{ "cpu/strange=1/", "strange" },
		{ "cpu/open/", "umask" },
		{ "cpu/broken/", "missing" },
		{ "cpu/mem-loads.unit/", "mem-loads.unit" },
		{ "cpu/mem-loads=2/", "mem-loads" },
		{ "../events/a/", "no PMU" },
		{ "sched:nope", "tracepoint not found" },
		{ "sched:enable", "tracepoint not found" },
		{ "sched:", "tracepoint not found" },
		{ "..:events", "tracepoint not found" },
		{ "nope:*", "no tracepoint matches" },
		{ "sched:sched_switch/period=1/", "no terms" },
		{ "sched:sched_switch:y", "invalid modifier" },
		{ "mem:zz", "numbers" },
		{ "mem:", "tracepoint not found" },
		{ "mem:0x1000:rr", "rwx" },
		{ "mem:0x1000:u:u", "rwx" },
		{ "mem:0x1000/x", "numbers" },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(bad); i++) {
		struct cap_events events = on(*state);

		assert_ok(cap_events_parse(&events, "cpu-clock"));
		struct pd_error *err = cap_events_parse(&events, bad[i][0]);
		assert_non_null(err);
		assert_int_equal(err->code, PD_ERROR_USAGE);
		assert_non_null(strstr(err->message, bad[i][0]));
		if (!strstr(err->message, bad[i][1]))
			print_error("%s\n", err->message);
		assert_non_null(strstr(err->message, bad[i][1]));
		assert_null(strchr(err->message, '\n'));
		pd_error_destroy(err);
		assert_int_equal(events.list.n, 1);
		cap_events_deinit(&events);
	}
}

/* A specification that is cut anywhere is valid or an error, and never crashes. */
static void every_beginning_is_understood_or_not(void **state)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		char *words = strdup(cases[i].words);
		assert_non_null(words);

		for (size_t n = strlen(words); n--;) {
			struct cap_events events = on(*state);

			words[n] = 0;
			struct pd_error *err = cap_events_parse(&events, words);
			assert_true(!err == (events.list.n > 0));
			pd_error_destroy(err);
			cap_events_deinit(&events);
		}
		free(words);
	}
}

static void attrs_are_as_long_as_their_fields(void **state)
{
	struct cap_events events = on(*state);

	assert_ok(cap_events_parse(&events, "cpu/config2=1/,cpu/config3=0x55/,cpu/late=1/"));
	assert_int_equal(events.list.data[0].attr.size, PERF_ATTR_SIZE_VER7);
	assert_int_equal(events.list.data[1].attr.config3, 0x55);
	assert_int_equal(events.list.data[1].attr.size, 136);
	assert_int_equal(events.list.data[2].attr.config3, 16);
	assert_int_equal(events.list.data[2].attr.size, 136);
	cap_events_deinit(&events);
}

static void assert_names(const struct cap_events *events, const char *want)
{
	char all[512] = "";

	for (size_t i = 0; i < events->list.n; i++) {
		strcat(all, i ? " " : "");
		strcat(all, events->list.data[i].name);
	}
	assert_string_equal(all, want);
}

static void patterns_and_pmus_are_several_events(void **state)
{
	static const char *const many[][2] = {
		{ "sched:sched_w*", "sched:sched_wakeup sched:sched_wakeup_new" },
		{ "sched:*", "sched:sched_switch sched:sched_wakeup sched:sched_wakeup_new" },
		{ "*:*sw*,cs", "sched:sched_switch cs" },
		{ "[st]*:*k", "task:task_newtask" },
		{ "imc/reads/", "imc/reads/ imc/reads/" },
		{ "uncore_imc/event=4/", "uncore_imc/event=4/ uncore_imc/event=4/" },
		{ "imc*/event=4/", "imc*/event=4/ imc*/event=4/ imc*/event=4/" },
		{ "reads", "reads reads" },
		{ " cs , { faults , dummy } ", "cs faults dummy" },
		{ "cpu/event=1,umask=2/,cs", "cpu/event=1,umask=2/ cs" },
		{ "mem:0x1000/4:w,cpu/edge/", "mem:0x1000 cpu/edge/" },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(many); i++) {
		struct cap_events events = on(*state);

		assert_ok(cap_events_parse(&events, many[i][0]));
		assert_names(&events, many[i][1]);
		cap_events_deinit(&events);
	}
}

static void pmus_choose_their_cpus(void **state)
{
	struct cap_events events = on(*state);

	assert_ok(cap_events_parse(&events, "imc/reads/u,cycles"));
	assert_int_equal(events.list.data[0].attr.type, 20);
	assert_int_equal(events.list.data[1].attr.type, 21);
	assert_int_equal(events.list.data[1].attr.flags, HOST | U);
	assert_string_equal(events.list.data[0].cpus, "0");
	assert_string_equal(events.list.data[1].cpus, "8");
	assert_string_equal(events.list.data[1].pmu, "uncore_imc_1");
	assert_null(events.list.data[2].cpus);
	cap_events_deinit(&events);
}

static void hybrid_machines_get_two_events(void **state)
{
	const struct machine *m = *state;
	struct cap_events events = on(m);

	put(m, "devices/cpu_core/type", "4");
	put(m, "devices/cpu_core/cpus", "0-3");
	put(m, "devices/cpu_atom/type", "10");
	put(m, "devices/cpu_atom/cpus", "4-7");
	assert_ok(cap_events_parse(&events, "cycles:u,LLC-loads/period=4/,cs"));
	assert_names(&events, "cpu_core/cycles/u cpu_atom/cycles/u cpu_core/LLC-loads,period=4/ "
			      "cpu_atom/LLC-loads,period=4/ cs");
	assert_int_equal(events.list.data[1].attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(events.list.data[1].attr.config, 10ULL << PERF_PMU_TYPE_SHIFT);
	assert_string_equal(events.list.data[1].cpus, "4-7");
	assert_int_equal(events.list.data[3].attr.config, 10ULL << 32 | CACHE(LL, READ, ACCESS));
	assert_int_equal(events.list.data[3].attr.sample_period, 4);
	cap_events_deinit(&events);
}

static void groups_share_modifiers(void **state)
{
	struct cap_events events = on(*state);

	assert_ok(cap_events_parse(&events, "cs,g{cycles:k,faults}:uSDW,{dummy:G}:kp"));
	const struct cap_event *e = events.list.data;
	assert_names(&events, "cs cycles:k faults dummy:G");
	assert_int_equal(e[0].leader, 0);
	assert_int_equal(e[1].leader, 1);
	assert_int_equal(e[2].leader, 1);
	assert_int_equal(e[3].leader, 3);
	assert_null(e[0].group_name);
	assert_string_equal(e[1].group_name, "g");
	assert_int_equal(e[1].attr.flags, FLAG(exclude_hv) | HOST | FLAG(pinned));
	assert_int_equal(e[2].attr.flags, U | HOST);
	assert_int_equal(e[3].attr.flags, K | FLAG(exclude_host) | PRECISE(1));
	assert_true(e[1].reads_group && e[2].reads_group && !e[0].reads_group);
	assert_true(e[1].is_weak && e[2].is_weak && !e[3].is_weak);
	cap_events_deinit(&events);
}

static void filters_are_for_the_tracepoints_before(void **state)
{
	struct cap_events events = on(*state);

	assert_error(cap_event_set_filter(&events, "a > 1"), PD_ERROR_USAGE);
	assert_ok(cap_events_parse(&events, "task:task_newtask"));
	assert_ok(cap_events_parse(&events, "sched:sched_w*"));
	assert_ok(cap_event_set_filter(&events, "pid > 1"));
	assert_ok(cap_event_set_filter(&events, "prio < 2"));
	assert_null(events.list.data[0].filter);
	assert_string_equal(events.list.data[1].filter, "(pid > 1) && (prio < 2)");
	assert_string_equal(events.list.data[2].filter, "(pid > 1) && (prio < 2)");
	assert_ok(cap_events_parse(&events, "cs"));
	assert_error(cap_event_set_filter(&events, "a > 1"), PD_ERROR_USAGE);
	cap_events_deinit(&events);
}

static struct cap_event parsed(const char *words)
{
	struct cap_events events = { 0 };

	assert_ok(cap_events_parse(&events, words));
	assert_int_equal(events.list.n, 1);
	struct cap_event ret = events.list.data[0];
	pd_vec_deinit(&events.list);
	return ret;
}

static void cycles_fall_back_to_the_clock(void **state)
{
	struct cap_event event = parsed("cycles:uP");
	struct cap_event other = parsed("instructions");

	(void)state;
	assert_int_equal(cap_event_fall_back(&event, EMFILE), CAP_FALL_BACK_NONE);
	assert_int_equal(cap_event_fall_back(&event, ENOENT), CAP_FALL_BACK_CPU_CLOCK);
	assert_int_equal(event.attr.type, PD_TYPE_SOFTWARE);
	assert_string_equal(event.name, "cpu-clock:u");
	assert_int_equal(pd_attr_precise_ip(&event.attr), 0);
	assert_int_equal(cap_event_fall_back(&event, ENOENT), CAP_FALL_BACK_NONE);
	assert_int_equal(cap_event_fall_back(&other, ENOENT), CAP_FALL_BACK_NONE);
	cap_event_deinit(&event);
	cap_event_deinit(&other);
}

static void user_space_only_is_in_the_name(void **state)
{
	static const char *const words[][2] = {
		{ "cs", "cs:u" },
		{ "cs:P", "cs:Pu" },
		{ "cs//", "cs//u" },
		{ "1:3", "1:3u" },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(words); i++) {
		struct cap_event event = parsed(words[i][0]);

		assert_true(cap_event_user_only(&event));
		assert_string_equal(event.name, words[i][1]);
		assert_true(pd_attr_has(&event.attr, PD_ATTR_exclude_kernel));
		assert_false(cap_event_user_only(&event));
		cap_event_deinit(&event);
	}
}

/* Only where events can be opened. */
static void the_default_event_opens(void **state)
{
	struct cap_default found = { 0 };
	struct pd_error *err = cap_default_event(0, -1, &found);
	int fd;

	(void)state;
	if (err) {
		pd_error_destroy(err);
		skip();
	}
	assert_int_equal(
		found.event.attr.type, found.is_clock ? PD_TYPE_SOFTWARE : PD_TYPE_HARDWARE);
	assert_int_equal(found.is_clock, found.cycles_errnum != 0);
	assert_ok(cap_event_open(&found.event, 0, -1, -1, 0, &fd));
	close(fd);
	cap_event_deinit(&found.event);
}

/* Events of an unknown PMU fail with every precision, and the precision is restored. */
static void precision_is_restored_if_nothing_opens(void **state)
{
	struct cap_event event = parsed("1000000:0:P");
	int fd;

	(void)state;
	assert_true(cap_event_try(&event, 0, -1, -1, 0, &fd) > 0);
	assert_int_equal(pd_attr_precise_ip(&event.attr), 3);
	cap_event_deinit(&event);
}

__attribute__((noinline)) int cap_test_function(int n);
int cap_test_function(int n)
{
	__asm__ volatile("");
	return n + 1;
}

static void functions_have_offsets(void **state)
{
	uint64_t at;
	uint64_t behind;

	(void)state;
	assert_ok(cap_function_offset("/proc/self/exe", "cap_test_function", 0, &at));
	assert_ok(cap_function_offset("/proc/self/exe", "cap_test_function", 1, &behind));
	assert_int_equal(behind, at + 1);
	/* The bytes at that file offset must be those in memory. */
	FILE *file = fopen("/proc/self/exe", "r");
	uint8_t code[4];
	assert_non_null(file);
	assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
	assert_int_equal(fread(code, 1, sizeof(code), file), sizeof(code));
	fclose(file);
	assert_memory_equal(code, (const void *)(uintptr_t)cap_test_function, sizeof(code));
	assert_error(
		cap_function_offset("/proc/self/exe", "no_such_function", 0, &at), PD_ERROR_USAGE);
	assert_error(cap_function_offset("/proc/self/exe", "cap_test_function", 1 << 20, &at),
		PD_ERROR_USAGE);
	assert_error(cap_function_offset("/dev/null", "main", 0, &at), PD_ERROR_USAGE);
	assert_error(cap_function_offset("/proc/self/no-such-file", "main", 0, &at), PD_ERROR_OS);
}

/* Read a control file that probes were written to. */
static char *read_all(const struct machine *m, const char *name)
{
	static char text[4096];
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", m->tracing, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return text;
}

static void add_probe(
	const struct machine *m, struct cap_probes *probes, const char *text, const char *name)
{
	struct cap_events events = on(m);
	char id[128], recorded[128];

	snprintf(id, sizeof(id), "tracing/events/pdconv_%d/%s/id", (int)getpid(), name);
	put(m, id, "1234");
	assert_ok(cap_probe_add(probes, text, &events));
	assert_int_equal(events.list.data[0].attr.config, 1234);
	snprintf(recorded, sizeof(recorded), "probe:%s", name);
	assert_string_equal(events.list.data[0].name, recorded);
	cap_events_deinit(&events);
}

static void probes_are_written_and_removed(void **state)
{
	const struct machine *m = *state;
	struct cap_probes *probes;
	char want[2048];
	int pid = (int)getpid();
	uint64_t at;

	put(m, "tracing/uprobe_events", "p:other/one /bin/true:0x1");
	put(m, "tracing/kprobe_events", "p:other/two vfs_read");
	assert_ok(cap_function_offset("/proc/self/exe", "cap_test_function", 0, &at));
	char *exe = realpath("/proc/self/exe", NULL);
	assert_non_null(exe);
	assert_ok(cap_probes_create(m->tracing, &probes));
	add_probe(m, probes, "/proc/self/exe:cap_test_function n=%di:s32", "cap_test_function");
	add_probe(m, probes, "/proc/self/exe:cap_test_function", "cap_test_function_1");
	add_probe(m, probes, "done=/proc/self/exe:cap_test_function%return $retval", "done");
	add_probe(m, probes, "/proc/self/exe:0x20", "abs_20");
	add_probe(m, probes, "vfs_read+4", "vfs_read");
	snprintf(want, sizeof(want),
		"p:other/one /bin/true:0x1\n"
		"p:pdconv_%d/cap_test_function %s:0x%llx n=%%di:s32\n"
		"p:pdconv_%d/cap_test_function_1 %s:0x%llx\n"
		"r:pdconv_%d/done %s:0x%llx $retval\n"
		"p:pdconv_%d/abs_20 %s:0x20\n",
		pid, exe, (unsigned long long)at, pid, exe, (unsigned long long)at, pid, exe,
		(unsigned long long)at, pid, exe);
	free(exe);
	assert_string_equal(read_all(m, "uprobe_events"), want);
	snprintf(
		want, sizeof(want), "p:other/two vfs_read\np:pdconv_%d/vfs_read vfs_read+4\n", pid);
	assert_string_equal(read_all(m, "kprobe_events"), want);
	assert_ok(cap_probes_remove(probes));
	snprintf(want, sizeof(want), "-:pdconv_%d/abs_20\n", pid);
	assert_non_null(strstr(read_all(m, "uprobe_events"), want));
	snprintf(want, sizeof(want), "-:pdconv_%d/vfs_read\n", pid);
	assert_non_null(strstr(read_all(m, "kprobe_events"), want));
	put(m, "tracing/uprobe_events", "none");
	cap_probes_destroy(probes);
	assert_string_equal(read_all(m, "uprobe_events"), "none\n");
}

/* The id of a process that has exited. */
static pid_t gone(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void probes_of_dead_recorders_are_removed(void **state)
{
	const struct machine *m = *state;
	struct cap_probes *probes;
	pid_t dead = gone();
	char had[512];
	char want[1024];

	/*
	 * Probes of a running recorder, of one that has exited, and of others with similar names.
	 */
	snprintf(had, sizeof(had),
		"p:pdconv_%d/a /bin/true:0x1 n=%%di:s32\np:pdconv_%d/b /bin/true:0x1\n"
		"p:pdconv_x/c /bin/true:0x1\np:my_pdconv_%d/d /bin/true:0x1\n"
		"r:pdconv_%d/e__return /bin/true:0x1\np:pdconv_0/f /bin/true:0x1\n"
		"p:pdconv_%dx/g /bin/true:0x1",
		dead, getpid(), dead, dead, dead);
	put(m, "tracing/uprobe_events", had);
	put(m, "tracing/kprobe_events", "p:other/two vfs_read");
	assert_ok(cap_probes_create(m->tracing, &probes));
	snprintf(want, sizeof(want), "%s\n-:pdconv_%d/a\n-:pdconv_%d/e__return\n", had, dead, dead);
	assert_string_equal(read_all(m, "uprobe_events"), want);
	assert_string_equal(read_all(m, "kprobe_events"), "p:other/two vfs_read\n");
	cap_probes_destroy(probes);
}

static void messages_name_invalid_probes(void **state)
{
	static const char *const bad[] = {
		"",
		"/proc/self/exe",
		"/proc/self/exe:",
		"/proc/self/exe:no_such_function",
		"/proc/self/exe:main+x",
		"/proc/self/exe:main+4%return",
		"/proc/self/exe:main%exit",
		"1x=/proc/self/exe:main",
		"=main",
		"main\n-:other/one",
		"main # comment",
	};
	const struct machine *m = *state;
	struct cap_probes *probes;
	struct cap_events events = on(m);

	put(m, "tracing/uprobe_events", "none");
	assert_ok(cap_probes_create(m->tracing, &probes));
	for (size_t i = 0; i < PD_ARRAY_LEN(bad); i++)
		assert_error(cap_probe_add(probes, bad[i], &events), PD_ERROR_USAGE);
	assert_error(cap_probe_add(probes, "/proc/self/no-such-file:main", &events), PD_ERROR_OS);
	assert_int_equal(events.list.n, 0);
	cap_probes_destroy(probes);
	assert_string_equal(read_all(m, "uprobe_events"), "none\n");
	cap_probes_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(specifications_become_attrs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(messages_name_what_is_invalid, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			every_beginning_is_understood_or_not, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			attrs_are_as_long_as_their_fields, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			patterns_and_pmus_are_several_events, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pmus_choose_their_cpus, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hybrid_machines_get_two_events, set_up, tear_down),
		cmocka_unit_test_setup_teardown(groups_share_modifiers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			filters_are_for_the_tracepoints_before, set_up, tear_down),
		cmocka_unit_test(cycles_fall_back_to_the_clock),
		cmocka_unit_test(user_space_only_is_in_the_name),
		cmocka_unit_test(the_default_event_opens),
		cmocka_unit_test(precision_is_restored_if_nothing_opens),
		cmocka_unit_test(functions_have_offsets),
		cmocka_unit_test_setup_teardown(probes_are_written_and_removed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			probes_of_dead_recorders_are_removed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(messages_name_invalid_probes, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
