#include "output/doc/fit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/printable.h"
#include "base/format.h"
#include "base/containers/intern.h"
#include "base/names/name_fit.h"

/* A binary takes a third of the line at most: its name says less than that of the function. */
static size_t binary_columns(const char *binary, size_t width)
{
	enum { MIN_COLUMNS = 12 };
	size_t most = width / 3 > MIN_COLUMNS ? width / 3 : MIN_COLUMNS;
	size_t columns = base_columns(binary);

	return columns < most ? columns : most;
}

bool out_fit_has_binary(const char *name, const char *binary)
{
	size_t len = binary ? strlen(binary) : 0;

	if (!len || strcmp(name, binary) == 0)
		return false;
	return *name != '[' || strncmp(name + 1, binary, len) != 0 ||
	       strcmp(name + 1 + len, "]") != 0;
}

/* Write what follows a name: "  (libc.so.6, inlined)". Allocated; NULL: no memory. */
static char *fit_binary(const struct out_function_text *function, size_t width)
{
	const char *binary =
		out_fit_has_binary(function->name, function->binary) ? function->binary : "";
	_cleanup_free_ char *file = base_columns_cut(binary, binary_columns(binary, width));
	/* Names of the kernel and of the vDSO have brackets already. */
	bool has_brackets = !function->is_inlined && *binary == '[';

	if (!file)
		return NULL;
	if (!*file)
		return strdup(function->is_inlined ? "  (inlined)" : "");
	return base_format("  %s%s%s%s", has_brackets ? "" : "(", file,
		function->is_inlined ? ", inlined" : "", has_brackets ? "" : ")");
}

bool out_fit_function(
	const struct out_function_text *function, const char *other, struct out_fitted *ret)
{
	size_t width = function->width ? function->width : SIZE_MAX;

	*ret = (struct out_fitted){ .binary = fit_binary(function, width) };
	if (!ret->binary)
		return false;
	size_t beside = base_columns(ret->binary);
	ret->name = base_name_fit(function->name, other, width > beside ? width - beside : 1);
	if (ret->name)
		return true;
	out_fitted_deinit(ret);
	return false;
}

/* Fit two functions again if they look the same but are not. */
static bool tell_apart(const struct out_function_text *x, struct out_fitted *of_x,
	const struct out_function_text *y, struct out_fitted *of_y)
{
	if (!*x->name || !*y->name || strcmp(x->name, y->name) == 0)
		return true;
	out_fitted_deinit(of_x);
	out_fitted_deinit(of_y);
	return out_fit_function(x, y->name, of_x) && out_fit_function(y, x->name, of_y);
}

static bool fit_all(const struct out_function_text *functions, size_t n, struct out_fitted *ret)
{
	_cleanup_(base_intern_deinit) struct base_intern names = { 0 };
	/* First function that has a fitted name, indexed by the id of the name. */
	_cleanup_free_ size_t *first = base_calloc_n(n, sizeof(*first));

	if (!first)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!out_fit_function(&functions[i], NULL, &ret[i]))
			return false;
		size_t n_names = names.n;
		uint32_t id = base_intern_str(&names, ret[i].name);
		if (id == PD_INTERN_NONE)
			return false;
		if (names.n > n_names)
			first[id] = i;
		else if (!tell_apart(
				 &functions[first[id]], &ret[first[id]], &functions[i], &ret[i]))
			return false;
	}
	return true;
}

struct out_fitted *out_fit_functions(const struct out_function_text *functions, size_t n)
{
	struct out_fitted *list = base_calloc_n(n, sizeof(*list));

	if (!list || fit_all(functions, n, list))
		return list;
	out_fitted_destroy(list, n);
	return NULL;
}

void out_fitted_destroy(struct out_fitted *list, size_t n)
{
	for (size_t i = 0; list && i < n; i++)
		out_fitted_deinit(&list[i]);
	free(list);
}

/* Find the indentation of source code: the spaces after a line number. Returns their number. */
static size_t find_indentation(const char *text, size_t *at_ret)
{
	size_t at = strcspn(text, "0123456789");

	/* A name of a file and a colon may precede the number. */
	if (strchr(text, ':'))
		at = (size_t)(strchr(text, ':') - text) + 1;
	size_t digits = strspn(text + at, "0123456789");
	*at_ret = at + digits;
	return digits ? strspn(text + *at_ret, " ") : 0;
}

char *out_fit_code(const char *text, size_t width)
{
	enum { MIN_INDENTATION = 2, DOTS = 3 };
	size_t columns = base_columns(text), at;
	size_t indentation = find_indentation(text, &at);
	size_t excess = columns > width ? columns - width : 0;
	size_t spare = indentation > MIN_INDENTATION ? indentation - MIN_INDENTATION : 0;

	if (!excess)
		return strdup(text);
	spare = spare < excess ? spare : excess;
	_cleanup_free_ char *shifted = base_format("%.*s%s", (int)at, text, text + at + spare);
	if (!shifted || spare == excess)
		return take_ptr(shifted);
	size_t shown = base_columns_prefix(shifted, width > DOTS ? width - DOTS : 0);
	return base_format("%.*s...", (int)shown, shifted);
}

void out_fitted_deinit(struct out_fitted *fitted)
{
	free(fitted->name);
	free(fitted->binary);
	*fitted = (struct out_fitted){ 0 };
}

const char *out_fit_amount(uint64_t amount, const char *unit, char *buf)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 60e9, "min" }, { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };

	if (!unit || strcmp(unit, "nanoseconds") != 0) {
		snprintf(buf, OUT_AMOUNT_SIZE, "%" PRIu64 "%s%s", amount, unit ? " " : "",
			unit ? unit : "");
		return buf;
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(units); i++) {
		/* Three digits of a little less than the unit would be rounded up to it. */
		if ((double)amount >= 0.9995 * units[i].ns) {
			snprintf(buf, OUT_AMOUNT_SIZE, "%.3g %s", (double)amount / units[i].ns,
				units[i].unit);
			return buf;
		}
	}
	snprintf(buf, OUT_AMOUNT_SIZE, "%" PRIu64 " ns", amount);
	return buf;
}
