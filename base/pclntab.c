#include "base/pclntab.h"

#include "base/array.h"
#include "base/limit.h"
#include "base/lower_bound.h"

static const uint32_t magics[] = {
	[PD_GO_1_2] = 0xfffffffb,
	[PD_GO_1_16] = 0xfffffffa,
	[PD_GO_1_18] = 0xfffffff0,
	[PD_GO_1_20] = 0xfffffff1,
};

enum {
	N_LAYOUTS = PD_ARRAY_LEN(magics),
	/** The header begins with the magic number, two zeros, the quantum and the word size. */
	PREFIX = 8,
	/** Entries of the index before Go 1.16 have file number 0 for "none". */
	FIRST_FILE = 1,
};

/** Funcdata that a function does not have, since Go 1.18. */
static const uint32_t NO_FUNCDATA = UINT32_MAX;

static struct pd_cursor cursor_at(const struct base_pclntab *tab, uint64_t offset)
{
	if (offset > tab->size)
		offset = tab->size;
	/* An empty table may have no data, to which nothing can be added. */
	const uint8_t *at = offset ? tab->data + offset : tab->data;
	return pd_cursor_init(at, tab->size - offset, tab->swap);
}

static uint64_t read_uint(struct pd_cursor *c, uint8_t size)
{
	return size == 8 ? pd_cursor_u64(c) : pd_cursor_u32(c);
}

/* Size of an address in the index of functions and at the start of a function's entry. */
static uint8_t entry_size(const struct base_pclntab *tab)
{
	return tab->layout >= PD_GO_1_18 ? 4 : tab->word;
}

static bool read_prefix(struct pd_cursor *c, struct base_pclntab *tab)
{
	uint32_t magic = pd_cursor_u32(c);
	uint16_t zeros = pd_cursor_u16(c);
	int layout = 0;

	tab->quantum = pd_cursor_u8(c);
	tab->word = pd_cursor_u8(c);
	while (layout < N_LAYOUTS && magics[layout] != magic)
		layout++;
	if (c->overrun || layout == N_LAYOUTS || zeros)
		return false;
	tab->layout = (enum base_go_layout)layout;
	return (tab->quantum == 1 || tab->quantum == 2 || tab->quantum == 4) &&
	       (tab->word == 4 || tab->word == 8);
}

/* Read the offsets of the parts, which the header has since Go 1.16. */
static void read_parts(struct pd_cursor *c, struct base_pclntab *tab)
{
	read_uint(c, tab->word); /* number of files */
	if (tab->layout >= PD_GO_1_18)
		tab->text = read_uint(c, tab->word);
	tab->names = read_uint(c, tab->word);
	tab->unit_files = read_uint(c, tab->word);
	tab->files = read_uint(c, tab->word);
	tab->values = read_uint(c, tab->word);
	tab->funcs = read_uint(c, tab->word);
}

/* Whether the index, which ends with the end address of the last function, is in the table. */
static bool has_index(const struct base_pclntab *tab)
{
	uint64_t size = tab->size;

	if (tab->names > size || tab->unit_files > size || tab->files > size ||
		tab->values > size || tab->funcs > size)
		return false;
	uint64_t n_entries = (size - tab->funcs) / entry_size(tab);
	return tab->n_funcs && n_entries && (n_entries - 1) / 2 >= tab->n_funcs;
}

bool base_pclntab_init(const uint8_t *data, size_t size, bool swap, struct base_pclntab *ret)
{
	struct base_pclntab tab = { .data = data, .size = size, .swap = swap };
	struct pd_cursor c = cursor_at(&tab, 0);

	if (!data || !read_prefix(&c, &tab))
		return false;
	tab.n_funcs = read_uint(&c, tab.word);
	if (tab.layout >= PD_GO_1_16)
		read_parts(&c, &tab);
	else
		tab.funcs = PREFIX + tab.word;
	if (c.overrun || !has_index(&tab))
		return false;
	/* Before Go 1.16 all offsets count from the start of the table. */
	if (tab.layout == PD_GO_1_2) {
		uint64_t end = tab.funcs + (2 * tab.n_funcs + 1) * tab.word;

		c = cursor_at(&tab, end);
		tab.files = pd_cursor_u32(&c);
	}
	*ret = tab;
	return true;
}

/* Start address of function @p i; with n_funcs, the end address of the last one. */
static uint64_t start_of(const struct base_pclntab *tab, uint64_t i)
{
	uint8_t size = entry_size(tab);
	struct pd_cursor c = cursor_at(tab, tab->funcs + 2 * i * size);

	return tab->text + read_uint(&c, size);
}

/*
 * Text at @p offset from @p base, in a part of the table. NULL if it has no end. Any number of
 * functions may share a long one, so its end is not searched for everywhere.
 */
static const char *text_at(const struct base_pclntab *tab, uint64_t base, uint32_t offset)
{
	struct pd_cursor c = cursor_at(tab, base + offset);
	size_t len;

	bool is_cut = pd_cursor_left(&c) > PD_LIMIT_NAME_BYTES;
	if (is_cut)
		c.end = c.pos + PD_LIMIT_NAME_BYTES;
	const char *text = pd_cursor_str(&c, &len);
	if (!text && is_cut)
		base_limit_reach(PD_LIMIT_ID_NAME_BYTES);
	return text;
}

const char *base_go_name(const struct base_pclntab *tab, uint32_t offset)
{
	uint64_t at = tab->names + offset;

	/* Since Go 1.16 names are in a separate part, in which each follows the end of another. */
	if (at >= tab->size || (tab->layout >= PD_GO_1_16 && offset && tab->data[at - 1]))
		return NULL;
	const char *name = text_at(tab, tab->names, offset);
	return name && *name ? name : NULL;
}

/* Read what follows the entry address and the name: Go's runtime._func. */
static void read_func(struct pd_cursor *c, const struct base_pclntab *tab, struct base_go_func *ret)
{
	pd_cursor_u32(c); /* size of arguments */
	pd_cursor_u32(c); /* deferreturn, before that an unused frame size */
	ret->frame_table = pd_cursor_u32(c);
	ret->file_table = pd_cursor_u32(c);
	ret->line_table = pd_cursor_u32(c);
	ret->n_tables = pd_cursor_u32(c);
	if (tab->layout >= PD_GO_1_16)
		ret->unit = pd_cursor_u32(c);
	if (tab->layout >= PD_GO_1_20)
		ret->line = pd_cursor_u32(c);
	pd_cursor_u8(c); /* function id since Go 1.12 */
	/* Go 1.16 has a zero where Go 1.17 has flags. */
	ret->flags = pd_cursor_u8(c);
	if (tab->layout < PD_GO_1_16)
		ret->flags = 0;
	pd_cursor_u8(c);
	/* Before Go 1.12 this was a word, whose last byte is 0 on little-endian machines. */
	ret->n_funcdata = pd_cursor_u8(c);
}

/* Set where the lists after the entry begin. Returns false if they are not in the table. */
static bool find_lists(
	const struct base_pclntab *tab, const struct pd_cursor *c, struct base_go_func *ret)
{
	uint64_t size = tab->layout >= PD_GO_1_18 ? 4 : tab->word;

	ret->tables = (uint64_t)(c->pos - tab->data);
	ret->funcdata = ret->tables + UINT64_C(4) * ret->n_tables;
	/* Pointers are aligned, as is the start of the table. */
	if (size == 8)
		ret->funcdata = (ret->funcdata + 7) & ~UINT64_C(7);
	return !c->overrun && ret->funcdata <= tab->size &&
	       ret->n_funcdata <= (tab->size - ret->funcdata) / size;
}

bool base_pclntab_func(const struct base_pclntab *tab, uint64_t i, struct base_go_func *ret)
{
	uint8_t size = entry_size(tab);
	struct pd_cursor c = cursor_at(tab, tab->funcs + (2 * i + 1) * size);
	uint64_t offset = read_uint(&c, size);

	*ret = (struct base_go_func){ .start = start_of(tab, i), .end = start_of(tab, i + 1) };
	/* A gap between two parts of the code has an offset of all ones. */
	if (ret->end <= ret->start || offset >= tab->size)
		return false;
	c = cursor_at(tab, offset + (tab->layout >= PD_GO_1_16 ? tab->funcs : 0));
	uint64_t entry = tab->text + read_uint(&c, size);
	ret->name = base_go_name(tab, pd_cursor_u32(&c));
	read_func(&c, tab, ret);
	return entry == ret->start && ret->name && find_lists(tab, &c, ret);
}

bool base_pclntab_find(const struct base_pclntab *tab, uint64_t addr, struct base_go_func *ret)
{
	uint64_t n = base_lower_bound(tab->n_funcs + 1, i, start_of(tab, i) <= addr);
	uint64_t start = n ? start_of(tab, n - 1) : 0;
	uint64_t end = n <= tab->n_funcs ? start_of(tab, n) : UINT64_MAX;

	if (n && n <= tab->n_funcs && base_pclntab_func(tab, n - 1, ret))
		return true;
	*ret = (struct base_go_func){ .start = start, .end = end };
	return false;
}

const char *base_go_file(
	const struct base_pclntab *tab, const struct base_go_func *func, int32_t number)
{
	uint64_t index = tab->layout >= PD_GO_1_16 ? tab->unit_files : tab->files;

	if (number < (tab->layout >= PD_GO_1_16 ? 0 : FIRST_FILE))
		return NULL;
	struct pd_cursor c = cursor_at(tab, index + UINT64_C(4) * ((uint64_t)func->unit + number));
	uint32_t offset = pd_cursor_u32(&c);
	if (c.overrun || offset == UINT32_MAX)
		return NULL;
	const char *file = text_at(tab, tab->layout >= PD_GO_1_16 ? tab->files : 0, offset);
	return file && *file ? file : NULL;
}

uint32_t base_go_table(const struct base_pclntab *tab, const struct base_go_func *func, uint32_t i)
{
	struct pd_cursor c = cursor_at(tab, func->tables + UINT64_C(4) * i);

	return i < func->n_tables ? pd_cursor_u32(&c) : 0;
}

bool base_go_funcdata(
	const struct base_pclntab *tab, const struct base_go_func *func, uint32_t i, uint64_t *ret)
{
	bool has_offsets = tab->layout >= PD_GO_1_18;
	uint8_t size = has_offsets ? 4 : tab->word;
	struct pd_cursor c = cursor_at(tab, func->funcdata + (uint64_t)i * size);

	if (i >= func->n_funcdata)
		return false;
	*ret = read_uint(&c, size);
	return !c.overrun && *ret != (has_offsets ? NO_FUNCDATA : 0);
}

struct base_go_values base_go_values_init(
	const struct base_pclntab *tab, const struct base_go_func *func, uint32_t table)
{
	return (struct base_go_values){
		/* Table 0 is the empty one. */
		.c = cursor_at(tab, table ? tab->values + table : tab->size),
		.quantum = tab->quantum,
		.func_end = func->end,
		.start = func->start,
		.end = func->start,
		.value = -1,
	};
}

/* Read a number of up to 32 bits in groups of 7, lowest first. */
static uint32_t read_varint(struct pd_cursor *c)
{
	uint32_t value = 0;

	for (unsigned int shift = 0; shift < 35; shift += 7) {
		uint8_t byte = pd_cursor_u8(c);

		value |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->overrun = true;
	return value;
}

bool base_go_values_next(struct base_go_values *values)
{
	struct pd_cursor *c = &values->c;
	uint32_t change = read_varint(c);
	uint64_t length;

	/* The first value may be the initial one. After that, no change is the end. */
	if (!change && values->is_started)
		return false;
	length = (uint64_t)read_varint(c) * values->quantum;
	if (c->overrun || !length || values->end >= values->func_end)
		return false;
	values->value = (int32_t)((uint32_t)values->value + ((change >> 1) ^ -(change & 1)));
	values->start = values->end;
	values->end += length;
	if (values->end > values->func_end)
		values->end = values->func_end;
	values->is_started = true;
	return true;
}

bool base_go_values_seek(struct base_go_values *values, uint64_t addr)
{
	if (addr < values->start)
		return false;
	while (addr >= values->end) {
		if (!base_go_values_next(values))
			return false;
	}
	return true;
}
