#include "symbolize/foreign/heap_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/containers/sort.h"
#include "base/span.h"
#include "base/text.h"

/** A mapping of the process. */
struct mapping {
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	struct base_span path;
	uint32_t module;
};

struct sym_heap {
	struct base_span text;
	struct sym_asked *asked;
	/** Those of code with a name, as the profile has them: by ascending address. */
	PD_VEC(struct mapping) mappings;
	/** Addresses in the order of the profile, then ascending and distinct. */
	PD_VEC(struct base_keyed) addresses;
};

bool sym_heap_is_one(const char *text, size_t len)
{
	struct base_span span = { text, text + len };

	return base_span_starts_with(span, "heap profile:") ||
	       base_span_starts_with(span, "heap_v2/");
}

/* Mappings. */

static bool take_char(struct base_span *rest, char c)
{
	if (rest->at == rest->end || *rest->at != c)
		return false;
	rest->at++;
	return true;
}

/* Take a word, and the spaces after it. */
static struct base_span take_word(struct base_span *rest)
{
	struct base_span ret = { rest->at, rest->at };

	while (ret.end < rest->end && *ret.end != ' ')
		ret.end++;
	rest->at = ret.end;
	while (take_char(rest, ' '))
		;
	return ret;
}

/* Read "start-limit rwxp offset device inode path". Returns false if it is none, or not of code. */
static bool read_mapping(struct base_span line, struct mapping *ret)
{
	*ret = (struct mapping){ .module = SYM_NO_MODULE };
	while (take_char(&line, ' '))
		;
	if (!base_span_take_hex(&line, &ret->start) || !take_char(&line, '-') ||
		!base_span_take_hex(&line, &ret->limit) || !take_char(&line, ' '))
		return false;
	struct base_span access = take_word(&line);
	if (!memchr(access.at, 'x', base_span_len(access)) ||
		!base_span_take_hex(&line, &ret->offset) || !take_char(&line, ' '))
		return false;
	take_word(&line);
	take_word(&line);
	ret->path = line;
	return line.at < line.end && ret->limit > ret->start;
}

static struct pd_error *add_mapping(struct sym_heap *h, struct mapping *mapping)
{
	const struct mapping *last = h->mappings.n ? &h->mappings.data[h->mappings.n - 1] : NULL;
	const struct sym_asked_module module = {
		.path = mapping->path.at,
		.path_len = base_span_len(mapping->path),
		.kind = SYM_ADDRESS_PROCESS,
		.start = mapping->start,
		.limit = mapping->limit,
		.offset = mapping->offset,
	};

	/* The kernel lists them in this order, and a search relies on it. */
	if (last && mapping->start < last->limit)
		return NULL;
	struct pd_error *err = sym_asked_add_module(h->asked, &module, &mapping->module);
	return err || pd_vec_push(&h->mappings, *mapping) ? err : &pd_enomem;
}

static struct pd_error *read_mappings(struct sym_heap *h)
{
	struct base_span rest = h->text, line;
	struct pd_error *err = NULL;
	struct mapping mapping;
	bool is_listed = false;

	while (!err && base_span_next_line(&rest, &line)) {
		if (is_listed && read_mapping(line, &mapping))
			err = add_mapping(h, &mapping);
		is_listed |= base_span_starts_with(line, "MAPPED_LIBRARIES:");
	}
	return err;
}

static uint32_t module_of(const struct sym_heap *h, uint64_t address)
{
	size_t i = base_lower_bound(h->mappings.n, k, h->mappings.data[k].limit <= address);
	bool is_within = i < h->mappings.n && h->mappings.data[i].start <= address;

	return is_within ? h->mappings.data[i].module : SYM_NO_MODULE;
}

/* Addresses. */

static struct pd_error *read_stack(struct sym_heap *h, struct base_span line)
{
	const char *at = memmem(line.at, base_span_len(line), "@ 0x", 4);

	for (line.at = at ? at + 2 : line.end; base_span_starts_with(line, "0x");) {
		struct base_keyed address = { 0 };

		line.at += 2;
		if (!base_span_take_hex(&line, &address.key))
			return NULL;
		if (!pd_vec_push(&h->addresses, address))
			return &pd_enomem;
		while (take_char(&line, ' '))
			;
	}
	return NULL;
}

static struct pd_error *sort_addresses(struct sym_heap *h)
{
	struct base_keyed *list = h->addresses.data;
	size_t n = 0;

	if (!base_sort_keyed(list, h->addresses.n))
		return &pd_enomem;
	for (size_t i = 0; i < h->addresses.n; i++) {
		if (!n || list[n - 1].key != list[i].key)
			list[n++] = list[i];
	}
	h->addresses.n = n;
	return NULL;
}

static struct pd_error *read_addresses(struct sym_heap *h)
{
	struct base_span rest = h->text, line;
	struct pd_error *err = NULL;

	while (!err && base_span_next_line(&rest, &line))
		err = read_stack(h, line);
	if (!err)
		err = sort_addresses(h);
	for (size_t i = 0; i < h->addresses.n && !err; i++) {
		uint64_t address = h->addresses.data[i].key - 1;

		err = sym_asked_add(h->asked, module_of(h, address), address);
	}
	return err;
}

struct pd_error *sym_heap_read(
	const char *text, size_t len, struct sym_asked *asked, struct sym_heap **ret)
{
	struct sym_heap *h = calloc(1, sizeof(*h));

	if (!h)
		return &pd_enomem;
	*h = (struct sym_heap){ .text = { text, text + len }, .asked = asked };
	struct pd_error *err = read_mappings(h);
	if (!err)
		err = read_addresses(h);
	if (err)
		sym_heap_destroy(h);
	else
		*ret = h;
	return err;
}

void sym_heap_destroy(struct sym_heap *h)
{
	if (!h)
		return;
	pd_vec_deinit(&h->mappings);
	pd_vec_deinit(&h->addresses);
	free(h);
}

/* Writing. */

static void write_address(FILE *out, uint64_t address, const struct sym_names *names)
{
	fprintf(out, "0x%016" PRIx64 " ", address);
	for (uint32_t i = names->n; i--;) {
		base_text_write(out, names->names[i].function);
		fputs(i ? "--" : "\n", out);
	}
}

void sym_heap_write(const struct sym_heap *h, FILE *out)
{
	fputs("--- symbol\n", out);
	if (h->mappings.n) {
		const struct base_span path = h->mappings.data[0].path;

		fprintf(out, "binary=%.*s\n", (int)base_span_len(path), path.at);
	}
	for (size_t i = 0; i < h->addresses.n; i++) {
		uint64_t address = h->addresses.data[i].key;
		const struct sym_names *names =
			sym_asked_find(h->asked, module_of(h, address - 1), address - 1);

		if (!names)
			continue;
		/* jeprof looks callers up one byte earlier, and pprof does not. */
		write_address(out, address - 1, names);
		write_address(out, address, names);
	}
	fputs("---\n", out);
	fwrite(h->text.at, 1, base_span_len(h->text), out);
}
