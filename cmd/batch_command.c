/* pdconv batch: recordings are converted one by one, each by a separate process. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/profile_read.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/plural.h"
#include "base/temporary.h"
#include "base/text.h"
#include "batch/inputs.h"
#include "batch/shard.h"
#include "cmd/batch_worker.h"
#include "cmd/commands.h"
#include "cmd/memory.h"
#include "cmd/message.h"
#include "cmd/output_file.h"
#include "cmd/search_options.h"

/* Number of recordings after which the cache of names is trimmed again. */
enum { TRIM_STEP = 256 };

/* A process that converts. */
struct worker {
	/* 0: none. */
	pid_t pid;
	char *input;
	char *slot;
	/* Where its result comes from. */
	int from;
};

struct batch {
	struct cmd_batch_plan plan;
	struct out_lake lake;
	struct bat_labels labels;
	struct bat_shard shard;
	struct bat_store store;
	struct bat_inputs inputs;
	struct worker *workers;
	size_t n_workers;
	size_t n_busy;
	double start;
	uint64_t n_converted;
	uint64_t n_skipped;
	uint64_t n_failed;
	uint64_t input_bytes;
	uint64_t output_bytes;
};

/* Outputs. */

/* Add TABLE/LABELS/ID.parquet of each table. */
static bool add_tables(
	const struct batch *b, const char *folders, const char *id, struct bat_outputs *ret)
{
	for (size_t i = 0; i < b->lake.tables.n; i++) {
		const char *name = b->lake.tables.data[i]->name;

		if (!bat_outputs_add(ret, base_format("%s.parquet", name),
			    base_format("%s/%s/%s.parquet", name, folders, id)))
			return false;
	}
	return true;
}

/* Find the outputs of a recording, and what the manifest calls them. */
static struct pd_error *find_outputs(const struct batch *b, const char *folders, const char *id,
	struct bat_outputs *ret, char **name_ret)
{
	const char *suffix = b->plan.format->suffix;
	bool ok = b->plan.lake ? add_tables(b, folders, id, ret)
			       : bat_outputs_add(ret, strdup(CMD_BATCH_OUTPUT),
					 base_format("%s/%s%s", folders, id, suffix));

	*name_ret = base_format("%s%s/%s%s", b->plan.lake ? "*/" : "", folders, id, suffix);
	return ok && *name_ret ? NULL : &pd_enomem;
}

static struct pd_error *log_result(const struct batch *b, const char *input,
	const struct bat_result *result, const char *output)
{
	_cleanup_free_ char *line = NULL;
	size_t len;
	FILE *out = base_memstream_open(&line, &len);

	if (!out)
		return &pd_enomem;
	bat_result_write(result, input, output, &b->labels, out);
	return base_memstream_close(out, &line) ? bat_store_log(&b->store, line, len) : &pd_enomem;
}

/*
 * Give the outputs their names, log them, and note that the recording is done, in this order: what
 * is done is in the manifest. *@p failed_ret: why the recording has no outputs; NULL: it has.
 */
static struct pd_error *keep(struct batch *b, size_t i, const char *input,
	struct bat_result *result, struct pd_error **failed_ret)
{
	const struct bat_facts facts = bat_result_facts(result, input);
	struct bat_outputs outputs = { 0 };
	_cleanup_free_ char *folders = NULL;
	_cleanup_free_ char *name = NULL;
	struct pd_error *err = bat_labels_path(&b->labels, &facts, &folders);

	if (!err)
		err = find_outputs(b, folders, result->id, &outputs, &name);
	if (!err)
		err = bat_store_publish(&b->store, i, &outputs, result->id, &result->output_bytes);
	*failed_ret = err;
	err = err ? NULL : log_result(b, input, result, name);
	if (!err && !*failed_ret)
		err = bat_store_conclude(&b->store, result->id, &outputs);
	bat_outputs_deinit(&outputs);
	return err;
}

/* Processes. */

/* Errors of reading begin with the input, others with something else, or nothing. */
static void print_failure(const char *input, const char *why)
{
	FILE *out = cmd_begin();

	if (!base_has_prefix(why, input)) {
		base_text_write_message(out, input);
		fputs(": ", out);
	}
	base_text_write_message(out, why);
	fputc('\n', out);
}

static struct pd_error *fail(
	struct batch *b, const char *input, struct bat_result *result, const char *why)
{
	snprintf(result->error, sizeof(result->error), "%s", why);
	b->n_failed++;
	if (!b->plan.options->quiet)
		print_failure(input, why);
	return log_result(b, input, result, NULL);
}

static struct pd_error *fail_by_error(
	struct batch *b, const char *input, struct bat_result *result, struct pd_error *why)
{
	_cleanup_free_ char *text = pd_error_string(why);

	pd_error_destroy(why);
	result->outcome = BAT_FAILED;
	return fail(b, input, result, text ? text : "out of memory");
}

/* Say how a process ended that has no result. */
static struct pd_error *fail_by_status(
	struct batch *b, const char *input, struct bat_result *result, int status)
{
	_cleanup_free_ char *why =
		WIFSIGNALED(status)
			? base_format("%s: the conversion was ended by signal %d (%s)", input,
				  WTERMSIG(status), strsignal(WTERMSIG(status)))
			: base_format("%s: the conversion ended without a result", input);

	return why ? fail(b, input, result, why) : &pd_enomem;
}

static struct pd_error *settle_converted(
	struct batch *b, size_t i, const char *input, struct bat_result *result)
{
	struct pd_error *failed, *err = keep(b, i, input, result, &failed);

	if (failed)
		return fail_by_error(b, input, result, failed);
	if (err)
		return err;
	bat_store_remember(&b->store, input, result->state, result->id);
	b->n_converted++;
	b->input_bytes += result->input_bytes;
	b->output_bytes += result->output_bytes;
	return NULL;
}

static struct pd_error *fail_as_said(struct batch *b, const char *input, struct bat_result *result)
{
	char why[BAT_ERROR_SIZE];

	memcpy(why, result->error, sizeof(why));
	return fail(b, input, result, why);
}

/* A result is written at once, and waits in the pipe. */
_Static_assert(sizeof(struct bat_result) <= PIPE_BUF, "a result fits a pipe");

/* Read the result of a process that has ended. Without one it has crashed. */
static void receive(struct worker *worker, struct bat_result *ret)
{
	if (base_read_some(worker->from, ret, sizeof(*ret)) != (ssize_t)sizeof(*ret))
		*ret = (struct bat_result){ .outcome = BAT_CRASHED };
	base_close(&worker->from);
	bat_result_secure(ret);
}

/* Take the result of worker number @p i, whose process has ended. */
static struct pd_error *settle(struct batch *b, size_t i, int status, uint64_t memory_bytes)
{
	_cleanup_free_ char *input = take_ptr(b->workers[i].input);
	struct bat_result result;

	receive(&b->workers[i], &result);
	result.memory_bytes = memory_bytes;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		result.outcome = BAT_CRASHED;
	switch (result.outcome) {
	case BAT_CONVERTED:
		return settle_converted(b, i, input, &result);
	case BAT_SKIPPED:
		bat_store_remember(&b->store, input, result.state, result.id);
		b->n_skipped++;
		return NULL;
	case BAT_FAILED:
		return fail_as_said(b, input, &result);
	case BAT_CRASHED:
		break;
	}
	return fail_by_status(b, input, &result, status);
}

/* Wait until a process ends, and take its result. */
static struct pd_error *reap(struct batch *b)
{
	struct rusage usage;
	int status;
	pid_t pid;

	do {
		pid = wait4(-1, &status, 0, &usage);
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return pd_error_os(NULL, "cannot wait for a conversion");
	for (size_t i = 0; i < b->n_workers; i++) {
		if (b->workers[i].pid != pid)
			continue;
		b->workers[i].pid = 0;
		b->n_busy--;
		return settle(b, i, status, (uint64_t)usage.ru_maxrss << 10);
	}
	return NULL;
}

/* Convert in a process that ends with its parent. */
static _Noreturn void work(const struct batch *b, const struct worker *worker, int to, pid_t parent)
{
	struct bat_result result = { 0 };
	bool is_written = false;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* What is untrusted must not reach the manifest. */
	close(b->store.manifest);
	if (getppid() == parent) {
		cmd_batch_convert(&b->plan, worker->input, worker->slot, &result);
		is_written = base_write_all(to, &result, sizeof(result));
	}
	_exit(is_written ? CMD_DONE : CMD_FAILED);
}

/* Start the process of @p worker, which has an input and a slot. */
static struct pd_error *start_process(struct batch *b, struct worker *worker)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pd_error_os(NULL, "cannot create a pipe");
	/* Both processes would write buffered text. */
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		work(b, worker, ends[1], parent);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return pd_error_os(NULL, "cannot create a process");
	}
	worker->pid = pid;
	worker->from = ends[0];
	b->n_busy++;
	return NULL;
}

static struct pd_error *start(struct batch *b, const char *path)
{
	size_t i = 0;

	while (b->workers[i].pid)
		i++;
	struct worker *worker = &b->workers[i];
	free(take_ptr(worker->slot));
	free(worker->input);
	worker->input = strdup(path);
	struct pd_error *err =
		worker->input ? bat_store_clear(&b->store, i, &worker->slot) : &pd_enomem;
	return err ? err : start_process(b, worker);
}

static void trim_cache(const struct batch *b)
{
	const char *dir = b->plan.options->profile.search.cache_dir;

	if (dir && (b->n_converted + b->n_failed) % TRIM_STEP == TRIM_STEP - 1)
		cmd_cache_trim(dir);
}

/* Start a conversion as soon as there is a worker for it. */
static struct pd_error *add(struct batch *b, const char *path)
{
	if (bat_store_knows(&b->store, path)) {
		b->n_skipped++;
		return NULL;
	}
	if (b->n_busy == b->n_workers) {
		struct pd_error *err = reap(b);

		if (err)
			return err;
		trim_cache(b);
	}
	return start(b, path);
}

static void stop_all(struct batch *b)
{
	for (size_t i = 0; i < b->n_workers; i++) {
		if (b->workers[i].pid) {
			kill(b->workers[i].pid, SIGKILL);
			waitpid(b->workers[i].pid, NULL, 0);
			close(b->workers[i].from);
		}
	}
}

static struct pd_error *convert_all(struct batch *b)
{
	struct pd_error *err = NULL;
	struct bat_input input;
	bool is_end = false;

	while (!err) {
		err = bat_inputs_next(&b->inputs, &input, &is_end);
		if (err || is_end)
			break;
		if (bat_shard_has(&b->shard, input.name))
			err = add(b, input.path);
	}
	while (!err && b->n_busy)
		err = reap(b);
	if (err)
		stop_all(b);
	return err;
}

/* The command. */

static struct pd_error *add_labels(struct batch *b)
{
	const struct cmd_list *rules = &b->plan.options->batch.labels;
	struct pd_error *err = bat_labels_add(&b->labels, "date={date}");

	for (size_t i = 0; i < rules->items.n && !err; i++)
		err = bat_labels_add(&b->labels, rules->items.data[i]);
	for (size_t i = 0; i < b->labels.items.n && !err && b->plan.lake; i++) {
		const char *name = b->labels.items.data[i].name;

		if (out_lake_has_column(b->plan.lake, name))
			err = pd_error_create(PD_ERROR_USAGE, NULL,
				"'%s' is the name of a column of the tables", name);
	}
	return cmd_option_error("label", err);
}

static struct pd_error *choose_format(struct batch *b)
{
	const struct cmd_options *options = b->plan.options;
	const struct cmd_list *tables = &options->batch.tables;
	const struct out_format *format = options->format ? options->format : &out_format_parquet;

	b->plan.format = format;
	if (format != &out_format_parquet) {
		if (tables->items.n)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"option '--tables' has no effect on the format %s", format->name);
		return NULL;
	}
	b->plan.lake = &b->lake;
	return cmd_option_error(
		"tables", out_lake_init(&b->lake, tables->items.data, tables->items.n));
}

/* Digest what the outputs depend on. */
static struct pd_error *digest_options(struct batch *b)
{
	const struct cmd_list *settings = &b->plan.options->settings;
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return &pd_enomem;
	fprintf(out, PD_VERSION " %d %s\n", TAB_SCHEMA_VERSION, b->plan.format->name);
	for (size_t i = 0; i < settings->items.n; i++)
		fprintf(out, "%s\n", settings->items.data[i]);
	if (!base_memstream_close(out, &text))
		return &pd_enomem;
	bat_digest_text(text, b->store.options);
	return NULL;
}

/* Machines that share a folder have manifests of their own. */
static struct pd_error *open_store(struct batch *b)
{
	const struct bat_shard *shard = &b->shard;
	const char *path = b->plan.options->output;
	_cleanup_free_ char *manifest =
		shard->count > 1 ? base_format("manifest.%" PRIu64 "-of-%" PRIu64 ".jsonl",
					   shard->index, shard->count)
				 : strdup("manifest.jsonl");

	if (!manifest)
		return &pd_enomem;
	struct pd_error *err = bat_store_open(path, manifest, &b->store);
	if (err)
		return err;
	err = digest_options(b);
	if (err)
		bat_store_close(&b->store);
	return err;
}

static struct pd_error *write_views(struct batch *b)
{
	const struct cmd_output_opts opts = { .options = b->plan.options };
	struct cmd_output_file file;
	_cleanup_free_ char *path = base_format("%s/views.sql", b->store.path);

	if (!path)
		return &pd_enomem;
	struct pd_error *err = cmd_output_open(path, &opts, &file);
	return err ? err : cmd_output_finish(&file, out_lake_write_views(&b->lake, file.stream));
}

static struct pd_error *create_workers(struct batch *b)
{
	size_t given = b->plan.options->profile.jobs;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t memory = b->plan.options->max_memory;

	b->n_workers = given ? given : (size_t)(processors > 0 ? processors : 1);
	b->plan.max_memory = (memory ? memory : cmd_memory_default()) / b->n_workers;
	b->workers = base_calloc_n(b->n_workers, sizeof(*b->workers));
	return b->workers ? NULL : &pd_enomem;
}

static void print_summary(const struct batch *b)
{
	uint64_t n = b->n_converted + b->n_skipped + b->n_failed;

	cmd_say("%" PRIu64 " recording%s: %" PRIu64 " converted, %" PRIu64 " done before, %" PRIu64
		" failed; %.1f MB to %.1f MB in %.1f s",
		n, base_plural(n), b->n_converted, b->n_skipped, b->n_failed,
		(double)b->input_bytes / 1e6, (double)b->output_bytes / 1e6,
		base_clock_now() - b->start);
}

/* Run with an open store. */
static struct pd_error *run(struct batch *b)
{
	const struct cmd_list *inputs = &b->plan.options->inputs;
	struct stat st;
	struct pd_error *err = b->plan.lake ? write_views(b) : NULL;

	if (!err)
		err = create_workers(b);
	if (err)
		return err;
	if (fstat(b->store.dir, &st) < 0)
		return pd_error_os(b->store.path, "cannot open");
	bat_inputs_init(&b->inputs, inputs->items.data, inputs->items.n, stdin, &st);
	err = convert_all(b);
	bat_inputs_deinit(&b->inputs);
	if (!err && !b->plan.options->quiet)
		print_summary(b);
	return err;
}

static struct pd_error *prepare(struct batch *b)
{
	const char *shard = b->plan.options->batch.shard;
	struct pd_error *err = choose_format(b);

	if (!err)
		err = add_labels(b);
	if (!err && shard)
		err = cmd_option_error("shard", bat_shard_parse(shard, &b->shard));
	if (err)
		return err;
	if (cmd_output_is_stdout(b->plan.options->output))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"no output: expected --output with the name of a folder");
	return api_profile_check_opts(&b->plan.options->profile);
}

static void deinit(struct batch *b)
{
	for (size_t i = 0; i < b->n_workers && b->workers; i++) {
		free(b->workers[i].input);
		free(b->workers[i].slot);
	}
	free(b->workers);
	bat_labels_deinit(&b->labels);
	out_lake_deinit(&b->lake);
}

struct pd_error *cmd_batch(const struct cmd_options *options, struct cmd_result *result)
{
	struct batch b = {
		.plan = { .options = options },
		.start = base_clock_now(),
	};

	b.plan.labels = &b.labels;
	b.plan.store = &b.store;
	struct pd_error *err = prepare(&b);
	if (!err)
		err = open_store(&b);
	if (!err) {
		err = run(&b);
		bat_store_close(&b.store);
	}
	if (b.n_failed)
		result->status = CMD_MISSED;
	deinit(&b);
	return err;
}
