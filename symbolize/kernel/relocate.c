#include "symbolize/kernel/relocate.h"

#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/integer.h"
#include "base/limit.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/kernel/relocate_defs.h"

/*
 * Upper limit for sizes in bytes. The largest modules, graphics drivers, have 200 MiB including
 * debug information.
 */
static const uint64_t MAX_SIZE = PD_LIMIT_MODULE_BYTES;

/*
 * Addresses of code that the kernel frees after initialization, and of function descriptors, which
 * are data. Both are far from the module's other code.
 */
static const uint64_t ONCE_BASE = 0x40000000, DESCRIPTORS_BASE = 0x80000000;

enum how { SET, ADD, SUB, SKIP };

struct rule {
	uint16_t machine;
	uint32_t type;
	uint8_t bytes;
	enum how how;
};

#define RULE_ROW(machine, type, bytes, how) { machine, type, bytes, how },
static const struct rule rules[] = { SYM_RELOCATIONS(RULE_ROW) };

/* Section of the module, and its contents in the new file. */
struct section {
	GElf_Shdr shdr;
	const char *name;
	/** Offset and size of the contents in the new file. */
	size_t offset;
	size_t size;
	bool is_unpacked;
};

struct relocator {
	const struct sym_image *image;
	uint8_t *bytes;
	size_t size;
	struct section *sections;
	size_t n;
	/** Symbol table of the relocations that are being applied. */
	Elf_Data *symbols;
	/**
	 * Bytes of tables that may still be processed. Damaged files may have many section headers
	 * for one table.
	 */
	size_t bytes_left;
	bool has_unknown;
};

static const struct rule *find_rule(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(rules); i++) {
		if (rules[i].machine == machine && rules[i].type == type)
			return &rules[i];
	}
	return NULL;
}

static uint64_t load(const struct relocator *r, const uint8_t *p, size_t size)
{
	return base_load_uint(p, size, r->image->swap);
}

static void store(const struct relocator *r, uint8_t *p, size_t size, uint64_t value)
{
	base_store_uint(p, size, r->image->swap, value);
}

static bool has_prefix(const char *text, const char *prefix)
{
	PD_IS_TRUE(text, "read_sections() sets the name of each section");
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_debug(const struct section *section)
{
	return has_prefix(section->name, ".debug_");
}

/* Whether the section has function descriptors, to which symbols refer on 64-bit PowerPC. */
static bool is_descriptors(const struct relocator *r, const struct section *section)
{
	return r->image->ehdr.e_machine == EM_PPC64 && strcmp(section->name, ".opd") == 0;
}

static bool is_code(const struct section *section)
{
	return section->shdr.sh_flags & SHF_ALLOC && section->shdr.sh_flags & SHF_EXECINSTR;
}

static bool read_sections(struct relocator *r)
{
	size_t strings, file_size;
	Elf_Scn *scn = NULL;

	if (!elf_rawfile(r->image->elf, &file_size) || elf_getshdrstrndx(r->image->elf, &strings))
		return false;
	while ((scn = elf_nextscn(r->image->elf, scn))) {
		size_t i = elf_ndxscn(scn);
		struct section *section = &r->sections[i];

		if (i >= r->n || !gelf_getshdr(scn, &section->shdr))
			return false;
		section->name = elf_strptr(r->image->elf, strings, section->shdr.sh_name);
		if (!section->name)
			return false;
		/*
		 * Relocations and symbols are written within these bounds without looking at the
		 * size of the file again. SHT_NOBITS sections have a size, but no bytes in it.
		 */
		uint64_t offset = section->shdr.sh_offset;
		uint64_t size = section->shdr.sh_type == SHT_NOBITS ? 0 : section->shdr.sh_size;
		if (offset > file_size || size > file_size - offset)
			return false;
		section->offset = (size_t)offset;
		section->size = (size_t)size;
	}
	return true;
}

/* Assign addresses to sections of code in their order, aligned, as the kernel lays them out. */
static void assign_addresses(struct relocator *r)
{
	uint64_t next = SYM_RELOCATED_BASE, once = ONCE_BASE;

	for (size_t i = 1; i < r->n; i++) {
		struct section *section = &r->sections[i];
		uint64_t *end = has_prefix(section->name, ".init") ? &once : &next;
		uint64_t align = section->shdr.sh_addralign;

		section->shdr.sh_addr = is_descriptors(r, section) ? DESCRIPTORS_BASE : 0;
		if (!is_code(section))
			continue;
		if ((section->shdr.sh_size > MAX_SIZE || align > MAX_SIZE) &&
			base_limit_reach(PD_LIMIT_ID_MODULE_BYTES))
			continue;
		if (align > 1)
			*end = (*end + align - 1) / align * align;
		section->shdr.sh_addr = *end;
		*end += section->shdr.sh_size;
	}
}

static bool append(struct relocator *r, struct section *section, const struct sym_section *contents)
{
	size_t at = (r->size + 15) & ~(size_t)15;
	uint8_t *grown = realloc(r->bytes, at + contents->size);

	if (!grown)
		return false;
	memset(grown + r->size, 0, at - r->size);
	memcpy(grown + at, contents->data, contents->size);
	r->bytes = grown;
	r->size = at + contents->size;
	section->offset = at;
	section->size = contents->size;
	section->is_unpacked = true;
	return true;
}

/* Copy the file, and append the decompressed debug sections. */
static struct pd_error *copy(struct relocator *r)
{
	const char *file = elf_rawfile(r->image->elf, &r->size);
	struct sym_section contents;

	r->bytes = malloc(r->size);
	if (!r->bytes)
		return &pd_enomem;
	memcpy(r->bytes, file, r->size);
	r->bytes_left = r->size;
	for (size_t i = 1; i < r->n; i++) {
		struct section *section = &r->sections[i];

		if (!is_debug(section) || !(section->shdr.sh_flags & SHF_COMPRESSED))
			continue;
		/*
		 * Decompressed contents do not fit into the place of the section. If some are
		 * missing, all debug sections are dropped, as after an unknown relocation.
		 */
		if (!sym_image_bytes(r->image, elf_getscn(r->image->elf, i), &contents))
			r->has_unknown = true;
		else if (!append(r, section, &contents))
			return &pd_enomem;
	}
	return NULL;
}

/*
 * Read the address of a symbol. Undefined symbols, and those in sections that are not loaded here,
 * have no address and count as 0. Returns false if there is no such symbol.
 */
static bool read_symbol(const struct relocator *r, uint32_t number, uint64_t *ret)
{
	GElf_Sym sym;

	*ret = 0;
	if (!number)
		return true;
	if (!r->symbols || number > INT32_MAX || !gelf_getsym(r->symbols, (int)number, &sym))
		return false;
	if (sym.st_shndx == SHN_ABS)
		*ret = sym.st_value;
	else if (sym.st_shndx > SHN_UNDEF && sym.st_shndx < r->n)
		*ret = sym.st_value + r->sections[sym.st_shndx].shdr.sh_addr;
	return true;
}

/*
 * Apply one relocation. The addend of a REL relocation is the value at its target. Returns false if
 * the type is not known or the relocation is damaged.
 */
static bool apply(
	struct relocator *r, const struct section *target, const GElf_Rela *rela, bool is_rel)
{
	const struct rule *rule =
		find_rule(r->image->ehdr.e_machine, (uint32_t)GELF_R_TYPE(rela->r_info));
	uint64_t value;

	if (!rule || !read_symbol(r, (uint32_t)GELF_R_SYM(rela->r_info), &value))
		return false;
	if (rule->how == SKIP)
		return true;
	if (rela->r_offset > target->size || rule->bytes > target->size - rela->r_offset)
		return false;
	/*
	 * RISC-V expresses differences of labels by an ADD and a SUB relocation at the same
	 * address, so each of them starts from the value that it finds there.
	 */
	uint8_t *at = r->bytes + target->offset + rela->r_offset;
	uint64_t old = load(r, at, rule->bytes);
	uint64_t addend = is_rel ? old : (uint64_t)rela->r_addend;

	value += addend;
	if (rule->how == ADD)
		value = old + value;
	else if (rule->how == SUB)
		value = old - value;
	store(r, at, rule->bytes, value);
	return true;
}

/*
 * Subtract the size of a table from the bytes that may be processed. Returns false if too few are
 * left.
 */
static bool spend(struct relocator *r, size_t size)
{
	bool ok = size <= r->bytes_left;

	r->bytes_left -= ok ? size : r->bytes_left;
	return ok;
}

static void apply_section(struct relocator *r, const struct section *relocations)
{
	size_t number = (size_t)(relocations - r->sections);
	Elf_Data *data = elf_getdata(elf_getscn(r->image->elf, number), NULL);
	bool is_rel = relocations->shdr.sh_type == SHT_REL;
	size_t size = gelf_fsize(r->image->elf, is_rel ? ELF_T_REL : ELF_T_RELA, 1, EV_CURRENT);
	const struct section *target = &r->sections[relocations->shdr.sh_info];

	if (!spend(r, relocations->size)) {
		r->has_unknown = true;
		return;
	}
	r->symbols = elf_getdata(elf_getscn(r->image->elf, relocations->shdr.sh_link), NULL);
	for (size_t i = 0; data && i < data->d_size / size && i < INT32_MAX; i++) {
		GElf_Rela rela = { 0 };
		GElf_Rel rel;
		bool ok = is_rel ? gelf_getrel(data, (int)i, &rel) != NULL
				 : gelf_getrela(data, (int)i, &rela) != NULL;

		if (ok && is_rel)
			rela = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
		/*
		 * Debug information that is relocated in part would give wrong names, so all of it
		 * is left out then.
		 */
		if (!ok || !apply(r, target, &rela, is_rel)) {
			r->has_unknown = true;
			return;
		}
	}
}

static void apply_all(struct relocator *r)
{
	for (size_t i = 1; i < r->n && !r->has_unknown; i++) {
		const struct section *section = &r->sections[i];
		uint32_t type = section->shdr.sh_type;

		if ((type != SHT_REL && type != SHT_RELA) || section->shdr.sh_info >= r->n)
			continue;
		const struct section *target = &r->sections[section->shdr.sh_info];
		if (is_debug(target) || is_descriptors(r, target))
			apply_section(r, section);
	}
}

/* Offset of a member in a structure of a 32-bit or 64-bit file. */
#define MEMBER(is_64, type, member) \
	((is_64) ? offsetof(Elf64_##type, member) : offsetof(Elf32_##type, member))

static void write_header(struct relocator *r, size_t i)
{
	const struct section *section = &r->sections[i];
	bool is_64 = r->image->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	size_t word = is_64 ? 8 : 4;
	uint8_t *header = r->bytes + r->image->ehdr.e_shoff + i * r->image->ehdr.e_shentsize;
	bool is_dropped = r->has_unknown || has_prefix(section->name, ".zdebug_");

	store(r, header + MEMBER(is_64, Shdr, sh_addr), word, section->shdr.sh_addr);
	if ((is_debug(section) && is_dropped) || has_prefix(section->name, ".zdebug_"))
		store(r, header + MEMBER(is_64, Shdr, sh_type), 4, SHT_NOBITS);
	if (!section->is_unpacked)
		return;
	store(r, header + MEMBER(is_64, Shdr, sh_offset), word, section->offset);
	store(r, header + MEMBER(is_64, Shdr, sh_size), word, section->size);
	store(r, header + MEMBER(is_64, Shdr, sh_flags), word,
		section->shdr.sh_flags & ~(uint64_t)SHF_COMPRESSED);
}

static void write_symbols(struct relocator *r, const struct section *table)
{
	bool is_64 = r->image->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	size_t size = is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	if (!spend(r, table->size))
		return;
	for (size_t at = 0; table->size - at >= size; at += size) {
		uint8_t *sym = r->bytes + table->offset + at;
		uint8_t *value = sym + MEMBER(is_64, Sym, st_value);
		uint64_t index = load(r, sym + MEMBER(is_64, Sym, st_shndx), 2);

		if (index < r->n && r->sections[index].shdr.sh_addr)
			store(r, value, is_64 ? 8 : 4,
				load(r, value, is_64 ? 8 : 4) + r->sections[index].shdr.sh_addr);
	}
}

static void write_tables(struct relocator *r)
{
	for (size_t i = 1; i < r->n; i++) {
		write_header(r, i);
		if (r->sections[i].shdr.sh_type == SHT_SYMTAB)
			write_symbols(r, &r->sections[i]);
	}
}

static bool is_relocatable(const struct sym_image *image)
{
	const GElf_Ehdr *e = &image->ehdr;
	size_t header =
		e->e_ident[EI_CLASS] == ELFCLASS64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);

	/* If a file has too many sections for e_shnum, that is 0. Modules have about a hundred. */
	return e->e_type == ET_REL && e->e_shnum && e->e_shentsize == header &&
	       (sym_image_inflated_size(image) <= MAX_SIZE ||
		       !base_limit_reach(PD_LIMIT_ID_MODULE_BYTES));
}

static struct pd_error *relocate(struct relocator *r, uint8_t **ret, size_t *size_ret)
{
	if (!read_sections(r))
		return NULL;
	assign_addresses(r);
	struct pd_error *err = copy(r);
	if (err)
		return err;
	apply_all(r);
	write_tables(r);
	*ret = take_ptr(r->bytes);
	*size_ret = r->size;
	return NULL;
}

struct pd_error *sym_relocate(const struct sym_image *image, uint8_t **ret, size_t *size_ret)
{
	struct relocator r = { .image = image, .n = image->ehdr.e_shnum };

	*ret = NULL;
	if (!is_relocatable(image))
		return NULL;
	r.sections = calloc(r.n, sizeof(*r.sections));
	if (!r.sections)
		return &pd_enomem;
	/* Section 0 is reserved and has no name. */
	r.sections[0].name = "";
	struct pd_error *err = relocate(&r, ret, size_ret);
	free(r.bytes);
	free(r.sections);
	return err;
}
