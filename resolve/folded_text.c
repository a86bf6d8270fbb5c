#include "resolve/folded_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

struct folded {
	struct profile *profile;
	struct prof_event_id event;
	struct prof_binary_id binary;
	/** Frames of the stack that is read, root first. */
	PD_VEC(struct prof_frame_id) frames;
};

static bool begin(struct folded *f)
{
	const struct prof_binary binary = {
		.name = prof_add_string(f->profile, "[folded]"),
		.is_found = true,
	};
	const struct prof_event event = {
		.name = prof_add_string(f->profile, "weight"),
		.unit = prof_add_string(f->profile, "count"),
		.kind = PROF_EVENT_SOFTWARE,
		.is_wanted = true,
		.has_stacks = true,
	};

	f->binary = prof_add_binary(f->profile, &binary);
	f->event = prof_add_event(f->profile, &event);
	return !prof_is_none(f->binary) && !prof_is_none(f->event);
}

/* Find the frame of a function; each function has one, whose address is the function's number. */
static struct prof_frame_id add_frame(struct folded *f, const char *name, size_t len)
{
	struct profile *p = f->profile;
	const struct prof_string_id string = prof_add_string_n(p, name, len);
	const struct prof_function function = {
		.name = string, .linkage = string, .binary = f->binary
	};
	const struct prof_line line = { prof_add_function(p, &function), 0, 0 };
	const struct prof_frame frame = { .addr = (uint64_t)line.function.i + 1,
		.binary = f->binary };
	const struct prof_lines lines = { (uint32_t)p->lines.n, 1 };
	struct prof_frame_id id = prof_add_frame(p, &frame);

	if (prof_is_none(string) || prof_is_none(line.function) || prof_is_none(id))
		return prof_no_frame();
	if (id.i == p->frame_lines.n &&
		(!pd_vec_push(&p->lines, line) || !pd_vec_push(&p->frame_lines, lines)))
		return prof_no_frame();
	return id;
}

/* Add the names of @p text, which are separated by ';', as frames. */
static bool add_frames(struct folded *f, const char *text, size_t len)
{
	f->frames.n = 0;
	for (const char *end = text + len; text < end;) {
		const char *next = memchr(text, ';', (size_t)(end - text));
		size_t n = (size_t)((next ? next : end) - text);
		const struct prof_frame_id frame = add_frame(f, text, n);

		if (prof_is_none(frame) || !pd_vec_push(&f->frames, frame))
			return false;
		text = next ? next + 1 : end;
	}
	return true;
}

/* Stacks of profiles are leaf first. */
static void reverse(struct folded *f)
{
	for (size_t i = 0, n = f->frames.n; i < n / 2; i++) {
		const struct prof_frame_id frame = f->frames.data[i];

		f->frames.data[i] = f->frames.data[n - 1 - i];
		f->frames.data[n - 1 - i] = frame;
	}
}

/* Threads need numbers that differ: those of their names. */
static struct prof_thread_id add_thread(struct folded *f, const char *name, size_t len)
{
	const struct prof_string_id comm = prof_add_string_n(f->profile, name, len);
	const struct prof_thread thread = { comm.i, comm.i, comm };

	return prof_add_thread(f->profile, &thread);
}

static struct pd_error *add_stack(struct folded *f, const char *text, size_t len, uint64_t weight)
{
	const char *first = memchr(text, ';', len);
	size_t comm = first ? (size_t)(first - text) : len;
	const char *rest = first ? first + 1 : text + len;

	if (!add_frames(f, rest, (size_t)(text + len - rest)))
		return &pd_enomem;
	reverse(f);
	const struct prof_sample sample = {
		.stack = prof_add_stack(f->profile, f->frames.data, f->frames.n),
		.thread = add_thread(f, text, comm),
		.event = f->event,
		.end = PD_N_UNWIND_ENDS,
		.tags = prof_no_tags(),
	};
	if (prof_is_none(sample.stack) || prof_is_none(sample.thread))
		return &pd_enomem;
	f->profile->stats.n_samples++;
	f->profile->stats.origins[PROF_STACK_RECORDED]++;
	return prof_add_sample(f->profile, &sample, weight, NULL);
}

static struct pd_error *add_line(struct folded *f, const char *line, const char *path, uint64_t n)
{
	const char *space = strrchr(line, ' '), *end;
	uint64_t weight;

	if (!space || space == line || !base_number_parse(space + 1, INT64_MAX, &end, &weight) ||
		*end)
		return pd_error_create(PD_ERROR_FORMAT, path,
			"line %" PRIu64 " is not a folded stack: expected names with ';' between "
			"them, a space and a number",
			n);
	return add_stack(f, line, (size_t)(space - line), weight);
}

static struct pd_error *add_lines(struct folded *f, FILE *in, const char *path)
{
	_cleanup_free_ char *line = NULL;
	struct pd_error *err = NULL;
	size_t size = 0;
	ssize_t len;

	for (uint64_t n = 1; !err && (len = getline(&line, &size, in)) > 0; n++) {
		line[strcspn(line, "\r\n")] = '\0';
		if (*line)
			err = add_line(f, line, path, n);
	}
	if (!err && !feof(in))
		err = ferror(in) ? pd_error_os(path, "cannot read") : &pd_enomem;
	return err;
}

struct pd_error *resolve_folded_text(
	FILE *in, const char *path, struct pd_budget *budget, struct profile **ret)
{
	struct folded f = { 0 };
	struct pd_error *err = prof_create(&f.profile);

	if (err)
		return err;
	prof_set_budget(f.profile, budget);
	err = begin(&f) ? add_lines(&f, in, path) : &pd_enomem;
	pd_vec_deinit(&f.frames);
	if (err) {
		prof_destroy(f.profile);
		return err;
	}
	*ret = f.profile;
	return NULL;
}
