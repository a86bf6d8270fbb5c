/*
 * Tests of the public API: they use the public headers only, like programs that link the library.
 */
#include "tests/unit/test_recording.h"

#include <errno.h>
#include <sys/utsname.h>

#include <pdconv/pdconv.h>

#include "base/array.h"
#include "parse/open_file.h"

static struct pd_reader *start(struct pd_file *file, enum pd_order_kind kind)
{
	struct pd_reader *reader;

	assert_ok(pd_reader_create(file, kind, &reader));
	return reader;
}

static bool next(struct pd_reader *reader, struct pd_record *rec)
{
	assert_ok(pd_reader_next(reader, rec));
	return rec->bytes;
}

/* Errors of system calls have their number, not only its text. */
static void errors_have_the_errno(void **state)
{
	struct pd_file *file;
	struct pd_error *err = pd_file_open("/nonexistent/perf.data", NULL, &file);

	(void)state;
	assert_int_equal(err->code, PD_ERROR_OS);
	assert_int_equal(err->errnum, ENOENT);
	pd_error_destroy(err);
	err = pd_error_explained(EACCES, NULL, "not for you");
	assert_int_equal(err->errnum, EACCES);
	pd_error_destroy(err);
	err = pd_file_open("/dev/null", NULL, &file);
	assert_int_equal(err->errnum, 0);
	pd_error_destroy(err);
}

/* A truncated file is noted in the diag even if the caller passes no diag. */
static void a_file_has_a_diag_of_its_own(void **state)
{
	struct bytes b = testdata_read("fp", "perf.data");
	struct pd_record rec;
	bool is_cut = false;

	(void)state;
	b.n /= 2;
	struct pd_file *file = recording_open(&b, NULL);
	struct pd_reader *reader = start(file, PD_ORDER_FILE);
	while (next(reader, &rec))
		;
	for (size_t i = 0; i < pd_diag_n(pd_file_diag(file)); i++) {
		struct pd_diag_entry entry = pd_diag_get(pd_file_diag(file), i);

		assert_string_equal(entry.first->path, "built");
		is_cut |= entry.first->code == PD_ERROR_CUT && entry.first->offset == b.n;
	}
	assert_true(is_cut);
	pd_reader_destroy(reader);
	pd_file_close(file);
	bytes_free(&b);
}

enum { N_KEPT = 50 };

/* Kept samples stay valid while the others are read and after the reader was destroyed. */
static void records_can_be_kept(void **state)
{
	const char *const names[] = { "nested", "compressed", "piped" };
	struct pd_record kept[N_KEPT], rec;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char path[64];
		size_t n = 0;
		struct pd_file *file;

		snprintf(path, sizeof(path), "testdata/%s/perf.data", names[i]);
		assert_ok(pd_file_open(path, NULL, &file));
		struct pd_reader *reader = start(file, PD_ORDER_TIME);
		while (next(reader, &rec)) {
			if (rec.type == PD_RECORD_SAMPLE && n < N_KEPT)
				kept[n++] = pd_record_keep(&rec);
		}
		pd_reader_destroy(reader);
		assert_int_equal(n, N_KEPT);
		for (size_t k = 0; k < n; k++) {
			const struct pd_event *event =
				pd_events_find(pd_file_events(file), &kept[k]);
			struct pd_sample sample;
			const char *wrong;

			assert_int_equal(pd_sample_decode(&event->plan, &kept[k], &sample, &wrong),
				PD_SAMPLE_OK);
			assert_int_equal(sample.time, kept[k].time);
			pd_record_release(&kept[k]);
			pd_record_release(&kept[k]);
			assert_null(kept[k].bytes);
		}
		pd_file_close(file);
	}
}

static struct pd_file *open_group(void)
{
	struct pd_file *file;

	assert_ok(pd_file_open("testdata/group/perf.data", NULL, &file));
	return file;
}

static void expect_text(const struct pd_str *text, const char *expected)
{
	assert_int_equal(text->len, strlen(expected));
	assert_memory_equal(text->s, expected, text->len);
}

/* The expected values are those printed by `perf report --header -I`. */
static void features_are_decoded_into_structs(void **state)
{
	struct pd_file *file = open_group();
	struct pd_string text;
	struct pd_nrcpus cpus;
	struct pd_total_mem mem;
	struct pd_cpu_topology topology;
	struct pd_cpu_topology_id id;

	(void)state;
	assert_true(pd_file_feature(file, PD_FEATURE_HOSTNAME, &text));
	expect_text(&text.value, "recorder");
	assert_true(pd_file_feature(file, PD_FEATURE_NRCPUS, &cpus));
	assert_int_equal(cpus.nr_cpus_available, 2);
	assert_true(pd_file_feature(file, PD_FEATURE_TOTAL_MEM, &mem));
	assert_int_equal(mem.total_mem, 24684084);
	assert_true(pd_file_feature(file, PD_FEATURE_CPU_TOPOLOGY, &topology));
	struct pd_list_iter it = pd_list_iter(&topology.thread_siblings, pd_file_env(file));
	assert_true(pd_list_next(&it, &pd_layout_string, &text));
	expect_text(&text.value, "0");
	assert_true(pd_list_next(&it, &pd_layout_string, &text));
	expect_text(&text.value, "1");
	assert_false(pd_list_next(&it, &pd_layout_string, &text));
	it = pd_list_iter(&topology.ids, pd_file_env(file));
	assert_true(pd_list_next(&it, &pd_layout_cpu_topology_id, &id));
	assert_true(pd_list_next(&it, &pd_layout_cpu_topology_id, &id));
	assert_int_equal(id.core_id, 1);
	assert_false(pd_file_feature(file, PD_FEATURE_AUXTRACE, &text));
	assert_false(pd_file_feature(file, PD_N_FEATURE_BITS - 1, &text));
	assert_false(pd_file_feature(file, PD_N_FEATURE_BITS, &text));
	pd_file_close(file);
}

static void features_with_lists_are_iterated(void **state)
{
	struct pd_file *file = open_group();
	struct pd_numa_topology numa;
	struct pd_numa_node node;
	struct pd_pmu_mappings mappings;
	struct pd_pmu_mapping pmu;
	struct pd_group_desc groups;
	struct pd_group_desc_entry group;

	(void)state;
	assert_true(pd_file_feature(file, PD_FEATURE_NUMA_TOPOLOGY, &numa));
	struct pd_list_iter it = pd_list_iter(&numa.nodes, pd_file_env(file));
	assert_true(pd_list_next(&it, &pd_layout_numa_node, &node));
	assert_int_equal(node.mem_total, 5335244);
	expect_text(&node.cpulist, "0-1");
	assert_true(pd_file_feature(file, PD_FEATURE_PMU_MAPPINGS, &mappings));
	assert_int_equal(mappings.nr, 5);
	it = pd_list_iter(&mappings.pmus, pd_file_env(file));
	assert_true(pd_list_next(&it, &pd_layout_pmu_mapping, &pmu));
	assert_int_equal(pmu.type, 1);
	expect_text(&pmu.name, "software");
	assert_true(pd_file_feature(file, PD_FEATURE_GROUP_DESC, &groups));
	it = pd_list_iter(&groups.groups, pd_file_env(file));
	assert_true(pd_list_next(&it, &pd_layout_group_desc_entry, &group));
	assert_int_equal(group.leader_idx, 0);
	assert_int_equal(group.nr_members, 3);
	assert_false(pd_list_next(&it, &pd_layout_group_desc_entry, &group));
	pd_file_close(file);
}

/* A feature is decoded in either byte order, and a truncated one is rejected. */
static void truncated_features_are_rejected(void **state)
{
	static const uint8_t body[] = { 0, 0, 0, 8, 0, 0, 0, 6 };
	struct pd_file file = { .swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
	struct pd_feature *feature = &file.feature[PD_FEATURE_NRCPUS];
	struct pd_nrcpus cpus;

	(void)state;
	for (size_t size = 0; size <= sizeof(body); size++) {
		*feature = (struct pd_feature){ true, 0, body, size };
		assert_int_equal(
			pd_file_feature(&file, PD_FEATURE_NRCPUS, &cpus), size == sizeof(body));
		assert_int_equal(cpus.nr_cpus_available, size >= 4 ? 8 : 0);
	}
	assert_int_equal(cpus.nr_cpus_online, 6);
}

static void cpu_lists_are_parsed_into_ranges(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		uint32_t first, last;
		const char *rest;
	} rows[] = {
		{ "0-3,8,10-11", 3, 10, 11, "" },
		{ "7", 1, 7, 7, "" },
		{ "", 0, 0, 0, "" },
		{ "1,x", 1, 1, 1, "x" },
		{ "3-1", 0, 0, 0, "3-1" },
		{ "2-", 0, 0, 0, "2-" },
		{ "1-2;5", 0, 0, 0, "1-2;5" },
		{ "4294967295", 1, UINT32_MAX, UINT32_MAX, "" },
		{ "4294967296", 0, 0, 0, "4294967296" },
		{ "99999999999999999999", 0, 0, 0, "99999999999999999999" },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		struct pd_str list = { rows[i].text, strlen(rows[i].text), 0 };
		uint32_t first = 0, last = 0;
		size_t n = 0;

		while (pd_cpu_range_take(&list, &first, &last))
			n++;
		assert_int_equal(n, rows[i].n);
		assert_int_equal(first, rows[i].first);
		assert_int_equal(last, rows[i].last);
		expect_text(&list, rows[i].rest);
	}
}

/* pd_events_decode() leaves out the trailer, so callers need not know its size. */
static void bodies_are_decoded_without_their_trailer(void **state)
{
	struct pd_file *file = open_group();
	struct pd_reader *reader = start(file, PD_ORDER_FILE);
	struct pd_record rec;
	bool has_comm = false;

	(void)state;
	while (next(reader, &rec)) {
		const struct pd_plan *plan = pd_events_plan(pd_file_events(file), &rec);
		union pd_body body;
		const char *wrong;

		assert_string_equal(
			pd_record_name(rec.type), pd_layout_find(rec.type, rec.misc)->name);
		assert_true(pd_events_decode(pd_file_events(file), &rec, &body, &wrong));
		assert_int_equal(!plan, rec.type >= PD_RECORD_FIRST_TOOL);
		assert_int_equal(!pd_events_find(pd_file_events(file), &rec), !plan);
		if (rec.type != PD_RECORD_COMM || !(rec.misc & PD_MISC_COMM_EXEC))
			continue;
		expect_text(&body.comm.comm, "nested");
		assert_int_equal(pd_sid_decode(plan, &rec).time, rec.time);
		has_comm = true;
	}
	assert_true(has_comm);
	pd_reader_destroy(reader);
	pd_file_close(file);
}

static void unknown_records_are_returned_as_bytes(void **state)
{
	struct bytes b = { 0 };
	struct pd_record rec;
	union pd_body body;
	const char *wrong;

	(void)state;
	recording_begin(&b);
	size_t begin = record_begin(&b, 60, 5);
	u64(&b, 0x1234);
	record_end(&b, begin);
	recording_end(&b);
	struct pd_file *file = recording_open(&b, NULL);
	struct pd_reader *reader = start(file, PD_ORDER_FILE);
	assert_true(next(reader, &rec));
	assert_int_equal(rec.type, 60);
	assert_int_equal(rec.misc, 5);
	assert_int_equal(rec.size, 16);
	assert_int_equal(rec.offset, begin);
	assert_memory_equal(rec.bytes, b.data + begin, rec.size);
	assert_null(pd_record_name(rec.type));
	assert_false(pd_events_decode(pd_file_events(file), &rec, &body, &wrong));
	assert_string_equal(wrong, "type is not known");
	assert_false(next(reader, &rec));
	pd_reader_destroy(reader);
	pd_file_close(file);
	bytes_free(&b);
}

static void registers_are_found_by_number(void **state)
{
	static const uint64_t values[] = { 10, 20, 30 };
	struct pd_regs regs = {
		.mask = (uint64_t)1 << 0 | (uint64_t)1 << 7 | (uint64_t)1 << 63,
		.values = { .data = (const uint8_t *)values, .elem_size = 8, .n = 3 },
	};
	uint64_t value;

	(void)state;
	assert_true(pd_regs_get(&regs, 0, &value));
	assert_int_equal(value, 10);
	assert_true(pd_regs_get(&regs, 7, &value));
	assert_int_equal(value, 20);
	assert_true(pd_regs_get(&regs, 63, &value));
	assert_int_equal(value, 30);
	assert_false(pd_regs_get(&regs, 1, &value));
	assert_false(pd_regs_get(&regs, 64, &value));
	regs.values.swap = true;
	assert_true(pd_regs_get(&regs, 7, &value));
	assert_int_equal(value, __builtin_bswap64(20));
	regs.values.n = 0;
	assert_false(pd_regs_get(&regs, 0, &value));
}

static void integer_parts_have_indices_and_names(void **state)
{
	const struct pd_bitfield *op = &pd_bitfields_data_src.fields[PD_DATA_SRC_mem_op];
	const struct pd_bitfield *cycles = &pd_bitfields_branch_flags.fields[PD_BRANCH_cycles];
	const struct pd_attr llc = { .type = PD_TYPE_HW_CACHE, .config = 0x10002 };

	(void)state;
	assert_int_equal(pd_bitfields_data_src.n, PD_N_DATA_SRC);
	assert_int_equal(pd_bitfields_transaction.n, PD_N_TRANSACTION);
	assert_int_equal(pd_bitfields_weight_struct.n, PD_N_WEIGHT);
	assert_int_equal(pd_bitfields_branch_flags.n, PD_N_BRANCH);
	assert_string_equal(op->name, "mem_op");
	assert_int_equal(pd_bitfield_get(op, 0xffe2), 2);
	assert_int_equal(pd_bitfield_get(cycles, 0x1230), 0x123);
	assert_int_equal(pd_attr_cache(&llc).cache, 2);
	assert_int_equal(pd_attr_cache(&llc).op, 0);
	assert_int_equal(pd_attr_cache(&llc).result, 1);
	assert_int_equal(
		pd_attr_precise_ip(&(struct pd_attr){ .flags = 3 << PD_ATTR_precise_ip }), 3);
}

static void ends_of_unwinds_have_names_and_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_N_UNWIND_ENDS; i++) {
		enum pd_unwind_end end = (enum pd_unwind_end)i;

		assert_true(pd_unwind_end_name(end)[0] && pd_unwind_end_text(end)[0]);
	}
	assert_string_equal(pd_unwind_end_name(PD_UNWIND_END_STACK_SHORT), "STACK_SHORT");
	assert_string_equal(pd_unwind_end_name(PD_N_UNWIND_ENDS), "");
	assert_string_equal(pd_unwind_end_text(PD_N_UNWIND_ENDS), "");
}

static const char *const architectures[] = {
	"x86_64",
	"i686",
	"aarch64",
	"armv7l",
	"riscv64",
	"s390x",
	"ppc64",
	"ppc64le",
};

/* Every register is found by its name and by its bit, which no other register has. */
static void registers_have_names(void **state)
{
	struct utsname here;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(architectures); i++) {
		const struct pd_arch *arch = pd_arch_find(architectures[i]);
		uint64_t seen = 0;

		assert_non_null(arch);
		assert_string_equal(arch->name, architectures[i]);
		for (size_t k = 0; k < arch->n_regs; k++) {
			const struct pd_reg *reg = &arch->regs[k];

			assert_false(seen >> reg->perf & 1);
			seen |= UINT64_C(1) << reg->perf;
			assert_ptr_equal(pd_reg_find(arch, reg->name), reg);
			assert_string_equal(pd_arch_reg_name(arch, reg->perf), reg->name);
		}
		assert_null(pd_reg_find(arch, "none"));
	}
	assert_int_equal(pd_reg_find(pd_arch_find("x86_64"), "ip")->perf, PD_REG_X86_64_ip);
	assert_int_equal(pd_reg_find(pd_arch_find("arm64"), "lr")->perf, PD_REG_AARCH64_lr);
	assert_int_equal(PD_REG_I386_bp, 6);
	assert_null(pd_arch_find("vax"));
	assert_ptr_equal(
		pd_arch_of_machine(), base_machine_here(&here) ? pd_arch_find(here.machine) : NULL);
	assert_null(pd_reg_find(NULL, "ip"));
}

/* Registers as samples of each architecture have them: the values are their bits + 100. */
static void samples_have_pointers(void **state)
{
	static const struct {
		const char *machine;
		uint64_t abi;
		uint64_t ip, sp, fp;
	} cases[] = {
		{ "x86_64", PD_REGS_ABI_64, PD_REG_X86_64_ip, PD_REG_X86_64_sp, PD_REG_X86_64_bp },
		{ "x86_64", PD_REGS_ABI_32, PD_REG_I386_ip, PD_REG_I386_sp, PD_REG_I386_bp },
		{ "aarch64", PD_REGS_ABI_64, PD_REG_AARCH64_pc, PD_REG_AARCH64_sp,
			PD_REG_AARCH64_x29 },
		{ "aarch64", PD_REGS_ABI_32, PD_REG_ARM_pc, PD_REG_ARM_sp, PD_REG_ARM_fp },
		{ "riscv64", PD_REGS_ABI_64, PD_REG_RISCV64_pc, PD_REG_RISCV64_sp,
			PD_REG_RISCV64_s0 },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		const struct pd_arch *arch = pd_arch_find(cases[i].machine);
		uint64_t values[33], value;
		struct pd_regs regs = {
			.abi = cases[i].abi,
			.mask = (UINT64_C(1) << PD_ARRAY_LEN(values)) - 1,
			.values = { (const uint8_t *)values, 8, false, PD_ARRAY_LEN(values) },
		};

		for (size_t k = 0; k < PD_ARRAY_LEN(values); k++)
			values[k] = 100 + k;
		assert_true(pd_regs_ip(arch, &regs, &value) && value == 100 + cases[i].ip);
		assert_true(pd_regs_sp(arch, &regs, &value) && value == 100 + cases[i].sp);
		assert_true(pd_regs_fp(arch, &regs, &value) && value == 100 + cases[i].fp);
		regs.mask = 0;
		assert_false(pd_regs_ip(arch, &regs, &value));
		assert_false(pd_regs_sp(arch, &regs, &value));
		assert_false(pd_regs_fp(arch, &regs, &value));
		assert_false(pd_regs_ip(NULL, &regs, &value));
	}
}

/* A function of pdconv/names.h, the first number without a name, and the names before it. */
struct name_case {
	const char *(*name)(uint64_t number);
	uint64_t n;
	const char *joined;
};

/* The names are those of perf_event.h, so each is repeated here. */
static void numbers_have_names(void **state)
{
	static const struct name_case cases[] = {
		{ pd_cpu_mode_name, 6, "unknown kernel user hypervisor guest kernel guest user " },
		{ pd_attr_type_name, 6, "hardware software tracepoint hw-cache raw breakpoint " },
		{ pd_breakpoint_kind_name, 3, "r w x " },
		{ pd_precision_name, 4, "arbitrary-skid constant-skid requested-no-skid no-skid " },
		{ pd_regs_abi_name, 3, "none 32-bit 64-bit " },
		{ pd_aux_flag_name, 4, "truncated overwrite partial collision " },
		{ pd_aux_format_name, 2, "coresight raw " },
		{ pd_ksym_type_name, 3, "unknown bpf out-of-line " },
		{ pd_bpf_event_name, 3, "unknown load unload " },
		{ pd_hardware_event_name, 10,
			"cycles instructions cache-references cache-misses branches branch-misses "
			"bus-cycles stalled-cycles-frontend stalled-cycles-backend ref-cycles " },
		{ pd_software_event_name, 12,
			"cpu-clock task-clock page-faults context-switches cpu-migrations "
			"minor-faults major-faults alignment-faults emulation-faults dummy "
			"bpf-output cgroup-switches " },
		{ pd_cache_name, 7, "L1-dcache L1-icache LLC dTLB iTLB branch node " },
		{ pd_cache_op_name, 3, "load store prefetch " },
		{ pd_cache_result_name, 2, "refs misses " },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		char joined[512] = "";

		for (uint64_t number = 0; number < cases[i].n; number++) {
			strcat(joined, cases[i].name(number));
			strcat(joined, " ");
		}
		assert_string_equal(joined, cases[i].joined);
		assert_null(cases[i].name(cases[i].n));
		assert_null(cases[i].name(UINT64_MAX));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_has_a_diag_of_its_own),
		cmocka_unit_test(records_can_be_kept),
		cmocka_unit_test(features_are_decoded_into_structs),
		cmocka_unit_test(features_with_lists_are_iterated),
		cmocka_unit_test(truncated_features_are_rejected),
		cmocka_unit_test(cpu_lists_are_parsed_into_ranges),
		cmocka_unit_test(bodies_are_decoded_without_their_trailer),
		cmocka_unit_test(unknown_records_are_returned_as_bytes),
		cmocka_unit_test(registers_are_found_by_number),
		cmocka_unit_test(integer_parts_have_indices_and_names),
		cmocka_unit_test(ends_of_unwinds_have_names_and_texts),
		cmocka_unit_test(registers_have_names),
		cmocka_unit_test(samples_have_pointers),
		cmocka_unit_test(errors_have_the_errno),
		cmocka_unit_test(numbers_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
