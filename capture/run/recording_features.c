#include "capture/run/recording_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/machine/build_ids.h"
#include <pdconv/feature.h>
#include <pdconv/record.h>

#include "capture/events/events.h"
#include "capture/features/features.h"

/* The header data, and the lists that it points to. */
struct collected {
	struct cap_header_data data;
	PD_VEC(struct cap_header_event) events;
	PD_VEC(struct pd_attr) attrs;
	PD_VEC(struct cap_header_binary) binaries;
	PD_VEC(const char *) args;
	PD_VEC(const char *) tracepoints;
	struct pd_bytes tracing_data;
	struct cap_clock clock;
};

static void collected_deinit(struct collected *c)
{
	pd_vec_deinit(&c->events);
	pd_vec_deinit(&c->attrs);
	pd_vec_deinit(&c->binaries);
	pd_vec_deinit(&c->args);
	pd_vec_deinit(&c->tracepoints);
	pd_bytes_deinit(&c->tracing_data);
}

static struct pd_error *add_events(struct collected *c, const struct cap_recording *recording)
{
	const struct cap_session *session = &recording->session;

	/* The list must not move, because events point into it. */
	if (!pd_vec_reserve(&c->attrs, session->opened.n))
		return &pd_enomem;
	for (size_t i = 0; i < session->opened.n; i++) {
		const struct cap_opened *from = &session->opened.data[i];

		c->attrs.data[i] = cap_recording_attr(recording, i);
		const struct cap_header_event event = {
			.attr = &c->attrs.data[i],
			.name = from->event->name,
			.ids = from->ids.data,
			.n_ids = from->ids.n,
			.leader = from->event->leader,
			.group_name = from->event->group_name,
		};

		if (!pd_vec_push(&c->events, event) ||
			(from->event->is_tracepoint &&
				!pd_vec_push(&c->tracepoints, from->event->name)))
			return &pd_enomem;
	}
	/* Set the pointer only now, because the list moves while it grows. */
	c->data.events = c->events.data;
	c->data.n_events = c->events.n;
	return NULL;
}

/* The vdso of this process: all processes of the same class have this one. */
static bool find_vdso(struct cap_mapping *ret)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	*ret = (struct cap_mapping){ .name = "[vdso]" };
	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[vdso]") &&
			sscanf(line, "%" SCNx64 "-%" SCNx64, &ret->start, &ret->end) == 2)
			return true;
	}
	return false;
}

/*
 * MMAP2 records carry the build ids of files, but the kernel's own mapping and the vdso have none
 * in theirs.
 */
static struct pd_error *add_binaries(struct collected *c)
{
	const struct cap_machine machine = cap_machine_init(NULL);
	struct cap_header_binary kernel = { .name = "[kernel.kallsyms]", .is_kernel = true };
	struct cap_header_binary vdso = { .name = "[vdso]" };
	struct cap_mapping mapping;

	if (cap_build_id_kernel(&machine, &kernel.id) && !pd_vec_push(&c->binaries, kernel))
		return &pd_enomem;
	if (find_vdso(&mapping) &&
		cap_build_id_vdso(&machine, (uint32_t)getpid(), &mapping, &vdso.id) &&
		!pd_vec_push(&c->binaries, vdso))
		return &pd_enomem;
	c->data.binaries = c->binaries.data;
	c->data.n_binaries = c->binaries.n;
	return NULL;
}

static struct pd_error *add_args(struct collected *c, char *const *argv)
{
	for (char *const *arg = argv; arg && *arg; arg++) {
		if (!pd_vec_push(&c->args, *arg))
			return &pd_enomem;
	}
	c->data.argv = c->args.data;
	c->data.n_args = c->args.n;
	return NULL;
}

static struct pd_error *add_tracing(struct collected *c)
{
	if (!c->tracepoints.n)
		return NULL;
	c->data.tracing_data = &c->tracing_data;
	return cap_tracing_data(NULL, c->tracepoints.data, c->tracepoints.n, &c->tracing_data);
}

static struct pd_error *add_clock(struct collected *c, int clock)
{
	if (clock < 0)
		return NULL;
	c->data.clock = &c->clock;
	return cap_clock_read((uint32_t)clock, &c->clock);
}

static struct pd_error *collect(const struct cap_recording *recording, struct collected *c)
{
	struct pd_error *err = add_events(c, recording);

	if (err)
		return err;
	err = add_binaries(c);
	if (err)
		return err;
	err = add_args(c, recording->opts.argv);
	if (err)
		return err;
	err = add_tracing(c);
	if (err)
		return err;
	c->data.tags = recording->opts.tags;
	c->data.n_tags = recording->opts.n_tags;
	c->data.has_branch_stacks = recording->session.sampling.stacks == CAP_STACKS_LBR;
	return add_clock(c, recording->session.sampling.clock);
}

struct pd_error *cap_recording_add_features(const struct cap_recording *recording,
	struct pd_writer *writer, const struct cap_counts *counts)
{
	_cleanup_(collected_deinit) struct collected c = { 0 };
	struct pd_error *err = collect(recording, &c);

	if (err)
		return err;
	if (counts) {
		c.data.has_sample_time = true;
		c.data.first_sample = counts->first_ns;
		c.data.last_sample = counts->last_ns;
	}
	return cap_add_features(writer, &c.data);
}

/* EVENT_UPDATE with the name of an event. It goes by one of the event's ids. */
static void put_name(const struct cap_opened *event, struct pd_bytes *out)
{
	if (!event->ids.n)
		return;
	size_t start = pd_record_begin(PD_RECORD_EVENT_UPDATE, 0, out);

	pd_bytes_u64(out, PD_EVENT_UPDATE_NAME);
	pd_bytes_u64(out, event->ids.data[0]);
	pd_bytes_put(out, event->event->name, strlen(event->event->name) + 1);
	/* A name that does not fit a record is not written; the record is dropped. */
	(void)!pd_record_end(start, out);
}

static void put_compression(const struct pd_pack *pack, struct pd_bytes *out)
{
	size_t start = pd_record_begin(PD_RECORD_FEATURE, 0, out);

	pd_bytes_u64(out, PD_FEATURE_COMPRESSED);
	pd_pack_describe(pack, out);
	(void)!pd_record_end(start, out);
}

struct pd_error *cap_recording_add_early_records(
	const struct cap_recording *recording, struct pd_writer *writer, const struct pd_pack *pack)
{
	_cleanup_(pd_bytes_deinit) struct pd_bytes records = { 0 };

	for (size_t i = 0; i < recording->session.opened.n; i++)
		put_name(&recording->session.opened.data[i], &records);
	if (pack && !recording->opts.is_pipe)
		put_compression(pack, &records);
	if (records.failed)
		return &pd_enomem;
	return pd_writer_add_records(writer, records.buf.data, records.buf.n);
}
