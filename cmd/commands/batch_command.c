/* pdconv batch: options, the folder of the output, and the recordings one by one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/profile_read.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/plural.h"
#include "batch/inputs.h"
#include "batch/shard.h"
#include "cmd/commands/batch_pool.h"
#include "cmd/options/commands.h"
#include "cmd/process/memory.h"
#include "cmd/options/message.h"
#include "cmd/process/output_file.h"

struct batch {
	struct cmd_batch_plan plan;
	struct out_lake lake;
	struct bat_labels labels;
	struct bat_shard shard;
	struct bat_store store;
	struct bat_inputs inputs;
	struct cmd_batch_pool pool;
	double start;
};

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
			err = cmd_batch_pool_add(&b->pool, input.path);
	}
	return err ? err : cmd_batch_pool_finish(&b->pool);
}

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
		if (format->write_directory)
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"the format %s sums up recordings: pdconv INPUT... -f %s -o DIR",
				format->name, format->name);
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

/* All processes together may use the memory of one conversion. */
static struct pd_error *create_pool(struct batch *b)
{
	size_t given = b->plan.options->profile.jobs;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t memory = b->plan.options->max_memory;
	size_t n = given ? given : (size_t)(processors > 0 ? processors : 1);

	b->plan.max_memory = (memory ? memory : cmd_memory_default()) / n;
	return cmd_batch_pool_init(&b->pool, &b->plan, n);
}

static void print_summary(const struct batch *b)
{
	const struct cmd_batch_pool *pool = &b->pool;
	uint64_t n = pool->n_converted + pool->n_skipped + pool->n_failed;

	cmd_say("%" PRIu64 " recording%s: %" PRIu64 " converted, %" PRIu64 " done before, %" PRIu64
		" failed; %.1f MB to %.1f MB in %.1f s",
		n, base_plural(n), pool->n_converted, pool->n_skipped, pool->n_failed,
		(double)pool->input_bytes / 1e6, (double)pool->output_bytes / 1e6,
		base_clock_now() - b->start);
}

/* Run with an open store. */
static struct pd_error *run(struct batch *b)
{
	const struct cmd_list *inputs = &b->plan.options->inputs;
	struct stat st;
	struct pd_error *err = b->plan.lake ? write_views(b) : NULL;

	if (!err)
		err = create_pool(b);
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
		cmd_batch_pool_deinit(&b.pool);
		bat_store_close(&b.store);
	}
	if (b.pool.n_failed)
		result->status = CMD_MISSED;
	bat_labels_deinit(&b.labels);
	out_lake_deinit(&b.lake);
	return err;
}
