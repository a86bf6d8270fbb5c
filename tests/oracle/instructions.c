/*
 * usage: instructions BINARY <RANGES
 *
 * Print each instruction of a binary in the ranges of standard input, "START END" in hexadecimal
 * each: "ADDRESS SIZE TARGET TEXT", where TARGET is that of a direct branch, or "-".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "annotate/disassembler.h"
#include "annotate/binary_code.h"
#include "symbolize/binary.h"

struct printing {
	struct sym_binary *binary;
	struct ann_disassembler *disassembler;
};

static void check(struct pd_error *err)
{
	if (!err)
		return;
	char *text = pd_error_string(err);
	fprintf(stderr, "instructions: %s\n", text ? text : "out of memory");
	exit(1);
}

static void print_insn(uint64_t addr, const struct ann_insn *insn)
{
	printf("%" PRIx64 " %zu ", addr, insn->size);
	if (insn->branch)
		printf("%" PRIx64 " %s\n", insn->target, insn->text);
	else
		printf("- %s\n", insn->text);
}

static void print_range(const struct printing *printing, uint64_t start, uint64_t end)
{
	const struct sym_code_extent extent = { start, end };
	struct ann_mapping_symbols marks;
	struct ann_insn insn;
	size_t n, at = 0;
	const uint8_t *bytes = sym_binary_code(printing->binary, start, end - start, &n);

	check(ann_mapping_symbols_create(printing->binary, 0, &extent, &marks));
	for (size_t i = 0; i < n; i += insn.size) {
		uint64_t next;
		enum sym_code_kind kind = ann_mapping_symbols_kind(&marks, start + i, &at, &next);
		size_t left = next - start - i < n - i ? next - start - i : n - i;

		ann_disassemble(printing->disassembler, kind, bytes + i, left, start + i, &insn);
		print_insn(start + i, &insn);
	}
	ann_mapping_symbols_deinit(&marks);
}

int main(int argc, char **argv)
{
	const struct sym_recorded recorded = { .name = argc == 2 ? argv[1] : "" };
	struct printing printing;
	uint64_t start, end;
	const char *why;

	if (argc != 2) {
		fputs("usage: instructions BINARY <RANGES\n", stderr);
		return 2;
	}
	check(sym_binary_open(NULL, &recorded, &printing.binary));
	check(ann_disassembler_create(
		sym_binary_arch(printing.binary), &printing.disassembler, &why));
	if (!printing.disassembler) {
		fprintf(stderr, "instructions: %s\n", why);
		return 1;
	}
	while (scanf("%" SCNx64 " %" SCNx64, &start, &end) == 2)
		print_range(&printing, start, end);
	ann_disassembler_destroy(printing.disassembler);
	sym_binary_destroy(printing.binary);
	return 0;
}
