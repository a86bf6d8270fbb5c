/* pd_profile: its parts, as the library shows them. */
#include "api/profile_read.h"

#include <string.h>

#include "base/containers/intern.h"

_Static_assert(PD_PROFILE_NONE == PROF_NONE, "ids are passed on as they are");
_Static_assert(
	sizeof(struct prof_frame_id) == sizeof(uint32_t), "stacks are passed on as they are");

uint32_t pd_profile_n_events(const struct pd_profile *profile)
{
	return (uint32_t)profile->profile->events.n;
}

struct pd_profile_event pd_profile_get_event(const struct pd_profile *profile, uint32_t event)
{
	const struct prof_event *from =
		prof_event(profile->profile, (struct prof_event_id){ event });

	return (struct pd_profile_event){
		.name = prof_string(profile->profile, from->name),
		.unit = prof_string(profile->profile, from->unit),
		.total = { from->total.samples, from->total.period },
	};
}

uint32_t pd_profile_n_threads(const struct pd_profile *profile)
{
	return profile->profile->threads.n;
}

struct pd_profile_thread pd_profile_get_thread(const struct pd_profile *profile, uint32_t thread)
{
	const struct prof_thread *from =
		prof_thread(profile->profile, (struct prof_thread_id){ thread });

	return (struct pd_profile_thread){
		.pid = from->pid,
		.tid = from->tid,
		.comm = prof_string(profile->profile, from->comm),
	};
}

uint32_t pd_profile_n_binaries(const struct pd_profile *profile)
{
	return (uint32_t)profile->profile->binaries.n;
}

struct pd_profile_binary pd_profile_get_binary(const struct pd_profile *profile, uint32_t binary)
{
	const struct prof_binary *from =
		prof_binary(profile->profile, (struct prof_binary_id){ binary });

	return (struct pd_profile_binary){
		.name = prof_string(profile->profile, from->name),
		.build_id = from->build_id,
		.is_kernel = from->is_kernel,
		.is_generated = from->is_generated,
		.is_found = from->is_found,
		.is_mismatched = from->is_mismatched,
		.why = prof_string(profile->profile, from->why),
	};
}

uint32_t pd_profile_n_frames(const struct pd_profile *profile)
{
	return profile->profile->frames.n;
}

static enum pd_frame_kind kind_of(const struct profile *profile, const struct prof_frame *frame)
{
	if (frame->flags & PROF_FRAME_TRUNCATED)
		return PD_FRAME_TRUNCATED;
	if (frame->flags & PROF_FRAME_STITCHED)
		return PD_FRAME_STITCHED;
	if (prof_is_none(frame->binary))
		return PD_FRAME_UNMAPPED;
	const struct prof_binary *binary = prof_binary(profile, frame->binary);
	if (binary->is_kernel)
		return PD_FRAME_KERNEL;
	return binary->is_generated ? PD_FRAME_GENERATED : PD_FRAME_USER;
}

struct pd_profile_frame pd_profile_get_frame(const struct pd_profile *profile, uint32_t frame)
{
	const struct profile *p = profile->profile;
	const struct prof_frame_id id = { frame };
	const struct prof_frame *from = prof_frame(p, id);
	enum pd_frame_kind kind = kind_of(p, from);
	struct pd_profile_frame ret = {
		.kind = kind,
		.binary = from->binary.i,
		.addr = from->addr,
		.is_guessed = from->flags & PROF_FRAME_BY_FP,
		.is_recorded = from->flags & PROF_FRAME_JOINED,
	};

	/* Marks have texts in place of functions, which are for formats. */
	if (kind != PD_FRAME_TRUNCATED && kind != PD_FRAME_STITCHED)
		(void)prof_frame_lines(p, id, &ret.n_functions);
	if (frame >= p->frame_offsets.n)
		return ret;
	const struct prof_frame_offset *offset = &p->frame_offsets.data[frame];
	ret.has_file_offset = offset->has_file;
	ret.file_offset = offset->in_file;
	ret.has_symbol_offset = offset->has_symbol;
	ret.symbol_offset = offset->in_symbol;
	return ret;
}

struct pd_profile_function pd_profile_get_function(
	const struct pd_profile *profile, uint32_t frame, uint32_t i)
{
	const struct profile *p = profile->profile;
	const struct prof_frame_id id = { frame };
	uint32_t n;
	const struct prof_line *line = &prof_frame_lines(p, id, &n)[i];
	const struct prof_function *function = prof_function(p, line->function);

	return (struct pd_profile_function){
		.name = prof_string(p, function->name),
		.linkage_name = prof_string(p, function->linkage),
		.file = prof_string(p, function->file),
		.line = line->line,
		.start_line = function->start_line,
		/* A filter may have left out the function that the last one is inlined into. */
		.is_inlined = i + 1 < n || prof_frame(p, id)->flags & PROF_FRAME_ROOT,
	};
}

uint32_t pd_profile_n_stacks(const struct pd_profile *profile)
{
	return profile->profile->stacks.n;
}

const uint32_t *pd_profile_get_stack(
	const struct pd_profile *profile, uint32_t stack, size_t *n_ret)
{
	const struct prof_stack_id id = { stack };
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(profile->profile, id, &n);

	*n_ret = n;
	return &frames->i;
}

uint32_t pd_profile_n_samples(const struct pd_profile *profile)
{
	return (uint32_t)profile->profile->samples.n;
}

/* Strings of the labels that the recording gives to a sample, a key and its value in turn. */
static const struct prof_string_id *labels_of(
	const struct profile *profile, const struct prof_tags *tags, uint32_t *n_ret)
{
	*n_ret = 0;
	if (!tags || prof_is_none(tags->labels))
		return NULL;
	return prof_labels(profile, tags->labels, n_ret);
}

struct pd_profile_sample pd_profile_get_sample(const struct pd_profile *profile, uint32_t sample)
{
	const struct profile *p = profile->profile;
	const struct prof_sample_id id = { sample };
	const struct prof_sample *from = prof_sample(p, id);
	const struct prof_value *value = prof_value(p, id);
	const struct prof_tags *tags = prof_tags(p, from->tags);
	uint32_t n_labels;

	(void)labels_of(p, tags, &n_labels);
	return (struct pd_profile_sample){
		.stack = from->stack.i,
		.thread = from->thread.i,
		.event = from->event.i,
		.cpu = tags ? tags->cpu : PD_PROFILE_NONE,
		.time = prof_sample_time(p, id),
		.cgroup = tags ? prof_string(p, tags->cgroup) : "",
		.end = (enum pd_unwind_end)from->end,
		.n_tags = n_labels / 2,
		.sum = { value->samples, value->period },
	};
}

struct pd_tag pd_profile_get_tag(const struct pd_profile *profile, uint32_t sample, uint32_t i)
{
	const struct profile *p = profile->profile;
	const struct prof_sample_id id = { sample };
	uint32_t n;
	const struct prof_string_id *labels =
		labels_of(p, prof_tags(p, prof_sample(p, id)->tags), &n);

	return (struct pd_tag){
		.key = prof_string(p, labels[(size_t)2 * i]),
		.value = prof_string(p, labels[(size_t)2 * i + 1]),
	};
}

size_t pd_profile_n_rows(const struct pd_profile *profile)
{
	return profile->format ? 0 : profile->profile->rows.n;
}

struct pd_profile_row pd_profile_get_row(const struct pd_profile *profile, size_t row)
{
	const struct prof_row *from = &profile->profile->rows.data[row];
	uint32_t n;

	return (struct pd_profile_row){
		.sample = from->sample.i,
		.cpu = from->cpu,
		.time = from->time,
		.period = from->period,
		.pcs = prof_pcs(profile->profile, from->pcs, &n),
		.offset = row < profile->profile->origins.n
				  ? profile->profile->origins.data[row].key.offset
				  : 0,
	};
}
