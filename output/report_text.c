#include "output/report_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"

/* Shares below this, in percent, would be written as 0.00. */
static const double least_share = 0.005;

/* Return the "operator" at the end of a name, like "operator<<", with its "::"; else NULL. */
static const char *find_operator(const char *name)
{
	static const char word[] = "::operator";
	const char *found = NULL;

	for (const char *at = name; (at = strstr(at, word)); at++)
		found = at;
	if (!found || isalnum((unsigned char)found[sizeof(word) - 1]) || strstr(found + 2, "::"))
		return NULL;
	return found;
}

/*
 * Return the last part of a qualified name: "::method" of "ns::Type<A::B>::method", ".Method" of
 * "pkg/path.(*T).Method". Separators within brackets do not count.
 */
static const char *last_part(const char *name)
{
	const char *at = find_operator(name);
	int depth = 0;

	if (at)
		return at;
	for (at = name + strlen(name); at-- > name;) {
		if (strchr(">)]}", *at))
			depth++;
		else if (strchr("<([{", *at))
			depth--;
		else if (depth <= 0 && (*at == '.' || (*at == ':' && at > name && at[-1] == ':')))
			return *at == ':' ? at - 1 : at;
	}
	return name;
}

/* Write @p name in @p width columns. The last part is written even if it is longer. */
static void write_fitted(const char *name, size_t width, FILE *out)
{
	static const char dots[] = "...";
	const char *last = last_part(name);
	size_t taken = strlen(last) + strlen(dots);

	if (!width || strlen(name) <= width || last == name) {
		pd_text_write(out, name);
		return;
	}
	size_t kept = width > taken ? width - taken : 0;
	/* The bytes of a character are not torn apart. */
	while (kept && ((unsigned char)name[kept] & 0xc0) == 0x80)
		kept--;
	_cleanup_free_ char *first = strndup(name, kept);
	pd_text_write(out, first ? first : "");
	fputs(dots, out);
	pd_text_write(out, last);
}

void out_report_write_symbol(
	const struct prof_symbols *symbols, uint32_t id, size_t width, FILE *out)
{
	const char *binary = prof_symbol_binary(symbols, id);
	size_t beside = *binary ? strlen(binary) + strlen("  ()") : 0;
	size_t left = width > beside ? width - beside : 1;

	write_fitted(prof_symbol_name(symbols, id), width ? left : 0, out);
	if (*binary) {
		fputs("  (", out);
		pd_text_write(out, binary);
		fputc(')', out);
	}
	fputc('\n', out);
}

void out_report_write_share(uint64_t part, uint64_t whole, FILE *out)
{
	double share = whole ? 100.0 * (double)part / (double)whole : 0;

	if (share >= least_share)
		fprintf(out, "%6.2f %%", share);
	else
		fprintf(out, "%8s", "");
}

void out_report_write_amount(uint64_t amount, const char *unit, FILE *out)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 60e9, "min" }, { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };

	if (strcmp(unit, "nanoseconds") != 0) {
		fprintf(out, "%" PRIu64 " %s", amount, unit);
		return;
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(units); i++) {
		if ((double)amount >= units[i].ns) {
			fprintf(out, "%.3g %s", (double)amount / units[i].ns, units[i].unit);
			return;
		}
	}
	fprintf(out, "%" PRIu64 " ns", amount);
}
