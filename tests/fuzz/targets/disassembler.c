/* Disassembly of any bytes. Input: the architecture, a byte with flags, and code. */
#include <stdlib.h>
#include <string.h>

#include "annotate/disassembler.h"
#include "tests/fuzz/fuzz.h"

enum { TEXT = 0x1000, MAX_ARCHES = 16 };

/* LLVM takes long to prepare. Disassemblers are kept until the end. */
static struct ann_disassembler *find_disassembler(const struct pd_arch *arch)
{
	static struct {
		const struct pd_arch *arch;
		struct ann_disassembler *disassembler;
	} known[MAX_ARCHES];
	const char *why;
	size_t i = 0;

	while (known[i].arch && known[i].arch != arch)
		i++;
	if (known[i].arch)
		return known[i].disassembler;
	known[i].arch = arch;
	if (ann_disassembler_create(arch, &known[i].disassembler, &why))
		abort();
	return known[i].disassembler;
}

void fuzz_target_disassembler(struct fuzz_input *in)
{
	struct ann_disassembler *disassembler = find_disassembler(fuzz_arch(in));
	enum sym_code_kind kind = fuzz_byte(in) % (SYM_CODE_DATA + 1);
	uint8_t *bytes = fuzz_copy(in);
	struct ann_insn insn;

	/* LLVM is not installed. */
	if (!disassembler)
		in->size = 0;
	for (size_t at = 0; at < in->size; at += insn.size) {
		ann_disassemble(disassembler, kind, bytes + at, in->size - at, TEXT + at, &insn);
		if (!insn.size || insn.size > in->size - at)
			__builtin_trap();
		if (strnlen(insn.text, sizeof(insn.text)) == sizeof(insn.text))
			__builtin_trap();
	}
	free(bytes);
}
