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

static _Thread_local struct pd_limit_set reached;

const char *pd_limit_name(enum pd_limit_id id)
{
	return limits[id].name;
}

const char *pd_limit_text(enum pd_limit_id id)
{
	return limits[id].text;
}

bool pd_limit_set_is_empty(const struct pd_limit_set *set)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(set->bits); i++) {
		if (set->bits[i])
			return false;
	}
	return true;
}

bool pd_limit_reach(enum pd_limit_id id)
{
	reached.bits[id / 64] |= UINT64_C(1) << (id % 64);
	return true;
}

bool pd_limit_is_reached(void)
{
	return !pd_limit_set_is_empty(&reached);
}

struct pd_limit_set pd_limit_reached(void)
{
	return reached;
}

struct pd_limit_set pd_limit_enter(void)
{
	struct pd_limit_set outer = reached;

	reached = (struct pd_limit_set){ 0 };
	return outer;
}

void pd_limit_leave(const struct pd_limit_set *outer)
{
	reached = *outer;
}
