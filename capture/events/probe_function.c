#include "capture/events/probe_function.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>

#include "base/cleanup.h"

/* The function with the wanted name, as far as found. */
struct found {
	GElf_Addr addr;
	GElf_Xword size;
	bool is_global;
	bool is_ambiguous;
	bool is_any;
};

static bool is_function(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF;
}

/* Whether a symbol has the name, with or without a version (NAME@VERSION, NAME@@VERSION). */
static bool is_named(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	return strncmp(symbol, name, n) == 0 && (!symbol[n] || symbol[n] == '@');
}

/* Note a function. A global one wins over local ones, of which there may be several. */
static void note(struct found *found, const GElf_Sym *sym)
{
	bool is_global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;

	if (found->is_any && (found->is_global || !is_global)) {
		found->is_ambiguous |=
			found->is_global == is_global && found->addr != sym->st_value;
		return;
	}
	*found = (struct found){
		.addr = sym->st_value,
		.size = sym->st_size,
		.is_global = is_global,
		.is_any = true,
	};
}

static void search_table(Elf *elf, Elf_Scn *section, const char *name, struct found *found)
{
	GElf_Shdr header;
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || !gelf_getshdr(section, &header) || !header.sh_entsize)
		return;
	size_t n = data->d_size / header.sh_entsize;
	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || !is_function(&sym))
			continue;
		const char *text = elf_strptr(elf, header.sh_link, sym.st_name);
		if (text && is_named(text, name))
			note(found, &sym);
	}
}

static bool is_table(Elf_Scn *section, GElf_Word type)
{
	GElf_Shdr header;

	return gelf_getshdr(section, &header) && header.sh_type == type;
}

/* Search the full symbol table, then, if that does not have the name, the dynamic one. */
static struct found search(Elf *elf, const char *name)
{
	static const GElf_Word types[] = { SHT_SYMTAB, SHT_DYNSYM };
	struct found found = { 0 };

	for (size_t i = 0; i < 2 && !found.is_any; i++) {
		Elf_Scn *section = NULL;

		while ((section = elf_nextscn(elf, section))) {
			if (is_table(section, types[i]))
				search_table(elf, section, name, &found);
		}
	}
	return found;
}

static bool file_offset(Elf *elf, GElf_Addr addr, uint64_t *ret)
{
	size_t n;
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &n) != 0)
		return false;
	/* The lowest bit of a symbol marks Thumb code and is not part of the address. */
	if (header.e_machine == EM_ARM)
		addr &= ~(GElf_Addr)1;
	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		if (addr >= segment.p_vaddr && addr - segment.p_vaddr < segment.p_filesz) {
			*ret = addr - segment.p_vaddr + segment.p_offset;
			return true;
		}
	}
	return false;
}

static struct pd_error *find_offset(
	Elf *elf, const char *path, const char *function, uint64_t offset, uint64_t *ret)
{
	struct found found = search(elf, function);

	if (!found.is_any)
		return pd_error_create(PD_ERROR_USAGE, path,
			"function '%s' not found in the symbol tables", function);
	if (found.is_ambiguous)
		return pd_error_create(PD_ERROR_USAGE, path,
			"several functions '%s': use 0xOFFSET to choose one", function);
	if (offset && offset >= found.size)
		return pd_error_create(PD_ERROR_USAGE, path, "function '%s' has only %llu bytes",
			function, (unsigned long long)found.size);
	if (!file_offset(elf, found.addr + offset, ret))
		return pd_error_create(PD_ERROR_FORMAT, path,
			"function '%s' is in no segment of the file", function);
	return NULL;
}

static void elf_cleanup(Elf **elf)
{
	elf_end(*elf);
}

struct pd_error *cap_function_offset(
	const char *path, const char *function, uint64_t offset, uint64_t *ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return pd_error_os(path, "cannot open");
	elf_version(EV_CURRENT);
	_cleanup_(elf_cleanup) Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return pd_error_create(PD_ERROR_USAGE, path, "not an ELF binary");
	return find_offset(elf, path, function, offset, ret);
}
