#include "resolve/batch/witness.h"

#include <xxhash.h>

#include <pdconv/error.h>

#include "base/limit.h"
#include "unwind/binary_rows.h"

enum { MAX_FRAMES = PD_LIMIT_WITNESS_FRAMES };

/* Callers that are seen this often between two changes are those of the stacks in between, too. */
enum { LEAST_PER_CHANGE = 4 };

/* Hash of the callers of a root. 0: not all callers are known. */
#define NO_CALLERS UINT64_C(1)

static uint64_t hash(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t all[] = { a, b, c };
	uint64_t ret = XXH3_64bits(all, sizeof(all));

	return ret ? ret : 1;
}

/* Hash of a frame and its callers, which have the hash @p callers. */
static uint64_t hash_path(const struct resolve_known_frame *frame, uint64_t callers)
{
	return hash(frame->pc, frame->sp, callers);
}

/* The same, whichever call in the function it is. */
static uint64_t hash_activation(const struct resolve_known_frame *frame, uint64_t callers)
{
	return hash(0, frame->sp, callers);
}

static uint64_t frame_key(uint32_t tid, const struct resolve_known_frame *frame)
{
	return hash(tid, frame->pc, frame->sp);
}

/* Process address of the first byte of the function of a frame; 0: not known. */
static uint64_t function_of(const struct resolve_known_frame *frame)
{
	const struct unw_module *module = frame->module;
	struct unw_range range = { 0 };

	if (!module || !module->binary)
		return 0;
	struct pd_error *err = unw_binary_find_function(
		module->binary, frame->pc - frame->is_return - module->bias, &range);
	/* Memory ran out: the function is not known. */
	pd_error_destroy(err);
	return err || range.start == range.end ? 0 : range.start + module->bias;
}

/* Key of a call to @p callee from a frame with the stack pointer @p sp; 0: there is none. */
static uint64_t call_key(uint32_t tid, const struct resolve_known_frame *callee, uint64_t sp)
{
	uint64_t function = function_of(callee);

	return function ? hash(~(uint64_t)tid, function, sp) : 0;
}

static bool add(struct resolve_witness *witness, uint64_t key, uint64_t callers)
{
	const struct resolve_callers first = { .hash = callers };
	bool is_new;

	if (witness->list.n >= MAX_FRAMES && !base_map_find(&witness->frames, key)) {
		witness->is_full = true;
		return true;
	}
	uint64_t *index = base_map_add(&witness->frames, key, &is_new);
	if (!index || (is_new && !pd_vec_push(&witness->list, first)))
		return false;
	if (is_new)
		*index = witness->list.n - 1;
	struct resolve_callers *known = &witness->list.data[*index];
	known->n_seen++;
	known->n_changes += known->hash != callers;
	known->hash = callers;
	return true;
}

bool resolve_witness_add(struct resolve_witness *witness, uint32_t tid,
	const struct resolve_known_frame *frames, size_t n)
{
	uint64_t callers = NO_CALLERS;
	bool ok = true;

	for (size_t i = n; i-- > 0 && ok;) {
		ok = add(witness, frame_key(tid, &frames[i]), callers);
		uint64_t key = ok && i ? call_key(tid, &frames[i - 1], frames[i].sp) : 0;
		if (key)
			ok = add(witness, key, hash_activation(&frames[i], callers));
		callers = hash_path(&frames[i], callers);
	}
	return ok;
}

/* Whether the callers with the hash @p callers are not excluded; 0: not all of them are known. */
static bool may_have(const struct resolve_witness *witness, uint64_t key, uint64_t callers)
{
	const uint64_t *index = base_map_find(&witness->frames, key);
	const struct resolve_callers *known = index ? &witness->list.data[*index] : NULL;

	if (!known)
		return true;
	if (known->n_changes)
		return known->n_changes * (uint64_t)LEAST_PER_CHANGE <= known->n_seen;
	return !callers || known->hash == callers;
}

bool resolve_witness_agrees(const struct resolve_witness *witness, uint32_t tid,
	const struct resolve_known_frame *last, bool is_leaf,
	const struct resolve_known_frame *rest, size_t n, bool is_whole)
{
	uint64_t callers = is_whole ? NO_CALLERS : 0, activation = 0;

	for (size_t i = n; i-- > 0;) {
		/* The first frame may be a leaf of another moment, in the same function. */
		if ((i || !is_leaf) && !may_have(witness, frame_key(tid, &rest[i]), callers))
			return false;
		activation = callers ? hash_activation(&rest[i], callers) : 0;
		callers = callers ? hash_path(&rest[i], callers) : 0;
	}
	if (!is_leaf)
		return may_have(witness, frame_key(tid, last), callers);
	uint64_t key = n ? call_key(tid, last, rest[0].sp) : 0;
	return !key || may_have(witness, key, activation);
}

void resolve_witness_deinit(struct resolve_witness *witness)
{
	base_map_deinit(&witness->frames);
	pd_vec_deinit(&witness->list);
}
