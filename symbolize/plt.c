/* Names of entries of the procedure linkage table. Here: those of x86-64. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>

#include "symbolize/demangle.h"
#include "symbolize/symtab.h"

enum { DEFAULT_ENTRY_SIZE = 16, MAX_RELOCATIONS = 1 << 20 };

static const char *const SECTIONS[] = { ".plt", ".plt.sec", ".plt.got" };

void sym_plt_deinit(struct sym_plt *plt)
{
	pd_map_deinit(&plt->slots);
	free(plt->by_number);
	*plt = (struct sym_plt){ 0 };
}

/* The name of dynamic symbol @p index of the table with header @p shdr, or NULL. */
static const char *symbol_name(
	const struct sym_image *main, Elf_Data *symbols, const GElf_Shdr *shdr, uint64_t index)
{
	GElf_Sym sym;

	if (!symbols || index > INT32_MAX || !gelf_getsym(symbols, (int)index, &sym))
		return NULL;
	const char *name = elf_strptr(main->elf, shdr->sh_link, sym.st_name);
	return name && *name && strnlen(name, SYM_NAME_MAX) < SYM_NAME_MAX ? name : NULL;
}

static struct pd_error *add_slot(struct sym_plt *plt, uint64_t slot, const char *name)
{
	uint64_t *value = pd_map_add(&plt->slots, slot, NULL);

	if (!value)
		return &pd_enomem;
	*value = (uintptr_t)name;
	return NULL;
}

static struct pd_error *read_relocations(
	struct sym_plt *plt, const struct sym_image *main, const char *section, bool is_numbered)
{
	Elf_Scn *scn = sym_image_scn(main, section);
	GElf_Shdr shdr, symbols_shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA || !shdr.sh_entsize)
		return NULL;
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Scn *symbols_scn = elf_getscn(main->elf, shdr.sh_link);
	Elf_Data *symbols = elf_getdata(symbols_scn, NULL);
	if (!data || !gelf_getshdr(symbols_scn, &symbols_shdr))
		return NULL;
	size_t n = data->d_size / shdr.sh_entsize;
	if (n > MAX_RELOCATIONS)
		n = MAX_RELOCATIONS;
	if (is_numbered) {
		plt->by_number = calloc(n + 1, sizeof(*plt->by_number));
		if (!plt->by_number)
			return &pd_enomem;
		plt->n_by_number = n;
	}
	for (size_t i = 0; i < n; i++) {
		GElf_Rela rela;

		if (!gelf_getrela(data, (int)i, &rela) || !GELF_R_SYM(rela.r_info))
			continue;
		const char *name =
			symbol_name(main, symbols, &symbols_shdr, GELF_R_SYM(rela.r_info));
		if (!name)
			continue;
		if (is_numbered)
			plt->by_number[i] = name;
		struct pd_error *err = add_slot(plt, rela.r_offset, name);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *read_plt(struct sym_plt *plt, const struct sym_image *main)
{
	plt->is_read = true;
	if (main->ehdr.e_machine != EM_X86_64)
		return NULL;
	for (size_t i = 0; i < sizeof(SECTIONS) / sizeof(SECTIONS[0]); i++) {
		Elf_Scn *scn = sym_image_scn(main, SECTIONS[i]);
		GElf_Shdr shdr;

		if (!scn || !gelf_getshdr(scn, &shdr) ||
			!sym_image_bytes(main, scn, &plt->sections[i].bytes))
			continue;
		/* Other values are met: 0 and 4 stand for "not said". */
		bool is_said = shdr.sh_entsize == 8 || shdr.sh_entsize == 16;
		plt->sections[i].entry_size = is_said ? shdr.sh_entsize : DEFAULT_ENTRY_SIZE;
	}
	if (!plt->sections[0].bytes.data && !plt->sections[1].bytes.data &&
		!plt->sections[2].bytes.data)
		return NULL;
	struct pd_error *err = read_relocations(plt, main, ".rela.dyn", false);
	return err ? err : read_relocations(plt, main, ".rela.plt", true);
}

/*
 * What the entry at @p vaddr jumps to. An entry is
 *     [endbr64] [bnd] jmp *slot(%rip) ...
 * or, where .plt.sec has those, [endbr64] push $number; [bnd] jmp first entry.
 */
static const char *name_of_entry(
	const struct sym_plt *plt, const uint8_t *code, size_t size, uint64_t vaddr)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct pd_cursor c = pd_cursor_init(code, size, __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__);

	if (size >= 4 && memcmp(code, endbr64, 4) == 0)
		pd_cursor_bytes(&c, 4);
	uint8_t opcode = pd_cursor_u8(&c);
	if (opcode == 0xf2)
		opcode = pd_cursor_u8(&c);
	if (opcode == 0x68) {
		uint32_t number = pd_cursor_u32(&c);

		return !c.overrun && number < plt->n_by_number ? plt->by_number[number] : NULL;
	}
	if (opcode != 0xff || pd_cursor_u8(&c) != 0x25)
		return NULL;
	int32_t distance = (int32_t)pd_cursor_u32(&c);
	if (c.overrun)
		return NULL;
	uint64_t slot = vaddr + (uint64_t)(c.pos - code) + (uint64_t)distance;
	const uint64_t *name = pd_map_find(&plt->slots, slot);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the map holds numbers. */
	return name ? (const char *)(uintptr_t)*name : NULL;
}

/* The name is NULL, and @p ret the code around @p addr, if there is no entry. */
static const char *find_entry(const struct sym_plt *plt, uint64_t addr, struct sym_symbol *ret)
{
	for (size_t i = 0; i < sizeof(SECTIONS) / sizeof(SECTIONS[0]); i++) {
		const struct sym_section *s = &plt->sections[i].bytes;
		uint64_t size = plt->sections[i].entry_size;

		if (!s->data)
			continue;
		if (addr < s->vaddr) {
			ret->end = s->vaddr < ret->end ? s->vaddr : ret->end;
			continue;
		}
		if (addr - s->vaddr >= s->size) {
			uint64_t end = s->vaddr + s->size;

			ret->start = end > ret->start ? end : ret->start;
			continue;
		}
		uint64_t pos = (addr - s->vaddr) / size * size;
		if (size > s->size - pos)
			size = s->size - pos;
		ret->start = s->vaddr + pos;
		ret->end = ret->start + size;
		return name_of_entry(plt, s->data + pos, size, ret->start);
	}
	return NULL;
}

struct pd_error *sym_plt_find(struct sym_plt *plt, const struct sym_image *main, uint64_t addr,
	struct pd_arena *arena, struct sym_symbol *ret)
{
	struct sym_symbol found = { .outer = SYM_NO_SYMBOL, .is_sized = true, .end = UINT64_MAX };

	if (!plt->is_read) {
		struct pd_error *err = read_plt(plt, main);

		if (err)
			return err;
	}
	const char *name = find_entry(plt, addr, &found);
	*ret = found;
	if (!name)
		return NULL;
	size_t len = strcspn(name, "@");
	char *text = pd_arena_alloc(arena, len + sizeof("@plt"));
	if (!text)
		return &pd_enomem;
	memcpy(text, name, len);
	memcpy(text + len, "@plt", sizeof("@plt"));
	ret->name = text;
	return NULL;
}
