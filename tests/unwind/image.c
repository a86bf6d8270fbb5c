#include "tests/unwind/image.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/cleanup.h"

static void cleanup_elf(Elf **elf)
{
	elf_end(*elf);
}

static Elf *begin(const char *path, int *fd)
{
	elf_version(EV_CURRENT);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
}

/* Read 8 bytes at vaddr. */
static uint64_t load(Elf *elf, uint64_t vaddr)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &shdr)) {
		if (shdr.sh_type == SHT_NOBITS || vaddr < shdr.sh_addr ||
			vaddr + 8 > shdr.sh_addr + shdr.sh_size)
			continue;
		Elf_Data *data = elf_getdata_rawchunk(
			elf, (int64_t)(shdr.sh_offset + vaddr - shdr.sh_addr), 8, ELF_T_XWORD);
		return data ? *(uint64_t *)data->d_buf : 0;
	}
	return 0;
}

/* ELFv1, the older ABI of 64-bit PowerPC, whose function symbols refer to descriptors. */
static bool has_descriptors(Elf *elf)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(elf, &ehdr) && ehdr.e_machine == EM_PPC64 && (ehdr.e_flags & 3) < 2;
}

static void take_build_id(Elf *elf, const GElf_Phdr *phdr, struct pd_build_id *ret)
{
	Elf_Data *data =
		elf_getdata_rawchunk(elf, (int64_t)phdr->p_offset, phdr->p_filesz, ELF_T_NHDR);
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
			memcmp(bytes + name, "GNU", 4) != 0 || note.n_descsz > PD_BUILD_ID_MAX)
			continue;
		ret->len = (uint8_t)note.n_descsz;
		memcpy(ret->bytes, bytes + desc, note.n_descsz);
	}
}

static void take_phdr(Elf *elf, const GElf_Phdr *phdr, const GElf_Ehdr *ehdr, struct image *image)
{
	if (phdr->p_type == PT_NOTE)
		take_build_id(elf, phdr, &image->build_id);
	if (phdr->p_type != PT_LOAD || image->n_segments == IMAGE_MAX_SEGMENTS)
		return;
	image->segments[image->n_segments++] = (struct image_segment){
		.vaddr = phdr->p_vaddr,
		.offset = phdr->p_offset,
		.size = phdr->p_filesz,
		.is_exec = phdr->p_flags & PF_X,
	};
	if (phdr->p_offset <= ehdr->e_phoff && ehdr->e_phoff < phdr->p_offset + phdr->p_filesz)
		image->phdrs = phdr->p_vaddr + ehdr->e_phoff - phdr->p_offset;
}

static bool read_elf(Elf *elf, struct image *ret)
{
	GElf_Ehdr ehdr;
	GElf_Phdr phdr;

	if (!elf || !gelf_getehdr(elf, &ehdr))
		return false;
	*ret = (struct image){ .e_machine = ehdr.e_machine, .entry = ehdr.e_entry };
	if (has_descriptors(elf))
		ret->entry = load(elf, ehdr.e_entry);
	else if (ehdr.e_machine == EM_ARM)
		ret->entry &= ~(uint64_t)1;
	for (int i = 0; i < ehdr.e_phnum && gelf_getphdr(elf, i, &phdr); i++)
		take_phdr(elf, &phdr, &ehdr, ret);
	return true;
}

bool image_read(const char *path, struct image *ret)
{
	_cleanup_close_ int fd = -1;
	_cleanup_(cleanup_elf) Elf *elf = begin(path, &fd);

	return read_elf(elf, ret);
}

bool image_read_vdso(struct image *ret)
{
	enum { PAGES = 8192 };
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel passes the address as a number. */
	char *vdso = (char *)getauxval(AT_SYSINFO_EHDR);
	_cleanup_(cleanup_elf) Elf *elf = NULL;

	elf_version(EV_CURRENT);
	elf = vdso ? elf_memory(vdso, PAGES) : NULL;
	return read_elf(elf, ret);
}

static bool find_symbol(Elf *elf, Elf_Scn *section, const char *name, GElf_Sym *ret)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr shdr;

	if (!data || !gelf_getshdr(section, &shdr) ||
		(shdr.sh_type != SHT_SYMTAB && shdr.sh_type != SHT_DYNSYM))
		return false;
	for (int i = 0; gelf_getsym(data, i, ret); i++) {
		const char *symbol = elf_strptr(elf, shdr.sh_link, ret->st_name);

		if (ret->st_shndx != SHN_UNDEF && symbol && strcmp(symbol, name) == 0)
			return true;
	}
	return false;
}

/*
 * Address in a function that every call of it reaches. Symbols of PowerPC functions refer to
 * descriptors, or to an entry that calls within a file skip (st_other: ELFv2 ABI, 3.4.1);
 * those of Thumb functions are odd.
 */
static uint64_t symbol_addr(Elf *elf, const GElf_Sym *sym)
{
	bool is_function = GELF_ST_TYPE(sym->st_info) == STT_FUNC;
	GElf_Ehdr ehdr;

	if (!is_function || !gelf_getehdr(elf, &ehdr))
		return sym->st_value;
	if (ehdr.e_machine == EM_ARM)
		return sym->st_value & ~(uint64_t)1;
	if (ehdr.e_machine != EM_PPC64)
		return sym->st_value;
	if (has_descriptors(elf))
		return load(elf, sym->st_value);
	return sym->st_value + (1U << (sym->st_other >> 5) >> 2 << 2);
}

bool image_symbol(const char *path, const char *name, uint64_t *ret)
{
	_cleanup_close_ int fd = -1;
	_cleanup_(cleanup_elf) Elf *elf = begin(path, &fd);
	Elf_Scn *section = NULL;
	GElf_Sym sym;

	while (elf && (section = elf_nextscn(elf, section))) {
		if (!find_symbol(elf, section, name, &sym))
			continue;
		*ret = symbol_addr(elf, &sym);
		return true;
	}
	return false;
}
