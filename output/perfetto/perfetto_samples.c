/*
 * Samples of the perfetto format.
 *
 * The numbers of interned data follow from the indexes in the profile. Each entry is written when
 * the first sample refers to it.
 */
#include "output/perfetto/perfetto_samples.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/locations.h"
#include "base/array.h"
#include "output/tracks.h"
#include "profile/ahead.h"

struct samples {
	struct perfetto *p;
	struct ana_locations locations;
	/** Whether each stack, frame, binary, file, name of functions and event was written. */
	bool *has_stack;
	bool *has_frame;
	bool *has_binary;
	bool *has_file;
	bool *has_name;
	bool *has_event;
	/** Frames of the stack that is being written. */
	PD_VEC(uint64_t) frames;
};

/* Whether an entry was written before. It counts as written from now on. */
static bool was_put(bool *has)
{
	bool before = *has;

	*has = true;
	return before;
}

static void put_interned(struct samples *s, Perfetto__InternedData *data)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.interned_data = data;
	perfetto_put(s->p, &packet);
}

static Perfetto__InternedString interned(uint64_t iid, const void *bytes, size_t len)
{
	Perfetto__InternedString ret = PERFETTO__INTERNED_STRING__INIT;

	ret.iid = iid;
	ret.str = (ProtobufCBinaryData){ .len = len, .data = (uint8_t *)bytes };
	return ret;
}

static Perfetto__InternedString interned_text(struct samples *s, uint64_t iid, const char *text)
{
	const char *utf8 = perfetto_text(s->p, text);

	return interned(iid, utf8, strlen(utf8));
}

static void put_name(struct samples *s, uint32_t name)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedString text =
		interned_text(s, name + 1, base_intern_bytes(&s->locations.names, name));

	data.n_function_names = 1;
	data.function_names = (Perfetto__InternedString *[]){ &text };
	if (!was_put(&s->has_name[name]))
		put_interned(s, &data);
}

static void put_file(struct samples *s, struct prof_string_id file)
{
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedString text =
		interned_text(s, file.i + 1, prof_string(s->p->profile, file));

	data.n_source_paths = 1;
	data.source_paths = (Perfetto__InternedString *[]){ &text };
	if (!was_put(&s->has_file[file.i]))
		put_interned(s, &data);
}

static void put_binary(struct samples *s, struct prof_binary_id id)
{
	const struct prof_binary *binary = prof_binary(s->p->profile, id);
	const char *name = prof_string(s->p->profile, binary->name);
	uint64_t iid = id.i + 1;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__Mapping mapping = PERFETTO__MAPPING__INIT;
	/* Readers put a slash before each part of a path. */
	Perfetto__InternedString path = interned_text(s, iid, name + (name[0] == '/'));
	Perfetto__InternedString build_id =
		interned(iid, binary->build_id.bytes, binary->build_id.len);

	if (was_put(&s->has_binary[id.i]))
		return;
	mapping.iid = iid;
	mapping.has_build_id = binary->build_id.len;
	mapping.build_id = iid;
	mapping.start = binary->start;
	mapping.end = binary->limit;
	if (binary->is_found && binary->start > binary->offset)
		mapping.load_bias = binary->start - binary->offset;
	mapping.exact_offset = binary->offset;
	mapping.n_path_string_ids = 1;
	mapping.path_string_ids = &iid;
	data.n_build_ids = binary->build_id.len > 0;
	data.build_ids = (Perfetto__InternedString *[]){ &build_id };
	data.n_mapping_paths = 1;
	data.mapping_paths = (Perfetto__InternedString *[]){ &path };
	data.n_mappings = 1;
	data.mappings = (Perfetto__Mapping *[]){ &mapping };
	put_interned(s, &data);
}

/* Write the function at a location of the frame @p id, which is number @p iid. */
static void put_location(struct samples *s, struct prof_frame_id id, uint64_t iid,
	const struct ana_location *location)
{
	const struct prof_frame *frame = prof_frame(s->p->profile, id);
	const struct ana_function *function =
		base_intern_bytes(&s->locations.functions, location->function);
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__Frame entry = PERFETTO__FRAME__INIT;

	put_name(s, function->name);
	entry.iid = iid;
	entry.function_name_id = function->name + 1;
	if (!prof_is_none(frame->binary)) {
		put_binary(s, frame->binary);
		entry.has_mapping_id = entry.has_rel_pc = true;
		entry.mapping_id = frame->binary.i + 1;
		entry.rel_pc = frame->addr;
	}
	if (function->file.i) {
		put_file(s, function->file);
		entry.has_source_path_iid = true;
		entry.source_path_iid = function->file.i + 1;
	}
	entry.has_line_number = location->line;
	entry.line_number = location->line;
	data.n_frames = 1;
	data.frames = (Perfetto__Frame *[]){ &entry };
	put_interned(s, &data);
}

/* Add the functions at a frame to the stack, the outermost one first. */
static void add_frame(struct samples *s, struct prof_frame_id id)
{
	uint32_t n, first = s->locations.starts.data[id.i];
	const struct ana_location *list = ana_locations_at(&s->locations, id, &n);
	bool is_known = was_put(&s->has_frame[id.i]);

	for (uint32_t i = n; i > 0; i--) {
		uint64_t iid = (uint64_t)first + i;

		if (!is_known)
			put_location(s, id, iid, &list[i - 1]);
		s->p->no_memory |= !pd_vec_push(&s->frames, iid);
	}
}

static void put_stack(struct samples *s, struct prof_stack_id id)
{
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(s->p->profile, id, &n);
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__Callstack stack = PERFETTO__CALLSTACK__INIT;

	if (!n || was_put(&s->has_stack[id.i]))
		return;
	s->frames.n = 0;
	for (uint32_t i = n; i > 0; i--)
		add_frame(s, frames[i - 1]);
	stack.iid = id.i + 1;
	stack.n_frame_ids = s->frames.n;
	stack.frame_ids = s->frames.data;
	data.n_callstacks = 1;
	data.callstacks = (Perfetto__Callstack *[]){ &stack };
	put_interned(s, &data);
}

static void put_event(struct samples *s, struct prof_event_id id)
{
	const struct prof_event *event = prof_event(s->p->profile, id);
	const char *unit = prof_string(s->p->profile, event->unit);
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__StackSample__CounterDescriptor counter =
		PERFETTO__STACK_SAMPLE__COUNTER_DESCRIPTOR__INIT;

	if (was_put(&s->has_event[id.i]))
		return;
	counter.iid = id.i + 1;
	counter.name = perfetto_text(s->p, prof_string(s->p->profile, event->name));
	counter.has_unit = true;
	if (strcmp(unit, "nanoseconds") == 0) {
		counter.unit = PERFETTO__STACK_SAMPLE__UNIT__UNIT_NANOSECONDS;
	} else if (strcmp(unit, "count") == 0) {
		counter.unit = PERFETTO__STACK_SAMPLE__UNIT__UNIT_COUNT;
	} else {
		counter.has_unit = false;
		counter.unit_str = perfetto_text(s->p, unit);
	}
	data.n_stack_sample_counter_descriptors = 1;
	data.stack_sample_counter_descriptors =
		(Perfetto__StackSample__CounterDescriptor *[]){ &counter };
	put_interned(s, &data);
}

/* Describe where a sample was taken: its CPU, and whether in the kernel. */
static void find_context(const struct profile *profile, const struct prof_sample *sample,
	Perfetto__StackSample__ExecutionContext *ret)
{
	const struct prof_tags *tags = prof_tags(profile, sample->tags);
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(profile, sample->stack, &n);
	const struct prof_frame *leaf = n ? prof_frame(profile, frames[0]) : NULL;

	ret->has_cpu = tags && tags->cpu != PROF_NONE;
	ret->cpu = ret->has_cpu ? tags->cpu : 0;
	if (!leaf || prof_is_none(leaf->binary))
		return;
	ret->has_mode = true;
	ret->mode = prof_binary(profile, leaf->binary)->is_kernel
			    ? PERFETTO__STACK_SAMPLE__MODE__MODE_KERNEL
			    : PERFETTO__STACK_SAMPLE__MODE__MODE_USER;
}

static void put_sample(struct samples *s, struct prof_sample_id id)
{
	const struct profile *profile = s->p->profile;
	const struct prof_sample *sample = prof_sample(profile, id);
	const struct prof_thread *thread = prof_thread(profile, sample->thread);
	Perfetto__StackSample__TaskContext task = PERFETTO__STACK_SAMPLE__TASK_CONTEXT__INIT;
	Perfetto__StackSample__ExecutionContext context =
		PERFETTO__STACK_SAMPLE__EXECUTION_CONTEXT__INIT;
	Perfetto__StackSample entry = PERFETTO__STACK_SAMPLE__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	uint64_t time = prof_sample_time(profile, id);

	put_event(s, sample->event);
	put_stack(s, sample->stack);
	find_context(profile, sample, &context);
	task.pid = thread->pid;
	task.tid = thread->tid;
	entry.task_context = &task;
	entry.execution_context = &context;
	entry.has_callstack_iid = base_intern_len(&profile->stacks, sample->stack.i) > 0;
	entry.callstack_iid = sample->stack.i + 1;
	entry.primary_descriptor_iid = sample->event.i + 1;
	entry.primary_weight = prof_value(profile, id)->period;
	packet.has_timestamp = true;
	/* Samples without a time are at the end. */
	packet.timestamp = time == PD_NO_TIME ? s->p->end : time;
	packet.stack_sample = &entry;
	perfetto_put(s->p, &packet);
}

static bool set_up(struct samples *s)
{
	const struct profile *profile = s->p->profile;
	struct pd_error *err = ana_locations_create(profile, &s->locations);

	pd_error_destroy(err);
	if (err)
		return false;
	s->has_stack = base_calloc_n(profile->stacks.n, sizeof(bool));
	s->has_frame = base_calloc_n(profile->frames.n, sizeof(bool));
	s->has_binary = base_calloc_n(profile->binaries.n, sizeof(bool));
	s->has_file = base_calloc_n(profile->strings.n, sizeof(bool));
	s->has_name = base_calloc_n(s->locations.names.n, sizeof(bool));
	s->has_event = base_calloc_n(profile->events.n, sizeof(bool));
	return s->has_stack && s->has_frame && s->has_binary && s->has_file && s->has_name &&
	       s->has_event;
}

void perfetto_put_samples(struct perfetto *p)
{
	struct samples s = { .p = p };
	bool ok = set_up(&s);

	for (struct prof_sample_id id = { 0 }; ok && id.i < p->profile->samples.n; id.i++) {
		prof_load_stacks_after(p->profile, id);
		put_sample(&s, id);
	}
	p->no_memory |= !ok;
	ana_locations_deinit(&s.locations);
	free(s.has_stack);
	free(s.has_frame);
	free(s.has_binary);
	free(s.has_file);
	free(s.has_name);
	free(s.has_event);
	pd_vec_deinit(&s.frames);
}
