#include "symbolize/kernel/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/array.h"
#include "base/search.h"
#include "symbolize/file/text_file.h"

struct symbol {
	uint64_t start;
	/** Name in the text; NULL for data, which ends the function before it. */
	const char *name;
	const char *module;
};

struct sym_kallsyms {
	/** Text of the file, in which fields are terminated by NULs. */
	char *text;
	uint64_t ref_addr;
	PD_VEC(struct symbol) symbols;
};

/* Prefixes of names that are not those of functions. */
static const char *const IGNORED[] = { ".L", "L0", "$", ".klp.sym." };

static bool is_ignored(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(IGNORED); i++) {
		if (strncmp(name, IGNORED[i], strlen(IGNORED[i])) == 0)
			return true;
	}
	return false;
}

/* Parse "NAME[\t[MODULE]]". */
static void parse_name(char *p, struct symbol *ret)
{
	ret->name = p;
	p += strcspn(p, "\t ");
	if (!*p)
		return;
	*p++ = '\0';
	p += strspn(p, "\t [");
	ret->module = p;
	p[strcspn(p, "]")] = '\0';
}

/*
 * Parse one line. Returns false if it is malformed or has no address. *is_code_ret: it is a
 * function.
 */
static bool parse_line(char *line, struct symbol *ret, bool *is_code_ret)
{
	char *p = sym_text_hex(line, &ret->start);

	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return false;
	*is_code_ret = strchr("tTwW", p[1]);
	ret->module = NULL;
	parse_name(p + 3, ret);
	return ret->start && !is_ignored(ret->name);
}

static bool parse(struct sym_kallsyms *kallsyms, const char *ref_symbol)
{
	char *rest = kallsyms->text, *line;
	struct symbol symbol;
	bool is_code;

	while ((line = sym_text_line(&rest))) {
		if (!parse_line(line, &symbol, &is_code))
			continue;
		/*
		 * The reference symbol is looked up here, because only one of the symbols at an
		 * address is kept below.
		 */
		if (!symbol.module && !kallsyms->ref_addr && strcmp(symbol.name, ref_symbol) == 0)
			kallsyms->ref_addr = symbol.start;
		if (!is_code)
			symbol.name = NULL;
		if (!pd_vec_push(&kallsyms->symbols, symbol))
			return false;
	}
	return true;
}

/*
 * Order of symbols: by address, functions before data, later lines first. perf also takes the last
 * of several names at one address, since only that one seems to have a size.
 */
static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (!x->name || !y->name)
		return !x->name - !y->name;
	return (x->name < y->name) - (x->name > y->name);
}

/*
 * Sort by address and keep one symbol for each. kallsyms is nearly sorted already, and often
 * completely.
 */
static void sort(struct sym_kallsyms *kallsyms)
{
	struct symbol *s = kallsyms->symbols.data;
	size_t n = 0;

	for (size_t i = 1; i < kallsyms->symbols.n; i++) {
		if (compare(&s[i - 1], &s[i]) > 0) {
			qsort(s, kallsyms->symbols.n, sizeof(*s), compare);
			break;
		}
	}
	for (size_t i = 0; i < kallsyms->symbols.n; i++) {
		if (!n || s[n - 1].start != s[i].start)
			s[n++] = s[i];
	}
	kallsyms->symbols.n = n;
}

struct pd_error *sym_kallsyms_create(char *text, const char *ref_symbol, struct sym_kallsyms **ret)
{
	struct sym_kallsyms *kallsyms = calloc(1, sizeof(*kallsyms));

	if (!kallsyms) {
		free(text);
		return &pd_enomem;
	}
	kallsyms->text = text;
	if (!parse(kallsyms, ref_symbol)) {
		sym_kallsyms_destroy(kallsyms);
		return &pd_enomem;
	}
	sort(kallsyms);
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
	size_t n = pd_lower_bound(kallsyms->symbols.n, i, s[i].start <= addr);

	/* The end of the last symbol is not known, so no address above its start is named. */
	if (!n || n == kallsyms->symbols.n || !s[n - 1].name)
		return false;
	s += n - 1;
	*ret = (struct sym_kernel_symbol){ s->name, s->module, s->start, s[1].start };
	return true;
}
