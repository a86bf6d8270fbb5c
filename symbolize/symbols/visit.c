#include "symbolize/symbols/visit.h"

#include "symbolize/symbols/elf_symbols.h"

void sym_visit_functions(const struct sym_image *main, const struct sym_image *separate,
	sym_visit_function *visit, void *ctx)
{
	struct sym_section descriptors = sym_image_descriptors(main);
	struct sym_elf_symbols table;
	uint64_t bias = 0;
	const char *name;
	GElf_Sym sym;

	if (!sym_elf_symbols_open(main, SHT_SYMTAB, &table)) {
		if (!separate || !sym_elf_symbols_open(separate, SHT_SYMTAB, &table))
			return;
		bias = main->first_vaddr - separate->first_vaddr;
	}
	for (size_t i = 1; i < table.n; i++) {
		if (!sym_elf_symbols_get(&table, i, &sym, &name) || !sym.st_size ||
			GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF)
			continue;
		uint64_t start = sym_image_code_address(main, &descriptors, sym.st_value + bias);
		if (start + sym.st_size > start)
			visit(ctx, name, start, start + sym.st_size);
	}
}
