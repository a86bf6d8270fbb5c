#include "tests/fuzz/elf.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/bytes.h>

#include "base/array.h"
#include "symbolize/binary_files.h"
#include "symbolize/binary_names.h"
#include "tests/fuzz/section_defs.h"

enum { MAX_SECTIONS = 64 };

/* Section headers under construction, with their names and the contents of the file. */
struct builder {
	Elf64_Shdr headers[MAX_SECTIONS + 3];
	size_t n;
	struct pd_bytes names;
	struct pd_bytes file;
};

static void add(struct builder *b, const struct fuzz_section *section)
{
	Elf64_Shdr *header = &b->headers[b->n++];

	pd_bytes_zeros(&b->file, -b->file.buf.n % 8);
	*header = (Elf64_Shdr){
		.sh_name = (uint32_t)b->names.buf.n,
		.sh_type = section->type,
		.sh_flags = section->flags,
		.sh_addr = section->vaddr,
		.sh_offset = b->file.buf.n,
		.sh_size = section->bytes.size,
		.sh_addralign = 8,
	};
	if (section->type == SHT_SYMTAB || section->type == SHT_DYNSYM)
		header->sh_entsize = sizeof(Elf64_Sym);
	if (section->type == SHT_RELA)
		header->sh_entsize = sizeof(Elf64_Rela);
	pd_bytes_put(&b->names, section->name, strlen(section->name) + 1);
	pd_bytes_put(&b->file, section->bytes.bytes, section->bytes.size);
}

/* Number of the section @p name, which is element i of @p sections as number i + 2; else 0. */
static uint32_t number_of(const struct fuzz_section *sections, size_t n, const char *name)
{
	for (size_t i = 0; name && i < n; i++) {
		if (strcmp(sections[i].name, name) == 0)
			return (uint32_t)i + 2;
	}
	return 0;
}

static const Elf64_Ehdr file_header = {
	.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
	.e_type = ET_DYN,
	.e_machine = EM_X86_64,
	.e_version = EV_CURRENT,
	.e_phoff = sizeof(Elf64_Ehdr),
	.e_ehsize = sizeof(Elf64_Ehdr),
	.e_phentsize = sizeof(Elf64_Phdr),
	.e_phnum = 1,
	.e_shentsize = sizeof(Elf64_Shdr),
};

uint8_t *fuzz_elf_make(const struct fuzz_section *sections, size_t n, size_t *size_ret)
{
	static const uint8_t code[FUZZ_TEXT_END - FUZZ_TEXT];
	const struct fuzz_section text = { ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
		FUZZ_TEXT, NULL, { code, sizeof(code) } };
	struct builder b = { .n = 1 };
	Elf64_Ehdr header = file_header;

	n = n < MAX_SECTIONS ? n : MAX_SECTIONS;
	pd_bytes_put(&b.names, "", 1);
	pd_bytes_zeros(&b.file, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
	add(&b, &text);
	for (size_t i = 0; i < n; i++) {
		add(&b, &sections[i]);
		b.headers[b.n - 1].sh_link = number_of(sections, n, sections[i].link);
	}
	const char *own_name = ".shstrtab";
	pd_bytes_put(&b.names, own_name, strlen(own_name) + 1);
	Elf64_Shdr *names = &b.headers[b.n++];
	*names = (Elf64_Shdr){
		.sh_name = (uint32_t)(b.names.buf.n - strlen(own_name) - 1),
		.sh_type = SHT_STRTAB,
		.sh_offset = b.file.buf.n,
		.sh_size = b.names.buf.n,
		.sh_addralign = 1,
	};
	pd_bytes_put(&b.file, b.names.buf.data, b.names.buf.n);
	pd_bytes_zeros(&b.file, -b.file.buf.n % 8);
	header.e_shoff = b.file.buf.n;
	header.e_shnum = (uint16_t)b.n;
	header.e_shstrndx = (uint16_t)(b.n - 1);
	pd_bytes_put(&b.file, b.headers, b.n * sizeof(*b.headers));
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = b.headers[1].sh_offset,
		.p_vaddr = FUZZ_TEXT,
		.p_filesz = sizeof(code),
		.p_memsz = sizeof(code),
		.p_align = 8,
	};
	if (b.file.failed || b.names.failed)
		abort();
	memcpy(b.file.buf.data, &header, sizeof(header));
	memcpy(b.file.buf.data + sizeof(header), &segment, sizeof(segment));
	pd_bytes_deinit(&b.names);
	*size_ret = b.file.buf.n;
	return b.file.buf.data;
}

void fuzz_elf_put_code(uint8_t *file, const struct fuzz_input *code)
{
	size_t room = FUZZ_TEXT_END - FUZZ_TEXT;
	Elf64_Phdr segment;

	memcpy(&segment, file + sizeof(Elf64_Ehdr), sizeof(segment));
	if (code->size)
		memcpy(file + segment.p_offset, code->bytes, code->size < room ? code->size : room);
}

/* Bit of a section's number: its contents are compressed. */
enum { COMPRESSED = 0x80 };

size_t fuzz_elf_take_sections(struct fuzz_input *in, struct fuzz_section *ret)
{
	static const struct fuzz_section known[] = {
#define ROW(name, type, link) { name, type, 0, 0, link, { 0 } },
		FUZZ_SECTIONS(ROW)
#undef ROW
	};
	size_t n = 0;

	for (; in->size && n < FUZZ_MAX_TAKEN; n++) {
		uint8_t number = fuzz_byte(in);

		ret[n] = known[(number & ~COMPRESSED) % PD_ARRAY_LEN(known)];
		ret[n].flags = number & COMPRESSED ? SHF_COMPRESSED : 0;
		ret[n].bytes = fuzz_piece(in);
	}
	return n;
}

enum { MAX_ADDRS = 512 };

struct addrs {
	uint64_t list[MAX_ADDRS];
	size_t n;
};

static void add_segment(struct addrs *addrs, const GElf_Phdr *phdr)
{
	uint64_t step = phdr->p_memsz / (MAX_ADDRS / 4) + 1;

	for (uint64_t at = 0; at < phdr->p_memsz && addrs->n < MAX_ADDRS; at += step)
		addrs->list[addrs->n++] = phdr->p_vaddr + at;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Distinct addresses in all executable segments, ascending. */
static void find_addrs(const struct sym_image *image, struct addrs *ret)
{
	size_t n = 0, n_distinct = 0;
	GElf_Phdr phdr;

	ret->n = 0;
	if (elf_getphdrnum(image->elf, &n))
		n = 0;
	for (size_t i = 0; i < n && i < 16; i++) {
		if (gelf_getphdr(image->elf, (int)i, &phdr) && phdr.p_type == PT_LOAD &&
			phdr.p_flags & PF_X)
			add_segment(ret, &phdr);
	}
	for (uint64_t at = 0; at < 64; at++)
		if (ret->n < MAX_ADDRS)
			ret->list[ret->n++] = at;
	qsort(ret->list, ret->n, sizeof(*ret->list), compare);
	for (size_t i = 0; i < ret->n; i++) {
		if (!n_distinct || ret->list[n_distinct - 1] != ret->list[i])
			ret->list[n_distinct++] = ret->list[i];
	}
	ret->n = n_distinct;
}

void fuzz_elf_name(struct sym_image *image)
{
	static struct addrs addrs;
	static struct sym_names names[MAX_ADDRS];
	struct base_arena arena = { 0 };
	struct sym_binary *binary;

	find_addrs(image, &addrs);
	struct pd_error *err =
		sym_binary_adopt(&fuzz_no_search, "/nonexistent/fuzz", image, &binary);
	if (!err) {
		err = sym_binary_names(binary, NULL, addrs.list, addrs.n, &arena, names);
		if (!err)
			err = sym_binary_name_data(
				binary, NULL, addrs.list, addrs.n, &arena, names);
		sym_binary_destroy(binary);
	}
	pd_error_destroy(err);
	base_arena_deinit(&arena);
}
