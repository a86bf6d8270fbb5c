#include "symbolize/file/image_sections.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "base/system/huge.h"
#include "symbolize/file/image.h"
#include "base/limit.h"

static struct pd_error *unpack_zlib(
	const void *packed, size_t packed_size, void *bytes, size_t size, bool *ok_ret)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();

	if (!decompressor)
		return &pd_enomem;
	*ok_ret = libdeflate_zlib_decompress(decompressor, packed, packed_size, bytes, size,
			  NULL) == LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(decompressor);
	return NULL;
}

static struct pd_error *unpack_zstd(
	const void *packed, size_t packed_size, void *bytes, size_t size, bool *ok_ret)
{
	size_t n = ZSTD_decompress(bytes, size, packed, packed_size);

	if (ZSTD_isError(n) && ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
		return &pd_enomem;
	*ok_ret = n == size;
	return NULL;
}

struct pd_error *sym_unpack(
	uint32_t algorithm, const void *packed, size_t packed_size, size_t size, void **ret)
{
	_cleanup_free_ void *bytes = base_huge_alloc(size);
	struct pd_error *err = NULL;
	bool ok = false;

	*ret = NULL;
	if (!bytes)
		return &pd_enomem;
	if (algorithm == SYM_PACKED_ZLIB)
		err = unpack_zlib(packed, packed_size, bytes, size, &ok);
	else if (algorithm == SYM_PACKED_ZSTD)
		err = unpack_zstd(packed, packed_size, bytes, size, &ok);
	if (!err && ok)
		*ret = take_ptr(bytes);
	return err;
}

/**
 * Upper limit for the compression ratio, above that of deflate. A section with a higher one is
 * damaged.
 */
enum { MAX_INFLATION = PD_LIMIT_SECTION_RATIO };
/**
 * Sections up to this size in bytes are decompressed at any ratio, because zstd has no upper limit.
 */
static const uint64_t INFLATION_FLOOR = PD_LIMIT_SECTION_BYTES;

static const char *scn_name(const struct sym_image *image, Elf_Scn *scn, GElf_Shdr *shdr)
{
	size_t strings;

	if (elf_getshdrstrndx(image->elf, &strings) || !gelf_getshdr(scn, shdr))
		return NULL;
	return elf_strptr(image->elf, strings, shdr->sh_name);
}

static bool is_old_compressed(const char *name)
{
	return strncmp(name, ".zdebug_", 8) == 0;
}

Elf_Scn *sym_image_scn(const struct sym_image *image, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(image->elf, scn))) {
		const char *have = scn_name(image, scn, &shdr);

		if (!have)
			continue;
		if (strcmp(have, name) == 0 ||
			(is_old_compressed(have) && strcmp(have + 2, name + 1) == 0))
			return scn;
	}
	return NULL;
}

/* Header of a compressed section. */
struct packed {
	uint32_t algorithm;
	/** Decompressed size in bytes. */
	uint64_t size;
	const uint8_t *bytes;
	size_t n;
};

/* Read the header of a section with SHF_COMPRESSED. The compressed bytes follow it. */
static bool read_packed(const struct sym_image *image, Elf_Scn *scn, struct packed *ret)
{
	const Elf_Data *raw = elf_rawdata(scn, NULL);
	GElf_Chdr chdr;

	if (!raw || !gelf_getchdr(scn, &chdr))
		return false;
	bool is_wide = image->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	size_t header = is_wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	if (raw->d_size < header)
		return false;
	*ret = (struct packed){ chdr.ch_type, chdr.ch_size, (const uint8_t *)raw->d_buf + header,
		raw->d_size - header };
	return true;
}

/* Read the header of a .zdebug section: "ZLIB" and the size as a big-endian 64-bit integer. */
static bool read_old_packed(Elf_Scn *scn, struct packed *ret)
{
	enum { HEADER = 12 };
	const Elf_Data *raw = elf_rawdata(scn, NULL);

	if (!raw || raw->d_size < HEADER || memcmp(raw->d_buf, "ZLIB", 4))
		return false;
	const uint8_t *bytes = raw->d_buf;
	bool swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	*ret = (struct packed){ SYM_PACKED_ZLIB, pd_load_u64(bytes + 4, swap), bytes + HEADER,
		raw->d_size - HEADER };
	return true;
}

/* Whether the section is compressed, in either format. */
static bool is_packed(const struct sym_image *image, Elf_Scn *scn)
{
	GElf_Shdr shdr;
	const char *name = scn_name(image, scn, &shdr);

	return name && shdr.sh_type != SHT_NOBITS &&
	       (shdr.sh_flags & SHF_COMPRESSED || is_old_compressed(name));
}

/*
 * Read the header of a compressed section. Returns false if it is damaged or the size is
 * implausible.
 */
static bool examine_packed(const struct sym_image *image, Elf_Scn *scn, struct packed *ret)
{
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr) ||
		!(shdr.sh_flags & SHF_COMPRESSED ? read_packed(image, scn, ret)
						 : read_old_packed(scn, ret)))
		return false;
	return ret->size <= INFLATION_FLOOR || ret->size / MAX_INFLATION <= ret->n ||
	       !base_limit_reach(PD_LIMIT_ID_SECTION_RATIO);
}

/* Decompress the section unless that was done before. The contents belong to the image. */
static bool unpacked_bytes(const struct sym_image *image, Elf_Scn *scn, struct sym_section *ret)
{
	struct sym_unpacked *unpacked = image->unpacked;
	struct sym_unpacked_section section = { .index = elf_ndxscn(scn) };
	struct packed packed;

	for (size_t i = 0; i < unpacked->list.n; i++) {
		if (unpacked->list.data[i].index != section.index)
			continue;
		ret->data = unpacked->list.data[i].bytes;
		ret->size = unpacked->list.data[i].size;
		return ret->data != NULL;
	}
	if (examine_packed(image, scn, &packed)) {
		struct pd_error *err = sym_unpack(
			packed.algorithm, packed.bytes, packed.n, packed.size, &section.bytes);

		unpacked->is_out_of_memory |= err != NULL;
		pd_error_destroy(err);
		section.size = packed.size;
	}
	/*
	 * A failure is remembered as well, so that a damaged section is not decompressed again on
	 * each use.
	 */
	if (!pd_vec_push(&unpacked->list, section)) {
		free(section.bytes);
		unpacked->is_out_of_memory = true;
		return false;
	}
	ret->data = section.bytes;
	ret->size = section.size;
	return section.bytes != NULL;
}

bool sym_image_bytes(const struct sym_image *image, Elf_Scn *scn, struct sym_section *ret)
{
	struct sym_section section = { 0 };
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
		return false;
	section.vaddr = shdr.sh_addr;
	if (is_packed(image, scn)) {
		if (!unpacked_bytes(image, scn, &section))
			return false;
	} else {
		/*
		 * elf_getdata() would convert the byte order of some sections. Readers do that
		 * themselves.
		 */
		const Elf_Data *data = elf_rawdata(scn, NULL);

		if (!data)
			return false;
		section.data = data->d_buf;
		section.size = data->d_size;
	}
	if (!section.data || !section.size)
		return false;
	*ret = section;
	return true;
}

bool sym_image_section(const struct sym_image *image, const char *name, struct sym_section *ret)
{
	Elf_Scn *scn = sym_image_scn(image, name);

	*ret = (struct sym_section){ 0 };
	return scn && sym_image_bytes(image, scn, ret);
}

/* Whether the section has code, and its entries are not those of a PLT. */
static bool is_code(const struct sym_image *image, Elf_Scn *scn, GElf_Shdr *shdr)
{
	const char *name = scn_name(image, scn, shdr);

	return name && shdr->sh_type == SHT_PROGBITS && (shdr->sh_flags & SHF_EXECINSTR) &&
	       !(shdr->sh_flags & SHF_COMPRESSED) && strncmp(name, ".plt", 4) != 0 &&
	       strcmp(name, ".iplt") != 0;
}

/* Whether @p b follows @p a in the file as in memory, except for padding up to its alignment. */
static bool is_next_to(const GElf_Shdr *a, const GElf_Shdr *b)
{
	enum { MAX_PADDING = 4096 };
	uint64_t padding = b->sh_addr - a->sh_addr - a->sh_size;

	return padding < MAX_PADDING && padding <= b->sh_addralign &&
	       b->sh_addr - a->sh_addr == b->sh_offset - a->sh_offset;
}

bool sym_image_text(const struct sym_image *image, struct sym_section *ret)
{
	Elf_Scn *text = sym_image_scn(image, ".text"), *scn;
	GElf_Shdr first, last, shdr;

	*ret = (struct sym_section){ 0 };
	if (!text || !is_code(image, text, &first))
		return false;
	last = first;
	/* Linkers order sections by address. */
	for (size_t i = elf_ndxscn(text); i-- > 1 && (scn = elf_getscn(image->elf, i));) {
		if (!is_code(image, scn, &shdr) || !is_next_to(&shdr, &first))
			break;
		first = shdr;
	}
	for (scn = text; (scn = elf_nextscn(image->elf, scn));) {
		if (!is_code(image, scn, &shdr) || !is_next_to(&last, &shdr))
			break;
		last = shdr;
	}
	uint64_t bytes = last.sh_addr + last.sh_size - first.sh_addr;
	const uint8_t *code = bytes ? sym_image_at(image, first.sh_offset, bytes) : NULL;
	if (!code)
		return false;
	*ret = (struct sym_section){ code, bytes, first.sh_addr };
	return true;
}

struct sym_section sym_image_descriptors(const struct sym_image *image)
{
	struct sym_section opd = { 0 };

	if (image->ehdr.e_machine == EM_PPC64)
		sym_image_section(image, ".opd", &opd);
	return opd;
}

uint64_t sym_image_code_address(
	const struct sym_image *image, const struct sym_section *descriptors, uint64_t value)
{
	uint64_t off = value - descriptors->vaddr;

	if (image->ehdr.e_machine == EM_ARM)
		return value & ~UINT64_C(1);
	if (off >= descriptors->size || descriptors->size - off < sizeof(uint64_t))
		return value;
	return pd_load_u64(descriptors->data + off, image->swap);
}

bool sym_image_has_dwarf(const struct sym_image *image)
{
	Elf_Scn *scn = sym_image_scn(image, ".debug_info");
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) && shdr.sh_type != SHT_NOBITS && shdr.sh_size > 0;
}

uint64_t sym_image_inflated_size(const struct sym_image *image)
{
	Elf_Scn *scn = NULL;
	struct packed packed;
	uint64_t sum = 0;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!is_packed(image, scn))
			continue;
		if (!examine_packed(image, scn, &packed) ||
			__builtin_add_overflow(sum, packed.size, &sum))
			return UINT64_MAX;
	}
	return sum;
}
