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
	free(set->blocks);
	free(set->slots);
	*set = (struct pd_intern){ .width = set->width, .arena.account = account };
}

uint32_t pd_intern_hash(const void *bytes, size_t len)
{
	uint64_t words[2];

	if (len != sizeof(words))
		return (uint32_t)pd_hash_bytes(bytes, len);
	/* Frames have this length. They are the most frequent of all, and need no call. */
	memcpy(words, bytes, sizeof(words));
	return (uint32_t)pd_hash_pair(words[0], words[1]);
}

static bool is_equal(const struct pd_intern *set, uint32_t id, const void *bytes, size_t len)
{
	return pd_intern_len(set, id) == len && memcmp(pd_intern_bytes(set, id), bytes, len) == 0;
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
		if (is_equal(set, set->slots[i].entry - 1, bytes, len))
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

/* Make room for more blocks. */
static bool grow_blocks(struct pd_intern *set, size_t want)
{
	size_t old = set->cap_blocks;

	if (want > old &&
		!pd_vec_grow((void **)&set->blocks, &set->cap_blocks, want, sizeof(*set->blocks)))
		return false;
	return charge(set, (set->cap_blocks - old) * sizeof(*set->blocks));
}

/* Add a block for the next rows. */
static bool add_block(struct pd_intern *set)
{
	size_t i = set->n / PD_INTERN_BLOCK_ROWS;
	char *rows = grow_blocks(set, i + 1)
			     ? pd_arena_alloc(&set->arena,
				       PD_INTERN_BLOCK_ROWS * pd_intern_padded(set->width))
			     : NULL;

	if (!rows)
		return false;
	/* Rows that were borrowed may end within a block. */
	if (set->n % PD_INTERN_BLOCK_ROWS)
		memcpy(rows, set->blocks[i],
			set->n % PD_INTERN_BLOCK_ROWS * pd_intern_padded(set->width));
	set->blocks[i] = rows;
	set->cap = (i + 1) * PD_INTERN_BLOCK_ROWS;
	return true;
}

static bool grow_entries(struct pd_intern *set, size_t want)
{
	size_t old = set->cap;

	if (set->width)
		return add_block(set);
	if (!pd_vec_grow((void **)&set->entries, &set->cap, want, sizeof(*set->entries)))
		return false;
	return charge(set, (set->cap - old) * sizeof(*set->entries));
}

/* Put a slot into the table. Entries are distinct, so the first free place is the right one. */
static void put_slot(struct pd_intern_slot *slots, size_t n_slots, struct pd_intern_slot slot)
{
	size_t i = slot.hash & (n_slots - 1);

	while (slots[i].entry)
		i = (i + 1) & (n_slots - 1);
	slots[i] = slot;
}

static bool set_n_slots(struct pd_intern *set, size_t n_slots)
{
	struct pd_intern_slot *slots;

	if (!charge(set, n_slots * sizeof(*slots)))
		return false;
	slots = pd_huge_calloc(n_slots, sizeof(*slots));
	if (!slots)
		return false;
	/* Slots have the hashes, except for those of strings that the set did not add itself. */
	for (size_t k = 0; k < set->n_slots; k++) {
		if (set->slots[k].entry)
			put_slot(slots, n_slots, set->slots[k]);
	}
	for (size_t id = 0; id < set->n && !set->n_slots; id++) {
		uint32_t hash = pd_intern_hash(
			pd_intern_bytes(set, (uint32_t)id), pd_intern_len(set, (uint32_t)id));

		put_slot(slots, n_slots, (struct pd_intern_slot){ (uint32_t)id + 1, hash });
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
	if (n > set->cap && !set->width && !grow_entries(set, n))
		return false;
	return n_slots <= set->n_slots || set_n_slots(set, n_slots);
}

/* Copy the bytes of the next entry. */
static bool keep(struct pd_intern *set, const void *bytes, size_t len)
{
	if (set->width) {
		char *row = (char *)pd_intern_bytes(set, (uint32_t)set->n);

		memcpy(row, bytes, len);
		row[len] = '\0';
		return true;
	}
	const char *copy = pd_arena_strndup(&set->arena, bytes, len);
	if (!copy)
		return false;
	set->entries[set->n] = (struct pd_intern_entry){ .bytes = copy, .len = (uint32_t)len };
	return true;
}

uint32_t pd_intern_add(struct pd_intern *set, const void *bytes, size_t len)
{
	if (!len)
		bytes = ""; /* bytes may be NULL, which memcpy() does not allow */
	return pd_intern_add_hashed(set, bytes, len, pd_intern_hash(bytes, len));
}

uint32_t pd_intern_add_hashed(struct pd_intern *set, const void *bytes, size_t len, uint32_t hash)
{
	if (len >= UINT32_MAX || set->n >= UINT32_MAX - 1 || (set->width && len != set->width))
		return PD_INTERN_NONE;
	if (set->n * 3 >= set->n_slots * 2 && !grow_slots(set))
		return PD_INTERN_NONE;
	if (set->n == set->cap && !grow_entries(set, set->n + 1))
		return PD_INTERN_NONE;
	size_t i = probe(set, bytes, len, hash);
	if (set->slots[i].entry)
		return set->slots[i].entry - 1;
	if (!keep(set, bytes, len))
		return PD_INTERN_NONE;
	set->slots[i] = (struct pd_intern_slot){ (uint32_t)++set->n, hash };
	return (uint32_t)set->n - 1;
}

/* Borrow the bytes of entry @p id, after which those of later entries follow. */
static bool adopt(struct pd_intern *set, size_t id, const char *bytes, uint32_t len)
{
	if (!set->width) {
		set->entries[id] = (struct pd_intern_entry){ .bytes = bytes, .len = len };
		return true;
	}
	if (id % PD_INTERN_BLOCK_ROWS == 0)
		set->blocks[id / PD_INTERN_BLOCK_ROWS] = bytes;
	return len == set->width;
}

bool pd_intern_adopt(
	struct pd_intern *set, const uint32_t *lens, size_t n, const char *bytes, size_t size)
{
	if (n >= UINT32_MAX - 1 || n > size / 8)
		return false;
	if (n && !set->width && !grow_entries(set, n))
		return false;
	if (set->width && !grow_blocks(set, n / PD_INTERN_BLOCK_ROWS + 1))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (lens[i] == UINT32_MAX || pd_intern_padded(lens[i]) > size || bytes[lens[i]])
			return false;
		if (!adopt(set, i, bytes, lens[i]))
			return false;
		bytes += pd_intern_padded(lens[i]);
		size -= pd_intern_padded(lens[i]);
	}
	set->n = set->cap = n;
	return !size && (!n || pd_intern_reserve(set, n));
}

void pd_intern_load_items(const struct pd_intern *set, struct pd_intern_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!items[i].bytes)
			continue;
		items[i].hash = pd_intern_hash(items[i].bytes, items[i].len);
		pd_intern_load_slot(set, items[i].hash);
	}
	for (size_t i = 0; i < n; i++) {
		if (items[i].bytes)
			pd_intern_load_entry(set, items[i].hash);
	}
	for (size_t i = 0; i < n; i++) {
		if (items[i].bytes)
			pd_intern_load_bytes(set, items[i].hash);
	}
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
	size_t i = probe(set, bytes, len, pd_intern_hash(bytes, len));
	return set->slots[i].entry ? set->slots[i].entry - 1 : PD_INTERN_NONE;
}
