#include "output/folded_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/printable.h"
#include "base/text.h"

bool folded_names_init(struct folded_names *names, const struct profile *profile,
	const struct out_write_opts *opts)
{
	*names = (struct folded_names){
		.profile = profile,
		.opts = &opts->format.folded,
		.has_partial_stacks = opts->has_partial_stacks,
	};
	names->frames = base_calloc_n(profile->frames.n, sizeof(*names->frames));
	names->functions = base_calloc_n(2 * profile->functions.n, sizeof(*names->functions));
	return names->frames && names->functions;
}

void folded_names_deinit(struct folded_names *names)
{
	base_intern_deinit(&names->texts);
	pd_vec_deinit(&names->spelled);
	pd_vec_deinit(&names->buffer);
	free(names->frames);
	free(names->functions);
}

/* Return where @p len bytes can be appended to the buffer; NULL: no memory. */
static char *room(struct folded_names *names, size_t len)
{
	/* Without the additional byte, an empty buffer has no address. */
	if (!pd_vec_reserve(&names->buffer, names->buffer.n + len + 1))
		return NULL;
	return names->buffer.data + names->buffer.n;
}

static bool put(struct folded_names *names, const char *text)
{
	size_t len = strlen(text);
	char *to = room(names, len);

	if (!to)
		return false;
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): its length is kept. */
	memcpy(to, text, len);
	names->buffer.n += len;
	return true;
}

/* Append @p len printable bytes of a name. */
static bool put_clean_n(struct folded_names *names, const char *text, size_t len, char for_space)
{
	char *to = room(names, len);

	if (!to)
		return false;
	names->buffer.n += base_text_copy_folded(to, text, len, for_space);
	return true;
}

/*
 * Append a name as folded stacks have it. Escapes keep it on one line, and keep flamegraph.pl from
 * writing what XML does not allow.
 */
static bool put_clean(struct folded_names *names, const char *text, char for_space)
{
	size_t len = strlen(text);

	if (base_printable_run(text, len) == len)
		return put_clean_n(names, text, len, for_space);
	_cleanup_free_ char *printable = base_text_dup(text, len, &len);
	return printable && put_clean_n(names, printable, len, for_space);
}

/* Add the name in the buffer to the texts. It is empty if the original consisted of quotes only. */
static uint32_t finish(struct folded_names *names)
{
	uint32_t id = names->buffer.n
			      ? base_intern_add(&names->texts, names->buffer.data, names->buffer.n)
			      : base_intern_str(&names->texts, "[unknown]");

	names->buffer.n = 0;
	return id;
}

/* Java agents write "Lorg/foo/Bar;::call": skip the L of the type descriptor. */
static const char *tidy(const struct prof_binary *binary, const char *name)
{
	return binary && binary->is_generated && name[0] == 'L' && strchr(name, ';') ? name + 1
										     : name;
}

static const char *mark_of(
	const struct folded_names *names, const struct prof_binary *binary, bool is_inlined)
{
	const struct pd_folded_opts *opts = names->opts;

	/*
	 * A name has one mark at most; like stackcollapse-perf.pl, inlined wins over kernel and
	 * JIT.
	 */
	if (is_inlined && opts->mark_inlined)
		return "_[i]";
	if (binary && binary->is_kernel)
		return opts->mark_kernel ? "_[k]" : "";
	if (binary && binary->is_generated)
		return opts->mark_jit ? "_[j]" : "";
	return "";
}

static const struct prof_binary *binary_of(
	const struct folded_names *names, const struct prof_frame *frame)
{
	return prof_is_none(frame->binary) ? NULL : prof_binary(names->profile, frame->binary);
}

/* Append ":file:line" if requested and known. */
static bool put_location(
	struct folded_names *names, const struct prof_function *function, uint32_t line)
{
	const char *file = base_file_name(prof_string(names->profile, function->file));
	char number[16];

	/*
	 * A line number without a file means nothing, and neither does a file without a line
	 * number.
	 */
	if (!names->opts->context || !file[0] || !line)
		return true;
	snprintf(number, sizeof(number), ":%" PRIu32, line);
	return put(names, ":") && put_clean(names, file, ' ') && put(names, number);
}

static uint32_t spell_line(struct folded_names *names, const struct prof_binary *binary,
	const struct prof_line *line, bool is_inlined)
{
	const struct prof_function *function = prof_function(names->profile, line->function);
	const char *name = prof_function_name(names->profile, line->function);
	bool ok = put_clean(names, tidy(binary, name), ' ') &&
		  put_location(names, function, line->line) &&
		  put(names, mark_of(names, binary, is_inlined));

	return ok ? finish(names) : PD_INTERN_NONE;
}

/* Return the text of @p line at @p frame. That of a function without its line is made once. */
static uint32_t find_line(struct folded_names *names, const struct prof_frame *frame,
	const struct prof_line *line, bool is_inlined)
{
	const struct prof_function *function = prof_function(names->profile, line->function);
	const struct prof_binary *binary = binary_of(names, frame);
	uint32_t *known = &names->functions[2 * (size_t)line->function.i + is_inlined];

	if (names->opts->context || !prof_same_binary(function->binary, frame->binary))
		return spell_line(names, binary, line, is_inlined);
	/* PD_INTERN_NONE becomes 0, so it is not kept. */
	if (!*known)
		*known = spell_line(names, binary, line, is_inlined) + 1;
	return *known - 1;
}

/*
 * Return the address that perf prints: the file offset, or the address in memory if there is no
 * file.
 */
static uint64_t shown_addr(const struct prof_frame *frame, const struct prof_binary *binary)
{
	if (!binary || binary->is_kernel || !binary->is_found)
		return frame->addr;
	return frame->addr - binary->start + binary->offset;
}

/* Spell a frame without a name as "[libfoo.so]", or with its address as "[libfoo.so <1b2c>]". */
static uint32_t spell_unnamed(struct folded_names *names, const struct prof_frame *frame)
{
	const struct prof_binary *binary = binary_of(names, frame);
	char unnamed[256];
	char address[32];
	bool ok = put_clean(
		names, prof_unnamed(names->profile, frame, unnamed, sizeof(unnamed)), ' ');

	if (ok && names->opts->addrs && names->buffer.data[names->buffer.n - 1] == ']') {
		names->buffer.n--;
		snprintf(address, sizeof(address), " <%" PRIx64 ">]", shown_addr(frame, binary));
		ok = put(names, address);
	}
	return ok && put(names, mark_of(names, binary, false)) ? finish(names) : PD_INTERN_NONE;
}

static bool is_end(const struct folded_names *names, const struct prof_line *line)
{
	const struct prof_function *function = prof_function(names->profile, line->function);
	const char *name = prof_string(names->profile, function->name);

	for (size_t i = 0; i < names->opts->n_skip_after; i++) {
		if (strcmp(names->opts->skip_after[i], name) == 0)
			return true;
	}
	return false;
}

static bool add_spelled(struct folded_names *names, struct folded_frame *frame, uint32_t text)
{
	frame->n++;
	return text != PD_INTERN_NONE && pd_vec_push(&names->spelled, text);
}

static bool spell_frame(
	struct folded_names *names, struct prof_frame_id id, struct folded_frame *ret)
{
	const struct profile *profile = names->profile;
	const struct prof_frame *frame = prof_frame(profile, id);
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n);

	/* Lines are innermost first: all but the last one are functions inlined into the last. */
	*ret = (struct folded_frame){ .first = (uint32_t)names->spelled.n };
	if (!lines)
		return add_spelled(names, ret, spell_unnamed(names, frame));
	for (uint32_t i = 0; i < n && !ret->is_last; i++) {
		if (!add_spelled(names, ret, find_line(names, frame, &lines[i], i + 1 < n)))
			return false;
		ret->is_last = is_end(names, &lines[i]);
	}
	return true;
}

bool folded_names_frame(
	struct folded_names *names, struct prof_frame_id id, struct folded_frame *ret)
{
	struct folded_frame *known = &names->frames[id.i];

	if (!known->is_known) {
		if (!spell_frame(names, id, known))
			return false;
		known->is_known = true;
	}
	*ret = *known;
	return true;
}

uint32_t folded_names_function(
	struct folded_names *names, const struct prof_binary *binary, const char *name)
{
	return put_clean(names, tidy(binary, name), ' ') ? finish(names) : PD_INTERN_NONE;
}

uint32_t folded_names_thread(struct folded_names *names, struct prof_thread_id thread)
{
	const struct prof_thread *entry = prof_thread(names->profile, thread);
	char ids[32] = "";

	if (names->opts->tid)
		snprintf(ids, sizeof(ids), "-%" PRId32 "/%" PRId32, (int32_t)entry->pid,
			(int32_t)entry->tid);
	else if (names->opts->pid)
		snprintf(ids, sizeof(ids), "-%" PRId32, (int32_t)entry->pid);
	return put_clean(names, prof_string(names->profile, entry->comm), '_') && put(names, ids)
		       ? finish(names)
		       : PD_INTERN_NONE;
}

bool folded_names_lost_callers(const struct folded_names *names, struct prof_frame_id outermost)
{
	const struct prof_binary *binary = binary_of(names, prof_frame(names->profile, outermost));

	return binary && binary->is_generated && !binary->is_kernel && !names->has_partial_stacks;
}

uint32_t folded_names_mark(struct folded_names *names, const char *mark)
{
	return put_clean(names, mark, ' ') ? finish(names) : PD_INTERN_NONE;
}

uint32_t folded_names_event(struct folded_names *names, struct prof_event_id event)
{
	const char *name = prof_string(names->profile, prof_event(names->profile, event)->name);

	return put_clean(names, name, '_') ? finish(names) : PD_INTERN_NONE;
}
