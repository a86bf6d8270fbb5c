#include "symbolize/go/relocations.h"

#include <string.h>

#include "base/array.h"

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

/* The relocations of an image, one after another. */
struct relocations {
	const struct sym_image *image;
	uint32_t type;
	Elf_Scn *scn;
	Elf_Data *data;
	size_t i;
	size_t n;
};

static struct relocations start(const struct sym_image *image)
{
	struct relocations r = { .image = image };

	for (size_t i = 0; i < PD_ARRAY_LEN(relative); i++) {
		if (relative[i].machine == image->ehdr.e_machine)
			r.type = relative[i].type;
	}
	return r;
}

static bool next_section(struct relocations *r)
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
static bool next(struct relocations *r, GElf_Rela *ret)
{
	while (r->type && (r->i < r->n || next_section(r))) {
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

bool sym_go_is_relocated(const struct sym_image *image, uint64_t vaddr, size_t size)
{
	struct relocations r = start(image);
	GElf_Rela rela;

	while (next(&r, &rela)) {
		if (is_within(&rela, vaddr, size, word_of(image)))
			return true;
	}
	return false;
}

void sym_go_relocate(const struct sym_image *image, uint64_t vaddr, uint8_t *bytes, size_t size)
{
	struct relocations r = start(image);
	uint8_t word = word_of(image);
	GElf_Rela rela;

	while (next(&r, &rela)) {
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

size_t sym_go_find_relocated(
	const struct sym_image *image, uint64_t value, uint64_t *ret, size_t max)
{
	struct relocations r = start(image);
	GElf_Rela rela;
	size_t n = 0;

	while (n < max && next(&r, &rela)) {
		if ((uint64_t)rela.r_addend == value)
			ret[n++] = rela.r_offset;
	}
	return n;
}
