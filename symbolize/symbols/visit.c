#include "symbolize/symbols/visit.h"

#include "symbolize/file/image.h"

/* Symbol table that is visited. */
struct table {
	Elf_Data *symbols;
	size_t n;
	/** Names; the last byte is a NUL, so that each of them ends. */
	const char *strings;
	size_t strings_size;
};

/* Find .symtab of @p image. Returns false if there is none that can be read. */
static bool find_table(const struct sym_image *image, struct table *ret)
{
	size_t entry = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB)
			continue;
		Elf_Data *symbols = elf_getdata(scn, NULL);
		Elf_Data *strings = elf_getdata(elf_getscn(image->elf, shdr.sh_link), NULL);
		if (!symbols || !symbols->d_buf || !strings || !strings->d_buf ||
			!strings->d_size || !entry ||
			((const char *)strings->d_buf)[strings->d_size - 1])
			return false;
		*ret = (struct table){
			.symbols = symbols,
			.n = symbols->d_size / entry,
			.strings = strings->d_buf,
			.strings_size = strings->d_size,
		};
		return true;
	}
	return false;
}

void sym_visit_functions(const struct sym_image *main, const struct sym_image *separate,
	sym_visit_function *visit, void *ctx)
{
	struct sym_section descriptors = sym_image_descriptors(main);
	uint64_t bias = 0;
	struct table table;
	GElf_Sym sym;

	if (!find_table(main, &table)) {
		if (!separate || !find_table(separate, &table))
			return;
		bias = main->first_vaddr - separate->first_vaddr;
	}
	for (size_t i = 1; i < table.n && i < INT32_MAX; i++) {
		if (!gelf_getsym(table.symbols, (int)i, &sym) || !sym.st_size ||
			GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF ||
			sym.st_name >= table.strings_size)
			continue;
		uint64_t start = sym_image_code_address(main, &descriptors, sym.st_value + bias);
		if (start + sym.st_size > start)
			visit(ctx, table.strings + sym.st_name, start, start + sym.st_size);
	}
}
