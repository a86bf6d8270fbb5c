#include "profile/store.h"

#include <stdlib.h>
#include <string.h>

#include "profile/part_defs.h"

#define COUNT(...) +1
enum {
	N_ARRAYS = 0 PROF_ARRAYS(COUNT),
	N_SETS = 0 PROF_SETS(COUNT),
	/** Length of the name of an architecture with its NUL. */
	ARCH_BYTES = 16,
};
#undef COUNT

struct head {
	/** Elements of the arrays and sets, in the order of their tables. */
	uint64_t n_array[N_ARRAYS];
	uint64_t n_set[N_SETS];
	/** Bytes that a set occupies, without the lengths. */
	uint64_t set_bytes[N_SETS];
	/** Name of profile.arch; "" for NULL. */
	char arch[ARCH_BYTES];
	struct prof_stats stats;
	struct prof_about about;
};

/* Array with elements of any type. */
struct array {
	void **data;
	size_t *n;
	size_t *cap;
	size_t element;
};

/* The indexes of samples and of stacks are not stored, because they follow from them. */
#define SIZE(member) +sizeof(((struct profile *)0)->member)
#define PART_SIZE(member, ...) SIZE(member)
_Static_assert(sizeof(struct profile) ==
		       0 PROF_ARRAYS(PART_SIZE) PROF_SETS(PART_SIZE) SIZE(first_samples)
			       SIZE(other_samples) SIZE(single_stacks) SIZE(arch) SIZE(stats)
				       SIZE(about) SIZE(storage) SIZE(account) SIZE(charged),
	"each member of a profile is stored");
#undef PART_SIZE
#undef SIZE

static void get_arrays(struct profile *profile, struct array ret[static N_ARRAYS])
{
#define ARRAY(member, ...) \
	{ (void **)&profile->member.data, &profile->member.n, &profile->member.cap, \
		sizeof(*profile->member.data) },
	const struct array arrays[N_ARRAYS] = { PROF_ARRAYS(ARRAY) };
#undef ARRAY

	memcpy(ret, arrays, sizeof(arrays));
}

static void get_sets(struct profile *profile, struct pd_intern *ret[static N_SETS])
{
#define SET(member, ...) &profile->member,
	struct pd_intern *const sets[N_SETS] = { PROF_SETS(SET) };
#undef SET

	memcpy(ret, sets, sizeof(sets));
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static size_t bytes_of_set(const struct pd_intern *set)
{
	size_t size = 0;

	for (uint32_t i = 0; i < set->n; i++)
		size += pd_intern_padded(pd_intern_len(set, i));
	return size;
}

static struct head make_head(
	const struct array *arrays, struct pd_intern *const *sets, const struct profile *profile)
{
	struct head head;

	memset(&head, 0, sizeof(head)); /* padding is stored as well */
	for (size_t i = 0; i < N_ARRAYS; i++)
		head.n_array[i] = *arrays[i].n;
	for (size_t i = 0; i < N_SETS; i++) {
		head.n_set[i] = sets[i]->n;
		head.set_bytes[i] = bytes_of_set(sets[i]);
	}
	if (profile->arch)
		strncpy(head.arch, profile->arch->name, sizeof(head.arch) - 1);
	head.stats = profile->stats;
	head.about = profile->about;
	return head;
}

size_t prof_store_size(const struct profile *profile)
{
	struct array arrays[N_ARRAYS];
	struct pd_intern *sets[N_SETS];
	size_t size = sizeof(struct head);

	get_arrays((struct profile *)profile, arrays);
	get_sets((struct profile *)profile, sets);
	for (size_t i = 0; i < N_ARRAYS; i++)
		size += padded(*arrays[i].n * arrays[i].element);
	for (size_t i = 0; i < N_SETS; i++)
		size += padded(sets[i]->n * sizeof(uint32_t)) + bytes_of_set(sets[i]);
	return size;
}

/* Write @p size bytes, padded with zeros. Returns the end. */
static uint8_t *put(uint8_t *to, const void *bytes, size_t size)
{
	if (size)
		memcpy(to, bytes, size);
	memset(to + size, 0, padded(size) - size);
	return to + padded(size);
}

static uint8_t *put_set(uint8_t *to, const struct pd_intern *set)
{
	size_t lens = padded(set->n * sizeof(uint32_t));
	uint8_t *bytes = to + lens;

	memset(to, 0, lens);
	for (uint32_t i = 0; i < set->n; i++) {
		uint32_t len = pd_intern_len(set, i);

		memcpy(to + i * sizeof(len), &len, sizeof(len));
		memcpy(bytes, pd_intern_bytes(set, i), len);
		memset(bytes + len, 0, pd_intern_padded(len) - len);
		bytes += pd_intern_padded(len);
	}
	return bytes;
}

void prof_store_encode(const struct profile *profile, uint8_t *to)
{
	struct array arrays[N_ARRAYS];
	struct pd_intern *sets[N_SETS];

	get_arrays((struct profile *)profile, arrays);
	get_sets((struct profile *)profile, sets);
	struct head head = make_head(arrays, sets, profile);
	to = put(to, &head, sizeof(head));
	for (size_t i = 0; i < N_ARRAYS; i++)
		to = put(to, *arrays[i].data, *arrays[i].n * arrays[i].element);
	for (size_t i = 0; i < N_SETS; i++)
		to = put_set(to, sets[i]);
}

/* Bytes that were not read yet. */
struct input {
	const uint8_t *bytes;
	size_t left;
	bool is_short;
	bool is_nomem;
};

/* Take @p size bytes and their padding. NULL: there are not that many. */
static const uint8_t *take(struct input *in, uint64_t size)
{
	const uint8_t *at = in->bytes;

	if (in->is_short || size > in->left || padded(size) > in->left) {
		in->is_short = true;
		return NULL;
	}
	in->bytes += padded(size);
	in->left -= padded(size);
	return at;
}

static void get_array(struct input *in, uint64_t n, const struct array *array)
{
	/* Elements have at least one byte. With this limit the product cannot overflow. */
	const uint8_t *bytes = n <= in->left / array->element ? take(in, n * array->element) : NULL;

	if (!bytes)
		in->is_short = true;
	if (!bytes || !n)
		return;
	if (!pd_vec_grow(array->data, array->cap, n, array->element)) {
		in->is_nomem = true;
		return;
	}
	memcpy(*array->data, bytes, n * array->element);
	*array->n = n;
}

static void get_set(struct input *in, uint64_t n, uint64_t size, struct pd_intern *set)
{
	const uint8_t *lens =
		n <= in->left / sizeof(uint32_t) ? take(in, n * sizeof(uint32_t)) : NULL;
	const uint8_t *bytes = lens ? take(in, size) : NULL;

	if (!bytes || !pd_intern_adopt(set, (const uint32_t *)lens, n, (const char *)bytes, size))
		in->is_short = true;
}

/*
 * Add sample @p id to the index of samples. Returns false if it is a duplicate, or without memory.
 */
static bool index_sample(struct profile *profile, uint32_t id)
{
	const struct prof_sample *sample = &profile->samples.data[id];
	uint32_t *first = &profile->first_samples.data[sample->stack.i];

	if (!*first) {
		*first = id + 1;
		return true;
	}
	if (memcmp(&profile->samples.data[*first - 1], sample, sizeof(*sample)) == 0)
		return false;
	uint32_t other;
	return prof_sample_index_add(
		       &profile->other_samples, profile->samples.data, sample, id, &other) &&
	       other == id;
}

static bool index_samples(struct profile *profile)
{
	size_t n = profile->stacks.n;

	if (!n)
		return true;
	if (!pd_vec_reserve(&profile->first_samples, n))
		return false;
	memset(profile->first_samples.data, 0, n * sizeof(*profile->first_samples.data));
	profile->first_samples.n = n;
	for (uint32_t i = 0; i < profile->samples.n; i++) {
		if (!index_sample(profile, i))
			return false;
	}
	return true;
}

/* Fill the empty @p profile. Returns false if the input is not a profile. */
static bool decode(struct input *in, struct profile *profile)
{
	struct array arrays[N_ARRAYS];
	struct pd_intern *sets[N_SETS];
	const struct head *head = (const struct head *)take(in, sizeof(*head));

	if (!head || head->arch[ARCH_BYTES - 1])
		return false;
	get_arrays(profile, arrays);
	get_sets(profile, sets);
	for (size_t i = 0; i < N_ARRAYS; i++)
		get_array(in, head->n_array[i], &arrays[i]);
	for (size_t i = 0; i < N_SETS; i++)
		get_set(in, head->n_set[i], head->set_bytes[i], sets[i]);
	if (in->is_short || in->is_nomem || in->left)
		return false;
	profile->stats = head->stats;
	profile->about = head->about;
	profile->arch = head->arch[0] ? pd_arch_find(head->arch) : NULL;
	return (profile->arch || !head->arch[0]) && prof_store_is_sound(profile) &&
	       index_samples(profile);
}

struct pd_error *prof_store_decode(const uint8_t *bytes, size_t size, struct profile **ret)
{
	struct input in = { .bytes = bytes, .left = size };
	struct profile *profile = calloc(1, sizeof(*profile));

	*ret = NULL;
	if (!profile)
		return &pd_enomem;
	prof_init_sets(profile);
	if (decode(&in, profile)) {
		*ret = profile;
		return NULL;
	}
	prof_destroy(profile);
	return in.is_nomem ? &pd_enomem : NULL;
}
