#include "ledger/cpu.h"

struct led_cpu led_cpu_init(uint32_t cpu)
{
	return (struct led_cpu){ .cpu = cpu, .running = LED_UNSEEN_TID, .first = LED_UNSURE };
}

static enum led_use use_of(uint32_t tid)
{
	if (tid == LED_NO_TID || tid == LED_UNSEEN_TID)
		return LED_UNSURE;
	return tid ? LED_BUSY : LED_IDLE;
}

/* Count the time until now. Times do not go back. */
static void settle(
	struct led_cpu *cpu, const struct led_timeline *timeline, uint64_t time, enum led_use use)
{
	if (time < cpu->since)
		return;
	uint64_t ns = led_timeline_ns(timeline, cpu->since, time);

	if (!cpu->since)
		cpu->first = use;
	cpu->ns[use] += ns;
	if (cpu->running == LED_UNSEEN_TID)
		cpu->inferred[use] += ns;
	cpu->since = time;
}

uint32_t led_cpu_switch(
	struct led_cpu *cpu, const struct led_timeline *timeline, const struct led_cpu_switch *at)
{
	uint32_t running = cpu->running, lost = LED_NO_TID;
	enum led_use use = use_of(running);

	cpu->n_switches++;
	if (running == LED_UNSEEN_TID) {
		use = at->is_prev_late ? LED_UNSURE : use_of(at->prev);
	} else if (at->prev != running) {
		cpu->n_breaks += running != LED_NO_TID;
		use = LED_UNSURE;
		lost = running;
	}
	settle(cpu, timeline, at->time, use);
	cpu->running = at->next;
	return lost;
}

void led_cpu_lose(struct led_cpu *cpu, const struct led_timeline *timeline, uint64_t time)
{
	settle(cpu, timeline, time, LED_UNSURE);
	cpu->running = LED_UNSEEN_TID;
}

void led_cpu_end(struct led_cpu *cpu, const struct led_timeline *timeline, uint64_t time)
{
	settle(cpu, timeline, time, use_of(cpu->running));
}
