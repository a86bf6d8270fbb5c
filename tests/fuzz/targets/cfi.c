/*
 * Call frame information. Input: the architecture, a byte with flags, then pieces: the search table
 * (.eh_frame_hdr), ARM's index and its table, .debug_frame; the rest is .eh_frame.
 */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "unwind/binary_rows.h"
#include "unwind/rules/cfi_row.h"

enum {
	TEXT = 0x1000,
	TEXT_END = 0x1400,
	HDR = 0x7000,
	EXIDX = 0x7400,
	EXTAB = 0x7800,
	EH_FRAME = 0x8000,
	STEP = 8
};

static struct unw_section take(struct fuzz_input in, uint64_t vaddr)
{
	return (struct unw_section){
		.data = in.size ? fuzz_copy(&in) : NULL, .size = in.size, .vaddr = vaddr
	};
}

static struct pd_error *ask(const struct unw_binary *binary, uint64_t addr)
{
	struct unw_row row;
	struct unw_range range;
	enum unw_cfi_result result;
	bool is_by_hand, is_same;

	for (int is_at_call = 0; is_at_call < 2; is_at_call++) {
		struct pd_error *err = unw_binary_find_row(binary, addr, is_at_call, &result, &row);

		if (err)
			return err;
		if (result == UNW_CFI_ROW && (addr < row.start || addr >= row.end))
			__builtin_trap();
	}
	struct pd_error *err = unw_binary_find_fde(binary, addr, &range);
	if (err)
		return err;
	if (range.start < range.end && (addr < range.start || addr >= range.end))
		__builtin_trap();
	err = unw_binary_is_by_hand(binary, addr, false, &is_by_hand);
	return err ? err : unw_binary_is_same_function(binary, addr, addr + STEP, &is_same);
}

void fuzz_target_cfi(struct fuzz_input *in)
{
	struct unw_binary_input input = { .arch = fuzz_arch(in), .text_vaddr = TEXT };
	uint8_t flags = fuzz_byte(in);
	struct unw_binary *binary;

	input.is_doubtful = flags & 1;
	input.entry_vaddr = flags & 2 ? TEXT : 0;
	input.eh_frame_hdr = take(fuzz_piece(in), HDR);
	input.exidx = take(fuzz_piece(in), EXIDX);
	input.extab = take(fuzz_piece(in), EXTAB);
	input.debug_frame = take(fuzz_piece(in), 0);
	input.eh_frame = take(*in, EH_FRAME);
	struct pd_error *err = unw_binary_create(&input, &binary);
	if (!err) {
		for (uint64_t addr = TEXT; !err && addr < TEXT_END; addr += STEP)
			err = ask(binary, addr);
		unw_binary_has_unusable_debug_frame(binary);
		unw_binary_destroy(binary);
	}
	pd_error_destroy(err);
	free((void *)input.eh_frame_hdr.data);
	free((void *)input.exidx.data);
	free((void *)input.extab.data);
	free((void *)input.debug_frame.data);
	free((void *)input.eh_frame.data);
}
