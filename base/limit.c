#include "base/limit.h"

#include <stddef.h>

#include "base/array.h"

static const struct {
	const char *name;
	const char *text;
} limits[] = {
#define ROW(name, value, unit, what, effect) \
	{ #name, effect ": the limit for " what " is reached" },
	PD_LIMITS(ROW, ROW)
#undef ROW
};

static _Thread_local struct base_limit_set reached;

const char *base_limit_name(enum base_limit_id id)
{
	return limits[id].name;
}

const char *base_limit_text(enum base_limit_id id)
{
	return limits[id].text;
}

bool base_limit_set_is_empty(const struct base_limit_set *set)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(set->bits); i++) {
		if (set->bits[i])
			return false;
	}
	return true;
}

bool base_limit_reach(enum base_limit_id id)
{
	reached.bits[id / 64] |= UINT64_C(1) << (id % 64);
	return true;
}

bool base_limit_is_reached(void)
{
	return !base_limit_set_is_empty(&reached);
}

struct base_limit_set base_limit_reached(void)
{
	return reached;
}

struct base_limit_set base_limit_enter(void)
{
	struct base_limit_set outer = reached;

	reached = (struct base_limit_set){ 0 };
	return outer;
}

void base_limit_leave(const struct base_limit_set *outer)
{
	reached = *outer;
}
