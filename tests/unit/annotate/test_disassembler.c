/* Single instructions of each machine, and the targets of branches. */
#include "tests/unit/test.h"

#include "annotate/disassembler.h"
#include "base/array.h"

static const uint64_t ADDR = 0x1000;

struct insn {
	const struct pd_arch *arch;
	enum sym_code_kind kind;
	const char *bytes;
	size_t n;
	size_t size;
	const char *text;
	enum ann_branch branch;
	uint64_t target;
};

#define B(text) text, sizeof(text) - 1

static const struct insn insns[] = {
	{ &base_arch_x86_64, SYM_CODE, B("\x48\x01\xd8"), 3, "addq %rbx, %rax", ANN_BRANCH_NONE,
		0 },
	{ &base_arch_x86_64, SYM_CODE, B("\x75\xfe"), 2, "jne", ANN_BRANCH_JUMP, 0x1000 },
	{ &base_arch_x86_64, SYM_CODE, B("\xe8\x10\x00\x00\x00"), 5, "callq", ANN_BRANCH_CALL,
		0x1015 },
	{ &base_arch_x86_64, SYM_CODE, B("\xff\xe0"), 2, "jmpq *%rax", ANN_BRANCH_NONE, 0 },
	{ &base_arch_x86_64, SYM_CODE, B("\xf0\xff\x08"), 3, "lock decl (%rax)", ANN_BRANCH_NONE,
		0 },
	{ &base_arch_x86_64, SYM_CODE, B("\xf0"), 1, "lock", ANN_BRANCH_NONE, 0 },
	{ &base_arch_x86_64, SYM_CODE, B("\x06\x90"), 1, ".byte 0x06", ANN_BRANCH_NONE, 0 },
	{ &base_arch_x86_64, SYM_CODE_DATA, B("\x90\x90\x90\x90\x90"), 4, ".4byte 0x90909090",
		ANN_BRANCH_NONE, 0 },
	/* Addresses of 32 bits wrap around. */
	{ &base_arch_i386, SYM_CODE, B("\xe9\x00\xf0\xff\xff"), 5, "jmp", ANN_BRANCH_JUMP, 0x5 },
	{ &base_arch_aarch64, SYM_CODE, B("\x00\x00\x00\x54"), 4, "b.eq", ANN_BRANCH_JUMP, 0x1000 },
	{ &base_arch_aarch64, SYM_CODE, B("\x02\x00\x00\x94"), 4, "bl", ANN_BRANCH_CALL, 0x1008 },
	{ &base_arch_aarch64, SYM_CODE, B("\x40\x00\x00\x36"), 4, "tbz w0, #0x0,", ANN_BRANCH_JUMP,
		0x1008 },
	{ &base_arch_aarch64, SYM_CODE, B("\xc0\x03\x5f\xd6"), 4, "ret", ANN_BRANCH_NONE, 0 },
	{ &base_arch_aarch64, SYM_CODE, B("\x00\x00\x02\x8b"), 4, "add x0, x0, x2", ANN_BRANCH_NONE,
		0 },
	{ &base_arch_arm, SYM_CODE, B("\xfe\xff\xff\xea"), 4, "b", ANN_BRANCH_JUMP, 0x1000 },
	{ &base_arch_arm, SYM_CODE, B("\x02\x00\xc1\xe3"), 4, "bic r0, r1, #2", ANN_BRANCH_NONE,
		0 },
	{ &base_arch_arm, SYM_CODE_THUMB, B("\xfe\xe7"), 2, "b", ANN_BRANCH_JUMP, 0x1000 },
	{ &base_arch_arm, SYM_CODE_THUMB, B("\x00\xf0\x02\xf8"), 4, "bl", ANN_BRANCH_CALL, 0x1008 },
	{ &base_arch_arm, SYM_CODE_THUMB, B("\x70\x47"), 2, "bx lr", ANN_BRANCH_NONE, 0 },
	{ &base_arch_arm, SYM_CODE_DATA, B("\x78\x56\x34\x12"), 4, ".4byte 0x12345678",
		ANN_BRANCH_NONE, 0 },
	{ &base_arch_riscv64, SYM_CODE, B("\x01\xa0"), 2, "j", ANN_BRANCH_JUMP, 0x1000 },
	{ &base_arch_riscv64, SYM_CODE, B("\xef\x00\x40\x00"), 4, "jal", ANN_BRANCH_CALL, 0x1004 },
	{ &base_arch_riscv64, SYM_CODE, B("\x82\x80"), 2, "ret", ANN_BRANCH_NONE, 0 },
	{ &base_arch_s390x, SYM_CODE, B("\xa7\xf4\x00\x02"), 4, "j", ANN_BRANCH_JUMP, 0x1004 },
	{ &base_arch_s390x, SYM_CODE, B("\x07\xfe"), 2, "br %r14", ANN_BRANCH_NONE, 0 },
	{ &base_arch_ppc64, SYM_CODE, B("\x48\x00\x00\x08"), 4, "b", ANN_BRANCH_JUMP, 0x1008 },
	{ &base_arch_ppc64, SYM_CODE, B("\x4d\x82\x00\x20"), 4, "bclr 12, 2", ANN_BRANCH_NONE, 0 },
	{ &base_arch_ppc64le, SYM_CODE, B("\x09\x00\x00\x48"), 4, "bl", ANN_BRANCH_CALL, 0x1008 },
	{ &base_arch_ppc64le, SYM_CODE, B("\x20\x00\x80\x4e"), 4, "blr", ANN_BRANCH_NONE, 0 },
};

static void expect_insn(const struct insn *expected)
{
	struct ann_disassembler *disassembler;
	struct ann_insn insn;
	const char *why;

	assert_ok(ann_disassembler_create(expected->arch, &disassembler, &why));
	if (!disassembler)
		fail_msg("%s: %s", expected->arch->name, why);
	ann_disassemble(disassembler, expected->kind, (const uint8_t *)expected->bytes, expected->n,
		ADDR, &insn);
	assert_string_equal(insn.text, expected->text);
	assert_int_equal(insn.size, expected->size);
	assert_int_equal(insn.branch, expected->branch);
	assert_int_equal(insn.target, expected->target);
	ann_disassembler_destroy(disassembler);
}

static void instructions_of_each_machine(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(insns); i++)
		expect_insn(&insns[i]);
}

/* Any bytes are disassembled to the last one, and no step reads past the end. */
static void arbitrary_bytes(void **state)
{
	static const struct pd_arch *const archs[] = { &base_arch_x86_64, &base_arch_aarch64,
		&base_arch_arm, &base_arch_riscv64, &base_arch_s390x, &base_arch_ppc64 };
	uint32_t random = 1;

	(void)state;
	for (size_t a = 0; a < PD_ARRAY_LEN(archs); a++) {
		struct ann_disassembler *disassembler;
		uint8_t *bytes = malloc(997);
		struct ann_insn insn;
		const char *why;

		assert_non_null(bytes);
		for (size_t i = 0; i < 997; i++)
			bytes[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
		assert_ok(ann_disassembler_create(archs[a], &disassembler, &why));
		assert_non_null(disassembler);
		for (size_t i = 0; i < 997; i += insn.size) {
			enum sym_code_kind kind = (enum sym_code_kind)(i % 3);

			ann_disassemble(disassembler, kind, bytes + i, 997 - i, i, &insn);
			assert_uint_in_range(insn.size, 1, 997 - i);
			assert_true(*insn.text);
		}
		ann_disassembler_destroy(disassembler);
		free(bytes);
	}
}

static void unknown_machine(void **state)
{
	struct ann_disassembler *disassembler;
	const char *why;

	(void)state;
	assert_ok(ann_disassembler_create(NULL, &disassembler, &why));
	assert_null(disassembler);
	assert_string_equal(why, "the architecture is not supported");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_of_each_machine),
		cmocka_unit_test(arbitrary_bytes),
		cmocka_unit_test(unknown_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
