/* pdconv record: sample a program, processes or the machine. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "base/integer.h"
#include "base/plural.h"
#include "base/io/temporary.h"
#include "cmd/commands/archive.h"
#include "cmd/process/build_id_cache.h"
#include "cmd/commands/convert_command.h"
#include "base/io/destination.h"
#include "capture/refusal.h"
#include "cmd/options/message.h"
#include "cmd/process/output_directory.h"
#include "cmd/process/output_file.h"
#include "cmd/process/signals.h"
#include "cmd/commands/live.h"
#include "cmd/commands/record_setup.h"
#include "cmd/process/recorded_files.h"
#include "api/live_chains.h"
#include "api/reading.h"
#include "base/text.h"

static const char default_output[] = "perf.data";

struct recording {
	const struct cmd_options *options;
	struct cmd_result *cmd_result;
	struct cap_recording recording;
	FILE *out;
	/** Path of the output; NULL: the recording is converted and not kept. */
	const char *path;
	/** Converts the recording while it is made. */
	struct cmd_live live;
	/** Unwinds its samples while it is made; NULL: they are written with their stacks. */
	struct api_live_chains *chains;
	struct cap_unwinder unwinder;
	struct base_destination destination;
	/** Name of the output in its directory until the recording begins; NULL: its own. */
	char *new_name;
	/** The recording that was FILE.old before, which is gone once this is closed; or -1. */
	int replaced;
};

/* There is an older recording, which is kept as FILE.old. */
static bool has_older(const struct base_destination *to)
{
	return to->exists && !base_destination_is_special(to) && to->state.st_size;
}

/*
 * Rename the older recording to FILE.old, and the new one to FILE. What was FILE.old stays open:
 * freeing a large file takes so long that samples are lost meanwhile.
 */
static struct pd_error *replace_older(struct recording *r)
{
	const struct base_destination *to = &r->destination;

	if (!r->new_name)
		return NULL;
	_cleanup_free_ char *old = base_format("%s.old", to->name);
	if (!old)
		return &pd_enomem;
	r->replaced = openat(to->dir, old, O_PATH | O_CLOEXEC);
	if (renameat(to->dir, to->name, to->dir, old) < 0 ||
		renameat(to->dir, r->new_name, to->dir, to->name) < 0)
		return pd_error_os(r->path, "cannot rename");
	free(r->new_name);
	r->new_name = NULL;
	return NULL;
}

/* Called with signals blocked: the next SIGINT or SIGTERM ends the recording. */
static struct pd_error *begin(void *ctx)
{
	cmd_late_signal_ignore(true);
	return replace_older(ctx);
}

/*
 * Only the user may read a recording: it has the memory and the addresses of processes. An older
 * one stays in its place until the new one has begun, because events may be refused.
 */
static struct pd_error *open_file(struct recording *r)
{
	struct pd_error *err = base_destination_find(r->path, false, &r->destination);

	if (err)
		return err;
	int fd = has_older(&r->destination)
			 ? base_destination_create_beside(&r->destination, 0600, &r->new_name)
			 : base_destination_open(&r->destination, 0600);
	r->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (r->out)
		return NULL;
	err = pd_error_os(r->path, "cannot open");
	base_close(&fd);
	return err;
}

static struct pd_error *open_temporary(struct recording *r)
{
	int fd = base_temporary_open();

	r->out = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!r->out) {
		struct pd_error *err = pd_error_os("temporary file", "cannot create");

		base_close(&fd);
		return err;
	}
	r->recording.opts.name = "temporary file";
	return NULL;
}

/* Refuse what needs a file. perf rejects streams with features that it does not know. */
static struct pd_error *check_stream(const struct recording *r)
{
	if (r->options->record.with_archive)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--archive: a stream cannot be read again: record into a file");
	if (!r->recording.opts.n_tags)
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"--tag: a stream cannot store labels: record into a file, or convert with -f");
}

static struct pd_error *check_archive(const struct cmd_options *options)
{
	if (options->format && options->record.with_archive)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--archive: a recording that is converted at once is not kept");
	if (options->with_debug && !options->record.with_archive)
		return pd_error_create(PD_ERROR_USAGE, NULL, "--debug: needs --archive");
	return NULL;
}

/* Unwind while recording, unless the recording is converted and not kept. */
static struct pd_error *use_chains(struct recording *r)
{
	const struct cmd_record_options *opts = &r->options->record;

	if (!opts->live)
		return NULL;
	if (opts->sampling.stacks != CAP_STACKS_DWARF)
		return pd_error_create(PD_ERROR_USAGE, NULL, "--live: needs --call-graph dwarf");
	if (r->options->format && !r->live.stream)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--live: the conversion needs the whole recording: leave out -f");
	if (r->live.stream)
		return NULL;
	struct pd_error *err = api_live_chains_create(NULL, &r->chains);
	if (err)
		return err;
	r->unwinder = api_live_chains_unwinder(r->chains);
	r->recording.opts.unwinder = &r->unwinder;
	return NULL;
}

/* The stream to the process that converts needs no compression. */
static void use_live(struct recording *r)
{
	r->out = r->live.stream;
	r->recording.opts.name = "pipe to the conversion";
	r->recording.opts.is_pipe = true;
	r->recording.opts.level = 0;
	r->recording.opts.fill = cmd_live_fill;
	r->recording.opts.fill_ctx = &r->live;
}

static struct pd_error *open_output(struct recording *r)
{
	const char *path = r->options->output ? r->options->output : default_output;

	if (r->live.stream) {
		use_live(r);
		return NULL;
	}
	if (r->options->format)
		return open_temporary(r);
	r->path = path;
	r->recording.opts.name = path;
	if (cmd_output_is_stdout(path)) {
		r->out = stdout;
		r->recording.opts.is_pipe = true;
		return check_stream(r);
	}
	struct pd_error *err = open_file(r);
	if (err)
		return err;
	r->recording.opts.is_pipe = lseek(fileno(r->out), 0, SEEK_CUR) < 0;
	if (r->recording.opts.is_pipe && errno != ESPIPE)
		return pd_error_os(path, "cannot seek");
	return r->recording.opts.is_pipe ? check_stream(r) : NULL;
}

static struct pd_error *close_output(struct recording *r)
{
	FILE *out = r->out;

	r->out = NULL;
	if (!out || out == stdout)
		return NULL;
	return fclose(out) == 0 ? NULL : pd_error_os(r->recording.opts.name, "cannot write");
}

/* Remove a recording that never began, unless it is a device or a pipe. */
static void drop_output(struct recording *r)
{
	struct stat st;

	if (r->path && r->out && r->out != stdout && !r->recording.result.has_begun &&
		fstat(fileno(r->out), &st) == 0 && S_ISREG(st.st_mode))
		unlinkat(r->destination.dir, r->new_name ? r->new_name : r->destination.name, 0);
}

static const char *why_no_cycles(const struct recording *r)
{
	return cap_refusal(r->recording.session.default_event.cycles_errnum) == CAP_REFUSED_DENIED
		       ? "no permission to count cycles"
		       : "this machine cannot count cycles";
}

/* Report what was recorded instead of what was asked for. */
static void report_events(const struct recording *r)
{
	const struct cap_session *session = &r->recording.session;

	if (r->recording.session.is_default && r->recording.session.default_event.is_clock)
		cmd_say("recorded cpu-clock: %s", why_no_cycles(r));
	if (r->recording.session.is_default && r->recording.session.default_event.is_user_only)
		cmd_say("recorded only user space: no permission for the kernel, see "
			"kernel.perf_event_paranoid and CAP_PERFMON");
	for (size_t i = 0; i < session->opened.n; i++) {
		const struct cap_opened *event = &session->opened.data[i];

		if (!event->is_clock && !event->is_user_only)
			continue;
		if (event->is_clock) {
			cmd_say("recorded cpu-clock in place of cycles, which this machine "
				"cannot count");
			continue;
		}
		fputs("event ", cmd_begin());
		base_text_write_message(stderr, event->event->name);
		fputs(": recorded only user space: no permission for the kernel\n", stderr);
	}
}

/* Report how stacks were unwound while recording. */
static void report_unwound(const struct recording *r)
{
	const struct cap_unwound_counts *counts = &r->recording.result.unwound;
	uint32_t bytes = r->recording.session.sampling.stack_bytes;
	uint64_t n = 0, n_short = counts->ends[PD_UNWIND_END_STACK_SHORT];

	for (size_t i = 0; i < PD_N_UNWIND_ENDS; i++)
		n += counts->ends[i];
	fprintf(cmd_begin(), "unwound %" PRIu64 " stack%s, %.1f %% of them to the root", n,
		base_plural(n), base_percent(counts->ends[PD_UNWIND_END_ROOT], n));
	if (n_short)
		fprintf(stderr, "; %.1f %% are cut at %g KiB", base_percent(n_short, n),
			bytes / 1024.0);
	fputc('\n', stderr);
	if (counts->n_left_out)
		cmd_say("%" PRIu64 " samples are left out: damaged or too large",
			counts->n_left_out);
	for (size_t i = 0; r->options->record.verbose && i < PD_N_UNWIND_ENDS; i++) {
		if (counts->ends[i])
			cmd_say("%8" PRIu64 " %s", counts->ends[i], pd_unwind_end_text(i));
	}
}

/* Report how stacks were unwound by BPF. */
static void report_bpf(const struct recording *r)
{
	static const char *const texts[] = {
#define END_TEXT(name, text) text,
		BW_ENDS(END_TEXT)
#undef END_TEXT
	};
	const struct cap_chains_counts *chains = &r->recording.result.chains;
	const struct cap_bpf_counts *bpf = &r->recording.result.bpf;
	uint64_t n = 0;

	for (size_t i = 0; i < BW_N_ENDS; i++)
		n += chains->ends[i];
	fprintf(cmd_begin(), "BPF unwound %" PRIu64 " stack%s, %.1f %% of them to the root", n,
		base_plural(n), base_percent(chains->ends[BW_END_ROOT], n));
	if (chains->ends[BW_END_ROOT_DOUBTFUL])
		fprintf(stderr, ", and %.1f %% by frame pointers that may have skipped a caller",
			base_percent(chains->ends[BW_END_ROOT_DOUBTFUL], n));
	fprintf(stderr, "; %" PRIu64 " were of processes not yet known, %" PRIu64 " were lost\n",
		chains->n_unknown, chains->n_lost);
	if (bpf->n_refused)
		cmd_say("%" PRIu64 " table%s did not fit: give them more memory (--bpf-memory)",
			bpf->n_refused, base_plural(bpf->n_refused));
	if (!r->options->record.verbose)
		return;
	for (size_t i = 0; i < BW_N_ENDS; i++) {
		if (chains->ends[i])
			cmd_say("%8" PRIu64 " %s", chains->ends[i], texts[i]);
	}
	cmd_say("BPF: %zu table%s, %.1f MB at most, %zu dropped; %zu processes, read %" PRIu64
		" times; %" PRIu64 " requests; %" PRIu64 " frames",
		bpf->n_tables, base_plural(bpf->n_tables), (double)bpf->most_table_bytes / 1e6,
		bpf->n_dropped, bpf->n_processes, bpf->n_reads, bpf->n_misses, chains->n_frames);
	if (bpf->n_runs)
		cmd_say("BPF took %.2f us a sample",
			(double)bpf->run_ns / 1e3 / (double)bpf->n_runs);
}

static void report(const struct recording *r)
{
	const struct cap_recording_result *result = &r->recording.result;
	const struct cap_postponed *postponed = &r->recording.postponed;

	if (r->options->quiet)
		return;
	fprintf(cmd_begin(), "%" PRIu64 " sample%s, %.3f MB", result->counts.n_samples,
		base_plural(result->counts.n_samples), (double)result->file_bytes / 1e6);
	if (r->live.stream)
		fputs(" converted while recording", stderr);
	if (!cmd_output_is_stdout(r->path)) {
		fputs(" in ", stderr);
		base_text_write_message(stderr, r->path);
	}
	fprintf(stderr, "; lost %" PRIu64 ", throttled %" PRIu64 " time%s\n", result->counts.n_lost,
		result->counts.n_throttled, base_plural(result->counts.n_throttled));
	report_events(r);
	if (r->chains)
		report_unwound(r);
	bool is_quiet = r->options->record.has_default_stacks && !r->options->record.verbose;
	if (r->recording.session.sampling.stacks == CAP_STACKS_BPF && !is_quiet)
		report_bpf(r);
	if (result->counts.n_shortened)
		cmd_say("%" PRIu64 " samples hold less of the stack than requested, so that no "
			"samples were lost; record less often (-F) or with a larger buffer (-m)",
			result->counts.n_shortened);
	if (result->n_offline)
		cmd_say("%zu CPU%s offline at times: samples are missing", result->n_offline,
			result->n_offline == 1 ? " was" : "s were");
	if (result->blocked.n_refused)
		cmd_say("%zu thread%s waited from the beginning and %s no stack until %s: reading it "
			"needs the right to trace (ptrace)",
			result->blocked.n_refused, base_plural(result->blocked.n_refused),
			result->blocked.n_refused == 1 ? "has" : "have",
			result->blocked.n_refused == 1 ? "it ran" : "they ran");
	if (result->n_late)
		cmd_say("%" PRIu64 " processes had samples and ended before their mappings "
			"were read",
			result->n_late);
	if (r->options->record.verbose && postponed->pids.n)
		cmd_say("mappings of %zu processes were read when they had samples, those "
			"of %zu processes without samples were not",
			postponed->seen.n, cap_postponed_n_unseen(postponed));
	if (r->options->record.verbose)
		cmd_say("the recorder itself took %.3f s of CPU time", result->cpu_seconds);
}

/* Return the exit status of the command like a shell, unless the recording ended first. */
static int status_of(const struct recording *r)
{
	const struct cap_target *target = &r->recording.session.target;

	if (!target->child || !target->has_ended || r->recording.result.signal)
		return CMD_DONE;
	return WIFEXITED(target->status) ? WEXITSTATUS(target->status)
					 : 128 + WTERMSIG(target->status);
}

static struct pd_error *convert_recording(struct recording *r)
{
	const struct cmd_input_file input = { .path = "the recording", .fd = fileno(r->out) };
	const struct cmd_conversion conversion = {
		.options = r->options,
		.format = r->options->format,
		.recording = &input,
	};

	/* The conversion is confined, so that nothing can be removed from the kernel afterwards. */
	cap_session_remove_probes(&r->recording.session);
	if (fflush(r->out) != 0 || lseek(input.fd, 0, SEEK_SET) < 0)
		return pd_error_os(r->recording.opts.name, "cannot read again");
	return cmd_conversion_run(&conversion, r->cmd_result);
}

/* Put the binaries of the samples into perf's cache, as perf does. */
static struct pd_error *fill_cache(struct recording *r, const char *dir)
{
	_cleanup_(api_reading_deinit) struct api_reading reading = { 0 };
	struct resolve_opts *opts = &reading.resolve;
	struct profile *profile;
	struct pd_error *err = api_reading_init(&r->options->profile, r->path, NULL, &reading);

	if (err)
		return err;
	opts->search.buildid_dir = dir;
	/* Where samples were taken, not what called it. */
	opts->unwind.max_stack = 1;
	err = cmd_recorded_files_read(r->path, opts, NULL, &profile);
	if (err)
		return err;
	err = cmd_build_id_cache_add(dir, profile, &opts->search);
	prof_destroy(profile);
	return err;
}

/* The recording is complete without the cache, so failures are shown only to those who ask. */
static void cache_binaries(struct recording *r)
{
	const struct cmd_record_options *opts = &r->options->record;
	_cleanup_free_ char *dir = NULL;

	if (!r->path || r->recording.opts.is_pipe || opts->no_buildid_cache ||
		!opts->sampling.with_build_ids || !r->recording.result.counts.n_samples)
		return;
	struct pd_error *err = cmd_build_id_cache_dir(&dir);
	if (!err && dir)
		err = fill_cache(r, dir);
	if (err && opts->verbose) {
		fputs("build-id cache: ", cmd_begin());
		base_text_write_message(stderr, err->path ? err->path : dir);
		fprintf(stderr, ": %s\n", err->message);
	}
	pd_error_destroy(err);
}

static struct pd_error *set_up(struct recording *r)
{
	char *const *command = r->options->record.command;
	struct pd_error *err = cmd_record_setup(&r->recording, r->options);

	if (err)
		return err;
	err = use_chains(r);
	if (!err)
		err = open_output(r);
	if (err)
		return err;
	if (command[0])
		err = cap_target_prepare(&r->recording.session.target, command);
	/* Report a reader that exits as an error. The command has been forked and keeps SIGPIPE. */
	if (r->path || r->live.stream)
		signal(SIGPIPE, SIG_IGN);
	return err;
}

/* Allow as many descriptors as possible: an event takes one per CPU and thread. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Say what to do if BPF cannot unwind here. */
static struct pd_error *advise(const struct recording *r, struct pd_error *err)
{
	if (r->recording.session.sampling.stacks != CAP_STACKS_BPF ||
		err->code != PD_ERROR_UNSUPPORTED)
		return err;
	struct pd_error *ret = pd_error_create(PD_ERROR_UNSUPPORTED, err->path,
		"%s; --call-graph dwarf works without BPF", err->message);
	pd_error_destroy(err);
	return ret;
}

/* Wait for the process that converts. Its failure explains why its pipe cannot be written. */
static struct pd_error *finish_live(struct recording *r, struct pd_error *err)
{
	/* The stream is closed with its process. */
	r->out = NULL;
	if (err && !cmd_live_has_ended(&r->live)) {
		cmd_live_abandon(&r->live);
		return err;
	}
	struct pd_error *ended =
		cmd_live_finish(&r->live, r->recording.result.signal, &r->cmd_result->status);
	if (err && !ended && !r->cmd_result->status)
		return err;
	pd_error_destroy(err);
	return ended;
}

/* Convert the recording, or let the process end that does that. */
static struct pd_error *convert(struct recording *r)
{
	if (r->live.stream)
		return finish_live(r, NULL);
	return r->options->format ? convert_recording(r) : NULL;
}

/* Exit status for a program that cannot be run, as shells have it; 0 if it was run. */
static int exec_status(int exec_errno)
{
	enum { NOT_FOUND = 127, NOT_EXECUTABLE = 126 };

	if (!exec_errno)
		return 0;
	return exec_errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

static struct pd_error *record(struct recording *r)
{
	struct pd_error *err = set_up(r);

	raise_file_limit();
	cmd_late_signal_watch();
	r->recording.opts.begun = begin;
	r->recording.opts.begun_ctx = r;
	if (!err)
		err = cap_recording_run(&r->recording, r->out);
	cmd_late_signal_ignore(r->recording.result.signal != 0);
	if (err) {
		r->cmd_result->failure = exec_status(r->recording.session.target.exec_errno);
		drop_output(r);
		return r->live.stream ? finish_live(r, advise(r, err)) : advise(r, err);
	}
	report(r);
	err = convert(r);
	if (!r->cmd_result->status)
		r->cmd_result->status = status_of(r);
	if (err)
		return err;
	err = close_output(r);
	if (err)
		return err;
	/* First what must not wait: processes whose files can still be read may exit. */
	if (r->options->record.with_archive)
		err = cmd_archive_recording(r->options, r->path, r->cmd_result->diag);
	cache_binaries(r);
	return err;
}

/* Record with the stacks of the options, and say whether the recording has begun. */
static struct pd_error *record_stacks(
	const struct cmd_options *options, struct cmd_result *result, bool *has_begun_ret)
{
	struct recording r = { .options = options,
		.cmd_result = result,
		.live = { .input = -1, .output = -1, .end_fd = -1 },
		.replaced = -1 };
	const struct cmd_output_opts output = { .options = options };
	struct pd_error *err = check_archive(options);

	/* Report an output that cannot be written now, not after an hour of recording. */
	if (!err && options->format)
		err = options->format->write_directory
			      ? cmd_output_directory_check(options->output, options->format)
			      : cmd_output_check(options->output, &output);
	/* The process that converts shall have nothing of what is set up for recording. */
	if (!err && cmd_live_is_possible(options))
		err = cmd_live_start(&r.live);
	if (err)
		return err;
	if (r.live.input >= 0) {
		*has_begun_ret = true;
		return cmd_live_convert(&r.live, options, result);
	}
	cap_recording_init(&r.recording);
	err = record(&r);
	*has_begun_ret = r.recording.result.has_begun;
	if (r.out && r.out != stdout)
		fclose(r.out);
	base_destination_deinit(&r.destination);
	free(r.new_name);
	base_close(&r.replaced);
	cap_recording_deinit(&r.recording);
	api_live_chains_destroy(r.chains);
	return err;
}

/* Whether "EVENT,EVENT" has a tracepoint or a probe: no modifier follows its colon. */
static bool has_tracepoint(const char *events)
{
	const char *at = events;

	while ((at = strchr(at, ':'))) {
		at += 1 + strspn(at + 1, "ukhHGpPSDIWe");
		if (*at && !strchr(",}", *at))
			return true;
	}
	return false;
}

/*
 * Whether stacks are copied if the user has chosen nothing. BPF knows a process after its first
 * sample only, which is the one of interest if tracepoints count each event.
 */
static bool copies_stacks(const struct cmd_record_options *opts)
{
	if (opts->live || opts->offcpu || opts->sampling.user_regs)
		return true;
	for (size_t i = 0; i < opts->events.items.n; i++) {
		if (has_tracepoint(opts->events.items.data[i]))
			return true;
	}
	return false;
}

/* Without a choice of the user, stacks are unwound by BPF, or else copied. */
struct pd_error *cmd_record(const struct cmd_options *options, struct cmd_result *result)
{
	struct cmd_options chosen = *options;
	struct cap_sampling *sampling = &chosen.record.sampling;
	bool has_begun = false;
	/* Stacks that are unwound at once are not written, so all of them can be copied. */
	uint32_t bytes = options->record.live ? CAP_MAX_STACK_BYTES : CAP_DEFAULT_STACK_BYTES;

	if (sampling->stacks != CAP_STACKS_UNSET) {
		if (!sampling->has_stack_bytes)
			sampling->stack_bytes = bytes;
		return record_stacks(&chosen, result, &has_begun);
	}
	chosen.record.has_default_stacks = true;
	bool copies = copies_stacks(&options->record);
	sampling->stacks = copies ? CAP_STACKS_DWARF : CAP_STACKS_BPF;
	sampling->stack_bytes = bytes;
	struct pd_error *err = record_stacks(&chosen, result, &has_begun);
	if (copies || !err || err->code != PD_ERROR_UNSUPPORTED || has_begun)
		return err;
	pd_error_destroy(err);
	*result = (struct cmd_result){ .diag = result->diag };
	sampling->stacks = CAP_STACKS_DWARF;
	return record_stacks(&chosen, result, &has_begun);
}
