#include "symbolize/symbols/plt.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>

#include "base/array.h"
#include "base/limit.h"
#include "base/lower_bound.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/symbols/demangle.h"

enum {
	MAX_RELOCATIONS = PD_LIMIT_PLT_RELOCATIONS,
	/* Size of an x86 entry if the section header does not have one. */
	DEFAULT_STEP = 16,
	/* Distance of the TOC pointer (r2) from the start of .got on PowerPC. */
	TOC_BIAS = 0x8000,
};

static const char *const SECTIONS[] = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };
static const char *const TEXT_SECTIONS[] = { ".text", ".init" };

/* Code that may be an entry. */
struct code {
	const uint8_t *bytes;
	size_t size;
	uint64_t vaddr;
	/** Instructions are in the other byte order than this machine's. */
	bool swap;
	/**
	 * Base for addresses of slots: the address of the global offset table, or the TOC pointer
	 * on PowerPC.
	 */
	uint64_t got;
};

/* Target of an entry. */
struct jump {
	/**
	 * Address of the slot, or the index of its relocation in .rel(a).plt if is_number is set.
	 */
	uint64_t slot;
	bool is_number;
	/** Size of the decoded part of the entry in bytes. */
	size_t size;
};

/* Format of entries on one machine. */
struct machine {
	uint16_t machine;
	/** Alignment of entries within the section in bytes; 0: the entry size of the section. */
	uint8_t step;
	/** Maximum size of an entry in bytes. */
	uint8_t max_size;
	/** Type of relocations for indirect functions: R_*_IRELATIVE. */
	uint16_t irelative;
	/** Entries are stubs between functions, and end where decoding ended. */
	bool is_in_text;
	/** Decode an entry at the start of @p code. Returns false if there is none. */
	bool (*match)(const struct code *code, struct jump *ret);
};

static struct pd_cursor cursor_of(const struct code *code)
{
	return pd_cursor_init(code->bytes, code->size, code->swap);
}

static bool found(
	const struct code *code, const struct pd_cursor *c, uint64_t slot, struct jump *ret)
{
	*ret = (struct jump){ .slot = slot, .size = (size_t)(c->pos - code->bytes) };
	return !c->overrun;
}

/* Sign-extend the lowest @p bits bits of @p value. */
static int64_t sign_extend(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/*
 * Skip what entries of both x86 machines begin with, and return the first opcode:
 *     [endbr] [bnd] jmp *SLOT ...
 *
 * If .plt.sec has those, entries of .plt are: [endbr] push NUMBER; [bnd] jmp first entry.
 */
static uint8_t x86_opcode(struct pd_cursor *c, const uint8_t endbr[static 4])
{
	if (pd_cursor_left(c) >= 4 && memcmp(c->pos, endbr, 4) == 0)
		pd_cursor_bytes(c, 4);
	uint8_t opcode = pd_cursor_u8(c);
	return opcode == 0xf2 ? pd_cursor_u8(c) : opcode;
}

static bool x86_number(
	const struct code *code, struct pd_cursor *c, uint32_t divisor, struct jump *ret)
{
	uint64_t number = pd_cursor_u32(c) / divisor;

	/* The first entry also pushes, but a memory operand with another opcode. */
	if (!found(code, c, number, ret))
		return false;
	ret->is_number = true;
	return true;
}

static bool match_x86_64(const struct code *code, struct jump *ret)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct pd_cursor c = cursor_of(code);
	uint8_t opcode = x86_opcode(&c, endbr64);

	if (opcode == 0x68)
		return x86_number(code, &c, 1, ret);
	if (opcode != 0xff || pd_cursor_u8(&c) != 0x25)
		return false;
	int32_t distance = (int32_t)pd_cursor_u32(&c);
	return found(
		code, &c, code->vaddr + (uint64_t)(c.pos - code->bytes) + (uint64_t)distance, ret);
}

/* Decode an i386 entry. The slot is absolute or, in position-independent code, relative to ebx. */
static bool match_i386(const struct code *code, struct jump *ret)
{
	enum { RELOCATION_SIZE = 8 };
	static const uint8_t endbr32[] = { 0xf3, 0x0f, 0x1e, 0xfb };
	struct pd_cursor c = cursor_of(code);
	uint8_t opcode = x86_opcode(&c, endbr32);

	if (opcode == 0x68)
		return x86_number(code, &c, RELOCATION_SIZE, ret);
	uint8_t mode = opcode == 0xff ? pd_cursor_u8(&c) : 0;
	uint32_t slot = pd_cursor_u32(&c);
	if (mode == 0xa3)
		slot += (uint32_t)code->got;
	return (mode == 0x25 || mode == 0xa3) && found(code, &c, slot, ret);
}

/* Decode [bti c]; adrp x16, PAGE; ldr x17, [x16, OFFSET]; add; br. */
static bool match_aarch64(const struct code *code, struct jump *ret)
{
	enum { BTI_C = 0xd503245f };
	struct pd_cursor c = cursor_of(code);
	uint64_t pc = code->vaddr;
	uint32_t adrp = pd_cursor_u32(&c);

	if (adrp == BTI_C) {
		adrp = pd_cursor_u32(&c);
		pc += 4;
	}
	uint32_t ldr = pd_cursor_u32(&c);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	uint64_t pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	uint64_t page = (pc & ~UINT64_C(0xfff)) + ((uint64_t)sign_extend(pages, 21) << 12);
	/*
	 * The offset of ldr counts 8-byte units. The slot of the first entry has no symbol, so that
	 * entry gets no name.
	 */
	return found(code, &c, page + (uint64_t)(ldr >> 10 & 0xfff) * 8, ret);
}

/* Value of an ARM immediate: eight bits, rotated right by twice the value of four others. */
static uint32_t arm_immediate(uint32_t word)
{
	unsigned turn = word >> 7 & 30;
	uint32_t value = word & 0xff;

	return turn ? value >> turn | value << (32 - turn) : value;
}

/*
 * Decode [bx pc; nop in Thumb]; add ip, pc, HIGH; one or two of add ip, ip, MIDDLE; ldr pc, [ip,
 * LOW]!
 */
static bool match_arm(const struct code *code, struct jump *ret)
{
	struct pd_cursor c = cursor_of(code);
	uint64_t pc = code->vaddr;
	uint32_t word = pd_cursor_u32(&c);

	if (word == 0x46c04778) {
		word = pd_cursor_u32(&c);
		pc += 4;
	}
	if ((word & 0xfffff000) != 0xe28fc000)
		return false;
	uint32_t slot = (uint32_t)pc + 8 + arm_immediate(word);
	for (word = pd_cursor_u32(&c); (word & 0xfffff000) == 0xe28cc000; word = pd_cursor_u32(&c))
		slot += arm_immediate(word);
	return (word & 0xfffff000) == 0xe5bcf000 && found(code, &c, slot + (word & 0xfff), ret);
}

/* Decode auipc t3, HIGH; ld t3, LOW(t3), or lw on 32-bit machines; jalr t1, t3; nop. */
static bool match_riscv(const struct code *code, struct jump *ret)
{
	struct pd_cursor c = cursor_of(code);
	uint32_t auipc = pd_cursor_u32(&c), load = pd_cursor_u32(&c), jalr = pd_cursor_u32(&c);
	bool is_load = (load & 0xfffff) == 0xe3e03 || (load & 0xfffff) == 0xe2e03;

	if ((auipc & 0xfff) != 0xe17 || !is_load || jalr != 0xe0367)
		return false;
	int64_t high = (int32_t)(auipc & 0xfffff000), low = (int32_t)load >> 20;
	return found(code, &c, code->vaddr + (uint64_t)(high + low), ret);
}

/* Decode larl %r1, SLOT (in halfwords); lg %r1, 0(%r1); br %r1. */
static bool match_s390(const struct code *code, struct jump *ret)
{
	static const uint8_t rest[] = { 0xe3, 0x10, 0x10, 0x00, 0x00, 0x04, 0x07, 0xf1 };
	struct pd_cursor c = cursor_of(code);

	if (pd_cursor_u16(&c) != 0xc010)
		return false;
	int64_t halfwords = (int32_t)pd_cursor_u32(&c);
	const uint8_t *tail = pd_cursor_bytes(&c, sizeof(rest));
	return tail && memcmp(tail, rest, sizeof(rest)) == 0 &&
	       found(code, &c, code->vaddr + (uint64_t)(2 * halfwords), ret);
}

/*
 * Decode a stub between functions, which saves the TOC pointer (r2):
 *     std r2, 24(r1) or 40(r1); [addis rN, r2, HIGH]; ld r12, LOW(rN or r2); ...; mtctr r12; ...;
 *     bctr
 *
 * If another thread may be filling the slot it ends with: ... bnectr; b to the resolver.
 */
static bool match_ppc64(const struct code *code, struct jump *ret)
{
	enum { STD_R2_24 = 0xf8410018, STD_R2_40 = 0xf8410028 };
	enum { MAX_WORDS = 8 };
	enum { BCTR = 0x4e800420, BNECTR = 0x4ce20420 };
	struct pd_cursor c = cursor_of(code);
	uint32_t word = pd_cursor_u32(&c);
	uint64_t slot = code->got;

	if (word != STD_R2_24 && word != STD_R2_40)
		return false;
	word = pd_cursor_u32(&c);
	uint32_t base = 2;
	/* addis is left out if the slot is near the TOC pointer. */
	if ((word & 0xfc1f0000) == 0x3c020000) {
		slot += (uint64_t)sign_extend(word & 0xffff, 16) << 16;
		base = word >> 21 & 31;
		word = pd_cursor_u32(&c);
	}
	if ((word & 0xffff0003) != (0xe9800000 | base << 16))
		return false;
	slot += (uint64_t)sign_extend(word & 0xfffc, 16);
	for (int i = 0; i < MAX_WORDS && word != BCTR && word != BNECTR; i++)
		word = pd_cursor_u32(&c);
	if (word == BNECTR)
		pd_cursor_u32(&c);
	return (word == BCTR || word == BNECTR) && found(code, &c, slot, ret);
}

static const struct machine MACHINES[] = {
	{ EM_X86_64, 0, 16, R_X86_64_IRELATIVE, false, match_x86_64 },
	{ EM_386, 0, 16, R_386_IRELATIVE, false, match_i386 },
	{ EM_AARCH64, 4, 24, R_AARCH64_IRELATIVE, false, match_aarch64 },
	{ EM_ARM, 4, 20, R_ARM_IRELATIVE, false, match_arm },
	{ EM_RISCV, 4, 16, R_RISCV_IRELATIVE, false, match_riscv },
	{ EM_S390, 4, 32, R_390_IRELATIVE, false, match_s390 },
	{ EM_PPC64, 4, 40, R_PPC64_IRELATIVE, true, match_ppc64 },
};

/* Format of entries on @p machine (EM_*), or NULL if it is not known. */
static const struct machine *machine_of(uint16_t machine)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(MACHINES); i++) {
		if (MACHINES[i].machine == machine)
			return &MACHINES[i];
	}
	return NULL;
}

void sym_plt_deinit(struct sym_plt *plt)
{
	base_map_deinit(&plt->slots);
	pd_vec_deinit(&plt->numbered);
	pd_vec_deinit(&plt->entries);
	*plt = (struct sym_plt){ 0 };
}

/* Sources of the names of relocations. */
struct symbols {
	const struct sym_image *main;
	/** Symbols of the code of @a main. */
	const struct sym_symtab *code;
	const struct machine *machine;
	/** Dynamic symbols to which relocations refer. */
	Elf_Data *data;
	GElf_Shdr shdr;
};

static const char *symbol_name(const struct symbols *symbols, uint64_t index)
{
	GElf_Sym sym;

	if (!index || index > INT32_MAX || !gelf_getsym(symbols->data, (int)index, &sym))
		return NULL;
	return elf_strptr(symbols->main->elf, symbols->shdr.sh_link, sym.st_name);
}

/* Read relocation @p i, which is of type REL or RELA. A REL relocation has no addend. */
static bool read_relocation(Elf_Data *data, uint32_t type, size_t i, GElf_Rela *ret)
{
	GElf_Rel rel;

	if (type == SHT_RELA)
		return gelf_getrela(data, (int)i, ret);
	if (!gelf_getrel(data, (int)i, &rel))
		return false;
	*ret = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	return true;
}

/* Read the word at @p vaddr in a global offset table; 0 if it is elsewhere. */
static uint64_t read_slot(const struct sym_image *main, uint64_t vaddr)
{
	static const char *const names[] = { ".got.plt", ".got" };
	size_t word = main->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	struct sym_section got;

	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		if (!sym_image_section(main, names[i], &got) || vaddr - got.vaddr >= got.size)
			continue;
		size_t off = vaddr - got.vaddr;
		struct pd_cursor c = pd_cursor_init(got.data + off, got.size - off, main->swap);
		return word == 8 ? pd_cursor_u64(&c) : pd_cursor_u32(&c);
	}
	return 0;
}

/*
 * Name of an indirect function, whose implementation is chosen when the program starts. The
 * relocation has the address of the resolver, which the symbol of the function has, too.
 */
static const char *indirect_name(
	const struct symbols *symbols, const GElf_Rela *rela, uint32_t section_type)
{
	uint64_t resolver = section_type == SHT_RELA ? (uint64_t)rela->r_addend
						     : read_slot(symbols->main, rela->r_offset);
	struct sym_section descriptors = sym_image_descriptors(symbols->main);
	size_t hint = 0;

	resolver = sym_image_code_address(symbols->main, &descriptors, resolver);
	const struct sym_symbol *symbol = sym_symtab_find(symbols->code, resolver, &hint);
	bool is_found = symbol && symbol->is_indirect && symbol->start == resolver;
	return is_found ? symbol->name : NULL;
}

/* Name of the function whose address the dynamic linker stores by @p rela, or NULL. */
static const char *relocation_name(
	const struct symbols *symbols, const GElf_Rela *rela, uint32_t section_type)
{
	const char *name = GELF_R_TYPE(rela->r_info) == symbols->machine->irelative
				   ? indirect_name(symbols, rela, section_type)
				   : symbol_name(symbols, GELF_R_SYM(rela->r_info));

	return name && *name && !sym_name_is_long(name) ? name : NULL;
}

static bool add_relocations(struct sym_plt *plt, struct symbols *symbols, Elf_Data *data,
	const GElf_Shdr *shdr, bool is_numbered)
{
	size_t n = data->d_size / shdr->sh_entsize;
	GElf_Rela rela;

	for (size_t i = 0; i < n; i++) {
		if (i == MAX_RELOCATIONS)
			return base_limit_reach(PD_LIMIT_ID_PLT_RELOCATIONS);
		if (!read_relocation(data, shdr->sh_type, i, &rela))
			return true;
		const char *name = relocation_name(symbols, &rela, shdr->sh_type);
		if (is_numbered && !pd_vec_push(&plt->numbered, name))
			return false;
		uint64_t *value = name ? base_map_add(&plt->slots, rela.r_offset, NULL) : NULL;
		if (name && !value)
			return false;
		if (name)
			*value = (uintptr_t)name;
	}
	return true;
}

/* Read the relocations of @p section, named by @p symbols. Returns false if out of memory. */
static bool read_relocations(struct sym_plt *plt, struct symbols symbols, const char *section)
{
	const struct sym_image *main = symbols.main;
	Elf_Scn *scn = sym_image_scn(main, section);
	bool is_numbered = strstr(section, ".plt") != NULL;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || !shdr.sh_entsize ||
		(shdr.sh_type != SHT_RELA && shdr.sh_type != SHT_REL))
		return true;
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Scn *symbols_scn = elf_getscn(main->elf, shdr.sh_link);
	symbols.data = elf_getdata(symbols_scn, NULL);
	if (!data || !symbols.data || !gelf_getshdr(symbols_scn, &symbols.shdr))
		return true;
	return add_relocations(plt, &symbols, data, &shdr, is_numbered);
}

static uint64_t section_address(const struct sym_image *image, const char *name)
{
	Elf_Scn *scn = sym_image_scn(image, name);
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) ? shdr.sh_addr : 0;
}

static uint64_t got_of(const struct sym_image *main)
{
	if (main->ehdr.e_machine == EM_PPC64)
		return section_address(main, ".got") + TOC_BIAS;
	uint64_t got = section_address(main, ".got.plt");
	return got ? got : section_address(main, ".got");
}

/*
 * Whether instructions are in the other byte order than this machine's. On ARM (BE8) and aarch64
 * they are little-endian in big-endian files, too.
 */
static bool is_code_swapped(const struct sym_image *main)
{
	uint16_t machine = main->ehdr.e_machine;
	bool is_little =
		machine == EM_AARCH64 || (machine == EM_ARM && main->ehdr.e_flags & EF_ARM_BE8);

	return is_little ? __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ : main->swap;
}

static const char *name_of(const struct sym_plt *plt, const struct jump *jump)
{
	if (jump->is_number)
		return jump->slot < plt->numbered.n ? plt->numbered.data[jump->slot] : NULL;
	const uint64_t *name = base_map_find(&plt->slots, jump->slot);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the map holds numbers. */
	return name ? (const char *)(uintptr_t)*name : NULL;
}

/*
 * Add the entries of a section. An entry ends at the next one, or at the maximum size of entries.
 */
static bool add_entries(
	struct sym_plt *plt, const struct machine *machine, struct code code, size_t step)
{
	size_t first = plt->entries.n;

	while (code.size) {
		struct jump jump = { 0 };
		size_t moved = step < code.size ? step : code.size;

		if (machine->match(&code, &jump)) {
			const char *name = name_of(plt, &jump);
			size_t n = plt->entries.n;
			uint64_t room = machine->is_in_text ? jump.size : machine->max_size;
			struct sym_plt_entry entry = { code.vaddr, code.vaddr + room, name };

			/*
			 * Entries are shorter than the maximum if they follow each other closely.
			 */
			if (n > first && plt->entries.data[n - 1].end > entry.start)
				plt->entries.data[n - 1].end = entry.start;
			if (entry.end > code.vaddr + code.size)
				entry.end = code.vaddr + code.size;
			if (name && !pd_vec_push(&plt->entries, entry))
				return false;
			moved = jump.size > moved ? jump.size : moved;
			moved = (moved + step - 1) / step * step;
			moved = moved < code.size ? moved : code.size;
		}
		code.bytes += moved;
		code.size -= moved;
		code.vaddr += moved;
	}
	return true;
}

static bool read_section(struct sym_plt *plt, const struct sym_image *main,
	const struct machine *machine, const char *name)
{
	Elf_Scn *scn = sym_image_scn(main, name);
	struct sym_section bytes;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_EXECINSTR) ||
		!sym_image_bytes(main, scn, &bytes))
		return true;
	size_t step = machine->step;
	/* Some linkers write an entry size of 0 or 4, neither of which is the size of an entry. */
	if (!step)
		step = shdr.sh_entsize == 8 ? 8 : DEFAULT_STEP;
	struct code code = {
		.bytes = bytes.data,
		.size = bytes.size,
		.vaddr = bytes.vaddr,
		.swap = is_code_swapped(main),
		.got = got_of(main),
	};
	return add_entries(plt, machine, code, step);
}

static int compare_entries(const void *a, const void *b)
{
	const struct sym_plt_entry *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool read_plt(
	struct sym_plt *plt, const struct sym_image *main, const struct sym_symtab *code)
{
	static const char *const relocations[] = { ".rela.dyn", ".rel.dyn", ".rela.plt",
		".rel.plt" };
	const struct machine *machine = machine_of(main->ehdr.e_machine);
	struct symbols symbols = { .main = main, .code = code, .machine = machine };
	bool ok = true;

	plt->is_read = true;
	if (!machine)
		return true;
	const char *const *sections = machine->is_in_text ? TEXT_SECTIONS : SECTIONS;
	size_t n = machine->is_in_text ? sizeof(TEXT_SECTIONS) : sizeof(SECTIONS);
	/* Relocations come first, because they are what names an entry. */
	for (size_t i = 0; ok && i < PD_ARRAY_LEN(relocations); i++)
		ok = read_relocations(plt, symbols, relocations[i]);
	for (size_t i = 0; ok && plt->slots.n && i < n / sizeof(*sections); i++)
		ok = read_section(plt, main, machine, sections[i]);
	/* The addresses of sections can be in another order than their names in the list. */
	if (plt->entries.n)
		qsort(plt->entries.data, plt->entries.n, sizeof(*plt->entries.data),
			compare_entries);
	return ok;
}

/*
 * Find the entry that contains @p addr, or NULL, and the range around @p addr for which the result
 * is the same.
 */
static const struct sym_plt_entry *find_entry(
	const struct sym_plt *plt, uint64_t addr, uint64_t *start_ret, uint64_t *end_ret)
{
	const struct sym_plt_entry *entries = plt->entries.data;
	size_t n = base_lower_bound(plt->entries.n, i, entries[i].start <= addr);

	*start_ret = n ? entries[n - 1].start : 0;
	*end_ret = n < plt->entries.n ? entries[n].start : UINT64_MAX;
	if (n && addr < entries[n - 1].end) {
		*end_ret = entries[n - 1].end < *end_ret ? entries[n - 1].end : *end_ret;
		return &entries[n - 1];
	}
	*start_ret = n ? entries[n - 1].end : 0;
	return NULL;
}

struct pd_error *sym_plt_find(struct sym_plt *plt, const struct sym_image *main,
	const struct sym_symtab *code, uint64_t addr, struct base_arena *arena,
	struct sym_symbol *ret)
{
	*ret = (struct sym_symbol){ .outer = SYM_NO_SYMBOL, .is_sized = true };
	if (!plt->is_read && !read_plt(plt, main, code))
		return &pd_enomem;
	const struct sym_plt_entry *entry = find_entry(plt, addr, &ret->start, &ret->end);
	if (!entry)
		return NULL;
	size_t len = sym_unversioned_length(entry->name);
	char *text = base_arena_alloc(arena, len + sizeof("@plt"));
	if (!text)
		return &pd_enomem;
	memcpy(text, entry->name, len);
	memcpy(text + len, "@plt", sizeof("@plt"));
	ret->name = text;
	return NULL;
}
