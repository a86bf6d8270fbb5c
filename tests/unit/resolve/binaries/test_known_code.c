/* Code known by its name: a row for each instruction. */
#include "tests/unit/test.h"

#include "base/array.h"

#include "resolve/binaries/known_code.h"
#include "unwind/rules/cfi_row.h"

enum { START = 0x7f0000001000, X86_BP = 6, X86_SP = 7, X86_R15 = 15, ARM64_SP = 31, RISCV_SP = 2 };

/* Bytes of the instructions, and where the CFA is before each. */
struct insn {
	uint8_t len;
	uint8_t cfa_reg;
	uint8_t cfa_off;
};

struct kind {
	const struct pd_arch *arch;
	struct insn insns[8];
	/* Register with the return address, and where it is from the CFA, in the called function. */
	uint8_t ra;
	int64_t ra_off;
};

#define X86_SUB \
	{ 4, X86_SP, 8 }, { 2, X86_SP, 16 }, { 4, X86_SP, 16 }, \
	{ \
		1, X86_SP, 8 \
	}
#define X86_PUSH \
	{ 1, X86_SP, 8 }, { 3, X86_SP, 16 }, { 2, X86_BP, 16 }, { 1, X86_BP, 16 }, \
	{ \
		1, X86_SP, 8 \
	}
#define ENDBR \
	{ \
		4, X86_SP, 8 \
	}
#define ARM64_STP \
	{ 4, ARM64_SP, 0 }, { 4, ARM64_SP, 16 }, { 4, ARM64_SP, 16 }, \
	{ \
		4, ARM64_SP, 16 \
	}
#define ARM64_1 \
	{ \
		4, ARM64_SP, 0 \
	}
#define RISCV_SD(n) \
	{ n, RISCV_SP, 0 }, { n, RISCV_SP, 16 }, { n, RISCV_SP, 16 }, { n, RISCV_SP, 16 }, \
		{ n, RISCV_SP, 16 }, \
	{ \
		n, RISCV_SP, 0 \
	}

static const struct kind kinds[] = {
	{ &base_arch_x86_64, { X86_SUB }, 16, -8 },
	{ &base_arch_x86_64, { ENDBR, X86_SUB }, 16, -8 },
	{ &base_arch_x86_64, { X86_PUSH }, 16, -8 },
	{ &base_arch_x86_64, { ENDBR, X86_PUSH }, 16, -8 },
	{ &base_arch_aarch64, { ARM64_STP, ARM64_1 }, 30, -8 },
	{ &base_arch_aarch64, { ARM64_1, ARM64_STP, ARM64_1 }, 30, -8 },
	{ &base_arch_aarch64, { ARM64_1, ARM64_STP, ARM64_1, ARM64_1 }, 30, -8 },
	{ &base_arch_riscv64, { RISCV_SD(2) }, 1, -8 },
	{ &base_arch_riscv64, { RISCV_SD(4) }, 1, -8 },
};

static uint64_t size_of(const struct kind *kind)
{
	uint64_t size = 0;

	for (size_t i = 0; i < PD_ARRAY_LEN(kind->insns); i++)
		size += kind->insns[i].len;
	return size;
}

static struct unw_binary *open_cfi(const struct pd_arch *arch, const struct sym_perf_map_code *code)
{
	const struct unw_binary_input input = {
		.arch = arch,
		.eh_frame = resolve_known_eh_frame(arch, code),
	};
	struct unw_binary *binary;

	assert_non_null(input.eh_frame.data);
	assert_ok(unw_binary_create(&input, &binary));
	return binary;
}

static void every_instruction_has_a_row(void **state)
{
	(void)state;
	for (size_t k = 0; k < PD_ARRAY_LEN(kinds); k++) {
		const struct kind *kind = &kinds[k];
		const struct sym_perf_map_code code = { START, size_of(kind), "py::f:file.py",
			false };
		struct unw_binary *binary = open_cfi(kind->arch, &code);
		enum unw_cfi_result result;
		struct unw_row row;
		uint64_t addr = START;

		for (const struct insn *insn = kind->insns; insn->len; insn++) {
			assert_ok(unw_binary_find_row(binary, addr, false, &result, &row));
			assert_int_equal(result, UNW_CFI_ROW);
			assert_int_equal(row.cfa_reg, insn->cfa_reg);
			assert_int_equal(row.cfa_off, insn->cfa_off);
			addr += insn->len;
		}
		assert_ok(unw_binary_find_row(binary, addr, false, &result, &row));
		assert_int_equal(result, UNW_CFI_NONE);
		unw_binary_destroy(binary);
	}
}

/* The call is the only instruction from which frames are unwound, except for a sampled one. */
static void return_address_is_saved_at_the_call(void **state)
{
	(void)state;
	for (size_t k = 0; k < PD_ARRAY_LEN(kinds); k++) {
		const struct kind *kind = &kinds[k];
		const struct sym_perf_map_code code = { START, size_of(kind), "py::f:file.py",
			false };
		struct unw_binary *binary = open_cfi(kind->arch, &code);
		enum unw_cfi_result result;
		struct unw_row row;

		/* The middle of the code is in the call or after it, where nothing is restored. */
		assert_ok(unw_binary_find_row(binary, START + code.size / 2, true, &result, &row));
		assert_int_equal(result, UNW_CFI_ROW);
		assert_int_equal(row.regs[kind->ra].kind, UNW_RULE_OFFSET);
		assert_int_equal(row.regs[kind->ra].off, kind->ra_off);
		unw_binary_destroy(binary);
	}
}

static void qemu_saves_registers_in_its_prologue(void **state)
{
	const struct sym_perf_map_code code = { START, 0x123, "guest-0x401000", false };
	struct unw_binary *binary = open_cfi(&base_arch_x86_64, &code);
	enum unw_cfi_result result;
	struct unw_row row;

	(void)state;
	for (uint64_t off = 0; off < code.size; off++) {
		assert_ok(unw_binary_find_row(binary, START + off, false, &result, &row));
		assert_int_equal(result, UNW_CFI_ROW);
		assert_int_equal(row.cfa_reg, X86_SP);
		assert_int_equal(row.cfa_off, 0x488 + 7 * 8);
		assert_int_equal(row.regs[X86_BP].kind, UNW_RULE_OFFSET);
		assert_int_equal(row.regs[X86_BP].off, -16);
		assert_int_equal(row.regs[X86_R15].off, -56);
	}
	unw_binary_destroy(binary);
}

static void other_code_has_no_rows(void **state)
{
	static const struct {
		const struct pd_arch *arch;
		uint64_t size;
		const char *name;
	} others[] = {
		{ &base_arch_x86_64, 10, "py::f:file.py" },
		{ &base_arch_x86_64, 20, "py::f:file.py" },
		{ &base_arch_i386, 11, "py::f:file.py" },
		{ &base_arch_x86_64, 11, "LazyCompile:~py::f" },
		{ &base_arch_x86_64, 11, "py:" },
		{ NULL, 11, "py::f:file.py" },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(others); i++) {
		const struct sym_perf_map_code code = { START, others[i].size, others[i].name,
			false };

		assert_null(resolve_known_eh_frame(others[i].arch, &code).data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_has_a_row),
		cmocka_unit_test(return_address_is_saved_at_the_call),
		cmocka_unit_test(qemu_saves_registers_in_its_prologue),
		cmocka_unit_test(other_code_has_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
