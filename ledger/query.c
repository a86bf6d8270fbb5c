/* Questions to a ledger. */
#include "ledger/ledger.h"

bool led_has_all_wakes(const struct ledger *l)
{
	return l->has_wakes && l->is_of_cpus;
}

struct led_range led_wall(const struct ledger *l)
{
	struct led_range bounds = led_timeline_bounds(&l->timeline);
	struct led_range wall = led_range_clip(&bounds, l->first, l->last);

	return wall.from <= wall.to ? wall : (struct led_range){ 0, 0 };
}

struct led_range led_life(const struct ledger *l, const struct led_task *task)
{
	struct led_range wall = led_wall(l);
	struct led_range life =
		led_range_clip(&wall, task->born, task->ended ? task->ended : UINT64_MAX);

	return life.from <= life.to ? life : (struct led_range){ life.from, life.from };
}

uint64_t led_life_ns(const struct ledger *l, const struct led_task *task)
{
	struct led_range life = led_life(l, task);

	return led_timeline_ns(&l->timeline, life.from, life.to);
}

uint64_t led_wall_ns(const struct ledger *l)
{
	struct led_range wall = led_wall(l);

	return led_timeline_ns(&l->timeline, wall.from, wall.to);
}

bool led_has_run_on(const struct ledger *l, uint32_t task, uint32_t cpu)
{
	return base_map_find(&l->cpus_of_tasks, led_cpu_key(task, cpu));
}

bool led_is_kernel(const struct ledger *l, const struct led_task *task)
{
	return l->programs.n && !base_map_find(&l->programs, task->pid);
}

bool led_is_recorded(const struct ledger *l, const struct led_task *task)
{
	return (task->is_own || l->is_of_cpus) && led_life_ns(l, task);
}

bool led_is_complete(const struct ledger *l)
{
	return l->sources & LED_BY_RECORD || l->is_of_cpus;
}

enum led_state led_state_of(
	const struct ledger *l, const struct led_phase *phase, uint64_t end, uint64_t *begin_ret)
{
	*begin_ret = phase->begin;
	if (phase->is_inferred && !led_is_complete(l))
		return LED_UNKNOWN;
	if (phase->begin || l->sources != LED_BY_TRACEPOINT)
		return (enum led_state)phase->state;
	if (end <= l->covered_from)
		return LED_UNKNOWN;
	*begin_ret = l->covered_from;
	return (enum led_state)phase->state;
}
