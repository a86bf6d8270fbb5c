/* Find addresses in a kallsyms file. */
#include <stdlib.h>

#include "symbolize/kernel/kallsyms.h"
#include "tests/fuzz/fuzz.h"

void fuzz_target_kallsyms(struct fuzz_input *in)
{
	struct sym_kallsyms *kallsyms;
	struct sym_kernel_symbol symbol;
	struct pd_error *err = sym_kallsyms_create(fuzz_text(in), "_text", &kallsyms);

	if (!err) {
		sym_kallsyms_has_addresses(kallsyms);
		uint64_t start = sym_kallsyms_ref_addr(kallsyms);
		for (uint64_t i = 0; i < 64; i++) {
			uint64_t addr = i < 32 ? start + 64 * i : (uint64_t)1 << i;

			if (sym_kallsyms_find(kallsyms, addr, &symbol) &&
				(addr < symbol.start || addr >= symbol.end || !symbol.name))
				__builtin_trap();
		}
		sym_kallsyms_destroy(kallsyms);
	}
	pd_error_destroy(err);
}
