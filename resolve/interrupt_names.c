#include "resolve/interrupt_names.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 256 };

void resolve_interrupt_names_deinit(struct resolve_interrupt_names *names)
{
	pd_vec_deinit(&names->frames);
	pd_vec_deinit(&names->ends);
	pd_vec_deinit(&names->list);
}

static struct pd_error *add_frame(struct resolve_interrupt_names *names,
	struct resolve_frames *frames, const struct parse_maps *maps, uint64_t addr)
{
	const struct parse_callchain_link link = { .pc = addr, .context = PD_CALLCHAIN_KERNEL };
	struct prof_frame_id frame;
	struct pd_error *err = resolve_frames_at(frames, maps, &link, 0, &frame);

	if (err)
		return err;
	return pd_vec_push(&names->frames, frame) ? NULL : &pd_enomem;
}

static struct pd_error *add_frames(struct resolve_interrupt_names *names,
	const struct led_interrupts *in, const struct led_interrupt *interrupt,
	struct resolve_frames *frames, const struct parse_maps *maps)
{
	struct pd_error *err = NULL;
	const uint64_t *addrs = &interrupt->function;
	size_t n = interrupt->function != 0;

	if (interrupt->chain != PD_INTERN_NONE)
		addrs = led_interrupt_chain(in, interrupt->chain, &n);
	for (size_t i = 0; !err && i < n; i++)
		err = add_frame(names, frames, maps, addrs[i]);
	if (err)
		return err;
	return pd_vec_push(&names->ends, names->frames.n) ? NULL : &pd_enomem;
}

struct pd_error *resolve_interrupt_names_prepare(struct resolve_interrupt_names *names,
	const struct led_interrupts *in, struct resolve_frames *frames,
	const struct parse_maps *maps)
{
	struct pd_error *err = NULL;

	for (uint32_t i = 0; !err && i < in->list.n; i++)
		err = add_frames(names, in, led_interrupt(in, i), frames, maps);
	return err;
}

/* The name of a function without what compilers append to it: ".isra.0". */
static void copy_function(const char *from, char to[static NAME_SIZE])
{
	snprintf(to, NAME_SIZE, "%.*s", (int)strcspn(from, "."), from);
}

/* Find what the functions of a frame say, the innermost one first. */
static bool find_in_frame(const struct profile *profile, struct prof_frame_id frame,
	char function[static NAME_SIZE], struct led_interrupt_reason *ret)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, frame, &n);

	for (uint32_t i = 0; lines && i < n; i++) {
		copy_function(prof_string(profile, prof_function(profile, lines[i].function)->name),
			function);
		if (led_interrupt_reason(function, ret))
			return true;
	}
	return false;
}

/* Name an interrupt by its call chain, which is @p n frames from number @p first on. */
static void name_by_chain(const struct resolve_interrupt_names *names,
	const struct profile *profile, const struct led_interrupt *interrupt, size_t first,
	size_t end, char ret[static NAME_SIZE + 64])
{
	struct led_interrupt_reason reason = { 0 };
	char function[NAME_SIZE];
	bool is_found = false;

	for (size_t i = first; !is_found && i < end; i++)
		is_found = find_in_frame(profile, names->frames.data[i], function, &reason);
	if (!is_found || !reason.name)
		snprintf(ret, NAME_SIZE + 64, "%s", led_interrupt_kind_name(interrupt->kind));
	else if (reason.has_function)
		snprintf(ret, NAME_SIZE + 64, "[%s %s]", reason.name, function);
	else
		snprintf(ret, NAME_SIZE + 64, "[%s]", reason.name);
}

/* Name an interrupt by its text, and by the function of its frame. */
static void name_by_text(const struct led_interrupts *in, const struct profile *profile,
	const struct led_interrupt *interrupt, struct prof_frame_id frame,
	char ret[static NAME_SIZE + 64])
{
	uint32_t n = 0;
	const struct prof_line *lines =
		prof_is_none(frame) ? NULL : prof_frame_lines(profile, frame, &n);
	const char *text = base_intern_bytes(&in->texts, interrupt->text);
	char function[NAME_SIZE];

	if (!lines || !n) {
		snprintf(ret, NAME_SIZE + 64, "[%s]", text);
		return;
	}
	/* The function itself, and not one that was inlined at its beginning. */
	copy_function(prof_string(profile, prof_function(profile, lines[n - 1].function)->name),
		function);
	snprintf(ret, NAME_SIZE + 64, "[%.60s %s]", text, function);
}

struct pd_error *resolve_interrupt_names_add(struct resolve_interrupt_names *names,
	const struct led_interrupts *in, struct profile *profile)
{
	char text[NAME_SIZE + 64];
	size_t first = 0;

	for (uint32_t i = 0; i < in->list.n; i++) {
		const struct led_interrupt *interrupt = led_interrupt(in, i);
		size_t end = i < names->ends.n ? names->ends.data[i] : 0;

		if (interrupt->text == PD_INTERN_NONE)
			name_by_chain(names, profile, interrupt, first, end, text);
		else
			name_by_text(in, profile, interrupt,
				end > first ? names->frames.data[first] : prof_no_frame(), text);
		struct prof_string_id id = prof_add_string(profile, text);
		if (prof_is_none(id) || !pd_vec_push(&names->list, id))
			return &pd_enomem;
		first = end;
	}
	return NULL;
}
