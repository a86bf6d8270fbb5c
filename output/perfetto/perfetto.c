/*
 * The perfetto format: a gzipped trace for https://ui.perfetto.dev and its trace processor. See
 * output/perfetto/perfetto.proto.
 */
#include "output/perfetto/perfetto.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "output/formats.h"
#include "output/loss_defs.h"
#include "output/perfetto/perfetto_samples.h"
#include "output/perfetto/perfetto_sched.h"
#include "output/perfetto/perfetto_tracks.h"
#include "output/tracks.h"

/* Number of the field Trace.packet. */
enum { TRACE_PACKET = 1 };

/* Values of TracePacket.sequence_flags. */
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };

/* Clocks of ClockSnapshot: those of clock_gettime(2) have other numbers there. */
enum {
	CLOCK_UNKNOWN = 0,
	PERFETTO_REALTIME = 1,
	PERFETTO_BOOTTIME = 6,
	PERFETTO_PERF = 10,
};

/* Number of each clock there, by prof_about.clock. */
static const uint32_t clocks[] = {
	[0] = PERFETTO_PERF,
	[1 + 0] = PERFETTO_REALTIME,
	[1 + 1] = 3, /* MONOTONIC */
	[1 + 4] = 5, /* MONOTONIC_RAW */
	[1 + 7] = PERFETTO_BOOTTIME,
};

char *perfetto_text(struct perfetto *p, const char *text)
{
	char *copy = NULL;
	const char *utf8 = base_utf8_text(text, &copy);
	uint32_t id = copy ? base_intern_str(&p->texts, copy) : PD_INTERN_NONE;

	free(copy);
	if (utf8 == text)
		return (char *)text;
	p->no_memory |= id == PD_INTERN_NONE;
	return id == PD_INTERN_NONE ? "" : (char *)base_intern_bytes(&p->texts, id);
}

char *perfetto_comm(struct perfetto *p, const struct prof_thread *thread)
{
	return perfetto_text(p, prof_string(p->profile, thread->comm));
}

void perfetto_put(struct perfetto *p, Perfetto__TracePacket *packet)
{
	uint8_t head[1 + BASE_VARINT_BYTES];

	packet->trusted_packet_sequence_id = 1;
	packet->has_sequence_flags = true;
	packet->sequence_flags = p->has_begun ? NEEDS_STATE : NEEDS_STATE | STATE_CLEARED;
	p->has_begun = true;
	size_t size = perfetto__trace_packet__get_packed_size(packet);
	if (!pd_vec_reserve(&p->buffer, size)) {
		p->no_memory = true;
		return;
	}
	perfetto__trace_packet__pack(packet, p->buffer.data);
	out_gzip_write(p->gzip, head, (size_t)(base_proto_len(head, TRACE_PACKET, size) - head));
	out_gzip_write(p->gzip, p->buffer.data, size);
}

static void put_defaults(struct perfetto *p)
{
	Perfetto__StackSampleDefaults samples = PERFETTO__STACK_SAMPLE_DEFAULTS__INIT;
	Perfetto__TracePacketDefaults defaults = PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	samples.source = "linux.perf";
	defaults.stack_sample_defaults = &samples;
	packet.trace_packet_defaults = &defaults;
	perfetto_put(p, &packet);
}

/*
 * Times of a trace are those of CLOCK_BOOTTIME unless they are converted, and its reader converts
 * no events of the scheduler from any other clock that perf has. So the times of the recording
 * stand for it, and the snapshot says of which clock they are.
 */
static void put_clocks(struct perfetto *p)
{
	const struct prof_about *about = &p->profile->about;
	Perfetto__ClockSnapshot__Clock list[3], *pointers[PD_ARRAY_LEN(list)];
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	uint64_t time = p->begin, early = p->profile->stats.first_ns - time;
	const struct {
		uint32_t id;
		uint64_t time;
	} known[] = {
		{ PERFETTO_BOOTTIME, time },
		{ about->clock < PD_ARRAY_LEN(clocks) ? clocks[about->clock] : CLOCK_UNKNOWN,
			time },
		/* The wall-clock time is known of the first sample. */
		{ PERFETTO_REALTIME, about->start_ns > early ? about->start_ns - early : 0 },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(known); i++) {
		bool is_repeated = i == 1 && (known[i].id == PERFETTO_BOOTTIME ||
						     known[i].id == PERFETTO_REALTIME);

		if (!known[i].id || !known[i].time || is_repeated)
			continue;
		perfetto__clock_snapshot__clock__init(&list[snapshot.n_clocks]);
		list[snapshot.n_clocks].clock_id = known[i].id;
		list[snapshot.n_clocks].timestamp = known[i].time;
		pointers[snapshot.n_clocks] = &list[snapshot.n_clocks];
		snapshot.n_clocks++;
	}
	snapshot.clocks = pointers;
	packet.clock_snapshot = &snapshot;
	perfetto_put(p, &packet);
}

/* Say which kernel it was: states of threads have other numbers in other kernels. */
static void put_system(struct perfetto *p)
{
	const struct prof_about *about = &p->profile->about;
	Perfetto__Utsname name = PERFETTO__UTSNAME__INIT;
	Perfetto__SystemInfo info = PERFETTO__SYSTEM_INFO__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	name.sysname = "Linux";
	if (about->kernel_release.i)
		name.release = perfetto_text(p, prof_string(p->profile, about->kernel_release));
	if (about->arch.i)
		name.machine = perfetto_text(p, prof_string(p->profile, about->arch));
	info.utsname = &name;
	info.has_num_cpus = about->n_cpus;
	info.num_cpus = about->n_cpus;
	packet.system_info = &info;
	perfetto_put(p, &packet);
}

static void put_attribute(struct perfetto *p, const char *key, const char *text, uint64_t n)
{
	Perfetto__TraceAttributes__Attribute attribute =
		PERFETTO__TRACE_ATTRIBUTES__ATTRIBUTE__INIT;
	Perfetto__TraceAttributes attributes = PERFETTO__TRACE_ATTRIBUTES__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	if (text ? !text[0] : !n)
		return;
	attribute.key = (char *)key;
	attribute.string_value = text ? perfetto_text(p, text) : NULL;
	attribute.has_long_value = !text;
	attribute.long_value = (int64_t)n;
	attributes.n_attribute = 1;
	attributes.attribute = (Perfetto__TraceAttributes__Attribute *[]){ &attribute };
	packet.trace_attributes = &attributes;
	perfetto_put(p, &packet);
}

/* Write what the viewer lists about the trace. */
static void put_about(struct perfetto *p)
{
	const struct profile *profile = p->profile;
	const struct prof_about *about = &profile->about;
	const struct {
		const char *key;
		struct prof_string_id text;
	} facts[] = {
		{ "command", about->command },
		{ "host", about->host },
		{ "perf version", about->perf_version },
	};
	const struct prof_stats *stats = &profile->stats;
	const struct {
		const char *key;
		uint64_t n;
	} losses[] = { OUT_LOSSES(OUT_LOSS_ROW) };

	put_attribute(p, "converter", "pdconv " PD_VERSION, 0);
	for (size_t i = 0; i < PD_ARRAY_LEN(facts); i++)
		put_attribute(p, facts[i].key, prof_string(profile, facts[i].text), 0);
	for (size_t i = 0; i < PD_ARRAY_LEN(losses); i++)
		put_attribute(p, losses[i].key, NULL, losses[i].n);
}

static void put_tree(struct perfetto *p, Perfetto__ProcessTree *tree)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.has_timestamp = true;
	packet.timestamp = p->begin;
	packet.process_tree = tree;
	perfetto_put(p, &packet);
}

static void put_process(struct perfetto *p, uint32_t pid, const char *name)
{
	Perfetto__ProcessTree__Process process = PERFETTO__PROCESS_TREE__PROCESS__INIT;
	Perfetto__ProcessTree tree = PERFETTO__PROCESS_TREE__INIT;

	process.pid = (int32_t)pid;
	process.n_cmdline = 1;
	process.cmdline = (char *[]){ perfetto_text(p, name) };
	tree.n_processes = 1;
	tree.processes = (Perfetto__ProcessTree__Process *[]){ &process };
	put_tree(p, &tree);
}

static void put_thread(struct perfetto *p, const struct prof_thread *thread)
{
	Perfetto__ProcessTree__Thread entry = PERFETTO__PROCESS_TREE__THREAD__INIT;
	Perfetto__ProcessTree tree = PERFETTO__PROCESS_TREE__INIT;

	entry.tid = (int32_t)thread->tid;
	entry.tgid = (int32_t)thread->pid;
	entry.name = perfetto_comm(p, thread);
	tree.n_threads = 1;
	tree.threads = (Perfetto__ProcessTree__Thread *[]){ &entry };
	put_tree(p, &tree);
}

/* Name of the process @p pid; NULL: not known. @p thread: a thread of it. */
static const char *process_name(const struct profile *profile, const struct prof_thread *thread)
{
	struct prof_string_id name;

	if (prof_find_process(profile, thread->pid, &name))
		return prof_string(profile, name);
	return thread->tid == thread->pid ? prof_string(profile, thread->comm) : NULL;
}

/* Note the threads that begin in the trace, which events introduce. Returns false: no memory. */
static bool note_born(const struct profile *profile, struct base_map *seen)
{
	for (size_t i = 0; i < profile->ledger_changes.n; i++) {
		const struct prof_ledger_change *change = &profile->ledger_changes.data[i];

		base_spill_pass(&profile->ledger_changes, i);
		if (change->from == PROF_LEDGER_BORN &&
			!base_map_add(seen,
				perfetto_thread_key(prof_thread(profile, change->thread)), NULL))
			return false;
	}
	return true;
}

/* Write the threads that exist at the beginning, each once, under its last name. */
static void put_threads(struct perfetto *p)
{
	struct base_map seen = { 0 }, seen_pids = { 0 };
	bool ok = !p->has_cpus || note_born(p->profile, &seen);

	for (uint32_t i = p->profile->threads.n; ok && i > 0; i--) {
		const struct prof_thread *thread =
			prof_thread(p->profile, (struct prof_thread_id){ i - 1 });
		bool is_new, is_new_pid = false;

		if ((int32_t)thread->tid <= 0 || (int32_t)thread->pid <= 0)
			continue;
		ok = base_map_add(&seen, perfetto_thread_key(thread), &is_new);
		const char *name = ok && is_new ? process_name(p->profile, thread) : NULL;
		if (name)
			ok = base_map_add(&seen_pids, thread->pid, &is_new_pid);
		if (ok && is_new_pid)
			put_process(p, thread->pid, name);
		if (ok && is_new)
			put_thread(p, thread);
	}
	p->no_memory |= !ok;
	base_map_deinit(&seen);
	base_map_deinit(&seen_pids);
}

/* Find the times of the trace: those of the ledger, or else from the first sample to the last. */
static void find_times(struct perfetto *p)
{
	const struct profile *profile = p->profile;

	p->begin = profile->stats.first_ns;
	p->end = profile->stats.last_ns;
	for (size_t i = 0; i < profile->ledgers.n; i++) {
		const struct prof_ledger *ledger = &profile->ledgers.data[i];

		if (!p->begin || (ledger->begin_ns && ledger->begin_ns < p->begin))
			p->begin = ledger->begin_ns;
		if (ledger->end_ns > p->end)
			p->end = ledger->end_ns;
	}
}

static struct pd_error *write_perfetto(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct perfetto p = { .profile = profile };
	const struct out_gzip_opts gzip = { .jobs = opts->jobs };
	struct pd_error *err = out_gzip_create(out, &gzip, &p.gzip);

	if (err)
		return err;
	find_times(&p);
	p.has_cpus = perfetto_has_cpus(profile);
	put_defaults(&p);
	put_system(&p);
	put_clocks(&p);
	put_about(&p);
	put_threads(&p);
	perfetto_put_sched(&p);
	perfetto_put_tracks(&p);
	perfetto_put_samples(&p);
	out_gzip_finish(p.gzip);
	out_gzip_destroy(p.gzip);
	base_map_deinit(&p.thread_tracks);
	base_intern_deinit(&p.texts);
	pd_vec_deinit(&p.buffer);
	return p.no_memory ? &pd_enomem : NULL;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->tags = 1 << PROF_TAG_TIME | 1 << PROF_TAG_CPU;
	request->ledger = true;
	request->ledger_if_known = true;
	request->ledger_changes = true;
	request->intervals = true;
	request->note_types = out_note_types();
	request->note_text = out_note_text;
	return NULL;
}

const struct out_format out_format_perfetto = {
	.name = "perfetto",
	.suffix = ".perfetto-trace.gz",
	.is_binary = true,
	.takes_one = true,
	.help = "gzipped trace for ui.perfetto.dev, threads and CPUs over time",
	.prepare = prepare,
	.write = write_perfetto,
};
