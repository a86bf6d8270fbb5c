/* Meaning of symbol values in files of other machines, which are made by hand. */
#include "tests/unit/symbolize/fixture.h"

#include <gelf.h>

#include "symbolize/file/image.h"
#include "symbolize/symbols/symtab.h"

enum { TEXT = 0x1000, TEXT_SIZE = 0x200, DESCRIPTORS = 0x3000, MAX_SYMBOLS = 8 };

/** Section indexes of the file. */
enum { SCN_TEXT = 1, SCN_OPD, SCN_SYMTAB, SCN_STRTAB, SCN_NAMES };

struct file_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	uint8_t type;
	uint16_t section;
};

struct file {
	Elf *elf;
	uint64_t descriptors[3 * 2];
	char strings[256];
	GElf_Sym symbols[1 + MAX_SYMBOLS];
};

static Elf_Scn *add_section(struct file *f, const char *name, const GElf_Shdr *shdr, Elf_Type type,
	void *bytes, size_t size)
{
	/** Section names, as in SCN_NAMES. */
	static const char names[] = "\0.text\0.opd\0.symtab\0.strtab\0.shstrtab";
	Elf_Scn *scn = elf_newscn(f->elf);
	Elf_Data *data = elf_newdata(scn);
	GElf_Shdr header = *shdr;

	header.sh_name =
		(GElf_Word)((const char *)memmem(names, sizeof(names), name, strlen(name) + 1) -
			    names);
	assert_true(gelf_update_shdr(scn, &header));
	*data = (Elf_Data){
		.d_buf = size ? bytes : (void *)(uintptr_t)names,
		.d_size = size ? size : sizeof(names),
		.d_type = type,
		.d_align = 8,
		.d_version = EV_CURRENT,
	};
	return scn;
}

static void add_symbols(
	struct file *f, const struct file_symbol *symbols, size_t n, const GElf_Shdr *shdr)
{
	size_t len = 1;
	Elf_Scn *scn = add_section(f, ".symtab", shdr, ELF_T_SYM, f->symbols,
		(n + 1) * gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT));
	Elf_Data *data = elf_getdata(scn, NULL);

	for (size_t i = 0; i < n; i++) {
		GElf_Sym symbol = {
			.st_name = (GElf_Word)len,
			.st_value = symbols[i].value,
			.st_size = symbols[i].size,
			.st_info = GELF_ST_INFO(STB_GLOBAL, symbols[i].type),
			.st_shndx = symbols[i].section,
		};

		assert_true(gelf_update_sym(data, (int)i + 1, &symbol));
		len += (size_t)sprintf(f->strings + len, "%s", symbols[i].name) + 1;
	}
}

/** Write the file "machine". */
static void write_machine(int class, uint8_t order, uint16_t machine, uint64_t entry,
	const struct file_symbol *symbols, size_t n)
{
	static uint8_t text[TEXT_SIZE];
	struct file f = { .descriptors = { TEXT + 0x40, 0, 0, TEXT + 0x80 } };
	char path[256];

	elf_version(EV_CURRENT);
	snprintf(path, sizeof(path), "%s/machine", dir);
	_cleanup_fclose_ FILE *out = fopen(path, "w+");
	assert_non_null(out);
	f.elf = elf_begin(fileno(out), ELF_C_WRITE, NULL);
	assert_true(gelf_newehdr(f.elf, class));
	GElf_Ehdr ehdr = {
		.e_ident = { [EI_DATA] = order, [EI_CLASS] = (uint8_t) class },
		.e_machine = machine,
		.e_type = ET_EXEC,
		.e_version = EV_CURRENT,
		.e_entry = entry,
		.e_shstrndx = SCN_NAMES,
	};
	assert_true(gelf_update_ehdr(f.elf, &ehdr));
	add_section(&f, ".text",
		&(GElf_Shdr){ .sh_type = SHT_PROGBITS,
			.sh_addr = TEXT,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR },
		ELF_T_BYTE, text, sizeof(text));
	add_section(&f, ".opd",
		&(GElf_Shdr){ .sh_type = SHT_PROGBITS,
			.sh_addr = DESCRIPTORS,
			.sh_flags = SHF_ALLOC | SHF_WRITE },
		ELF_T_XWORD, f.descriptors, sizeof(f.descriptors));
	add_symbols(&f, symbols, n,
		&(GElf_Shdr){ .sh_type = SHT_SYMTAB,
			.sh_link = SCN_STRTAB,
			.sh_entsize = gelf_fsize(f.elf, ELF_T_SYM, 1, EV_CURRENT) });
	add_section(&f, ".strtab", &(GElf_Shdr){ .sh_type = SHT_STRTAB }, ELF_T_BYTE, f.strings,
		sizeof(f.strings));
	add_section(&f, ".shstrtab", &(GElf_Shdr){ .sh_type = SHT_STRTAB }, ELF_T_BYTE, NULL, 0);
	assert_true(elf_update(f.elf, ELF_C_WRITE) > 0);
	elf_end(f.elf);
}

static void check_name(const struct sym_symtab *symtab, uint64_t addr, const char *name)
{
	size_t hint = 0;
	const struct sym_symbol *symbol = sym_symtab_find(symtab, addr, &hint);

	if (!name) {
		assert_null(symbol);
		return;
	}
	assert_non_null(symbol);
	assert_string_equal(symbol->name, name);
}

static struct sym_image *read_symbols(struct sym_symtab *symtab)
{
	struct sym_failure failure;
	struct sym_image *image;
	char path[256];

	snprintf(path, sizeof(path), "%s/machine", dir);
	assert_null(sym_image_open(path, (struct sym_access){ 0 }, &image, &failure));
	assert_non_null(image);
	assert_null(sym_symtab_init(symtab, image, NULL));
	return image;
}

/* Symbols refer to descriptors in .opd; old compilers also add one for the code, with a dot. */
static void function_descriptors(void **state)
{
	static const struct file_symbol symbols[] = {
		{ "first", DESCRIPTORS, 0x20, STT_FUNC, SCN_OPD },
		{ "second", DESCRIPTORS + 24, 0x10, STT_FUNC, SCN_OPD },
		{ "in_data", DESCRIPTORS + 8, 8, STT_OBJECT, SCN_OPD },
		{ "beyond", DESCRIPTORS + 44, 8, STT_FUNC, SCN_OPD },
		{ ".third", TEXT + 0x100, 0x10, STT_FUNC, SCN_TEXT },
	};
	struct sym_symtab symtab;

	(void)state;
	write_machine(ELFCLASS64, ELFDATA2MSB, EM_PPC64, DESCRIPTORS + 24, symbols, 5);
	struct sym_image *image = read_symbols(&symtab);
	check_name(&symtab, TEXT + 0x40, "first");
	check_name(&symtab, TEXT + 0x5f, "first");
	check_name(&symtab, TEXT + 0x60, NULL);
	check_name(&symtab, TEXT + 0x80, "second");
	check_name(&symtab, TEXT + 0x108, ".third");
	check_name(&symtab, DESCRIPTORS, NULL);
	assert_int_equal(symtab.n, 3);
	sym_symtab_deinit(&symtab);
	sym_image_destroy(image);

	struct sym_binary *binary = open_here("machine");
	assert_int_equal(sym_binary_entry(binary), TEXT + 0x80);
	assert_ptr_equal(sym_binary_arch(binary), &base_arch_ppc64);
	sym_binary_destroy(binary);
}

/* The lowest bit of an address selects the instruction set; "$a" and the like are not names. */
static void thumb_functions(void **state)
{
	static const struct file_symbol symbols[] = {
		{ "$t", TEXT, 0, STT_NOTYPE, SCN_TEXT },
		{ "thumb", TEXT + 1, 0x10, STT_FUNC, SCN_TEXT },
		{ "$a", TEXT + 0x10, 0, STT_NOTYPE, SCN_TEXT },
		{ "arm", TEXT + 0x10, 0x10, STT_FUNC, SCN_TEXT },
		{ "$d", TEXT + 0x18, 0, STT_NOTYPE, SCN_TEXT },
	};
	struct sym_symtab symtab;

	(void)state;
	write_machine(ELFCLASS32, ELFDATA2LSB, EM_ARM, TEXT + 1, symbols, 5);
	struct sym_image *image = read_symbols(&symtab);
	check_name(&symtab, TEXT, "thumb");
	check_name(&symtab, TEXT + 0xf, "thumb");
	check_name(&symtab, TEXT + 0x10, "arm");
	check_name(&symtab, TEXT + 0x18, "arm");
	assert_int_equal(symtab.n, 2);
	sym_symtab_deinit(&symtab);
	sym_image_destroy(image);

	struct sym_binary *binary = open_here("machine");
	assert_int_equal(sym_binary_entry(binary), TEXT);
	assert_ptr_equal(sym_binary_arch(binary), &base_arch_arm);
	sym_binary_destroy(binary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_descriptors),
		cmocka_unit_test(thumb_functions),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
