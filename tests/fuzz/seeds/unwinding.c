/* Call frame information, stacks, code and Go tables, by the builders of the unit tests. */
#include <stdio.h>

#include "tests/fuzz/seeds/seeds.h"
#include "tests/unit/made_go_table.h"
#include "tests/unit/unwind/bytes.h"

enum { TEXT = 0x1000, EH_FRAME = 0x8000, HDR = 0x7000, RBP = 6, RA = 16 };

/* Functions of 0x100 bytes each, with the instructions that compilers write and rare ones. */
static void put_functions(struct test_bytes *b)
{
	size_t cie = put_cie(b, "zR");
	size_t signal_cie = put_cie(b, "zRS");

	PUT_FDE(b, cie, TEXT, DW_CFA_def_cfa_offset, 16);
	PUT_FDE(b, cie, TEXT + 0x100, DW_CFA_advance_loc | 1, DW_CFA_def_cfa, RBP, 16,
		DW_CFA_offset | RBP, 2);
	PUT_FDE(b, signal_cie, TEXT + 0x200, DW_CFA_def_cfa_expression, 3, DW_OP_breg7, 8,
		DW_OP_deref, DW_CFA_expression, RA, 2, DW_OP_breg7, 0, DW_CFA_expression, RBP, 2,
		DW_OP_breg7, 16);
	PUT_FDE(b, cie, TEXT + 0x300, DW_CFA_undefined, RA);
	PUT_FDE(b, cie, TEXT + 0x400, DW_CFA_remember_state, DW_CFA_register, RA, 3,
		DW_CFA_restore_state, DW_CFA_val_offset, 3, 1, DW_CFA_same_value, 12);
}

/* A search table for these functions: the n-th one begins at TEXT + n * 0x100. */
static void put_table(struct test_bytes *hdr, const struct test_bytes *frames)
{
	uint32_t n = 0;

	put(hdr, 1, 1);
	put(hdr, DW_EH_PE_pcrel | DW_EH_PE_sdata4, 1);
	put(hdr, DW_EH_PE_udata4, 1);
	put(hdr, DW_EH_PE_datarel | DW_EH_PE_sdata4, 1);
	put(hdr, (uint32_t)(EH_FRAME - HDR - 4), 4);
	put(hdr, 5, 4);
	for (size_t at = 0; at + 8 <= frames->n;) {
		uint32_t size, cie;

		memcpy(&size, frames->data + at, 4);
		memcpy(&cie, frames->data + at + 4, 4);
		if (cie) {
			put(hdr, (uint32_t)(TEXT + 0x100 * n++ - HDR), 4);
			put(hdr, (uint32_t)(EH_FRAME + at - HDR), 4);
		}
		at += size + 4;
	}
}

static void write_cfi(void)
{
	struct test_bytes frames = { 0 }, hdr = { 0 };

	put_functions(&frames);
	put_table(&hdr, &frames);
	for (uint8_t arch = 0; arch < 8; arch++) {
		struct pd_bytes seed = { 0 };
		char name[32];

		pd_bytes_u8(&seed, arch);
		pd_bytes_u8(&seed, 0);
		seeds_piece(&seed, hdr.data, arch & 1 ? 0 : hdr.n);
		for (int empty = 0; empty < 3; empty++)
			seeds_piece(&seed, NULL, 0);
		pd_bytes_put(&seed, frames.data, frames.n);
		snprintf(name, sizeof(name), "functions-%u", arch);
		seeds_put("cfi", name, &seed);
	}
}

/* ARM's index: a function with an inline table, one with a table in .ARM.extab, a root. */
static void write_exidx(void)
{
	static const uint32_t index[] = { 0x7fff9c00, 0x80a8b0b0, 0x7fff9cf8, 0x3f8, 0x7fff9df0,
		1 };
	static const uint32_t table[] = { 0x8003b1b0, 0xa8b0b0b0, 0x81019b40, 0x8480b0b0 };
	struct pd_bytes seed = { 0 };

	pd_bytes_u8(&seed, 3);
	pd_bytes_u8(&seed, 0);
	seeds_piece(&seed, NULL, 0);
	seeds_piece(&seed, index, sizeof(index));
	seeds_piece(&seed, table, sizeof(table));
	seeds_piece(&seed, NULL, 0);
	seeds_put("cfi", "exidx", &seed);
}

/* Words as the target `unwind` takes them: the number of a place, and an offset in it. */
static void put_word(struct pd_bytes *out, uint8_t place, uint16_t offset)
{
	pd_bytes_u8(out, place);
	pd_bytes_u8(out, (uint8_t)offset);
	pd_bytes_u8(out, (uint8_t)(offset >> 8));
}

static void write_stacks(void)
{
	struct test_bytes frames = { 0 };

	put_functions(&frames);
	for (uint8_t arch = 0; arch < 8; arch++) {
		struct pd_bytes seed = { 0 };
		char name[32];

		pd_bytes_u8(&seed, arch);
		pd_bytes_u8(&seed, arch);
		/* bx, bp, sp and ip of x86; other machines have others at these bits. */
		for (size_t i = 0; i < 8; i++)
			pd_bytes_u8(&seed, i < 2 ? (uint8_t)(0x1c2 >> 8 * i) : 0);
		seeds_piece(&seed, frames.data, frames.n);
		seeds_piece(&seed, "\x55\x48\x89\xe5\x5d\xc3", 6);
		put_word(&seed, 0, 0x10);
		put_word(&seed, 3, 0x18);
		put_word(&seed, 3, 0);
		put_word(&seed, 0, 0x10);
		for (uint16_t i = 0; i < 12; i++)
			put_word(&seed, i & 1 ? 0 : 3, i & 1 ? i * 0x60 : 0x10 + 8 * i);
		snprintf(name, sizeof(name), "stack-%u", arch);
		seeds_put("unwind", name, &seed);
	}
}

static void write_go(struct go_table *t)
{
	static int number;
	struct pd_bytes seed = { 0 };
	char name[32];

	pd_bytes_u8(&seed, t->bytes.swap);
	seeds_piece(&seed, t->data.buf.data, t->data.buf.n);
	seeds_piece(&seed, "\x55\x48\x89\xe5\x5d\xc3", 6);
	pd_bytes_put(&seed, t->bytes.buf.data, t->bytes.buf.n);
	snprintf(name, sizeof(name), "go-%d", number++);
	seeds_put("go_table", name, &seed);
}

void seeds_of_unwinding(void)
{
	write_cfi();
	write_exidx();
	write_stacks();
	go_for_each_form(write_go);
}
