#include "ledger/delays.h"

uint64_t led_idle_until(
	const struct led_idle *idle, const struct led_timeline *timeline, uint64_t time)
{
	return idle->ns + (idle->n ? led_timeline_ns(timeline, idle->since, time) : 0);
}

void led_idle_begin(struct led_idle *idle, uint64_t time)
{
	if (!idle->n++)
		idle->since = time;
}

void led_idle_end(struct led_idle *idle, const struct led_timeline *timeline, uint64_t time)
{
	idle->ns = led_idle_until(idle, timeline, time);
	idle->since = time;
	idle->n--;
}
