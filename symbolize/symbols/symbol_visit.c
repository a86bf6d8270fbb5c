#include "symbolize/symbols/symbol_visit.h"

#include "base/array.h"
#include "symbolize/file/image_sections.h"
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

struct pd_error *sym_visit_functions_of_file(
	const char *path, struct pd_build_id *id_ret, sym_visit_function *visit, void *ctx)
{
	struct sym_image *image;
	struct sym_failure failure;
	struct pd_error *err = sym_image_open(path, (struct sym_access){ 0 }, &image, &failure);

	if (err)
		return err;
	if (!image)
		return pd_error_create(PD_ERROR_FORMAT, path, "%s", failure.text);
	*id_ret = image->build_id;
	sym_visit_functions(image, NULL, visit, ctx);
	sym_image_destroy(image);
	return NULL;
}

/* Letters of mapping symbols, after the '$'. */
static const struct {
	char letter;
	enum sym_code_kind kind;
} letters[] = {
	{ 'a', SYM_CODE },
	{ 't', SYM_CODE_THUMB },
	{ 'x', SYM_CODE },
	{ 'd', SYM_CODE_DATA },
};

static bool has_marks(const struct sym_image *image)
{
	return image->ehdr.e_machine == EM_ARM || image->ehdr.e_machine == EM_AARCH64 ||
	       image->ehdr.e_machine == EM_RISCV;
}

/* Whether @p name is a mapping symbol. RISC-V may append an instruction set: "$xrv64i2p1". */
static bool parse_mapping(const char *name, bool is_riscv, enum sym_code_kind *ret)
{
	if (name[0] != '$' || !name[1] || (name[2] && name[2] != '.' && !is_riscv))
		return false;
	for (size_t i = 0; i < PD_ARRAY_LEN(letters); i++) {
		if (letters[i].letter == name[1]) {
			*ret = letters[i].kind;
			return true;
		}
	}
	return false;
}

/* Return whether the symbol is a mark. */
static bool parse_symbol(const struct sym_image *main, const GElf_Sym *sym, const char *name,
	struct sym_mapping_symbol *ret)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF)
		return false;
	*ret = (struct sym_mapping_symbol){ .vaddr = sym->st_value };
	if (type == STT_NOTYPE) {
		ret->is_mapping = true;
		return parse_mapping(name, main->ehdr.e_machine == EM_RISCV, &ret->kind);
	}
	if (main->ehdr.e_machine != EM_ARM || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return false;
	ret->kind = sym->st_value & 1 ? SYM_CODE_THUMB : SYM_CODE;
	ret->vaddr &= ~UINT64_C(1);
	return true;
}

void sym_visit_mapping_symbols(const struct sym_image *main, const struct sym_image *separate,
	sym_visit_mapping_symbol *visit, void *ctx)
{
	const struct {
		const struct sym_image *image;
		unsigned type;
	} tables[] = { { main, SHT_SYMTAB }, { main, SHT_DYNSYM }, { separate, SHT_SYMTAB } };
	struct sym_elf_symbols table;
	struct sym_mapping_symbol mark;
	const char *name;
	GElf_Sym sym;

	for (size_t t = 0; t < PD_ARRAY_LEN(tables) && has_marks(main); t++) {
		const struct sym_image *image = tables[t].image;

		if (!image || !sym_elf_symbols_open(image, tables[t].type, &table))
			continue;
		for (size_t i = 1; i < table.n; i++) {
			if (!sym_elf_symbols_get(&table, i, &sym, &name) ||
				!parse_symbol(main, &sym, name, &mark))
				continue;
			mark.vaddr += main->first_vaddr - image->first_vaddr;
			visit(ctx, &mark);
		}
	}
}
