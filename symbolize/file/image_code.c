#include "symbolize/file/image_code.h"

/* Bytes of a file that have addresses. */
struct part {
	uint64_t vaddr;
	uint64_t offset;
	uint64_t size;
};

static bool holds(const struct part *part, uint64_t vaddr)
{
	return vaddr >= part->vaddr && vaddr - part->vaddr < part->size;
}

static bool find_section(const struct sym_image *image, uint64_t vaddr, struct part *ret)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_EXECINSTR) ||
			shdr.sh_type == SHT_NOBITS || shdr.sh_flags & SHF_COMPRESSED)
			continue;
		*ret = (struct part){ shdr.sh_addr, shdr.sh_offset, shdr.sh_size };
		if (holds(ret, vaddr))
			return true;
	}
	return false;
}

static bool find_segment(const struct sym_image *image, uint64_t vaddr, struct part *ret)
{
	GElf_Phdr phdr;
	size_t n;

	/* The program headers of a debug file describe the binary, not the file itself. */
	if (sym_image_lacks_code(image) || elf_getphdrnum(image->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		*ret = (struct part){ phdr.p_vaddr, phdr.p_offset, phdr.p_filesz };
		if (holds(ret, vaddr))
			return true;
	}
	return false;
}

const uint8_t *sym_image_code(
	const struct sym_image *image, uint64_t vaddr, size_t size, size_t *n_ret)
{
	struct part part;

	*n_ret = 0;
	if (!find_section(image, vaddr, &part) && !find_segment(image, vaddr, &part))
		return NULL;
	uint64_t skipped = vaddr - part.vaddr;
	uint64_t n = part.size - skipped < size ? part.size - skipped : size;
	if (part.offset + skipped < part.offset || part.offset + skipped > INT64_MAX)
		return NULL;
	/* libelf checks that the file has these bytes. */
	const Elf_Data *data =
		elf_getdata_rawchunk(image->elf, (int64_t)(part.offset + skipped), n, ELF_T_BYTE);
	if (!data || !data->d_buf)
		return NULL;
	*n_ret = data->d_size;
	return data->d_buf;
}
