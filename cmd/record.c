/* pdconv record: from a program, processes or the machine to a recording. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arch.h"
#include "base/cleanup.h"
#include "base/temporary.h"
#include "capture/recorder.h"
#include "capture/sampling.h"
#include "cmd/commands.h"
#include "output/text.h"

static const char usual_output[] = "perf.data";

enum { USUAL_PAGES = 128, USUAL_FREQUENCY = 999, USUAL_LEVEL = 1, HIGHEST_LEVEL = 22 };

struct recording {
	const struct cmd_options *options;
	struct cmd_result *cmd_result;
	struct cap_target target;
	struct cap_sampling sampling;
	struct cap_session session;
	struct cap_record_opts opts;
	struct cap_record_result result;
	FILE *out;
	/** Of the output; NULL: it is converted, and in no file. */
	const char *path;
};

/* Options. */

static struct pd_error *add_ids(struct cap_target *target, const struct cmd_list *list,
	const char *option, struct pd_error *(*add)(struct cap_target *target, pid_t id))
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < list->items.n && !err; i++) {
		const char *at = list->items.data[i];

		do {
			char *end;
			long id = strtol(at, &end, 10);

			if (end == at || id <= 0 || (*end && *end != ','))
				return pd_error_create(PD_ERROR_USAGE, NULL,
					"--%s: \"%s\" is no list of numbers", option, at);
			err = add(target, (pid_t)id);
			at = *end ? end + 1 : end;
		} while (*at && !err);
	}
	return err;
}

static struct pd_error *set_target(struct recording *r)
{
	const struct cmd_record_options *opts = &r->options->record;
	bool has_ids = opts->pids.items.n || opts->tids.items.n;
	bool has_command = opts->command[0];
	struct pd_error *err = opts->cpus ? cap_target_set_cpus(&r->target, opts->cpus)
					  : cap_target_use_online_cpus(&r->target);

	r->target.is_system_wide = opts->all_cpus || (opts->cpus && !has_ids && !has_command);
	if (!err && has_ids && (opts->all_cpus || has_command))
		err = pd_error_create(PD_ERROR_USAGE, NULL,
			"--pid and --tid go neither with --all-cpus nor with a command");
	if (!err && !has_ids && !has_command && !r->target.is_system_wide)
		err = pd_error_create(
			PD_ERROR_USAGE, NULL, "nothing is to be recorded: COMMAND, -p, -t or -a");
	if (!err)
		err = add_ids(&r->target, &opts->pids, "pid", cap_target_add_process);
	if (!err)
		err = add_ids(&r->target, &opts->tids, "tid", cap_target_add_thread);
	return err;
}

static const struct {
	const char *name;
	int clock;
} clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "mono", CLOCK_MONOTONIC },
	{ "raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME },
	{ "real", CLOCK_REALTIME },
	{ "boottime", CLOCK_BOOTTIME },
	{ "boot", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};

static struct pd_error *set_clock(struct cap_sampling *sampling, const char *text)
{
	char *end;

	sampling->clock = -1;
	if (!text)
		return NULL;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strcmp(clocks[i].name, text) == 0) {
			sampling->clock = clocks[i].clock;
			return NULL;
		}
	}
	long number = strtol(text, &end, 10);
	if (end == text || *end || number < 0)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "--clockid: there is no clock \"%s\"", text);
	sampling->clock = (int)number;
	return NULL;
}

static struct pd_error *set_stacks(
	struct cap_sampling *sampling, const struct cmd_record_options *opts)
{
	struct utsname here;

	if (opts->call_graph) {
		struct pd_error *err = cap_sampling_set_stacks(sampling, opts->call_graph);
		if (err)
			return err;
	} else if (opts->has_stacks) {
		sampling->stacks = CAP_STACKS_FP;
	}
	if (sampling->stacks != CAP_STACKS_DWARF)
		return NULL;
	const struct pd_arch *arch = uname(&here) ? NULL : pd_arch_find(here.machine);
	if (!arch)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
			"--call-graph dwarf: the registers of this machine are not known");
	sampling->user_regs = cap_general_regs(arch);
	return NULL;
}

static struct pd_error *set_sampling(struct recording *r)
{
	const struct cmd_record_options *opts = &r->options->record;
	struct cap_sampling *sampling = &r->sampling;

	*sampling = (struct cap_sampling){
		.frequency = USUAL_FREQUENCY,
		.period = opts->count,
		.with_cpu = r->target.is_system_wide || opts->cpus,
		.inherit = !opts->no_inherit && !r->target.is_system_wide,
		.enable_on_exec = opts->command[0] && !r->target.is_system_wide && !opts->delay_ms,
		.with_switches = opts->with_switches || opts->offcpu,
		.with_namespaces = opts->with_namespaces,
		.with_cgroups = opts->with_cgroups,
		.with_build_ids = !opts->no_build_ids,
		.ring_bytes = r->opts.pages * (size_t)sysconf(_SC_PAGESIZE),
	};
	struct pd_error *err = set_clock(sampling, opts->clock);
	if (!err && opts->freq)
		err = cap_sampling_set_frequency(sampling, opts->freq);
	return err ? err : set_stacks(sampling, opts);
}

static struct pd_error *set_level(struct recording *r, const char *text)
{
	char *end;
	long level = text && text[0] ? strtol(text, &end, 10) : USUAL_LEVEL;

	if (!text)
		return NULL;
	if (text[0] && (*end || level < 1 || level > HIGHEST_LEVEL))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--compression-level: \"%s\" is no level from 1 to %d", text,
			HIGHEST_LEVEL);
	r->opts.level = (int)level;
	return NULL;
}

static struct pd_error *set_opts(struct recording *r)
{
	const struct cmd_record_options *opts = &r->options->record;
	char *end = NULL;

	r->opts = (struct cap_record_opts){
		.pages = opts->pages ? opts->pages : USUAL_PAGES,
		.delay = (double)opts->delay_ms / 1000,
	};
	if (r->opts.pages & (r->opts.pages - 1))
		return pd_error_create(PD_ERROR_USAGE, NULL, "--mmap-pages: %zu is no power of two",
			r->opts.pages);
	if (opts->duration)
		r->opts.duration = strtod(opts->duration, &end);
	if (opts->duration && (*end || !(r->opts.duration > 0) || isinf(r->opts.duration)))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--duration: \"%s\" is no number of seconds", opts->duration);
	return set_level(r, opts->level);
}

static const uint64_t USUAL_FLAGS = (uint64_t)1 << PD_ATTR_exclude_guest;

static struct pd_error *add_event(struct recording *r, struct cap_session_event event)
{
	event.leader = r->session.events.n;
	return pd_vec_push(&r->session.events, event) ? NULL : &pd_enomem;
}

/* The clock of the CPU. */
static struct pd_error *set_events(struct recording *r)
{
	enum { SW_CONTEXT_SWITCHES = 3 };
	const struct cap_session_event clock = {
		.attr = { .type = PD_TYPE_SOFTWARE, .flags = USUAL_FLAGS },
		.name = "cpu-clock",
	};
	const struct cap_session_event switches = {
		.attr = { .type = PD_TYPE_SOFTWARE,
			.config = SW_CONTEXT_SWITCHES,
			.sample_period = 1,
			.flags = USUAL_FLAGS },
		.name = CAP_OFFCPU_NAME,
	};
	struct pd_error *err = add_event(r, clock);

	r->opts.offcpu_event = -1;
	if (!err && r->options->record.offcpu) {
		r->opts.offcpu_event = (int)r->session.events.n;
		r->opts.keep_switches = r->options->record.with_switches;
		err = add_event(r, switches);
	}
	for (size_t i = 0; i < r->session.events.n && !err; i++)
		cap_sampling_apply(&r->sampling, i, r->session.events.n,
			(int)i == r->opts.offcpu_event, &r->session.events.data[i].attr);
	return err;
}

/* Output. */

/* An older recording stays, as FILE.old. */
static struct pd_error *keep_older(const char *path)
{
	_cleanup_free_ char *old = NULL;
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size)
		return NULL;
	if (asprintf(&old, "%s.old", path) < 0) {
		old = NULL;
		return &pd_enomem;
	}
	return rename(path, old) < 0 ? pd_error_os(path, "cannot be renamed") : NULL;
}

static struct pd_error *open_temporary(struct recording *r)
{
	int fd = pd_temporary_open();

	r->out = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!r->out)
		return pd_error_os("temporary file", "cannot be made");
	r->opts.name = "temporary file";
	return NULL;
}

static struct pd_error *open_output(struct recording *r)
{
	const char *path = r->options->output ? r->options->output : usual_output;

	if (r->options->format)
		return open_temporary(r);
	r->path = path;
	r->opts.name = path;
	if (strcmp(path, "-") == 0) {
		r->out = stdout;
		r->opts.is_pipe = true;
		return NULL;
	}
	struct pd_error *err = keep_older(path);
	if (err)
		return err;
	r->out = fopen(path, "we");
	return r->out ? NULL : pd_error_os(path, "cannot open");
}

static struct pd_error *close_output(struct recording *r)
{
	FILE *out = r->out;

	r->out = NULL;
	if (!out || out == stdout)
		return NULL;
	return fclose(out) == 0 ? NULL : pd_error_os(r->opts.name, "cannot write");
}

/* A recording that never began is none. */
static void drop_output(struct recording *r)
{
	if (r->path && r->out && r->out != stdout && !r->result.has_begun)
		unlink(r->path);
}

/* In the end. */

static void tell(const struct recording *r)
{
	const struct cap_record_result *result = &r->result;

	if (r->options->quiet)
		return;
	fprintf(stderr, "pdconv: %" PRIu64 " samples, %.3f MB", result->counts.n_samples,
		(double)result->file_bytes / 1e6);
	if (r->path && strcmp(r->path, "-") != 0) {
		fputs(" in ", stderr);
		out_text(stderr, r->path);
	}
	fprintf(stderr, "; lost %" PRIu64 ", throttled %" PRIu64 " times\n", result->counts.n_lost,
		result->counts.n_throttled);
	if (result->counts.n_shortened)
		fprintf(stderr,
			"pdconv: %" PRIu64 " samples hold less of the stack than asked for, lest "
			"samples were lost; record less often (-F) or with a larger buffer (-m)\n",
			result->counts.n_shortened);
	if (r->options->record.verbose)
		fprintf(stderr, "pdconv: the recorder itself took %.3f s of CPU time\n",
			result->cpu_seconds);
}

/* As a shell tells of a program. */
static int status_of(const struct cap_target *target)
{
	if (!target->child || !target->has_ended)
		return CMD_DONE;
	return WIFEXITED(target->status) ? WEXITSTATUS(target->status)
					 : 128 + WTERMSIG(target->status);
}

static struct pd_error *convert(struct recording *r)
{
	struct cmd_options options = *r->options;
	struct pd_error *err = NULL;

	options.command = CMD_CONVERT;
	options.input = "the recording";
	options.recorded_fd = fileno(r->out);
	options.inputs = (struct cmd_list){ 0 };
	if (fflush(r->out) != 0 || lseek(options.recorded_fd, 0, SEEK_SET) < 0)
		return pd_error_os(r->opts.name, "cannot be read again");
	if (!pd_vec_push(&options.inputs.items, options.input))
		err = &pd_enomem;
	if (!err)
		err = cmd_convert(&options, r->cmd_result);
	pd_vec_deinit(&options.inputs.items);
	return err;
}

static struct pd_error *set_up(struct recording *r)
{
	struct pd_error *err = set_opts(r);

	if (!err)
		err = set_target(r);
	if (!err)
		err = set_sampling(r);
	if (!err)
		err = set_events(r);
	if (!err)
		err = open_output(r);
	if (!err && r->options->record.command[0])
		err = cap_target_prepare(&r->target, r->options->record.command);
	return err;
}

static struct pd_error *record(struct recording *r)
{
	struct pd_error *err = set_up(r);

	if (!err)
		err = cap_record(&r->session, &r->target, r->out, &r->opts, &r->result);
	if (err) {
		drop_output(r);
		return err;
	}
	tell(r);
	if (r->options->format)
		err = convert(r);
	if (!r->cmd_result->status)
		r->cmd_result->status = status_of(&r->target);
	return err ? err : close_output(r);
}

struct pd_error *cmd_record(const struct cmd_options *options, struct cmd_result *result)
{
	struct recording r = { .options = options, .cmd_result = result };

	cap_target_init(&r.target);
	struct pd_error *err = record(&r);
	if (r.out && r.out != stdout)
		fclose(r.out);
	pd_vec_deinit(&r.session.events);
	cap_target_deinit(&r.target);
	return err;
}
