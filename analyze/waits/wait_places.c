#include "analyze/waits/wait_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const char *const kind_names[ANA_N_WAIT_KINDS] = {
#define KIND_ROW(id, name, meaning) [ANA_WAIT_##id] = (name),
	ANA_WAIT_KINDS(KIND_ROW)
#undef KIND_ROW
};

static const struct {
	enum ana_wait_kind kind;
	const char *functions;
} patterns[] = {
#define PATTERN_ROW(id, functions) { ANA_WAIT_##id, functions },
	ANA_WAIT_PATTERNS(PATTERN_ROW)
#undef PATTERN_ROW
};

const char *ana_wait_kind_name(enum ana_wait_kind kind)
{
	return kind_names[kind];
}

bool ana_wait_matches(const char *list, const char *name)
{
	for (const char *at = list; *at;) {
		size_t len = strcspn(at, "|");
		bool is_prefix = at[len - 1] == '*';

		if (strncmp(at, name, len - is_prefix) == 0 && (is_prefix || !name[len]))
			return true;
		at += len + (at[len] == '|');
	}
	return false;
}

static uint8_t find_pattern(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(patterns); i++) {
		if (ana_wait_matches(patterns[i].functions, name))
			return (uint8_t)i;
	}
	return ANA_NO_WAIT_PATTERN;
}

/* The kernel is recognized by its frames, since its binaries may have any name. */
static void mark_kernel(struct ana_wait_places *places)
{
	for (struct prof_frame_id id = { 0 }; id.i < places->profile->frames.n; id.i++) {
		struct prof_binary_id binary = prof_frame(places->profile, id)->binary;
		uint32_t n;
		const uint32_t *list = ana_symbols_at(places->symbols, id, &n);

		if (!prof_is_none(binary) && !prof_binary(places->profile, binary)->is_kernel)
			continue;
		for (uint32_t i = 0; i < n; i++)
			places->marks[list[i]].is_outside = true;
	}
}

static void mark_symbols(struct ana_wait_places *places)
{
	for (uint32_t i = 0; i < places->symbols->list.n; i++) {
		const char *name = ana_symbol_pattern_name(places->symbols, i);
		const char *binary = ana_symbol_binary(places->symbols, i);

		places->marks[i] = (struct ana_wait_mark){
			.pattern = find_pattern(name),
			.is_outside = ana_wait_matches(ANA_WAIT_LIBRARIES, binary) ||
				      ana_wait_matches(ANA_WAIT_LIBRARY_FUNCTIONS, name),
		};
	}
	mark_kernel(places);
}

bool ana_wait_places_create(const struct profile *profile, const struct ana_symbols *symbols,
	struct ana_wait_places *ret)
{
	*ret = (struct ana_wait_places){
		.profile = profile,
		.symbols = symbols,
		.marks = base_calloc_n(symbols->list.n, sizeof(*ret->marks)),
	};
	if (ret->marks)
		mark_symbols(ret);
	return ret->marks;
}

void ana_wait_places_deinit(struct ana_wait_places *places)
{
	free(places->marks);
}

struct ana_wait_place ana_wait_place(
	const struct ana_wait_places *places, struct prof_stack_id stack)
{
	struct ana_wait_place ret = { .kind = ANA_WAIT_OTHER, .symbol = PROF_NONE };
	uint8_t best = ANA_NO_WAIT_PATTERN;
	uint32_t n, n_symbols;
	const struct prof_frame_id *frames = prof_stack(places->profile, stack, &n);

	for (uint32_t i = 0; i < n && ret.symbol == PROF_NONE; i++) {
		const uint32_t *list = ana_symbols_at(places->symbols, frames[i], &n_symbols);

		for (uint32_t k = 0; k < n_symbols && ret.symbol == PROF_NONE; k++) {
			const struct ana_wait_mark *mark = &places->marks[list[k]];

			if (!mark->is_outside)
				ret.symbol = list[k];
			else if (mark->pattern < best)
				best = mark->pattern;
		}
	}
	if (best != ANA_NO_WAIT_PATTERN)
		ret.kind = patterns[best].kind;
	return ret;
}

/* The state says more than the stack, which need not have frames of the kernel. */
enum ana_wait_kind ana_wait_kind_in_state(enum ana_wait_kind kind, uint32_t state)
{
	if (state == PROF_WAIT_RUNNABLE)
		return ANA_WAIT_PREEMPTED;
	return state == PROF_WAIT_DISK && kind == ANA_WAIT_OTHER ? ANA_WAIT_IO : kind;
}
