/**
 * @file Names of the interrupts that wake threads: "[irq eth0]", "[timer hrtimer_wakeup]",
 * "[softirq]".
 *
 * Some have the address of a function in place of a name, others only a call chain. These become
 * frames of the profile, and are named with all others.
 */
#ifndef PD_RESOLVE_INTERRUPT_NAMES_H
#define PD_RESOLVE_INTERRUPT_NAMES_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "ledger/interrupts.h"
#include "parse/space/space.h"
#include "profile/profile.h"
#include "resolve/stacks/frames.h"

/** A zeroed one is empty. */
struct resolve_interrupt_names {
	/** Frames of the function or of the call chain of each interrupt, one after the other. */
	PD_VEC(struct prof_frame_id) frames;
	/** Indexed by interrupt: the index of the first frame after its own. */
	PD_VEC(size_t) ends;
	/** Indexed by interrupt: the result. */
	PD_VEC(struct prof_string_id) list;
};

void resolve_interrupt_names_deinit(struct resolve_interrupt_names *names);

/**
 * Add the frames of all interrupts to the profile. @p maps is the kernel at the end of the
 * recording. Errors: no memory.
 */
struct pd_error *resolve_interrupt_names_prepare(struct resolve_interrupt_names *names,
	const struct led_interrupts *interrupts, struct resolve_frames *frames,
	const struct parse_maps *maps) pd_must_check;

/**
 * Add the names of all interrupts to @p profile, whose frames have been named, or are not to be
 * named. Errors: no memory.
 */
struct pd_error *resolve_interrupt_names_add(struct resolve_interrupt_names *names,
	const struct led_interrupts *interrupts, struct profile *profile) pd_must_check;

#endif
