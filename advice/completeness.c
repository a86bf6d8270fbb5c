#include "advice/completeness.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/system/libc.h"

void advice_unwind_summary_deinit(struct advice_unwind_summary *summary)
{
	pd_vec_deinit(&summary->events);
	pd_vec_deinit(&summary->threads);
	pd_vec_deinit(&summary->worst_threads);
}

static void add(struct prof_value *to, const struct prof_value *value)
{
	to->samples += value->samples;
	to->period += value->period;
}

static void count(struct advice_unwind_stats *stats, uint32_t end, const struct prof_value *value)
{
	add(&stats->walked, value);
	add(&stats->ends[end], value);
}

static bool make_room(const struct profile *profile, struct advice_unwind_summary *summary)
{
	const struct advice_unwind_stats none = { 0 };

	for (size_t i = 0; i < profile->events.n; i++) {
		if (!pd_vec_push(&summary->events, none))
			return false;
	}
	for (size_t i = 0; i < profile->threads.n; i++) {
		if (!pd_vec_push(&summary->threads, none))
			return false;
	}
	return true;
}

static void add_samples(const struct profile *profile, struct advice_unwind_summary *summary)
{
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);
		const struct prof_value *value = prof_value(profile, id);

		if (sample->end >= PD_N_UNWIND_ENDS)
			continue;
		count(&summary->all, sample->end, value);
		count(&summary->events.data[sample->event.i], sample->end, value);
		count(&summary->threads.data[sample->thread.i], sample->end, value);
	}
}

static int compare_threads(const void *a, const void *b, void *threads)
{
	const struct advice_unwind_stats *list = threads;
	const struct prof_thread_id *x = a;
	const struct prof_thread_id *y = b;
	uint64_t n_x = advice_unwind_stats_not_rooted(&list[x->i]);
	uint64_t n_y = advice_unwind_stats_not_rooted(&list[y->i]);

	if (n_x != n_y)
		return n_x > n_y ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

static bool sort_threads(struct advice_unwind_summary *summary)
{
	for (struct prof_thread_id id = { 0 }; id.i < summary->threads.n; id.i++) {
		if (advice_unwind_stats_not_rooted(&summary->threads.data[id.i]) &&
			!pd_vec_push(&summary->worst_threads, id))
			return false;
	}
	if (summary->worst_threads.n)
		base_sort_with(summary->worst_threads.data, summary->worst_threads.n,
			sizeof(*summary->worst_threads.data), compare_threads,
			summary->threads.data);
	return true;
}

static bool add_all(const struct profile *profile, struct advice_unwind_summary *summary)
{
	if (!make_room(profile, summary))
		return false;
	add_samples(profile, summary);
	return sort_threads(summary);
}

struct pd_error *advice_unwind_summary_create(
	const struct profile *profile, struct advice_unwind_summary *ret)
{
	*ret = (struct advice_unwind_summary){ 0 };
	if (add_all(profile, ret))
		return NULL;
	advice_unwind_summary_deinit(ret);
	*ret = (struct advice_unwind_summary){ 0 };
	return &pd_enomem;
}

enum { NAMED = ADVICE_N_UNNAMED, A_MARK };

static const struct {
	const char *key;
	const char *text;
	const char *remedy;
} reasons[ADVICE_N_UNNAMED] = {
#define REASON(name, ...) [ADVICE_UNNAMED_##name] = { __VA_ARGS__ },
	ADVICE_UNNAMED(REASON)
#undef REASON
};

static uint8_t why_of_binary(const struct prof_binary *binary)
{
	if (binary->is_generated)
		return ADVICE_UNNAMED_GENERATED;
	if (binary->is_kernel)
		return binary->is_found ? ADVICE_UNNAMED_NO_SYMBOL : ADVICE_UNNAMED_KERNEL;
	if (!binary->has_image)
		return ADVICE_UNNAMED_GENERATED;
	return binary->is_found ? ADVICE_UNNAMED_NO_SYMBOL : ADVICE_UNNAMED_NO_FILE;
}

/* Return NAMED, A_MARK or an enum advice_unnamed_why. */
static uint8_t classify(const struct profile *profile, struct prof_frame_id id)
{
	const struct prof_frame *frame = prof_frame(profile, id);
	uint32_t n_lines;

	if (frame->flags & (PROF_FRAME_TRUNCATED | PROF_FRAME_STITCHED))
		return A_MARK;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n_lines);
	if (lines && !prof_function(profile, lines[0].function)->made_size)
		return NAMED;
	if (prof_is_none(frame->binary))
		return ADVICE_UNNAMED_NO_MAPPING;
	return why_of_binary(prof_binary(profile, frame->binary));
}

static void count_stack(const struct profile *profile, const uint8_t *classes,
	struct prof_sample_id sample, struct advice_unnamed *ret)
{
	uint64_t times = prof_value(profile, sample)->samples;
	unsigned seen = 0;
	uint32_t n;
	const struct prof_frame_id *frames =
		prof_stack(profile, prof_sample(profile, sample)->stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint8_t class = classes[frames[i].i];

		/* A mark is not a frame of the program. */
		ret->n_frames += class == A_MARK ? 0 : times;
		if (class >= ADVICE_N_UNNAMED)
			continue;
		ret->n[class] += times;
		seen |= 1U << class;
		struct prof_binary_id binary = prof_frame(profile, frames[i])->binary;
		if (!prof_is_none(binary))
			ret->by_binary[binary.i] += times;
	}
	for (unsigned why = 0; why < ADVICE_N_UNNAMED; why++)
		ret->samples[why] += seen >> why & 1 ? times : 0;
}

bool advice_unnamed_is_cold_vdso(
	const struct profile *profile, const struct advice_unnamed *unnamed, size_t binary)
{
	enum { HOT_PERCENT = 1 };
	const char *name = prof_string(profile, profile->binaries.data[binary].name);

	return strncmp(name, "[vdso", 5) == 0 && unnamed->by_binary &&
	       unnamed->by_binary[binary] * 100 < unnamed->n_frames * HOT_PERCENT;
}

/* Count the binaries whose frames, one at least, all lack a name. */
static bool count_bare(
	const struct profile *profile, const uint8_t *classes, struct advice_unnamed *ret)
{
	_cleanup_free_ bool *has_names = base_calloc_n(profile->binaries.n, sizeof(*has_names));

	if (!has_names)
		return false;
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		struct prof_binary_id binary = prof_frame(profile, id)->binary;

		if (classes[id.i] == NAMED && !prof_is_none(binary))
			has_names[binary.i] = true;
	}
	for (size_t i = 0; i < profile->binaries.n; i++) {
		bool is_file =
			why_of_binary(&profile->binaries.data[i]) != ADVICE_UNNAMED_GENERATED;

		ret->n_bare_binaries += is_file && ret->by_binary[i] && !has_names[i] &&
					!advice_unnamed_is_cold_vdso(profile, ret, i);
	}
	return true;
}

struct pd_error *advice_unnamed_count(const struct profile *profile, struct advice_unnamed *ret)
{
	_cleanup_free_ uint8_t *classes = malloc(profile->frames.n + 1);

	*ret = (struct advice_unnamed){ 0 };
	ret->by_binary = base_calloc_n(profile->binaries.n, sizeof(*ret->by_binary));
	if (!classes || !ret->by_binary)
		return &pd_enomem;
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++)
		classes[id.i] = classify(profile, id);
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++)
		count_stack(profile, classes, id, ret);
	return count_bare(profile, classes, ret) ? NULL : &pd_enomem;
}

void advice_unnamed_deinit(struct advice_unnamed *unnamed)
{
	free(unnamed->by_binary);
	unnamed->by_binary = NULL;
}

uint64_t advice_unnamed_sum(const struct advice_unnamed *unnamed)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ADVICE_N_UNNAMED; i++)
		sum += unnamed->n[i];
	return sum;
}

const char *advice_unnamed_key(enum advice_unnamed_why why)
{
	return reasons[why].key;
}

const char *advice_unnamed_text(enum advice_unnamed_why why)
{
	return reasons[why].text;
}

const char *advice_unnamed_remedy(enum advice_unnamed_why why)
{
	return reasons[why].remedy;
}
