#include "symbolize/symbols/symtab.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/limit.h"
#include "base/lower_bound.h"
#include "base/containers/sort.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/symbols/elf_symbols.h"
#include "symbolize/symbols/languages.h"

/* Maximum number of enclosing symbols that are followed. Real ones nest once or twice. */
enum {
	MAX_NESTING = PD_LIMIT_NESTED_SYMBOLS,
	/* Longest name that is demangled to be compared with another one. */
	MAX_COMPARED = PD_LIMIT_MANGLED_BYTES,
};

struct builder {
	PD_VEC(struct sym_symbol) symbols;
	uint32_t languages;
	const struct sym_image *image;
	const struct sym_image *main;
	/** Function descriptors of main. */
	struct sym_section descriptors;
	/** Difference between the main file's addresses and those of image. */
	uint64_t bias;
	/** Symbols of data are wanted instead of those of code. */
	bool is_data;
	/** Symbols of .dynsym are added. */
	bool is_dynamic;
	/** Ends of sections with wanted symbols by section index; 0 for other sections. */
	uint64_t *ends;
	size_t n_sections;
	/** Sum of the lengths of long names, which may overlap: each is read. */
	uint64_t long_bytes;
};

/* Whether the section has wanted symbols. Those of thread-local data have no addresses. */
static bool is_wanted(const struct builder *b, const GElf_Shdr *shdr)
{
	if (!b->is_data)
		return shdr->sh_flags & SHF_EXECINSTR;
	return shdr->sh_flags & SHF_ALLOC && !(shdr->sh_flags & (SHF_EXECINSTR | SHF_TLS));
}

static bool read_ends(struct builder *b)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t n;

	if (elf_getshdrnum(b->image->elf, &n))
		n = 0;
	free(b->ends);
	b->ends = base_calloc_n(n, sizeof(*b->ends));
	b->n_sections = b->ends ? n : 0;
	while (b->ends && (scn = elf_nextscn(b->image->elf, scn))) {
		size_t i = elf_ndxscn(scn);

		if (i < n && gelf_getshdr(scn, &shdr) && is_wanted(b, &shdr))
			b->ends[i] = shdr.sh_addr + shdr.sh_size;
	}
	return b->ends != NULL;
}

/*
 * Whether the symbol may name code. Hidden symbols without a type are annotations of tools, such as
 * annobin's. Objects in executable sections are tables in most cases, but some compilers give this
 * type to the code they write.
 */
static bool may_name_code(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);
	int visibility = GELF_ST_VISIBILITY(sym->st_other);

	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT ||
	       (type == STT_NOTYPE && visibility != STV_HIDDEN && visibility != STV_INTERNAL);
}

static bool is_wanted_symbol(const struct builder *b, const GElf_Sym *sym)
{
	bool may = b->is_data ? GELF_ST_TYPE(sym->st_info) == STT_OBJECT : may_name_code(sym);

	return may && sym->st_shndx < b->n_sections && sym->st_value < b->ends[sym->st_shndx];
}

/* End of the executable section that contains @p addr, an address of the image; 0 if none does. */
static uint64_t text_end_of(const struct builder *b, uint64_t addr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(b->image->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR &&
			addr >= shdr.sh_addr && addr - shdr.sh_addr < shdr.sh_size)
			return shdr.sh_addr + shdr.sh_size;
	}
	return 0;
}

/*
 * Find what a symbol names in the main file, which has the descriptors. Returns false if it is not
 * wanted. A descriptor has no end address, but the size of its symbol is that of the code.
 */
static bool find_range(const struct builder *b, const GElf_Sym *sym, struct sym_symbol *ret)
{
	uint64_t value = sym->st_value + b->bias, section_end = 0;
	uint64_t start = value;

	if (!b->is_data)
		start = sym_image_code_address(b->main, &b->descriptors, value);
	if (is_wanted_symbol(b, sym))
		section_end = b->ends[sym->st_shndx];
	else if (!b->is_data && b->descriptors.size && start != value &&
		 GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		section_end = text_end_of(b, start - b->bias);
	if (!section_end)
		return false;
	section_end += b->bias;
	ret->start = start;
	ret->end = start + sym->st_size;
	if (!sym->st_size || sym->st_size >= section_end - start)
		ret->end = section_end;
	return true;
}

/*
 * Whether the name is not one of a function: "$a", "$x.1" and the like mark code and data for
 * disassemblers, ".L" begins compilers' labels, and "..@" those of macros of the assembler nasm.
 */
static bool is_label(const struct sym_image *image, const char *name)
{
	uint16_t machine = image->ehdr.e_machine;
	bool has_marks = machine == EM_ARM || machine == EM_AARCH64 || machine == EM_RISCV;

	return (has_marks && name[0] == '$') || (name[0] == '.' && name[1] == 'L') ||
	       strncmp(name, "..@", 3) == 0;
}

/* Whether the name is too long, or there are too many long ones. */
static bool is_left_out(struct builder *b, const char *name)
{
	enum { LONG = 8192 };

	if (strnlen(name, LONG) < LONG)
		return false;
	if (b->long_bytes > PD_LIMIT_LONG_NAMES_BYTES)
		return base_limit_reach(PD_LIMIT_ID_LONG_NAMES_BYTES);
	b->long_bytes += strnlen(name, SYM_NAME_MAX);
	return sym_name_is_long(name);
}

static bool add_symbol(struct builder *b, const GElf_Sym *sym, const char *name)
{
	struct sym_symbol symbol = {
		.outer = SYM_NO_SYMBOL,
		.binding = GELF_ST_BIND(sym->st_info),
		.is_sized = sym->st_size > 0,
		.is_exported = b->is_dynamic,
		.is_object = GELF_ST_TYPE(sym->st_info) == STT_OBJECT,
		.is_indirect = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC,
	};

	bool is_found = find_range(b, sym, &symbol);
	if (!is_found && sym->st_shndx != SHN_UNDEF)
		return true;
	b->languages |= sym_language_of_symbol(name);
	if (!is_found || !*name || is_label(b->image, name) || is_left_out(b, name))
		return true;
	symbol.name = name;
	return pd_vec_push(&b->symbols, symbol);
}

/* Add the symbol table of type @p type (SHT_*). *found_ret: there is one. */
static bool add_image(struct builder *b, const struct sym_image *image, uint32_t type,
	const struct sym_image *main, bool *found_ret)
{
	struct sym_elf_symbols table;
	const char *name;
	GElf_Sym sym;

	b->image = image;
	b->is_dynamic = type == SHT_DYNSYM;
	b->bias = main->first_vaddr - image->first_vaddr;
	if (!read_ends(b))
		return false;
	*found_ret = sym_elf_symbols_open(image, type, &table);
	for (size_t i = 1; *found_ret && i < table.n; i++) {
		if (sym_elf_symbols_get(&table, i, &sym, &name) && !add_symbol(b, &sym, name))
			return false;
	}
	return true;
}

static int underscores(const char *name)
{
	return (int)strspn(name, "_");
}

/* Order of two flags: negative if only @p a is set, positive if only @p b is. */
static int set_first(bool a, bool b)
{
	return b - a;
}

static int compare_kinds(const struct sym_symbol *a, const struct sym_symbol *b)
{
	int order = set_first(!a->is_object, !b->is_object);

	order = order ? order : set_first(a->is_indirect, b->is_indirect);
	order = order ? order : set_first(a->is_sized, b->is_sized);
	order = order ? order : set_first(a->is_exported, b->is_exported);
	return order ? order : set_first(a->binding != STB_LOCAL, b->binding != STB_LOCAL);
}

/* Compare the names of symbols of the same kind, which are demangled, without a version. */
static int compare_texts(const struct sym_symbol *a, const char *a_text, const struct sym_symbol *b,
	const char *b_text)
{
	int order = underscores(a_text) - underscores(b_text);
	size_t a_len = sym_unversioned_length(a_text), b_len = sym_unversioned_length(b_text);

	order = order ? order : set_first(a->binding != STB_WEAK, b->binding != STB_WEAK);
	order = order ? order : (a_len > b_len) - (a_len < b_len);
	return order ? order : strcmp(a->name, b->name);
}

/*
 * Whether @p b is the better of two names at one address: that of a function; of an indirect
 * function, not of its resolver; with a size, exported, not local; with the fewest leading
 * underscores, not weak, short, and early in the alphabet. What is exported is known without debug
 * files, so the name does not depend on them. perf prefers symbols that are not weak, and long
 * names: "__GI___libc_write" to "write". Demangled names are compared, but demangling is slow, so
 * criteria that do not need it come first. *ok becomes false if memory ran out.
 */
static bool is_better(
	struct base_arena *arena, const struct sym_symbol *a, const struct sym_symbol *b, bool *ok)
{
	int kinds = compare_kinds(a, b);
	size_t len = sym_unversioned_length(a->name);

	if (kinds)
		return kinds > 0;
	if (len == sym_unversioned_length(b->name) && memcmp(a->name, b->name, len) == 0)
		return false;
	/* Long names are compared as they are, since there may be many. */
	if (len > MAX_COMPARED || sym_unversioned_length(b->name) > MAX_COMPARED)
		return compare_texts(a, a->name, b, b->name) > 0;
	const char *a_text = sym_demangle(arena, a->name, PD_NAME_FORM_TEMPLATES, 0);
	const char *b_text = sym_demangle(arena, b->name, PD_NAME_FORM_TEMPLATES, 0);
	*ok = *ok && a_text && b_text;
	return *ok && compare_texts(a, a_text, b, b_text) > 0;
}

/* Sort by address; symbols at one address stay in the order in which they were read. */
static bool sort_symbols(struct sym_symtab *symtab)
{
	size_t n = symtab->n;
	_cleanup_free_ struct base_keyed *keyed = reallocarray(NULL, n + 1, sizeof(*keyed));
	struct sym_symbol *sorted = reallocarray(NULL, n + 1, sizeof(*sorted));

	for (size_t i = 0; keyed && i < n; i++)
		keyed[i] = (struct base_keyed){ symtab->symbols[i].start, (uint32_t)i };
	if (!keyed || !sorted || !base_sort_keyed(keyed, n)) {
		free(sorted);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = symtab->symbols[keyed[i].index];
	free(symtab->symbols);
	symtab->symbols = sorted;
	return true;
}

/*
 * Choose the best of the symbols at one address, the first of which is *i, and advance *i past
 * them. *ok becomes false if memory ran out.
 */
static struct sym_symbol choose(const struct sym_symtab *symtab, size_t *i, bool *ok)
{
	const struct sym_symbol *s = symtab->symbols;
	struct sym_symbol best = s[*i];
	struct base_arena arena = { 0 };

	while (++*i < symtab->n && s[*i].start == best.start) {
		if (is_better(&arena, &best, &s[*i], ok))
			best = s[*i];
	}
	base_arena_deinit(&arena);
	return best;
}

/*
 * Whether @p inner, which starts within @p outer, is kept. An object within a function is a table.
 * A global label names the code that follows it, as in perf ("entry_SYSCALL_64_after_hwframe");
 * others are local to an assembler file.
 */
static bool keep_inner(struct sym_symbol *inner, const struct sym_symbol *outer)
{
	if (inner->is_object && !outer->is_object)
		return false;
	if (inner->is_sized)
		return true;
	if (inner->binding != STB_GLOBAL)
		return false;
	inner->end = outer->end;
	inner->is_sized = true;
	return true;
}

/*
 * Whether @p symbol is a label of the function @p before, to which nasm gives its name: "f.loop".
 * Neither has a size.
 */
static bool is_label_of(const struct sym_symbol *symbol, const struct sym_symbol *before)
{
	size_t len = strlen(before->name);

	return symbol->binding == STB_LOCAL && !symbol->is_sized && !before->is_sized &&
	       strncmp(symbol->name, before->name, len) == 0 && symbol->name[len] == '.';
}

/*
 * Reduce the list to one symbol for each address. Symbols without a size end where the next one
 * begins, or with the function that contains them. False: no memory.
 */
static bool settle(struct sym_symtab *symtab)
{
	struct sym_symbol *s = symtab->symbols;
	uint32_t n = 0;
	bool ok = true;

	for (size_t i = 0; i < symtab->n;) {
		struct sym_symbol symbol = choose(symtab, &i, &ok);
		uint32_t outer = n ? n - 1 : SYM_NO_SYMBOL;

		if (n && is_label_of(&symbol, &s[n - 1]))
			continue;
		/*
		 * Without a size the end was that of the section; the next symbol is a better
		 * limit.
		 */
		if (n && !s[n - 1].is_sized && s[n - 1].end > symbol.start)
			s[n - 1].end = symbol.start;
		for (int hops = 0; outer != SYM_NO_SYMBOL && s[outer].end <= symbol.start; hops++)
			outer = hops < MAX_NESTING || !base_limit_reach(PD_LIMIT_ID_NESTED_SYMBOLS)
					? s[outer].outer
					: SYM_NO_SYMBOL;
		if (outer != SYM_NO_SYMBOL && !keep_inner(&symbol, &s[outer]))
			continue;
		s[n] = symbol;
		s[n++].outer = outer;
	}
	symtab->n = n;
	return ok;
}

static bool add_all(struct builder *b, struct sym_symtab *symtab, const struct sym_image *main,
	const struct sym_image *separate)
{
	bool has_symtab = false, has_dynsym = false;

	if (!add_image(b, main, SHT_SYMTAB, main, &has_symtab))
		return false;
	/* The .symtab of a stripped binary is in its debug file. */
	if (!has_symtab && separate && !add_image(b, separate, SHT_SYMTAB, main, &has_symtab))
		return false;
	if (!add_image(b, main, SHT_DYNSYM, main, &has_dynsym))
		return false;
	/* Mini debug info has functions only. */
	if (has_symtab || b->is_data)
		return true;
	return sym_minidebug_open(main, &symtab->mini) &&
	       (!symtab->mini || add_image(b, symtab->mini, SHT_SYMTAB, main, &has_symtab));
}

static struct pd_error *build(
	struct sym_symtab *symtab, struct builder *b, const struct sym_image *separate)
{
	*symtab = (struct sym_symtab){ 0 };
	bool ok = add_all(b, symtab, b->main, separate) && b->symbols.n < SYM_NO_SYMBOL;
	free(b->ends);
	if (!ok) {
		pd_vec_deinit(&b->symbols);
		sym_symtab_deinit(symtab);
		return &pd_enomem;
	}
	symtab->symbols = b->symbols.data;
	symtab->n = b->symbols.n;
	symtab->languages = b->languages;
	/* settle() expects a symbol after the one that contains it. */
	if (!sort_symbols(symtab) || !settle(symtab)) {
		sym_symtab_deinit(symtab);
		return &pd_enomem;
	}
	return NULL;
}

struct pd_error *sym_symtab_init(
	struct sym_symtab *symtab, const struct sym_image *main, const struct sym_image *separate)
{
	struct builder b = { .main = main, .descriptors = sym_image_descriptors(main) };

	return build(symtab, &b, separate);
}

struct pd_error *sym_symtab_init_data(
	struct sym_symtab *symtab, const struct sym_image *main, const struct sym_image *separate)
{
	struct builder b = { .main = main, .is_data = true };

	return build(symtab, &b, separate);
}

void sym_symtab_deinit(struct sym_symtab *symtab)
{
	free(symtab->symbols);
	sym_image_destroy(symtab->mini);
	*symtab = (struct sym_symtab){ 0 };
}

/* Number of symbols that start at or before @p addr. *hint is a lower limit for it. */
static size_t count_up_to(const struct sym_symtab *symtab, uint64_t addr, size_t hint)
{
	size_t low = hint, step = 1;

	if (low > symtab->n || (low && symtab->symbols[low - 1].start > addr))
		low = 0;
	while (step < symtab->n - low && symtab->symbols[low + step].start <= addr)
		low += step, step *= 2;
	size_t end = step < symtab->n - low ? low + step : symtab->n;

	return base_lower_bound_from(low, end, i, symtab->symbols[i].start <= addr);
}

const struct sym_symbol *sym_symtab_find_extent(const struct sym_symtab *symtab, uint64_t addr,
	size_t *hint, uint64_t *start_ret, uint64_t *end_ret)
{
	const struct sym_symbol *symbols = symtab->symbols;

	*hint = count_up_to(symtab, addr, *hint);
	uint32_t i = *hint ? (uint32_t)(*hint - 1) : SYM_NO_SYMBOL;
	uint64_t start = *hint ? symbols[i].start : 0;

	/*
	 * Symbols nest, so the result changes where the next one starts, and where an inner one
	 * that ends before the address gives way to the outer one.
	 */
	*end_ret = *hint < symtab->n ? symbols[*hint].start : UINT64_MAX;
	for (int hops = 0; i != SYM_NO_SYMBOL; hops++) {
		if (hops == MAX_NESTING && base_limit_reach(PD_LIMIT_ID_NESTED_SYMBOLS))
			break;
		if (addr < symbols[i].end) {
			*end_ret = symbols[i].end < *end_ret ? symbols[i].end : *end_ret;
			*start_ret = start;
			return &symbols[i];
		}
		start = symbols[i].end > start ? symbols[i].end : start;
		i = symbols[i].outer;
	}
	*start_ret = start;
	return NULL;
}

const struct sym_symbol *sym_symtab_find(
	const struct sym_symtab *symtab, uint64_t addr, size_t *hint)
{
	uint64_t start, end;

	return sym_symtab_find_extent(symtab, addr, hint, &start, &end);
}
