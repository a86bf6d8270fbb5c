#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/hash.h"
#include "base/huge.h"

enum { FIRST_SLOTS = 64 };

void pd_intern_deinit(struct pd_intern *set)
{
	struct pd_account *account = set->arena.account;

	pd_arena_deinit(&set->arena);
	pd_account_release(account, set->charged);
	free(set->entries);
	free(set->slots);
	*set = (struct pd_intern){ .arena.account = account };
}

/* Find the slot of these bytes, or the free slot where they belong. */
static size_t probe(const struct pd_intern *set, const void *bytes, size_t len, uint32_t hash)
{
	size_t mask = set->n_slots - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		if (!set->slots[i].entry)
			return i;
		if (set->slots[i].hash != hash)
			continue;
		const struct pd_intern_entry *entry = &set->entries[set->slots[i].entry - 1];
		if (entry->len == len && memcmp(entry->bytes, bytes, len) == 0)
			return i;
	}
}

/* Count @p bytes more for tables. */
static bool charge(struct pd_intern *set, size_t bytes)
{
	if (!pd_account_charge(set->arena.account, bytes))
		return false;
	set->charged += set->arena.account ? bytes : 0;
	return true;
}

/* Count @p bytes less, unless they are from before the set had an account. */
static void release(struct pd_intern *set, size_t bytes)
{
	bytes = bytes < set->charged ? bytes : set->charged;
	pd_account_release(set->arena.account, bytes);
	set->charged -= bytes;
}

static bool grow_entries(struct pd_intern *set, size_t want)
{
	size_t old = set->cap;

	if (!pd_vec_grow((void **)&set->entries, &set->cap, want, sizeof(*set->entries)))
		return false;
	return charge(set, (set->cap - old) * sizeof(*set->entries));
}

static bool set_n_slots(struct pd_intern *set, size_t n_slots)
{
	struct pd_intern_slot *slots;

	if (!charge(set, n_slots * sizeof(*slots)))
		return false;
	slots = pd_huge_calloc(n_slots, sizeof(*slots));
	if (!slots)
		return false;
	for (size_t id = 0; id < set->n; id++) {
		size_t i = set->entries[id].hash & (n_slots - 1);

		/* Entries are distinct, so the first free slot is the right one. */
		while (slots[i].entry)
			i = (i + 1) & (n_slots - 1);
		slots[i] = (struct pd_intern_slot){ (uint32_t)id + 1, set->entries[id].hash };
	}
	release(set, set->n_slots * sizeof(*slots));
	free(set->slots);
	set->slots = slots;
	set->n_slots = n_slots;
	return true;
}

static bool grow_slots(struct pd_intern *set)
{
	return set_n_slots(set, set->n_slots ? set->n_slots * 2 : FIRST_SLOTS);
}

bool pd_intern_reserve(struct pd_intern *set, size_t n)
{
	size_t n_slots = FIRST_SLOTS;

	while (n * 3 >= n_slots * 2)
		n_slots *= 2;
	if (n > set->cap && !grow_entries(set, n))
		return false;
	return n_slots <= set->n_slots || set_n_slots(set, n_slots);
}

uint32_t pd_intern_add(struct pd_intern *set, const void *bytes, size_t len)
{
	if (len >= UINT32_MAX || set->n >= UINT32_MAX - 1)
		return PD_INTERN_NONE;
	if (set->n * 3 >= set->n_slots * 2 && !grow_slots(set))
		return PD_INTERN_NONE;
	if (set->n == set->cap && !grow_entries(set, set->n + 1))
		return PD_INTERN_NONE;
	if (!len)
		bytes = ""; /* bytes may be NULL, which memcpy() does not allow */

	uint32_t hash = (uint32_t)pd_hash_bytes(bytes, len);
	size_t i = probe(set, bytes, len, hash);
	if (set->slots[i].entry)
		return set->slots[i].entry - 1;

	const char *copy = pd_arena_strndup(&set->arena, bytes, len);
	if (!copy)
		return PD_INTERN_NONE;
	set->entries[set->n] =
		(struct pd_intern_entry){ .bytes = copy, .len = (uint32_t)len, .hash = hash };
	set->slots[i] = (struct pd_intern_slot){ (uint32_t)++set->n, hash };
	return (uint32_t)set->n - 1;
}

bool pd_intern_adopt(
	struct pd_intern *set, const uint32_t *lens, size_t n, const char *bytes, size_t size)
{
	if (n >= UINT32_MAX - 1 || n > size / 8)
		return false;
	if (n && !grow_entries(set, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (lens[i] == UINT32_MAX || pd_intern_padded(lens[i]) > size || bytes[lens[i]])
			return false;
		set->entries[i] = (struct pd_intern_entry){
			.bytes = bytes,
			.len = lens[i],
			.hash = (uint32_t)pd_hash_bytes(bytes, lens[i]),
		};
		bytes += pd_intern_padded(lens[i]);
		size -= pd_intern_padded(lens[i]);
	}
	set->n = n;
	return !size && (!n || pd_intern_reserve(set, n));
}

uint32_t pd_intern_str(struct pd_intern *set, const char *text)
{
	return pd_intern_add(set, text ? text : "", text ? strlen(text) : 0);
}

uint32_t pd_intern_find(const struct pd_intern *set, const void *bytes, size_t len)
{
	if (!set->n)
		return PD_INTERN_NONE;
	if (!len)
		bytes = "";
	size_t i = probe(set, bytes, len, (uint32_t)pd_hash_bytes(bytes, len));
	return set->slots[i].entry ? set->slots[i].entry - 1 : PD_INTERN_NONE;
}
