#include "cmd/commands/batch_pool.h"

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
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/io/temporary.h"
#include "base/text.h"
#include "cmd/options/commands.h"
#include "cmd/options/message.h"
#include "cmd/process/search_options.h"

/* Number of recordings after which the cache of names is trimmed again. */
enum { TRIM_STEP = 256 };

/* Outputs. */

/* Add TABLE/LABELS/ID.parquet of each table. */
static bool add_tables(const struct cmd_batch_pool *pool, const char *folders, const char *id,
	struct bat_outputs *ret)
{
	for (size_t i = 0; i < pool->plan->lake->tables.n; i++) {
		const char *name = pool->plan->lake->tables.data[i]->name;

		if (!bat_outputs_add(ret, base_format("%s.parquet", name),
			    base_format("%s/%s/%s.parquet", name, folders, id)))
			return false;
	}
	return true;
}

/* Find the outputs of a recording, and what the manifest calls them. */
static struct pd_error *find_outputs(const struct cmd_batch_pool *pool, const char *folders,
	const char *id, struct bat_outputs *ret, char **name_ret)
{
	const char *suffix = pool->plan->format->suffix;
	bool ok = pool->plan->lake ? add_tables(pool, folders, id, ret)
				   : bat_outputs_add(ret, strdup(CMD_BATCH_OUTPUT),
					     base_format("%s/%s%s", folders, id, suffix));

	*name_ret = base_format("%s%s/%s%s", pool->plan->lake ? "*/" : "", folders, id, suffix);
	return ok && *name_ret ? NULL : &pd_enomem;
}

static struct pd_error *log_result(const struct cmd_batch_pool *pool, const char *input,
	const struct bat_result *result, const char *output)
{
	_cleanup_free_ char *line = NULL;
	size_t len;
	FILE *out = base_memstream_open(&line, &len);

	if (!out)
		return &pd_enomem;
	bat_result_write(result, input, output, pool->plan->labels, out);
	return base_memstream_close(out, &line) ? bat_store_log(pool->plan->store, line, len)
						: &pd_enomem;
}

/*
 * Give the outputs their names, log them, and note that the recording is done, in this order: what
 * is done is in the manifest. *@p failed_ret: why the recording has no outputs; NULL: it has.
 */
static struct pd_error *keep(struct cmd_batch_pool *pool, size_t i, const char *input,
	struct bat_result *result, struct pd_error **failed_ret)
{
	const struct bat_facts facts = bat_result_facts(result, input);
	struct bat_outputs outputs = { 0 };
	_cleanup_free_ char *folders = NULL;
	_cleanup_free_ char *name = NULL;
	struct pd_error *err = bat_labels_path(pool->plan->labels, &facts, &folders);

	if (!err)
		err = find_outputs(pool, folders, result->id, &outputs, &name);
	if (!err)
		err = bat_store_publish(
			pool->plan->store, i, &outputs, result->id, &result->output_bytes);
	*failed_ret = err;
	err = err ? NULL : log_result(pool, input, result, name);
	if (!err && !*failed_ret)
		err = bat_store_conclude(pool->plan->store, result->id, input, &outputs);
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
	struct cmd_batch_pool *pool, const char *input, struct bat_result *result, const char *why)
{
	snprintf(result->error, sizeof(result->error), "%s", why);
	pool->n_failed++;
	if (!pool->plan->options->quiet)
		print_failure(input, why);
	return log_result(pool, input, result, NULL);
}

static struct pd_error *fail_by_error(struct cmd_batch_pool *pool, const char *input,
	struct bat_result *result, struct pd_error *why)
{
	_cleanup_free_ char *text = pd_error_string(why);

	pd_error_destroy(why);
	result->outcome = BAT_FAILED;
	return fail(pool, input, result, text ? text : "out of memory");
}

/* Say how a process ended that has no result. */
static struct pd_error *fail_by_status(
	struct cmd_batch_pool *pool, const char *input, struct bat_result *result, int status)
{
	_cleanup_free_ char *why =
		WIFSIGNALED(status)
			? base_format("%s: the conversion was ended by signal %d (%s)", input,
				  WTERMSIG(status), strsignal(WTERMSIG(status)))
			: base_format("%s: the conversion ended without a result", input);

	return why ? fail(pool, input, result, why) : &pd_enomem;
}

static void remember(
	const struct cmd_batch_pool *pool, const char *input, const struct bat_result *result)
{
	const struct bat_done done = { input, result->state, result->id, result->content };

	bat_store_remember(pool->plan->store, &done);
}

static struct pd_error *settle_converted(
	struct cmd_batch_pool *pool, size_t i, const char *input, struct bat_result *result)
{
	struct pd_error *failed, *err = keep(pool, i, input, result, &failed);

	if (failed)
		return fail_by_error(pool, input, result, failed);
	if (err)
		return err;
	remember(pool, input, result);
	pool->n_converted++;
	pool->input_bytes += result->input_bytes;
	pool->output_bytes += result->output_bytes;
	return NULL;
}

static struct pd_error *fail_as_said(
	struct cmd_batch_pool *pool, const char *input, struct bat_result *result)
{
	char why[BAT_ERROR_SIZE];

	memcpy(why, result->error, sizeof(why));
	return fail(pool, input, result, why);
}

/* A result is written at once, and waits in the pipe. */
_Static_assert(sizeof(struct bat_result) <= PIPE_BUF, "a result fits a pipe");

/* Read the result of a process that has ended. Without one it has crashed. */
static void receive(struct cmd_batch_worker *worker, struct bat_result *ret)
{
	if (base_read_some(worker->from, ret, sizeof(*ret)) != (ssize_t)sizeof(*ret))
		*ret = (struct bat_result){ .outcome = BAT_CRASHED };
	base_close(&worker->from);
	bat_result_secure(ret);
}

/* Take the result of worker number @p i, whose process has ended. */
static struct pd_error *settle(
	struct cmd_batch_pool *pool, size_t i, int status, uint64_t memory_bytes)
{
	_cleanup_free_ char *input = take_ptr(pool->workers[i].input);
	struct bat_result result;

	receive(&pool->workers[i], &result);
	result.memory_bytes = memory_bytes;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		result.outcome = BAT_CRASHED;
	switch (result.outcome) {
	case BAT_CONVERTED:
		return settle_converted(pool, i, input, &result);
	case BAT_SKIPPED:
		remember(pool, input, &result);
		pool->n_skipped++;
		return NULL;
	case BAT_FAILED:
		return fail_as_said(pool, input, &result);
	case BAT_CRASHED:
		break;
	}
	return fail_by_status(pool, input, &result, status);
}

/* Wait until a process ends, and take its result. */
static struct pd_error *reap(struct cmd_batch_pool *pool)
{
	struct rusage usage;
	int status;
	pid_t pid;

	do {
		pid = wait4(-1, &status, 0, &usage);
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return pd_error_os(NULL, "cannot wait for a conversion");
	for (size_t i = 0; i < pool->n_workers; i++) {
		if (pool->workers[i].pid != pid)
			continue;
		pool->workers[i].pid = 0;
		pool->n_busy--;
		return settle(pool, i, status, (uint64_t)usage.ru_maxrss << 10);
	}
	return NULL;
}

/* Convert in a process that ends with its parent. */
static _Noreturn void work(const struct cmd_batch_pool *pool, const struct cmd_batch_worker *worker,
	int to, pid_t parent)
{
	struct bat_result result = { 0 };
	bool is_written = false;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Untrusted input must not reach the manifest. */
	close(pool->plan->store->manifest);
	if (getppid() == parent) {
		cmd_batch_convert(pool->plan, worker->input, worker->slot, &result);
		is_written = base_write_all(to, &result, sizeof(result));
	}
	_exit(is_written ? CMD_DONE : CMD_FAILED);
}

/* Start the process of @p worker, which has an input and a slot. */
static struct pd_error *start_process(struct cmd_batch_pool *pool, struct cmd_batch_worker *worker)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pd_error_os(NULL, "cannot create a pipe");
	/* Both processes would write buffered text. */
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		work(pool, worker, ends[1], parent);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return pd_error_os(NULL, "cannot create a process");
	}
	worker->pid = pid;
	worker->from = ends[0];
	pool->n_busy++;
	return NULL;
}

static struct pd_error *start(struct cmd_batch_pool *pool, const char *path)
{
	size_t i = 0;

	while (pool->workers[i].pid)
		i++;
	struct cmd_batch_worker *worker = &pool->workers[i];
	free(take_ptr(worker->slot));
	free(worker->input);
	worker->input = strdup(path);
	struct pd_error *err =
		worker->input ? bat_store_clear(pool->plan->store, i, &worker->slot) : &pd_enomem;
	return err ? err : start_process(pool, worker);
}

static void trim_cache(const struct cmd_batch_pool *pool)
{
	const char *dir = pool->plan->options->profile.search.cache_dir;

	if (dir && (pool->n_converted + pool->n_failed) % TRIM_STEP == TRIM_STEP - 1)
		cmd_cache_trim(dir);
}

struct pd_error *cmd_batch_pool_add(struct cmd_batch_pool *pool, const char *path)
{
	if (bat_store_knows(pool->plan->store, path)) {
		pool->n_skipped++;
		return NULL;
	}
	if (pool->n_busy == pool->n_workers) {
		struct pd_error *err = reap(pool);

		if (err)
			return err;
		trim_cache(pool);
	}
	return start(pool, path);
}

struct pd_error *cmd_batch_pool_finish(struct cmd_batch_pool *pool)
{
	struct pd_error *err = NULL;

	while (!err && pool->n_busy)
		err = reap(pool);
	return err;
}

struct pd_error *cmd_batch_pool_init(
	struct cmd_batch_pool *pool, const struct cmd_batch_plan *plan, size_t n_workers)
{
	*pool = (struct cmd_batch_pool){ .plan = plan, .n_workers = n_workers };
	pool->workers = base_calloc_n(n_workers, sizeof(*pool->workers));
	return pool->workers ? NULL : &pd_enomem;
}

void cmd_batch_pool_deinit(struct cmd_batch_pool *pool)
{
	for (size_t i = 0; pool->workers && i < pool->n_workers; i++) {
		struct cmd_batch_worker *worker = &pool->workers[i];

		if (worker->pid) {
			kill(worker->pid, SIGKILL);
			waitpid(worker->pid, NULL, 0);
			close(worker->from);
		}
		free(worker->input);
		free(worker->slot);
	}
	free(pool->workers);
}
