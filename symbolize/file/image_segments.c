#include "symbolize/file/image_segments.h"

#include "base/array.h"

/* Sizes of pages in bytes. A mapping consists of whole pages of the recording machine. */
static const uint64_t PAGES[] = { 4096, 16384, 65536 };

static bool is_code(const GElf_Phdr *phdr)
{
	return phdr->p_type == PT_LOAD && phdr->p_flags & PF_X;
}

/* Whether the program headers are those of the binary, with its offsets. */
static bool has_offsets(const struct sym_image *image)
{
	size_t n = 0;
	GElf_Phdr phdr;

	if (!sym_image_lacks_code(image) || elf_getphdrnum(image->elf, &n))
		return true;
	for (size_t i = 0; i < n; i++) {
		if (gelf_getphdr(image->elf, (int)i, &phdr) && is_code(&phdr) && phdr.p_filesz)
			return true;
	}
	return false;
}

/*
 * Place a segment after @p end, the end of the one before it. An offset is equal to the address,
 * modulo the alignment, and linkers leave no larger gap than this needs.
 */
static uint64_t place(GElf_Phdr *phdr, uint64_t end)
{
	uint64_t align =
		phdr->p_align && !(phdr->p_align & (phdr->p_align - 1)) ? phdr->p_align : 1;

	phdr->p_offset = end + ((phdr->p_vaddr - end) & (align - 1));
	phdr->p_filesz = phdr->p_memsz;
	return phdr->p_offset + phdr->p_filesz;
}

bool sym_image_phdr(const struct sym_image *image, size_t i, GElf_Phdr *ret)
{
	uint64_t end = 0;

	if (!gelf_getphdr(image->elf, (int)i, ret))
		return false;
	if (ret->p_type != PT_LOAD || has_offsets(image))
		return true;
	for (size_t k = 0; k <= i; k++) {
		if (gelf_getphdr(image->elf, (int)k, ret) && ret->p_type == PT_LOAD)
			end = place(ret, end);
	}
	return true;
}

/* Size in bytes of the pages on which @p phdr is. */
static uint64_t span(const GElf_Phdr *phdr, uint64_t page)
{
	uint64_t end = phdr->p_vaddr + phdr->p_memsz;

	return ((end + page - 1) & ~(page - 1)) - (phdr->p_vaddr & ~(page - 1));
}

/* Whether a mapping from @p offset on begins with the page on which @p phdr begins. */
static bool begins_at(const GElf_Phdr *phdr, uint64_t offset)
{
	for (size_t p = 0; p < PD_ARRAY_LEN(PAGES); p++) {
		if ((phdr->p_offset & ~(PAGES[p] - 1)) == offset)
			return true;
	}
	return false;
}

/* Let @p phdr begin at the page of the file at @p offset if the mapping has just its pages. */
static bool fit_size(GElf_Phdr *phdr, uint64_t offset, uint64_t size)
{
	for (size_t p = 0; p < PD_ARRAY_LEN(PAGES); p++) {
		if (span(phdr, PAGES[p]) != size || offset % PAGES[p])
			continue;
		phdr->p_offset = offset + (phdr->p_vaddr & (PAGES[p] - 1));
		return true;
	}
	return false;
}

/* How well a mapping fits a segment, best last. */
enum fit {
	FIT_NONE,
	FIT_WITHIN, /**< It begins within the segment. */
	FIT_SIZE,   /**< It has the size of the segment, at another offset than expected. */
	FIT_START,  /**< It begins where the segment does. */
	FIT_BOTH,
};

/* Judge the mapping, and set the offset of *phdr to what it shows. */
static enum fit judge(GElf_Phdr *phdr, uint64_t offset, uint64_t size)
{
	bool is_start = begins_at(phdr, offset);
	GElf_Phdr fitted = *phdr;

	if (fit_size(&fitted, offset, size)) {
		*phdr = fitted;
		return is_start ? FIT_BOTH : FIT_SIZE;
	}
	if (is_start)
		return FIT_START;
	return offset >= phdr->p_offset && offset - phdr->p_offset < phdr->p_filesz ? FIT_WITHIN
										    : FIT_NONE;
}

bool sym_image_mapped_phdr(
	const struct sym_image *image, uint64_t offset, uint64_t size, GElf_Phdr *ret)
{
	enum fit best = FIT_NONE;
	bool is_ambiguous = false;
	size_t n = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(image->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!sym_image_phdr(image, i, &phdr) || !is_code(&phdr))
			continue;
		enum fit fit = judge(&phdr, offset, size);
		if (fit < best || fit == FIT_NONE)
			continue;
		is_ambiguous = fit == best;
		best = fit;
		*ret = phdr;
	}
	return best && !is_ambiguous;
}

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
