#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dwarf.h>

#include "base/array.h"
#include "unwind/expr.h"

static const uint64_t words[] = { 0x1111, 0x2222222222222222, 0x8081 };
static const struct unw_memory mem = {
	.bytes = (const uint8_t *)words, .size = sizeof(words), .start = 0x1000
};
static const struct unw_regs regs = {
	.value = { [3] = 0x1008, [7] = 0x1000, [16] = 0x40002b },
	.is_known = { [3] = true, [7] = true, [16] = true },
};

static enum unw_eval eval(const uint8_t *bytes, size_t len, uint64_t *ret)
{
	const struct unw_expr expr = { .bytes = bytes, .len = len };
	struct unw_expr_env env = {
		.mem = &mem, .regs = &regs, .n_regs = 17, .word = 8, .bias = 0x100000
	};
	const uint64_t cfa = 0x1010;

	return unw_expr_eval(&env, &expr, &cfa, ret);
}

struct test_case {
	enum unw_eval status;
	uint64_t value;
	size_t len;
	uint8_t bytes[24];
};

#define EXPR(...) \
	sizeof((const uint8_t[]){ __VA_ARGS__ }), \
	{ \
		__VA_ARGS__ \
	}
#define GOOD(value, ...) \
	{ \
		UNW_EVAL_OK, value, EXPR(__VA_ARGS__) \
	}
#define WRONG(status, ...) \
	{ \
		UNW_EVAL_##status, 0, EXPR(__VA_ARGS__) \
	}
#define PUSH2(a, b) DW_OP_const1s, (uint8_t)(a), DW_OP_const1s, (uint8_t)(b)

static const struct test_case cases[] = {
	GOOD(0x1010, DW_OP_nop),
	GOOD(31, DW_OP_lit31),
	GOOD(0xff, DW_OP_const1u, 0xff),
	GOOD(-UINT64_C(1), DW_OP_const1s, 0xff),
	GOOD(0xffff, DW_OP_const2u, 0xff, 0xff),
	GOOD(-UINT64_C(1), DW_OP_const2s, 0xff, 0xff),
	GOOD(0xfffffffe, DW_OP_const4u, 0xfe, 0xff, 0xff, 0xff),
	GOOD(-UINT64_C(2), DW_OP_const4s, 0xfe, 0xff, 0xff, 0xff),
	GOOD(0x0807060504030201, DW_OP_const8u, 1, 2, 3, 4, 5, 6, 7, 8),
	GOOD(300, DW_OP_constu, 0xac, 2),
	GOOD(-UINT64_C(2), DW_OP_consts, 0x7e),
	GOOD(0x101234, DW_OP_addr, 0x34, 0x12, 0, 0, 0, 0, 0, 0),
	GOOD(0xff8, DW_OP_breg7, 0x78),
	GOOD(0x1010, DW_OP_bregx, 3, 8),
	GOOD(0x1111, DW_OP_breg7, 0, DW_OP_deref),
	GOOD(0x22, DW_OP_breg3, 0, DW_OP_deref_size, 1),
	GOOD(0x8081, DW_OP_deref_size, 2),
	GOOD(0x1018, DW_OP_plus_uconst, 8),
	GOOD(0x2020, DW_OP_dup, DW_OP_plus),
	GOOD(0x1010, DW_OP_lit5, DW_OP_drop),
	GOOD(0x1010, DW_OP_lit5, DW_OP_over),
	GOOD(0x1010, DW_OP_lit5, DW_OP_lit6, DW_OP_pick, 2),
	GOOD(0x1010, DW_OP_lit5, DW_OP_swap),
	GOOD(2, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot),
	GOOD(3, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop, DW_OP_drop),
	GOOD(5, DW_OP_const1s, 0xfb, DW_OP_abs),
	GOOD(-UINT64_C(5), DW_OP_lit5, DW_OP_neg),
	GOOD(-UINT64_C(6), DW_OP_lit5, DW_OP_not),
	GOOD(4, PUSH2(6, 12), DW_OP_and),
	GOOD(14, PUSH2(6, 12), DW_OP_or),
	GOOD(10, PUSH2(6, 12), DW_OP_xor),
	GOOD(-UINT64_C(6), PUSH2(6, 12), DW_OP_minus),
	GOOD(72, PUSH2(6, 12), DW_OP_mul),
	GOOD(-UINT64_C(3), PUSH2(-12, 4), DW_OP_div),
	GOOD(12, PUSH2(-12, -1), DW_OP_div),
	GOOD(0x8000000000000000, DW_OP_lit1, DW_OP_const1u, 63, DW_OP_shl, DW_OP_lit0, DW_OP_not,
		DW_OP_div),
	GOOD(3, PUSH2(15, 4), DW_OP_mod),
	GOOD(48, PUSH2(12, 2), DW_OP_shl),
	GOOD(0, PUSH2(12, 64), DW_OP_shl),
	GOOD(3, PUSH2(12, 2), DW_OP_shr),
	GOOD(-UINT64_C(3), PUSH2(-12, 2), DW_OP_shra),
	GOOD(-UINT64_C(1), PUSH2(-12, 100), DW_OP_shra),
	GOOD(0, PUSH2(1, 2), DW_OP_eq),
	GOOD(1, PUSH2(1, 2), DW_OP_ne),
	GOOD(1, PUSH2(-1, 2), DW_OP_lt),
	GOOD(1, PUSH2(2, 2), DW_OP_le),
	GOOD(0, PUSH2(-1, 2), DW_OP_gt),
	GOOD(1, PUSH2(2, 2), DW_OP_ge),
	GOOD(7, DW_OP_lit7, DW_OP_skip, 1, 0, DW_OP_lit9),
	GOOD(7, DW_OP_lit7, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_lit9),
	GOOD(9, DW_OP_lit7, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_lit9),
	/* Count down from 3. */
	GOOD(0, DW_OP_lit3, DW_OP_lit1, DW_OP_minus, DW_OP_dup, DW_OP_bra, 0xfa, 0xff),
	/* CFA of a PLT: rsp + 8 + (rip % 16 >= 11) * 8. */
	GOOD(0x1010, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge,
		DW_OP_lit3, DW_OP_shl, DW_OP_plus),

	WRONG(BAD, DW_OP_drop),
	WRONG(BAD, DW_OP_drop, DW_OP_drop),
	WRONG(BAD, DW_OP_plus),
	WRONG(BAD, DW_OP_pick, 1),
	WRONG(BAD, DW_OP_lit0, DW_OP_div),
	WRONG(BAD, DW_OP_lit0, DW_OP_mod),
	WRONG(BAD, DW_OP_const4u, 1, 2),
	WRONG(BAD, DW_OP_constu, 0x80),
	WRONG(BAD, DW_OP_skip, 0xfd, 0xff),
	WRONG(BAD, DW_OP_skip, 0xf0, 0xff),
	WRONG(BAD, DW_OP_skip, 1, 0),
	WRONG(BAD, DW_OP_dup, DW_OP_skip, 0xfc, 0xff),
	WRONG(BAD, DW_OP_deref_size, 3),
	WRONG(BAD, DW_OP_breg31, 0),
	WRONG(BAD, DW_OP_reg0),
	WRONG(BAD, 0xff),
	WRONG(UNKNOWN, DW_OP_breg0, 0),
	WRONG(MEMORY, DW_OP_breg7, 17, DW_OP_deref),
	WRONG(MEMORY, DW_OP_breg7, 0x7f, DW_OP_deref),
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		const struct test_case *c = &cases[i];
		uint64_t value = 0;

		if (eval(c->bytes, c->len, &value) != c->status || value != c->value)
			fail_msg("case %zu: 0x%" PRIx64, i, value);
	}
}

/** Evaluate each prefix of each case, in memory of that size, so that reads past the end show. */
static void test_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		for (size_t len = 1; len < cases[i].len; len++) {
			uint8_t *bytes = malloc(len);
			uint64_t value;

			assert_non_null(bytes);
			memcpy(bytes, cases[i].bytes, len);
			eval(bytes, len, &value);
			free(bytes);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
