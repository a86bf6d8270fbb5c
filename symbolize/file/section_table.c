#include "symbolize/file/section_table.h"

#include <stddef.h>
#include <string.h>

#include <pdconv/cursor.h>

#include "base/integer.h"
#include "base/limit.h"
#include "base/pclntab.h"

/* Part of the file that is mapped. */
struct part {
	uint64_t offset;
	uint64_t size;
};

struct maker {
	Elf *elf;
	GElf_Ehdr ehdr;
	bool swap;
	const uint8_t *file;
	size_t size;
	struct sym_section_table *table;
	bool is_out_of_memory;
};

/* Values of the dynamic section, by the number of their tag in TAGS; 0 if it has no such tag. */
enum tag { HASH, GNU_HASH, STRTAB, STRSZ, SYMTAB, RELA, RELASZ, REL, RELSZ, N_TAGS };

static const int64_t TAGS[N_TAGS] = {
	[HASH] = DT_HASH,
	[GNU_HASH] = DT_GNU_HASH,
	[STRTAB] = DT_STRTAB,
	[STRSZ] = DT_STRSZ,
	[SYMTAB] = DT_SYMTAB,
	[RELA] = DT_RELA,
	[RELASZ] = DT_RELASZ,
	[REL] = DT_REL,
	[RELSZ] = DT_RELSZ,
};

/* How section headers are written. */
struct writer {
	const struct sym_section_table *table;
	/** Size of an address in bytes. */
	size_t word;
	bool swap;
};

/* Whether a file with the identification @p ident is in the other byte order. */
static bool is_swapped(const char *ident)
{
	return ident[EI_DATA] !=
	       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
}

static bool is_wide(const struct maker *m)
{
	return m->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}

/* Get program header @p i if it is of @p type and its bytes are in the file. */
static bool get_phdr(const struct maker *m, size_t i, uint32_t type, GElf_Phdr *ret)
{
	return gelf_getphdr(m->elf, (int)i, ret) && ret->p_type == type &&
	       ret->p_offset < m->size && ret->p_filesz <= m->size - ret->p_offset && ret->p_filesz;
}

/* Find the bytes from @p vaddr to the end of their segment. */
static bool find_part(const struct maker *m, uint64_t vaddr, struct part *ret)
{
	GElf_Phdr phdr;

	for (size_t i = 0; i < m->ehdr.e_phnum; i++) {
		if (!get_phdr(m, i, PT_LOAD, &phdr) || vaddr - phdr.p_vaddr >= phdr.p_filesz)
			continue;
		uint64_t skipped = vaddr - phdr.p_vaddr;
		*ret = (struct part){ phdr.p_offset + skipped, phdr.p_filesz - skipped };
		return true;
	}
	return false;
}

static void add(struct maker *m, const char *name, const GElf_Shdr *shdr)
{
	const struct sym_made_section section = { name, *shdr };

	if (!pd_vec_push(&m->table->list, section))
		m->is_out_of_memory = true;
}

/* Add a section of data with the @p size bytes at @p vaddr, or fewer if the file has fewer. */
static void add_at(struct maker *m, const char *name, uint64_t vaddr, uint64_t size)
{
	struct part part;

	if (!find_part(m, vaddr, &part))
		return;
	add(m, name,
		&(GElf_Shdr){
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = vaddr,
			.sh_offset = part.offset,
			.sh_size = size < part.size ? size : part.size,
			.sh_addralign = 1,
		});
}

/* Add code and data. Code at the entry point is called .text. */
static void add_segments(struct maker *m)
{
	bool has_text = false;
	GElf_Phdr phdr;

	for (size_t i = 0; i < m->ehdr.e_phnum; i++) {
		if (!get_phdr(m, i, PT_LOAD, &phdr))
			continue;
		bool is_code = phdr.p_flags & PF_X;
		bool is_text =
			is_code && !has_text &&
			(m->ehdr.e_type == ET_DYN || m->ehdr.e_entry - phdr.p_vaddr < phdr.p_memsz);
		uint64_t flags = SHF_ALLOC;
		flags |= is_code ? SHF_EXECINSTR : 0;
		flags |= phdr.p_flags & PF_W ? SHF_WRITE : 0;
		const char *data = phdr.p_flags & PF_W ? ".data" : ".rodata";
		const char *code = is_text ? ".text" : ".code";
		m->table->n_segments++;
		add(m, is_code ? code : data,
			&(GElf_Shdr){
				.sh_type = SHT_PROGBITS,
				.sh_flags = flags,
				.sh_addr = phdr.p_vaddr,
				.sh_offset = phdr.p_offset,
				.sh_size = phdr.p_filesz,
				.sh_addralign = 1,
			});
		has_text |= is_text;
	}
}

/*
 * Whether an entry of call frame information is a CIE or refers to one, by the word at offset @p at
 * of @p bytes: 0 in a CIE, in an FDE the distance back to its CIE.
 */
static bool is_frame(const struct maker *m, const uint8_t *bytes, size_t at)
{
	uint64_t distance = pd_load_u32(bytes + at, m->swap);

	if (!distance)
		return true;
	if (distance > at)
		return false;
	size_t cie = at - distance;
	bool is_long = pd_load_u32(bytes + cie, m->swap) == UINT32_MAX;
	size_t word = cie + (is_long ? 12 : 4);
	return word < at && pd_load_u32(bytes + word, m->swap) == 0;
}

/*
 * Size in bytes of the call frame information in the @p size bytes at @p bytes: up to its end mark,
 * or to the first entry that is not one.
 */
static uint64_t measure_frames(const struct maker *m, const uint8_t *bytes, uint64_t size)
{
	struct pd_cursor c = pd_cursor_init(bytes, size, m->swap);

	while (pd_cursor_left(&c) >= 4) {
		size_t start = (size_t)(c.pos - bytes);
		uint64_t length = pd_cursor_u32(&c);

		if (!length)
			return start + 4;
		if (length == UINT32_MAX)
			length = pd_cursor_u64(&c);
		if (pd_cursor_left(&c) < 4 || !is_frame(m, bytes, (size_t)(c.pos - bytes)) ||
			!pd_cursor_bytes(&c, length))
			return start;
	}
	return (uint64_t)(c.pos - bytes);
}

/* Find .eh_frame through the pointer in the header, which linkers write relative to itself. */
static void add_frames(struct maker *m, const GElf_Phdr *hdr)
{
	enum { POINTER = 4, PCREL_SDATA4 = 0x1b };
	const uint8_t *bytes = m->file + hdr->p_offset;
	struct part part;

	if (hdr->p_filesz < 2 * POINTER || bytes[0] != 1 || bytes[1] != PCREL_SDATA4)
		return;
	int32_t distance = (int32_t)pd_load_u32(bytes + POINTER, m->swap);
	uint64_t vaddr = hdr->p_vaddr + POINTER + (uint64_t)(int64_t)distance;
	if (!is_wide(m))
		vaddr = (uint32_t)vaddr;
	if (find_part(m, vaddr, &part))
		add_at(m, ".eh_frame", vaddr, measure_frames(m, m->file + part.offset, part.size));
}

/* Add the segment that contains @p vaddr as a section. */
static void add_around(struct maker *m, const char *name, uint64_t vaddr)
{
	GElf_Phdr phdr;

	for (size_t i = 0; i < m->ehdr.e_phnum; i++) {
		if (!get_phdr(m, i, PT_LOAD, &phdr) || vaddr - phdr.p_vaddr >= phdr.p_filesz)
			continue;
		add_at(m, name, phdr.p_vaddr, phdr.p_filesz);
		return;
	}
}

/*
 * Add the section of function descriptors of version 1 of the 64-bit PowerPC ABI. It is somewhere
 * in the data, and functions have values in it.
 */
static void add_descriptors(struct maker *m)
{
	GElf_Phdr phdr;

	if (m->ehdr.e_machine != EM_PPC64 || (m->ehdr.e_flags & EF_PPC64_ABI) == 2)
		return;
	for (size_t i = 0; i < m->ehdr.e_phnum; i++) {
		if (!get_phdr(m, i, PT_LOAD, &phdr) || !(phdr.p_flags & PF_W))
			continue;
		add_at(m, ".opd", phdr.p_vaddr, phdr.p_filesz);
		return;
	}
}

/* Get the first program header of @p type. */
static bool find_phdr(const struct maker *m, uint32_t type, GElf_Phdr *ret)
{
	for (size_t i = 0; i < m->ehdr.e_phnum; i++) {
		if (get_phdr(m, i, type, ret))
			return true;
	}
	return false;
}

/* Whether the linker of Go has left its note in the file. */
static bool is_go(const struct maker *m)
{
	static const char name[4] = "Go";
	GElf_Phdr phdr;

	for (size_t i = 0; i < m->ehdr.e_phnum; i++) {
		if (get_phdr(m, i, PT_NOTE, &phdr) && phdr.p_filesz >= 12 + sizeof(name) &&
			memcmp(m->file + phdr.p_offset + 12, name, sizeof(name)) == 0)
			return true;
	}
	return false;
}

/* Add Go's table of functions, which begins somewhere in the data, aligned like a pointer. */
static void add_go_table(struct maker *m)
{
	struct base_pclntab table;
	GElf_Phdr phdr;

	for (size_t i = 0; i < m->ehdr.e_phnum; i++) {
		if (!get_phdr(m, i, PT_LOAD, &phdr) || phdr.p_flags & PF_X)
			continue;
		const uint8_t *bytes = m->file + phdr.p_offset;
		for (size_t off = 0; off + PD_PCLNTAB_HEADER_MAX <= phdr.p_filesz; off += 8) {
			if (!base_pclntab_init(bytes + off, phdr.p_filesz - off, m->swap, &table))
				continue;
			add_at(m, ".gopclntab", phdr.p_vaddr + off, phdr.p_filesz - off);
			return;
		}
	}
}

/* Add the tables that have program headers of their own. */
static void add_tables(struct maker *m)
{
	GElf_Phdr phdr;

	if (find_phdr(m, PT_GNU_EH_FRAME, &phdr)) {
		add_at(m, ".eh_frame_hdr", phdr.p_vaddr, phdr.p_filesz);
		add_frames(m, &phdr);
	}
	if (m->ehdr.e_machine == EM_ARM && find_phdr(m, PT_ARM_EXIDX, &phdr)) {
		add_at(m, ".ARM.exidx", phdr.p_vaddr, phdr.p_filesz);
		/* The index refers to these by address. */
		add_around(m, ".ARM.extab", phdr.p_vaddr);
	}
	add_descriptors(m);
	if (is_go(m))
		add_go_table(m);
}

/* Number of dynamic symbols according to DT_HASH. Two machines have words of 8 bytes in it. */
static uint64_t count_by_hash(const struct maker *m, uint64_t vaddr)
{
	bool has_wide_words =
		is_wide(m) && (m->ehdr.e_machine == EM_S390 || m->ehdr.e_machine == EM_ALPHA);
	struct part part;

	if (!vaddr || !find_part(m, vaddr, &part))
		return 0;
	struct pd_cursor c = pd_cursor_init(m->file + part.offset, part.size, m->swap);
	base_cursor_uint(&c, has_wide_words ? 8 : 4);
	uint64_t n = base_cursor_uint(&c, has_wide_words ? 8 : 4);
	return c.overrun ? 0 : n;
}

/*
 * Number of dynamic symbols according to DT_GNU_HASH: a table of buckets, with the first symbol of
 * each, and one word for each symbol from there on, whose lowest bit ends a bucket.
 */
static uint64_t count_by_gnu_hash(const struct maker *m, uint64_t vaddr)
{
	struct part part;
	uint64_t last = 0;

	if (!vaddr || !find_part(m, vaddr, &part))
		return 0;
	struct pd_cursor c = pd_cursor_init(m->file + part.offset, part.size, m->swap);
	uint64_t n_buckets = pd_cursor_u32(&c), first = pd_cursor_u32(&c);
	uint64_t n_filters = pd_cursor_u32(&c);
	pd_cursor_u32(&c);
	pd_cursor_bytes(&c, n_filters * (is_wide(m) ? 8 : 4));
	for (uint64_t i = 0; i < n_buckets && !c.overrun; i++) {
		uint64_t symbol = pd_cursor_u32(&c);

		last = symbol > last ? symbol : last;
	}
	if (c.overrun || last < first)
		return c.overrun ? 0 : first;
	pd_cursor_bytes(&c, (last - first) * 4);
	while (!c.overrun && !(pd_cursor_u32(&c) & 1))
		last++;
	return c.overrun ? 0 : last + 1;
}

/* Read the values of TAGS from the dynamic section, and add that. */
static bool read_dynamic(struct maker *m, uint64_t values[static N_TAGS])
{
	size_t entry = gelf_fsize(m->elf, ELF_T_DYN, 1, EV_CURRENT);
	Elf_Data *data;
	GElf_Phdr phdr;
	GElf_Dyn dyn;

	if (!find_phdr(m, PT_DYNAMIC, &phdr))
		return false;
	data = elf_getdata_rawchunk(m->elf, (int64_t)phdr.p_offset, phdr.p_filesz, ELF_T_DYN);
	add(m, ".dynamic",
		&(GElf_Shdr){
			.sh_type = SHT_DYNAMIC,
			.sh_flags = SHF_ALLOC | SHF_WRITE,
			.sh_addr = phdr.p_vaddr,
			.sh_offset = phdr.p_offset,
			.sh_size = phdr.p_filesz,
			.sh_entsize = entry,
			.sh_addralign = 1,
		});
	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		for (size_t t = 0; t < N_TAGS; t++) {
			if (dyn.d_tag == TAGS[t])
				values[t] = dyn.d_un.d_val;
		}
	}
	return data != NULL;
}

/* Add the dynamic symbols and their names, to which the index of the section after them leads. */
static void add_symbols(struct maker *m, const uint64_t values[static N_TAGS])
{
	size_t entry = gelf_fsize(m->elf, ELF_T_SYM, 1, EV_CURRENT);
	uint64_t n = count_by_hash(m, values[HASH]);
	struct part symbols, strings;

	n = n ? n : count_by_gnu_hash(m, values[GNU_HASH]);
	if (!n || !find_part(m, values[SYMTAB], &symbols) ||
		!find_part(m, values[STRTAB], &strings) || n > symbols.size / entry ||
		!values[STRSZ] || values[STRSZ] > strings.size)
		return;
	m->table->dynsym = m->table->list.n;
	add(m, ".dynsym",
		&(GElf_Shdr){
			.sh_type = SHT_DYNSYM,
			.sh_flags = SHF_ALLOC,
			.sh_addr = values[SYMTAB],
			.sh_offset = symbols.offset,
			.sh_size = n * entry,
			.sh_link = (uint32_t)m->table->dynsym + 1,
			.sh_info = 1,
			.sh_entsize = entry,
			.sh_addralign = 8,
		});
	add(m, ".dynstr",
		&(GElf_Shdr){
			.sh_type = SHT_STRTAB,
			.sh_flags = SHF_ALLOC,
			.sh_addr = values[STRTAB],
			.sh_offset = strings.offset,
			.sh_size = values[STRSZ],
			.sh_addralign = 1,
		});
}

/* Add the @p size bytes of relocations at @p vaddr. */
static void add_relocations(
	struct maker *m, const char *name, uint32_t type, uint64_t vaddr, uint64_t size)
{
	Elf_Type entry = type == SHT_RELA ? ELF_T_RELA : ELF_T_REL;
	struct part part;

	if (!vaddr || !find_part(m, vaddr, &part))
		return;
	add(m, name,
		&(GElf_Shdr){
			.sh_type = type,
			.sh_flags = SHF_ALLOC,
			.sh_addr = vaddr,
			.sh_offset = part.offset,
			.sh_size = size < part.size ? size : part.size,
			.sh_link = (uint32_t)m->table->dynsym,
			.sh_entsize = gelf_fsize(m->elf, entry, 1, EV_CURRENT),
			.sh_addralign = 1,
		});
}

bool sym_lacks_sections(Elf *elf)
{
	GElf_Ehdr ehdr;
	size_t n;

	/* The header of a file that was cut short still leads to section headers. */
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr) || ehdr.e_shoff ||
		ehdr.e_shnum || elf_getphdrnum(elf, &n) || !n)
		return false;
	return n <= PD_LIMIT_SECTIONLESS_SEGMENTS ||
	       !base_limit_reach(PD_LIMIT_ID_SECTIONLESS_SEGMENTS);
}

/* Add the section of the names of sections, which are written after the headers. */
static void finish(struct maker *m)
{
	struct sym_section_table *table = m->table;

	add(m, ".shstrtab", &(GElf_Shdr){ .sh_type = SHT_STRTAB, .sh_addralign = 1 });
	for (size_t i = 0; i < table->list.n; i++)
		table->names_size += strlen(table->list.data[i].name) + 1;
	table->entry_size = gelf_fsize(m->elf, ELF_T_SHDR, 1, EV_CURRENT);
	table->headers_size = table->entry_size * table->list.n;
}

bool sym_section_table_find(Elf *elf, struct sym_section_table *ret)
{
	uint64_t values[N_TAGS] = { 0 };
	struct maker m = { .elf = elf, .table = ret };

	*ret = (struct sym_section_table){ 0 };
	m.file = (const uint8_t *)elf_rawfile(elf, &m.size);
	if (!m.file || !gelf_getehdr(elf, &m.ehdr))
		return true;
	m.swap = is_swapped((const char *)m.ehdr.e_ident);
	/* Section 0 is empty. */
	add(&m, "", &(GElf_Shdr){ .sh_type = SHT_NULL });
	add_segments(&m);
	add_tables(&m);
	if (read_dynamic(&m, values))
		add_symbols(&m, values);
	add_relocations(&m, ".rela.dyn", SHT_RELA, values[RELA], values[RELASZ]);
	add_relocations(&m, ".rel.dyn", SHT_REL, values[REL], values[RELSZ]);
	finish(&m);
	return !m.is_out_of_memory;
}

void sym_section_table_deinit(struct sym_section_table *table)
{
	pd_vec_deinit(&table->list);
}

size_t sym_section_table_size(const struct sym_section_table *table)
{
	return table->headers_size + table->names_size;
}

/* Write @p value at @p to, and return the position after it. */
static uint8_t *put(uint8_t *to, size_t size, uint64_t value, bool swap)
{
	base_store_uint(to, size, swap, value);
	return to + size;
}

static void write_header(const struct writer *w, const GElf_Shdr *from, uint8_t *to)
{
	to = put(to, 4, from->sh_name, w->swap);
	to = put(to, 4, from->sh_type, w->swap);
	to = put(to, w->word, from->sh_flags, w->swap);
	to = put(to, w->word, from->sh_addr, w->swap);
	to = put(to, w->word, from->sh_offset, w->swap);
	to = put(to, w->word, from->sh_size, w->swap);
	to = put(to, 4, from->sh_link, w->swap);
	to = put(to, 4, from->sh_info, w->swap);
	to = put(to, w->word, from->sh_addralign, w->swap);
	put(to, w->word, from->sh_entsize, w->swap);
}

/* Let the ELF header lead to the section headers at offset @p at. */
static void write_ehdr(const struct writer *w, uint8_t *bytes, size_t at)
{
	bool is_narrow = w->word == 4;
	size_t offset = is_narrow ? offsetof(Elf32_Ehdr, e_shoff) : offsetof(Elf64_Ehdr, e_shoff);
	size_t counts =
		is_narrow ? offsetof(Elf32_Ehdr, e_shentsize) : offsetof(Elf64_Ehdr, e_shentsize);

	put(bytes + offset, w->word, at, w->swap);
	uint8_t *to = put(bytes + counts, 2, w->table->entry_size, w->swap);
	to = put(to, 2, w->table->list.n, w->swap);
	put(to, 2, w->table->list.n - 1, w->swap);
}

/* Index of the segment's section that contains @p vaddr; SHN_ABS if there is none. */
static uint16_t index_of(const struct sym_section_table *table, uint64_t vaddr)
{
	for (size_t i = 1; i <= table->n_segments; i++) {
		const GElf_Shdr *shdr = &table->list.data[i].shdr;

		if (vaddr - shdr->sh_addr < shdr->sh_size)
			return (uint16_t)i;
	}
	return SHN_ABS;
}

/* Let the dynamic symbols refer to sections of the table instead of those that were removed. */
static void move_symbols(const struct writer *w, Elf *elf, uint8_t *bytes)
{
	const GElf_Shdr *shdr = &w->table->list.data[w->table->dynsym].shdr;
	size_t at = w->word == 4 ? offsetof(Elf32_Sym, st_shndx) : offsetof(Elf64_Sym, st_shndx);
	Elf_Data *data =
		elf_getdata_rawchunk(elf, (int64_t)shdr->sh_offset, shdr->sh_size, ELF_T_SYM);
	GElf_Sym sym;

	for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE)
			continue;
		put(bytes + shdr->sh_offset + (size_t)i * shdr->sh_entsize + at, 2,
			index_of(w->table, sym.st_value), w->swap);
	}
}

void sym_section_table_write(
	const struct sym_section_table *table, Elf *elf, uint8_t *bytes, size_t at)
{
	const struct writer w = {
		.table = table,
		.word = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8,
		.swap = is_swapped(elf_getident(elf, NULL)),
	};
	size_t names = at + table->headers_size, name = names;

	for (size_t i = 0; i < table->list.n; i++) {
		const struct sym_made_section *section = &table->list.data[i];
		size_t len = strlen(section->name) + 1;
		GElf_Shdr shdr = section->shdr;

		shdr.sh_name = (uint32_t)(name - names);
		if (i + 1 == table->list.n) {
			shdr.sh_offset = names;
			shdr.sh_size = table->names_size;
		}
		memcpy(bytes + name, section->name, len);
		name += len;
		write_header(&w, &shdr, bytes + at + i * table->entry_size);
	}
	if (table->dynsym)
		move_symbols(&w, elf, bytes);
	write_ehdr(&w, bytes, at);
}
