#include "capture/stack_level.h"

/*
 * The kernel wakes the reader when a ring is a quarter full. A ring that is much fuller than that
 * was read too late.
 */
static const double too_full = 0.5, rather_full = 0.4;
static const double shortest_calm_seconds = 1, longest_calm_seconds = 64, relapse_seconds = 60;

void cap_stack_level_init(struct cap_stack_level *state)
{
	*state = (struct cap_stack_level){ .calm_seconds = shortest_calm_seconds };
}

uint32_t cap_stack_level_bytes(uint32_t bytes, size_t level)
{
	return bytes >> 2 * level & ~7U;
}

size_t cap_stack_level_of(uint32_t bytes, uint64_t reserved)
{
	for (size_t level = 1; level < CAP_N_LEVELS; level++) {
		if (reserved == cap_stack_level_bytes(bytes, level))
			return level;
	}
	return 0;
}

static size_t capture_less(struct cap_stack_level *state, size_t level, double now)
{
	/*
	 * A relapse soon after capturing more shows that the load is steady: wait longer each time,
	 * so that levels do not flap.
	 */
	if (state->has_raised && now - state->raised_at > relapse_seconds)
		state->calm_seconds = shortest_calm_seconds;
	else if (state->has_raised && state->calm_seconds < longest_calm_seconds)
		state->calm_seconds *= 2;
	state->has_raised = false;
	return level + 1;
}

static size_t capture_more(struct cap_stack_level *state, size_t level, double now)
{
	state->busy_at = state->raised_at = now;
	state->has_raised = true;
	return level - 1;
}

size_t cap_stack_level_next(
	struct cap_stack_level *state, size_t level, double fill, uint64_t n_lost, double now)
{
	bool has_lost = n_lost > state->n_lost;

	state->n_lost = n_lost;
	if (fill >= rather_full || has_lost)
		state->busy_at = now;
	if ((fill > too_full || has_lost) && level + 1 < CAP_N_LEVELS)
		return capture_less(state, level, now);
	if (level && now - state->busy_at >= state->calm_seconds)
		return capture_more(state, level, now);
	return level;
}
