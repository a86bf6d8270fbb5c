#include "annotate/disassembler.h"

#include <stddef.h>

struct pd_error *ann_disassembler_create(
	const struct pd_arch *arch, struct ann_disassembler **ret, const char **why_ret)
{
	(void)arch;
	*ret = NULL;
	*why_ret = "this pdconv has no disassembler";
	return NULL;
}

void ann_disassembler_destroy(struct ann_disassembler *disassembler)
{
	(void)disassembler;
}

void ann_disassemble(struct ann_disassembler *disassembler, enum sym_code_kind kind,
	const uint8_t *bytes, size_t size, uint64_t addr, struct ann_insn *ret)
{
	(void)disassembler;
	(void)kind;
	(void)bytes;
	(void)size;
	(void)addr;
	*ret = (struct ann_insn){ .size = 1 };
}
