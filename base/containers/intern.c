#include "base/containers/intern_ahead.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/containers/hash.h"
#include "base/prefetch.h"

enum { FIRST_SLOTS = 64 };

void base_intern_deinit(struct base_intern *set)
{
	struct base_account *account = set->arena.account;

	base_arena_deinit(&set->arena);
	base_account_release(account, set->charged);
	free(set->entries);
	free(set->blocks);
	base_slots_deinit(&set->slots);
	*set = (struct base_intern){ .width = set->width, .arena.account = account };
}

uint32_t base_intern_hash(const void *bytes, size_t len)
{
	uint64_t words[2];

	if (len != sizeof(words))
		return (uint32_t)base_hash_bytes(bytes, len);
	/* Frames have this length. They are the most frequent of all, and need no call. */
	memcpy(words, bytes, sizeof(words));
	return (uint32_t)base_hash_pair(words[0], words[1]);
}

static bool is_equal(const struct base_intern *set, uint32_t id, const void *bytes, size_t len)
{
	return base_intern_len(set, id) == len &&
	       memcmp(base_intern_bytes(set, id), bytes, len) == 0;
}

/* Find the id of these bytes; PD_INTERN_NONE: the set does not have them. It has slots. */
static uint32_t probe(const struct base_intern *set, const void *bytes, size_t len, uint32_t hash)
{
	const struct base_slots *slots = &set->slots;

	for (size_t i = base_slots_first(slots, hash); slots->data[i].id_plus_1;
		i = base_slots_next(slots, i)) {
		uint32_t id = slots->data[i].id_plus_1 - 1;

		if (slots->data[i].hash == hash && is_equal(set, id, bytes, len))
			return id;
	}
	return PD_INTERN_NONE;
}

/* Count @p bytes more for tables. */
static bool charge(struct base_intern *set, size_t bytes)
{
	if (!base_account_charge(set->arena.account, bytes))
		return false;
	set->charged += set->arena.account ? bytes : 0;
	return true;
}

/* Count @p bytes less, unless they are from before the set had an account. */
static void release(struct base_intern *set, size_t bytes)
{
	bytes = bytes < set->charged ? bytes : set->charged;
	base_account_release(set->arena.account, bytes);
	set->charged -= bytes;
}

/* Make room for more blocks. */
static bool grow_blocks(struct base_intern *set, size_t want)
{
	size_t old = set->cap_blocks;

	if (want > old &&
		!pd_vec_grow((void **)&set->blocks, &set->cap_blocks, want, sizeof(*set->blocks)))
		return false;
	return charge(set, (set->cap_blocks - old) * sizeof(*set->blocks));
}

/* Add a block for the next rows. */
static bool add_block(struct base_intern *set)
{
	size_t i = set->n / PD_INTERN_BLOCK_ROWS;
	char *rows = grow_blocks(set, i + 1)
			     ? base_arena_alloc(&set->arena,
				       PD_INTERN_BLOCK_ROWS * base_intern_padded(set->width))
			     : NULL;

	if (!rows)
		return false;
	/* Rows that were borrowed may end within a block. */
	if (set->n % PD_INTERN_BLOCK_ROWS)
		memcpy(rows, set->blocks[i],
			set->n % PD_INTERN_BLOCK_ROWS * base_intern_padded(set->width));
	set->blocks[i] = rows;
	set->cap = (i + 1) * PD_INTERN_BLOCK_ROWS;
	return true;
}

static bool grow_entries(struct base_intern *set, size_t want)
{
	size_t old = set->cap;

	if (set->width)
		return add_block(set);
	if (!pd_vec_grow((void **)&set->entries, &set->cap, want, sizeof(*set->entries)))
		return false;
	return charge(set, (set->cap - old) * sizeof(*set->entries));
}

static bool grow_slots(struct base_intern *set, size_t n)
{
	size_t old = set->slots.n;

	if (!charge(set, base_slots_bytes(n)))
		return false;
	if (!base_slots_grow(&set->slots, n)) {
		release(set, base_slots_bytes(n));
		return false;
	}
	/* Strings that the set did not add itself have no slots yet. */
	for (size_t id = 0; id < set->n && !old; id++) {
		uint32_t hash = base_intern_hash(
			base_intern_bytes(set, (uint32_t)id), base_intern_len(set, (uint32_t)id));

		base_slots_put(&set->slots, hash, (uint32_t)id);
	}
	release(set, base_slots_bytes(old));
	return true;
}

bool base_intern_reserve(struct base_intern *set, size_t n)
{
	size_t n_slots = FIRST_SLOTS;

	while (base_slots_are_full(n_slots, n))
		n_slots *= 2;
	if (n > set->cap && !set->width && !grow_entries(set, n))
		return false;
	return n_slots <= set->slots.n || grow_slots(set, n_slots);
}

/* Copy the bytes of the next entry. */
static bool keep(struct base_intern *set, const void *bytes, size_t len)
{
	if (set->width) {
		char *row = (char *)base_intern_bytes(set, (uint32_t)set->n);

		memcpy(row, bytes, len);
		row[len] = '\0';
		return true;
	}
	const char *copy = base_arena_strndup(&set->arena, bytes, len);
	if (!copy)
		return false;
	set->entries[set->n] = (struct base_intern_entry){ .bytes = copy, .len = (uint32_t)len };
	return true;
}

uint32_t base_intern_add(struct base_intern *set, const void *bytes, size_t len)
{
	if (!len)
		bytes = ""; /* bytes may be NULL, which memcpy() does not allow */
	return base_intern_add_hashed(set, bytes, len, base_intern_hash(bytes, len));
}

uint32_t base_intern_add_hashed(
	struct base_intern *set, const void *bytes, size_t len, uint32_t hash)
{
	if (len >= UINT32_MAX || set->n >= UINT32_MAX - 1 || (set->width && len != set->width))
		return PD_INTERN_NONE;
	if (base_slots_are_full(set->slots.n, set->n) &&
		!grow_slots(set, set->slots.n ? set->slots.n * 2 : FIRST_SLOTS))
		return PD_INTERN_NONE;
	if (set->n == set->cap && !grow_entries(set, set->n + 1))
		return PD_INTERN_NONE;
	uint32_t id = probe(set, bytes, len, hash);
	if (id != PD_INTERN_NONE)
		return id;
	if (!keep(set, bytes, len))
		return PD_INTERN_NONE;
	id = (uint32_t)set->n++;
	base_slots_put(&set->slots, hash, id);
	return id;
}

/* Borrow the bytes of entry @p id, after which those of later entries follow. */
static bool adopt(struct base_intern *set, size_t id, const char *bytes, uint32_t len)
{
	if (!set->width) {
		set->entries[id] = (struct base_intern_entry){ .bytes = bytes, .len = len };
		return true;
	}
	if (id % PD_INTERN_BLOCK_ROWS == 0)
		set->blocks[id / PD_INTERN_BLOCK_ROWS] = bytes;
	return len == set->width;
}

bool base_intern_adopt(
	struct base_intern *set, const uint32_t *lens, size_t n, const char *bytes, size_t size)
{
	if (n >= UINT32_MAX - 1 || n > size / 8)
		return false;
	if (n && !set->width && !grow_entries(set, n))
		return false;
	if (set->width && !grow_blocks(set, n / PD_INTERN_BLOCK_ROWS + 1))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (lens[i] == UINT32_MAX || base_intern_padded(lens[i]) > size || bytes[lens[i]])
			return false;
		if (!adopt(set, i, bytes, lens[i]))
			return false;
		bytes += base_intern_padded(lens[i]);
		size -= base_intern_padded(lens[i]);
	}
	set->n = set->cap = n;
	return !size && (!n || base_intern_reserve(set, n));
}

static void load_entry(const struct base_intern *set, uint32_t hash)
{
	uint32_t id = set->entries ? base_intern_guess(set, hash) : PD_INTERN_NONE;

	if (id != PD_INTERN_NONE)
		base_prefetch(&set->entries[id]);
}

void base_intern_load_items(const struct base_intern *set, struct base_intern_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!items[i].bytes)
			continue;
		items[i].hash = base_intern_hash(items[i].bytes, items[i].len);
		base_intern_load_slot(set, items[i].hash);
	}
	for (size_t i = 0; i < n; i++) {
		if (items[i].bytes)
			load_entry(set, items[i].hash);
	}
	for (size_t i = 0; i < n; i++) {
		if (items[i].bytes)
			base_intern_load_bytes(set, items[i].hash);
	}
}

uint32_t base_intern_str(struct base_intern *set, const char *text)
{
	return base_intern_add(set, text ? text : "", text ? strlen(text) : 0);
}

uint32_t base_intern_find(const struct base_intern *set, const void *bytes, size_t len)
{
	if (!set->n)
		return PD_INTERN_NONE;
	if (!len)
		bytes = "";
	return probe(set, bytes, len, base_intern_hash(bytes, len));
}
