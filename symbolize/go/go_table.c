#include "symbolize/go/go_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limit.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/go/go_calls.h"

/* Relocations that add the load address to their addend, from elf.h. */
static const struct {
	uint16_t machine;
	uint16_t type;
} relative[] = {
	{ EM_X86_64, R_X86_64_RELATIVE },
	{ EM_AARCH64, R_AARCH64_RELATIVE },
	{ EM_RISCV, R_RISCV_RELATIVE },
	{ EM_S390, R_390_RELATIVE },
	{ EM_PPC64, R_PPC64_RELATIVE },
	{ EM_PPC, R_PPC_RELATIVE },
};

/*
 * The relative relocations of an image, one after another. With RELA the linker stores an address
 * only in the relocation, and leaves the section zero.
 */
struct relocations {
	const struct sym_image *image;
	uint32_t type;
	Elf_Scn *scn;
	Elf_Data *data;
	size_t i;
	size_t n;
};

static struct relocations relocations_of(const struct sym_image *image)
{
	struct relocations r = { .image = image };

	for (size_t i = 0; i < PD_ARRAY_LEN(relative); i++) {
		if (relative[i].machine == image->ehdr.e_machine)
			r.type = relative[i].type;
	}
	return r;
}

static bool next_relocations(struct relocations *r)
{
	GElf_Shdr shdr;

	while ((r->scn = elf_nextscn(r->image->elf, r->scn))) {
		if (!gelf_getshdr(r->scn, &shdr) || shdr.sh_type != SHT_RELA ||
			!(shdr.sh_flags & SHF_ALLOC) || !shdr.sh_entsize)
			continue;
		r->data = elf_getdata(r->scn, NULL);
		r->i = 0;
		r->n = r->data ? r->data->d_size / shdr.sh_entsize : 0;
		if (r->n > INT32_MAX)
			r->n = INT32_MAX;
		return true;
	}
	return false;
}

/* Read the next relative relocation. Returns false at the end. */
static bool next_relocation(struct relocations *r, GElf_Rela *ret)
{
	while (r->type && (r->i < r->n || next_relocations(r))) {
		if (r->i < r->n && gelf_getrela(r->data, (int)r->i++, ret) &&
			GELF_R_TYPE(ret->r_info) == r->type)
			return true;
	}
	return false;
}

static uint8_t word_of(const struct sym_image *image)
{
	return image->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
}

/* Whether the whole address that @p rela changes is in the @p size bytes at @p vaddr. */
static bool is_within(const GElf_Rela *rela, uint64_t vaddr, size_t size, uint8_t word)
{
	return rela->r_offset >= vaddr && size >= word && rela->r_offset - vaddr <= size - word;
}

/* Whether a relocation changes the @p size bytes at @p vaddr. */
static bool is_relocated(const struct sym_image *image, uint64_t vaddr, size_t size)
{
	struct relocations r = relocations_of(image);
	GElf_Rela rela;

	while (next_relocation(&r, &rela)) {
		if (is_within(&rela, vaddr, size, word_of(image)))
			return true;
	}
	return false;
}

/* Apply relocations to @p bytes, a copy of the @p size bytes at @p vaddr. */
static void relocate(const struct sym_image *image, uint64_t vaddr, uint8_t *bytes, size_t size)
{
	struct relocations r = relocations_of(image);
	uint8_t word = word_of(image);
	GElf_Rela rela;

	while (next_relocation(&r, &rela)) {
		uint64_t wide = (uint64_t)rela.r_addend;
		uint32_t narrow = (uint32_t)wide;

		if (!is_within(&rela, vaddr, size, word))
			continue;
		wide = image->swap ? __builtin_bswap64(wide) : wide;
		narrow = image->swap ? __builtin_bswap32(narrow) : narrow;
		memcpy(bytes + (rela.r_offset - vaddr),
			word == 8 ? (const void *)&wide : (const void *)&narrow, word);
	}
}

/*
 * Find the places that hold the address @p value after relocation. Returns their number, at most
 * @p max.
 */
static size_t find_relocated(
	const struct sym_image *image, uint64_t value, uint64_t *ret, size_t max)
{
	struct relocations r = relocations_of(image);
	GElf_Rela rela;
	size_t n = 0;

	while (n < max && next_relocation(&r, &rela)) {
		if ((uint64_t)rela.r_addend == value)
			ret[n++] = rela.r_offset;
	}
	return n;
}

/* Sections of the table: in files for a fixed address, and in others. */
static const char *const table_sections[] = { ".gopclntab", ".data.rel.ro.gopclntab" };

/* Sections that the Go linker adds to each program, also when a linker for C is used. */
static const char *const marks[] = { ".go.buildinfo", ".note.go.buildid" };

/* Sections in which runtime.firstmoduledata may be. */
static const char *const module_sections[] = { ".go.module", ".noptrdata", ".data",
	".data.rel.ro" };

/*
 * Words of runtime.moduledata. Those up to etext are the same in each version since Go 1.18; the
 * others moved with the addition of covctrs and ecovctrs in Go 1.20.
 */
enum {
	MODULE_HEADER = 0,
	MODULE_NAMES = 1,
	MODULE_MIN_PC = 20,
	MODULE_MAX_PC = 21,
	MODULE_TEXT = 22,
	MODULE_TYPES = 35,
	MODULE_FUNCDATA_1_18 = 38,
	MODULE_FUNCDATA_1_20 = 40,
	MODULE_WORDS = 48,

	MAX_CANDIDATES = PD_LIMIT_GO_CANDIDATES,
};

void sym_go_table_deinit(struct sym_go_table *table)
{
	free(table->relocated);
	pd_vec_deinit(&table->data);
	*table = (struct sym_go_table){ 0 };
}

static bool is_go(const struct sym_image *image)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(marks); i++) {
		if (sym_image_scn(image, marks[i]))
			return true;
	}
	return false;
}

/* Read the table at @p off of @p section. Returns false if there is none. */
static bool read_table(const struct sym_image *image, const struct sym_section *section, size_t off,
	struct sym_go_table *ret)
{
	uint8_t word = image->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;

	ret->vaddr = section->vaddr + off;
	return base_pclntab_init(
		       section->data + off, section->size - off, image->swap, &ret->functions) &&
	       ret->functions.word == word;
}

/* Search a section for the table, which is aligned like a pointer. */
static bool scan_for_table(
	const struct sym_image *image, const struct sym_section *section, struct sym_go_table *ret)
{
	for (size_t off = 0; off + PD_PCLNTAB_HEADER_MAX <= section->size; off += 8) {
		if (read_table(image, section, off, ret))
			return true;
	}
	return false;
}

static bool find_table(const struct sym_image *image, struct sym_go_table *ret)
{
	struct sym_section section;

	for (size_t i = 0; i < PD_ARRAY_LEN(table_sections); i++) {
		if (sym_image_section(image, table_sections[i], &section) &&
			read_table(image, &section, 0, ret))
			return true;
	}
	/* GNU ld joins .data.rel.ro.gopclntab with .data.rel.ro. */
	return is_go(image) && sym_image_section(image, ".data.rel.ro", &section) &&
	       scan_for_table(image, &section, ret);
}

/*
 * Relocate the address of the code in the header. Since Go 1.18 the table has no other address, so
 * the table itself is not copied.
 */
static void relocate_text(const struct sym_image *image, struct sym_go_table *table)
{
	struct base_pclntab *functions = &table->functions;
	uint8_t word = functions->word;
	size_t off = 8 + 2 * (size_t)word;
	uint8_t bytes[8];

	memcpy(bytes, functions->data + off, word);
	relocate(image, table->vaddr + off, bytes, word);
	functions->text =
		word == 8 ? pd_load_u64(bytes, image->swap) : pd_load_u32(bytes, image->swap);
}

/* Replace the bytes of the table by a copy with relocations applied, if there are any. */
static struct pd_error *relocate_table(const struct sym_image *image, struct sym_go_table *table)
{
	struct base_pclntab *functions = &table->functions;
	size_t size = functions->size;

	if (!is_relocated(image, table->vaddr, size))
		return NULL;
	table->relocated = malloc(size);
	if (!table->relocated)
		return &pd_enomem;
	memcpy(table->relocated, functions->data, size);
	relocate(image, table->vaddr, table->relocated, size);
	functions->data = table->relocated;
	return NULL;
}

/* List the sections that may contain data about functions: those that are loaded but not code. */
static struct pd_error *list_data(const struct sym_image *image, struct sym_go_table *table)
{
	struct sym_section section;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
			!(shdr.sh_flags & SHF_ALLOC) || shdr.sh_flags & SHF_EXECINSTR ||
			!sym_image_bytes(image, scn, &section))
			continue;
		if (!pd_vec_push(&table->data, section))
			return &pd_enomem;
	}
	return NULL;
}

struct module {
	uint64_t words[MODULE_WORDS];
};

/* Read the words at @p vaddr, with relocations applied. Returns false if no section has them. */
static bool read_module(const struct sym_image *image, const struct sym_go_table *table,
	uint64_t vaddr, struct module *ret)
{
	uint8_t word = table->functions.word;
	size_t size = (size_t)MODULE_WORDS * word;
	uint8_t bytes[MODULE_WORDS * 8];

	for (size_t i = 0; i < table->data.n; i++) {
		const struct sym_section *section = &table->data.data[i];
		uint64_t off = vaddr - section->vaddr;

		if (off >= section->size || section->size - off < size)
			continue;
		memcpy(bytes, section->data + off, size);
		relocate(image, vaddr, bytes, size);
		for (size_t k = 0; k < MODULE_WORDS; k++)
			ret->words[k] = word == 8 ? pd_load_u64(bytes + 8 * k, image->swap)
						  : pd_load_u32(bytes + 4 * k, image->swap);
		return true;
	}
	return false;
}

/* Whether @p module describes the table: its parts, and the range of its functions. */
static bool is_module_of(const struct sym_go_table *table, const struct module *module)
{
	struct base_pclntab functions = table->functions;
	struct base_go_func first, last;

	functions.text = module->words[MODULE_TEXT];
	return module->words[MODULE_HEADER] == table->vaddr &&
	       module->words[MODULE_NAMES] == table->vaddr + functions.names &&
	       base_pclntab_func(&functions, 0, &first) &&
	       base_pclntab_func(&functions, functions.n_funcs - 1, &last) &&
	       module->words[MODULE_MIN_PC] == first.start &&
	       module->words[MODULE_MAX_PC] == last.end;
}

/* Search a section for the address of the table, with which moduledata begins. */
static bool scan_for_module(const struct sym_image *image, const struct sym_go_table *table,
	const struct sym_section *section, struct module *ret)
{
	uint8_t word = table->functions.word;
	int n_candidates = 0;

	for (size_t off = 0; off + word <= section->size; off += word) {
		uint64_t value = word == 8 ? pd_load_u64(section->data + off, image->swap)
					   : pd_load_u32(section->data + off, image->swap);

		if (value != table->vaddr)
			continue;
		if (read_module(image, table, section->vaddr + off, ret) &&
			is_module_of(table, ret))
			return true;
		if (++n_candidates == MAX_CANDIDATES)
			return !base_limit_reach(PD_LIMIT_ID_GO_CANDIDATES);
	}
	return false;
}

static bool find_module(
	const struct sym_image *image, const struct sym_go_table *table, struct module *ret)
{
	uint64_t places[MAX_CANDIDATES];
	size_t n = find_relocated(image, table->vaddr, places, MAX_CANDIDATES);
	struct sym_section section;

	for (size_t i = 0; i < n; i++) {
		if (read_module(image, table, places[i], ret) && is_module_of(table, ret))
			return true;
	}
	if (n == MAX_CANDIDATES)
		base_limit_reach(PD_LIMIT_ID_GO_CANDIDATES);
	for (size_t i = 0; i < PD_ARRAY_LEN(module_sections); i++) {
		if (sym_image_section(image, module_sections[i], &section) &&
			scan_for_module(image, table, &section, ret))
			return true;
	}
	return false;
}

/*
 * Complete the table with what moduledata has: the address of the code, and that of data about
 * functions. The latter is tried where it was in known versions first, then near that word.
 */
static void apply_module(struct sym_go_table *table, const struct module *module)
{
	bool has_covctrs = table->functions.layout >= PD_GO_1_20;
	uint64_t bases[MODULE_WORDS];
	size_t n = 0;

	table->functions.text = module->words[MODULE_TEXT];
	bases[n++] = module->words[has_covctrs ? MODULE_FUNCDATA_1_20 : MODULE_FUNCDATA_1_18];
	for (size_t i = MODULE_TYPES; i < MODULE_WORDS; i++)
		bases[n++] = module->words[i];
	sym_go_trees_detect(table, bases, n);
}

/* Read what is not in a table of Go 1.18 or later. */
static void complete_by_module(const struct sym_image *image, struct sym_go_table *table)
{
	struct module module;

	relocate_text(image, table);
	if (find_module(image, table, &module))
		apply_module(table, &module);
	/* Without the address of the code, functions have no addresses. */
	if (!table->functions.text)
		table->functions = (struct base_pclntab){ 0 };
}

static struct pd_error *complete(const struct sym_image *image, struct sym_go_table *table)
{
	struct pd_error *err = list_data(image, table);

	if (err)
		return err;
	if (table->functions.layout >= PD_GO_1_18) {
		complete_by_module(image, table);
		return NULL;
	}
	err = relocate_table(image, table);
	if (!err)
		sym_go_trees_detect(table, NULL, 0);
	return err;
}

struct pd_error *sym_go_table_open(const struct sym_image *image, struct sym_go_table *ret)
{
	struct sym_go_table table = { .swap = image->swap, .file_size = image->size };
	struct pd_error *err = NULL;

	if (find_table(image, &table))
		err = complete(image, &table);
	if (err || !table.functions.n_funcs)
		sym_go_table_deinit(&table);
	*ret = table;
	return err;
}
