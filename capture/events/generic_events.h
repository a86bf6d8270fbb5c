/**
 * @file Events that need no PMU: hardware, software, cache and raw events.
 */
#ifndef PD_CAPTURE_EVENTS_GENERIC_EVENTS_H
#define PD_CAPTURE_EVENTS_GENERIC_EVENTS_H

#include "capture/events/event_item.h"

/** Parse an event without a PMU: NAME, CACHE-OP-RESULT, rNNN. */
bool cap_generic_parse(struct cap_word word, struct pd_attr *ret);

/**
 * Names under which a PMU may have the hardware event @p word; both NULL: it is not a hardware
 * event.
 */
struct cap_symbol_names {
	const char *names[2];
};
struct cap_symbol_names cap_hardware_names(struct cap_word word);

#endif
