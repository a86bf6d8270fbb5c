#include "unwind/starts.h"

#include <pthread.h>
#include <stdlib.h>

#include <pdconv/vec.h>

#include "base/limit.h"
#include "base/lower_bound.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/rules/section.h"

enum {
	/** Larger sections are not read, which would take too long. */
	MAX_TEXT = PD_LIMIT_START_TEXT_BYTES,
};

struct unw_starts {
	const struct unw_section *text;
	const struct unw_arch *arch;
	pthread_mutex_t lock;
	bool is_built;
	/** Offsets in the section in ascending order. */
	PD_VEC(uint32_t) offs;
};

struct unw_starts *unw_starts_create(const struct unw_section *text, const struct unw_arch *arch)
{
	struct unw_starts *starts = calloc(1, sizeof(*starts));

	if (!starts)
		return NULL;
	starts->text = text;
	starts->arch = arch;
	pthread_mutex_init(&starts->lock, NULL);
	return starts;
}

void unw_starts_destroy(struct unw_starts *starts)
{
	if (!starts)
		return;
	pd_vec_deinit(&starts->offs);
	pthread_mutex_destroy(&starts->lock);
	free(starts);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void drop_duplicates(struct unw_starts *starts)
{
	size_t n = 0;

	for (size_t i = 0; i < starts->offs.n; i++) {
		if (!n || starts->offs.data[i] != starts->offs.data[n - 1])
			starts->offs.data[n++] = starts->offs.data[i];
	}
	starts->offs.n = n;
}

/** Collect the addresses to which instructions refer. Finds no starts if out of memory. */
static void build(struct unw_starts *starts)
{
	const struct unw_section *text = starts->text;
	uint64_t target;

	for (uint64_t off = 0; off < text->size;) {
		target = text->vaddr + text->size;
		off += starts->arch->code.read_reference(
			starts->arch, text, text->vaddr + off, &target);
		if (target - text->vaddr >= text->size)
			continue;
		if (!pd_vec_push(&starts->offs, (uint32_t)(target - text->vaddr))) {
			starts->offs.n = 0;
			return;
		}
	}
	if (!starts->offs.n)
		return;
	qsort(starts->offs.data, starts->offs.n, sizeof(*starts->offs.data), compare);
	drop_duplicates(starts);
}

bool unw_starts_find(struct unw_starts *starts, uint64_t addr, uint64_t *ret)
{
	uint64_t off = addr - starts->text->vaddr;

	if (!starts->arch->code.read_reference || !starts->text->data)
		return false;
	if (starts->text->size > MAX_TEXT)
		return false;
	/* Only addresses that are looked up for the first time get here. */
	pthread_mutex_lock(&starts->lock);
	if (!starts->is_built)
		build(starts);
	starts->is_built = true;
	pthread_mutex_unlock(&starts->lock);
	size_t lo = base_lower_bound(starts->offs.n, i, starts->offs.data[i] <= off);
	if (lo)
		*ret = starts->text->vaddr + starts->offs.data[lo - 1];
	return lo;
}
