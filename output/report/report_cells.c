#include "output/report/report_cells.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memstream.h"

void out_report_add_function(
	struct out_table *table, const struct ana_symbols *symbols, uint32_t symbol)
{
	if (symbol == PROF_NONE)
		out_table_function(table, "[no function of the program]", "", false);
	else
		out_table_function(table, ana_symbol_name(symbols, symbol),
			ana_symbol_binary(symbols, symbol), ana_symbol_is_inlined(symbols, symbol));
}

/* Write the functions of a stack, root first, between semicolons: like the format folded. */
static void write_folded(
	const struct ana_symbols *symbols, const uint32_t *stack, uint32_t n, FILE *out)
{
	for (uint32_t i = n; i-- > 0;)
		fprintf(out, "%s%s", ana_symbol_name(symbols, stack[i]), i ? ";" : "");
}

/* Write the function at the leaf, and as many of its callers as have room. 0: there is any room. */
static void write_callers(const struct ana_symbols *symbols, const uint32_t *stack, uint32_t n,
	size_t room, FILE *out)
{
	static const char before[] = " < ", more[] = " < ...";
	size_t used = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *name = ana_symbol_name(symbols, stack[i]);
		size_t len = (i ? strlen(before) : 0) + strlen(name);

		if (room && i && used + len + (i + 1 < n ? strlen(more) : 0) > room) {
			fputs(more, out);
			return;
		}
		fprintf(out, "%s%s", i ? before : "", name);
		used += len;
	}
}

struct pd_error *out_report_add_callers(struct out_table *table, const struct ana_symbols *symbols,
	const uint32_t *stack, uint32_t n, size_t used, size_t width)
{
	/* The least that remains for the names. */
	enum { LEAST = 40 };
	_cleanup_free_ char *folded = NULL, *callers = NULL;
	size_t size, room = !width ? 0 : width > used + LEAST ? width - used : LEAST;
	FILE *out = base_memstream_open(&folded, &size);

	if (!out)
		return &pd_enomem;
	write_folded(symbols, stack, n, out);
	if (!base_memstream_close(out, &folded))
		return &pd_enomem;
	out = base_memstream_open(&callers, &size);
	if (!out)
		return &pd_enomem;
	write_callers(symbols, stack, n, room, out);
	if (!base_memstream_close(out, &callers))
		return &pd_enomem;
	out_table_text(table, folded);
	out_table_text(table, callers);
	return NULL;
}
