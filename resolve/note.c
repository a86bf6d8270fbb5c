#include "resolve/note.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "parse/open_file.h"

/* Return the number of rows of all samples read so far. Most of them are still in batches. */
static uint32_t next_row(const struct profile *profile)
{
	uint64_t n = profile->stats.n_samples;

	for (size_t i = 0; i < PROF_N_SKIPS; i++)
		n -= profile->stats.skipped[i];
	return (uint32_t)n;
}

/* Return the thread that the record describes, or else that of its sample_id trailer. */
static void find_thread(const struct pd_record *rec, const union pd_body *body,
	const struct pd_sid *sid, uint32_t *pid_ret, uint32_t *tid_ret)
{
	*pid_ret = sid->pid;
	*tid_ret = sid->tid;
	switch (rec->type) {
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2:
	case PD_RECORD_COMM:
		/* All of these records begin with pid and tid. */
		*pid_ret = body->comm.pid;
		*tid_ret = body->comm.tid;
		break;
	case PD_RECORD_FORK:
	case PD_RECORD_EXIT:
		*pid_ret = body->fork.pid;
		*tid_ret = body->fork.tid;
		break;
	default:
		break;
	}
	/* Mappings of the kernel have no process. */
	if (*pid_ret == UINT32_MAX)
		*pid_ret = *tid_ret;
}

/* Find the event of a record. Without an id it is attributed to the first event, as samples are. */
static struct prof_event_id find_event(const struct pd_file *file, const struct pd_sid *sid)
{
	const struct pd_event *event = pd_events_by_id(&file->events, sid->id);

	if (event)
		return (struct prof_event_id){ event->index };
	return file->events.list.n == 1 || !sid->id ? (struct prof_event_id){ 0 } : prof_no_event();
}

/* Without sample_id trailers only FORK and EXIT records have a time. */
static void use_body(const struct pd_record *rec, const union pd_body *body, uint32_t pid,
	uint32_t tid, struct prof_note *ret)
{
	ret->pid = pid;
	ret->tid = tid;
	if (rec->type == PD_RECORD_FORK || rec->type == PD_RECORD_EXIT)
		ret->time = body->fork.time;
}

static struct prof_note_text_id add_text(const struct prof_request *request,
	const struct pd_record *rec, const union pd_body *body, struct profile *profile)
{
	_cleanup_free_ char *text = request->note_text(rec, body);

	return text ? prof_add_note_text(profile, text, strlen(text)) : prof_no_note_text();
}

/* Return the name that the thread had, or ":1234" as in perf if it had none. */
static struct prof_note_text_id find_comm(
	struct parse_space *space, uint32_t pid, uint32_t tid, struct profile *profile)
{
	const struct parse_thread *thread = parse_space_thread(space, pid, tid);
	char unnamed[16];

	if (!thread)
		return prof_no_note_text();
	snprintf(unnamed, sizeof(unnamed), ":%" PRId32, (int32_t)tid);
	const char *comm = thread->comm && thread->comm[0] ? thread->comm : unnamed;
	return prof_add_note_text(profile, comm, strlen(comm));
}

struct pd_error *resolve_add_note(const struct pd_file *file, struct parse_space *space,
	const struct pd_record *rec, size_t sid_bytes, const struct prof_request *request,
	struct profile *profile)
{
	const struct pd_plan *plan = pd_events_plan(&file->events, rec);
	struct pd_sid sid = { 0 };
	union pd_body body;
	const char *wrong;
	uint32_t pid, tid;

	/* Records that change mappings or threads were reported by parse_space_apply(). */
	if (!pd_record_decode(rec, sid_bytes, &body, &wrong))
		return NULL;
	if (plan)
		sid = pd_sid_decode(plan, rec);
	find_thread(rec, &body, &sid, &pid, &tid);
	const struct prof_note_text_id text = add_text(request, rec, &body, profile);
	struct prof_note note = {
		.time = sid.time,
		.pid = sid.pid,
		.tid = sid.tid,
		.cpu = sid.cpu,
		.row = next_row(profile),
		.event = find_event(file, &sid),
		.comm = find_comm(space, pid, tid, profile),
		.text = text,
	};
	if (!sid_bytes)
		use_body(rec, &body, pid, tid, &note);
	if (prof_is_none(note.comm) || prof_is_none(note.text) ||
		!pd_vec_push(&profile->notes, note))
		return &pd_enomem;
	return NULL;
}
