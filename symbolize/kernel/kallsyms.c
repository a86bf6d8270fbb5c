#include "symbolize/kernel/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/merge_sort.h"
#include "base/lower_bound.h"
#include "symbolize/file/text_file.h"

/* A symbol, with offsets instead of pointers: there are 100,000 or more. */
struct symbol {
	uint64_t start;
	/** Offset of the name in the text; 0: it is data, which ends the function before it. */
	uint32_t name;
	/** Offset of the name of the module; 0: it is the kernel itself. */
	uint32_t module;
};

struct sym_kallsyms {
	/** Text of the file, in which fields are terminated by NULs. It is shorter than 4 GiB. */
	char *text;
	uint64_t ref_addr;
	PD_VEC(struct symbol) symbols;
};

/* Prefixes of names that are not those of functions. */
static const char *const IGNORED[] = { ".L", "L0", "$", ".klp.sym." };

static bool is_ignored(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(IGNORED); i++) {
		/* There are 100,000 names or more, and hardly any is ignored. */
		if (name[0] == IGNORED[i][0] && strncmp(name, IGNORED[i], strlen(IGNORED[i])) == 0)
			return true;
	}
	return false;
}

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* A line of the file. */
struct line {
	uint64_t addr;
	char type;
	char *name;
	/** NULL: it is the kernel itself. */
	char *module;
};

/* Parse "NAME[\t[MODULE]]". */
static void parse_name(char *p, struct line *ret)
{
	ret->name = p;
	ret->module = NULL;
	while (*p && *p != '\t' && *p != ' ')
		p++;
	if (!*p)
		return;
	*p++ = '\0';
	p += strspn(p, "\t [");
	ret->module = p;
	p[strcspn(p, "]")] = '\0';
}

/* Parse a line. Returns false if it is malformed, has no address, or has a name that is ignored. */
static bool parse_line(char *text, struct line *ret)
{
	char *p = sym_text_hex(text, &ret->addr);

	if (p == text || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return false;
	ret->type = p[1];
	parse_name(p + 3, ret);
	return ret->addr && !is_ignored(ret->name);
}

/*
 * Append a symbol. If the last one has the same address, only one of both is kept: a function
 * rather than data, and the later one of two functions. perf also takes the last one, since only
 * that one seems to have a size.
 */
static bool append(struct sym_kallsyms *kallsyms, const struct symbol *symbol)
{
	size_t n = kallsyms->symbols.n;
	struct symbol *last = n ? &kallsyms->symbols.data[n - 1] : NULL;

	if (!last || last->start != symbol->start)
		return pd_vec_push(&kallsyms->symbols, *symbol);
	if (symbol->name)
		*last = *symbol;
	return true;
}

static struct symbol symbol_of(const struct sym_kallsyms *kallsyms, const struct line *line)
{
	const char *text = kallsyms->text;

	return (struct symbol){
		.start = line->addr,
		.name = is_code(line->type) ? (uint32_t)(line->name - text) : 0,
		.module = line->module ? (uint32_t)(line->module - text) : 0,
	};
}

static bool parse(struct sym_kallsyms *kallsyms, const char *ref_symbol)
{
	char *rest = kallsyms->text, *text;
	struct line line;

	while ((text = sym_text_line(&rest))) {
		if (!parse_line(text, &line))
			continue;
		/*
		 * The reference symbol is looked up here, because only one of the symbols at an
		 * address is kept.
		 */
		if (!line.module && !kallsyms->ref_addr && strcmp(line.name, ref_symbol) == 0)
			kallsyms->ref_addr = line.addr;
		const struct symbol symbol = symbol_of(kallsyms, &line);
		if (!append(kallsyms, &symbol))
			return false;
	}
	return true;
}

static bool is_before(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->start < y->start;
}

/* Sort by address. kallsyms is nearly sorted already, and often completely. */
static bool sort(struct sym_kallsyms *kallsyms)
{
	static const struct base_merge_order order = { sizeof(struct symbol), is_before };
	struct symbol *s = kallsyms->symbols.data;
	size_t n = kallsyms->symbols.n;

	if (base_merge_is_sorted(s, n, &order))
		return true;
	_cleanup_free_ struct symbol *scratch = reallocarray(NULL, n, sizeof(*scratch));
	if (!scratch)
		return false;
	base_merge_sort(s, scratch, n, &order);
	/* Symbols at one address are neighbours now, still in the order of their lines. */
	kallsyms->symbols.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct symbol symbol = s[i];

		if (!append(kallsyms, &symbol))
			return false;
	}
	return true;
}

struct pd_error *sym_kallsyms_create(char *text, const char *ref_symbol, struct sym_kallsyms **ret)
{
	struct sym_kallsyms *kallsyms = calloc(1, sizeof(*kallsyms));

	if (!kallsyms) {
		free(text);
		return &pd_enomem;
	}
	kallsyms->text = text;
	if (!parse(kallsyms, ref_symbol) || !sort(kallsyms)) {
		sym_kallsyms_destroy(kallsyms);
		return &pd_enomem;
	}
	*ret = kallsyms;
	return NULL;
}

void sym_kallsyms_destroy(struct sym_kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	pd_vec_deinit(&kallsyms->symbols);
	free(kallsyms->text);
	free(kallsyms);
}

bool sym_kallsyms_has_addresses(const struct sym_kallsyms *kallsyms)
{
	return kallsyms->symbols.n > 0;
}

uint64_t sym_kallsyms_ref_addr(const struct sym_kallsyms *kallsyms)
{
	return kallsyms->ref_addr;
}

bool sym_kallsyms_find(
	const struct sym_kallsyms *kallsyms, uint64_t addr, struct sym_kernel_symbol *ret)
{
	const struct symbol *s = kallsyms->symbols.data;
	size_t n = base_lower_bound(kallsyms->symbols.n, i, s[i].start <= addr);

	/* The end of the last symbol is not known, so no address above its start is named. */
	if (!n || n == kallsyms->symbols.n || !s[n - 1].name)
		return false;
	s += n - 1;
	*ret = (struct sym_kernel_symbol){
		.name = kallsyms->text + s->name,
		.module = s->module ? kallsyms->text + s->module : NULL,
		.start = s->start,
		.end = s[1].start,
	};
	return true;
}
