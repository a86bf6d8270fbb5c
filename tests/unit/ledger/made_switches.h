/**
 * @file Switches of made ledgers.
 */
#ifndef PD_TEST_LED_MADE_SWITCHES_H
#define PD_TEST_LED_MADE_SWITCHES_H

#include "ledger/ledger.h"
#include "tests/unit/test.h"

/** The thread @p next gets @p cpu, and @p prev leaves it for @p reason, as sched_switch says. */
static inline void by_tracepoint(struct ledger *l, uint64_t time, uint32_t cpu, uint32_t prev,
	enum led_reason reason, uint32_t next)
{
	const struct led_switch at = { .time = time,
		.cpu = cpu,
		.prev = prev,
		.next = next,
		.reason = reason,
		.source = LED_BY_TRACEPOINT };

	assert_ok(led_switches(l, &at));
}

#endif
