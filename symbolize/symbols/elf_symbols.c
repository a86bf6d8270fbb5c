#include "symbolize/symbols/elf_symbols.h"

bool sym_elf_symbols_open(const struct sym_image *image, unsigned type, struct sym_elf_symbols *ret)
{
	size_t entry = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type)
			continue;
		Elf_Data *symbols = elf_getdata(scn, NULL);
		Elf_Data *strings = elf_getdata(elf_getscn(image->elf, shdr.sh_link), NULL);
		if (!symbols || !symbols->d_buf || !strings || !strings->d_buf ||
			!strings->d_size || !entry ||
			((const char *)strings->d_buf)[strings->d_size - 1])
			return false;
		*ret = (struct sym_elf_symbols){
			.symbols = symbols,
			.n = symbols->d_size / entry,
			.strings = strings->d_buf,
			.strings_size = strings->d_size,
		};
		return true;
	}
	return false;
}
