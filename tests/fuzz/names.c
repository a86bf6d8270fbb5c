/*
 * Fuzz target: name the code of a damaged binary. At worst, nothing may be found.
 *
 * Opens the bytes as a binary, and names addresses in all of its code: by symbols, procedure
 * linkage table and debug information. For clang -fsanitize=fuzzer; `make fuzz` builds and runs it
 * on programs with each form of debug information.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "symbolize/adopt.h"
#include "symbolize/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MAX_ADDRS = 2048 };

struct addrs {
	uint64_t list[MAX_ADDRS];
	size_t n;
};

static void add_segment(struct addrs *addrs, const GElf_Phdr *phdr)
{
	uint64_t step = phdr->p_memsz / (MAX_ADDRS / 4) + 1;

	for (uint64_t at = 0; at < phdr->p_memsz && addrs->n < MAX_ADDRS; at += step)
		addrs->list[addrs->n++] = phdr->p_vaddr + at;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Distinct addresses in all executable segments, ascending. */
static void find_addrs(const struct sym_image *image, struct addrs *ret)
{
	size_t n = 0, n_distinct = 0;
	GElf_Phdr phdr;

	ret->n = 0;
	if (elf_getphdrnum(image->elf, &n))
		n = 0;
	for (size_t i = 0; i < n && i < 16; i++) {
		if (gelf_getphdr(image->elf, (int)i, &phdr) && phdr.p_type == PT_LOAD &&
			phdr.p_flags & PF_X)
			add_segment(ret, &phdr);
	}
	for (uint64_t at = 0; at < 64; at++)
		if (ret->n < MAX_ADDRS)
			ret->list[ret->n++] = at;
	qsort(ret->list, ret->n, sizeof(*ret->list), compare);
	for (size_t i = 0; i < ret->n; i++) {
		if (!n_distinct || ret->list[n_distinct - 1] != ret->list[i])
			ret->list[n_distinct++] = ret->list[i];
	}
	ret->n = n_distinct;
}

static void name(struct sym_image *image)
{
	static struct addrs addrs;
	static struct sym_names names[MAX_ADDRS];
	const struct sym_search nowhere = { .symfs = "/nonexistent",
		.buildid_dir = "/nonexistent" };
	struct pd_arena arena = { 0 };
	struct sym_binary *binary;

	find_addrs(image, &addrs);
	struct pd_error *err = sym_binary_adopt(&nowhere, "/nonexistent/fuzz", image, &binary);
	if (!err) {
		err = sym_binary_names(binary, NULL, addrs.list, addrs.n, &arena, names);
		sym_binary_destroy(binary);
	}
	pd_error_destroy(err);
	pd_arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct sym_failure trouble;
	struct sym_image *image = NULL;
	void *copy = malloc(size + 1);

	if (!copy)
		return 0;
	memcpy(copy, bytes, size);
	struct pd_error *err = sym_image_open_memory(copy, size, &image, &trouble);
	if (!err && image)
		name(image);
	pd_error_destroy(err);
	return 0;
}
