#include "tests/unwind/arch.h"

#include <elf.h>
#include <string.h>

#include "base/array.h"
#include "tests/unwind/arch_defs.h"

enum { LITTLE = false, BIG = true };

/* CPSR in the answer to `g`, and its bit that is set in Thumb code. */
enum { ARM_CPSR_AT = 64, ARM_CPSR_T = 5 };

static const struct arch arches[] = {
#define ARCH(name, uname, machine, word, order, abi, mask, pc, sp, lr, lr2, linkage) \
	{ #name, uname, machine, word, order, abi, mask, pc, sp, lr, lr2, linkage },
	UNWIND_ARCHES(ARCH)
#undef ARCH
};

static const struct gdb_regs {
	const char *arch;
	unsigned first;
	unsigned n;
	size_t offset;
	size_t size;
} gdb_regs[] = {
#define GDB_REGS(arch, first, n, offset, size) { #arch, first, n, offset, size },
	UNWIND_GDB_REGS(GDB_REGS)
#undef GDB_REGS
};

const struct arch *arch_find(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(arches); i++) {
		if (strcmp(arches[i].name, name) == 0)
			return &arches[i];
	}
	return NULL;
}

uint64_t arch_load(const struct arch *arch, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v = v << 8 | p[arch->is_big_endian ? i : size - 1 - i];
	return v;
}

/* A Thumb instruction has a second half if its upper five bits are these. */
static bool has_second_half(const uint8_t *insn)
{
	return insn[1] >> 3 >= 0x1d;
}

size_t arch_insn_size(const struct arch *arch, const uint8_t insn[4], bool is_thumb)
{
	switch (arch->e_machine) {
	case EM_ARM:
		return is_thumb && !has_second_half(insn) ? 2 : 4;
	case EM_RISCV:
		return (insn[0] & 3) == 3 ? 4 : 2;
	case EM_S390:
		return insn[0] >> 6 == 0 ? 2 : insn[0] >> 6 == 3 ? 6 : 4;
	default:
		return 4;
	}
}

static bool is_of(const struct gdb_regs *row, const struct arch *arch)
{
	/* Both byte orders of ppc64 have one layout. */
	return strcmp(row->arch, arch->e_machine == EM_PPC64 ? "ppc64" : arch->name) == 0;
}

bool arch_take_gdb_regs(const struct arch *arch, const uint8_t *bytes, size_t size, struct cpu *ret)
{
	*ret = (struct cpu){ 0 };
	if (arch->e_machine == EM_ARM && size >= ARM_CPSR_AT + 4)
		ret->reg[CPU_IS_THUMB] = arch_load(arch, bytes + ARM_CPSR_AT, 4) >> ARM_CPSR_T & 1;
	for (size_t i = 0; i < PD_ARRAY_LEN(gdb_regs); i++) {
		const struct gdb_regs *row = &gdb_regs[i];

		if (!is_of(row, arch))
			continue;
		if (row->offset + row->n * row->size > size)
			return false;
		for (unsigned r = 0; r < row->n; r++)
			ret->reg[row->first + r] =
				arch_load(arch, bytes + row->offset + r * row->size, row->size);
	}
	return true;
}

const struct gdb_single_regs *arch_gdb_single_regs(const struct arch *arch)
{
	static const struct gdb_single_regs rows[] = {
#define SINGLE_REGS(arch, first, n, gdb) { #arch, first, n, gdb },
		UNWIND_GDB_SINGLE_REGS(SINGLE_REGS)
#undef SINGLE_REGS
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		if (strcmp(rows[i].arch, arch->name) == 0)
			return &rows[i];
	}
	return NULL;
}
