/**
 * @file Sections of a real binary as input of unw_binary_create(), for tests.
 */
#ifndef PD_TESTS_UNIT_TEST_UNW_ELF_H
#define PD_TESTS_UNIT_TEST_UNW_ELF_H

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "unwind/binary_rows.h"

struct test_elf {
	int fd;
	Elf *elf;
	struct unw_binary_input input;
	/** Vaddrs of the executable segment. */
	uint64_t text_start;
	uint64_t text_end;
};

static inline void test_elf_close(struct test_elf *f)
{
	elf_end(f->elf);
	close(f->fd);
}

static inline void test_elf_take_section(struct test_elf *f, Elf_Scn *scn, const char *name)
{
	struct {
		const char *name;
		struct unw_section *section;
	} wanted[] = {
		{ ".eh_frame", &f->input.eh_frame },
		{ ".eh_frame_hdr", &f->input.eh_frame_hdr },
		{ ".debug_frame", &f->input.debug_frame },
	};
	GElf_Shdr shdr;

	gelf_getshdr(scn, &shdr);
	for (size_t i = 0; i < PD_ARRAY_LEN(wanted); i++) {
		if (strcmp(name, wanted[i].name) != 0 || shdr.sh_type == SHT_NOBITS)
			continue;
		Elf_Data *data = elf_rawdata(scn, NULL);
		if (data)
			*wanted[i].section = (struct unw_section){
				.data = data->d_buf, .size = data->d_size, .vaddr = shdr.sh_addr
			};
	}
}

static inline void test_elf_find_text(struct test_elf *f)
{
	size_t n = 0;
	GElf_Phdr phdr;

	elf_getphdrnum(f->elf, &n);
	for (size_t i = 0; i < n; i++) {
		if (gelf_getphdr(f->elf, (int)i, &phdr) && phdr.p_type == PT_LOAD &&
			(phdr.p_flags & PF_X)) {
			f->text_start = phdr.p_vaddr;
			f->text_end = phdr.p_vaddr + phdr.p_filesz;
		}
	}
}

/** Open a binary. Returns false if it does not exist. */
static inline bool test_elf_open(const char *path, struct test_elf *f)
{
	size_t names;

	*f = (struct test_elf){ .input = { .arch = &base_arch_x86_64 } };
	elf_version(EV_CURRENT);
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0)
		return false;
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	if (!f->elf || elf_getshdrstrndx(f->elf, &names) != 0) {
		test_elf_close(f);
		return false;
	}
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(f->elf, scn));) {
		GElf_Shdr shdr;
		const char *name = NULL;

		if (gelf_getshdr(scn, &shdr))
			name = elf_strptr(f->elf, names, shdr.sh_name);
		if (name)
			test_elf_take_section(f, scn, name);
	}
	test_elf_find_text(f);
	return true;
}

#endif
