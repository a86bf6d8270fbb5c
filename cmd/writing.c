#include "cmd/writing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct pd_error *cmd_tag_check(const char *text)
{
	const char *equals = strchr(text, '=');

	if (equals && equals != text && equals[1])
		return NULL;
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "--tag: \"%s\" is not of the form KEY=VALUE", text);
}

static struct pd_error *add_label(struct cmd_writing *writing, const char *text)
{
	struct pd_error *err = cmd_tag_check(text);

	if (err)
		return err;
	const char *equals = strchr(text, '=');
	struct out_label label = { .value = equals + 1 };
	label.key = strndup(text, (size_t)(equals - text));
	if (label.key && pd_vec_push(&writing->labels, label))
		return NULL;
	free((char *)label.key);
	return &pd_enomem;
}

static struct pd_error *set_tag(struct cmd_writing *writing, const char *name, size_t len)
{
#define TAG_NAME(tag, name, help) name,
	static const char *const names[] = { PROF_TAGS(TAG_NAME) };

	for (size_t i = 0; i < PROF_N_TAGS; i++) {
		if (strlen(names[i]) == len && strncmp(names[i], name, len) == 0) {
			writing->opts.pprof.tags |= 1U << i;
			return NULL;
		}
	}
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"--labels: there is no label \"%.*s\"; see pdconv help labels", (int)len, name);
}

static struct pd_error *set_tags(struct cmd_writing *writing, const char *text)
{
	struct pd_error *err = NULL;

	while (!err) {
		size_t len = strcspn(text, ",");

		err = set_tag(writing, text, len);
		if (!text[len])
			break;
		text += len + 1;
	}
	return err;
}

struct pd_error *cmd_zstd_level(const char *option, const char *text, int *ret)
{
	enum { USUAL = 1, HIGHEST = 22 };
	char *end;

	*ret = 0;
	if (!text)
		return NULL;
	long level = text[0] ? strtol(text, &end, 10) : USUAL;
	if (text[0] && (*end || level < 1 || level > HIGHEST))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--%s: \"%s\" is no level from 1 to %d", option, text, HIGHEST);
	*ret = (int)level;
	return NULL;
}

static struct pd_error *set_weight(struct cmd_writing *writing, const char *name)
{
	if (!name || strcmp(name, "period") == 0)
		return NULL;
	if (strcmp(name, "samples") != 0)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--weight: \"%s\" is neither period nor samples", name);
	writing->opts.folded.counts_samples = true;
	return NULL;
}

/* "a.data", or "a.data, b.data". */
static char *join_inputs(const struct cmd_list *inputs)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	for (size_t i = 0; i < inputs->items.n; i++)
		fprintf(out, "%s%s", i ? ", " : "", inputs->items.data[i]);
	fclose(out);
	return text;
}

/* What is no flag of the format's own. */
static void set_lists(struct out_write_opts *opts, const struct cmd_options *options)
{
	opts->folded.mark_kernel |= options->mark_all;
	opts->folded.mark_jit |= options->mark_all;
	opts->folded.skip_after = options->skip_after.items.data;
	opts->folded.n_skip_after = options->skip_after.items.n;
	opts->script.fields = options->script_fields.items.data;
	opts->script.n_fields = options->script_fields.items.n;
	opts->script.no_inline = options->no_inline;
	opts->perfdata.no_kernel = options->no_kernel;
	opts->perfdata.no_user = options->no_user;
}

struct pd_error *cmd_writing_init(struct cmd_writing *writing, const struct cmd_options *options)
{
	struct pd_error *err = NULL;
	char *title = join_inputs(&options->inputs);

	*writing = (struct cmd_writing){
		.title = title,
		.opts = {
			.event = prof_no_event(),
			.has_all_events = options->events.items.n > 0,
			.input = title,
			.jobs = options->jobs,
			.folded = options->folded,
			.script = options->script,
			.perfdata = options->perfdata,
		},
	};
	set_lists(&writing->opts, options);
	err = title ? set_weight(writing, options->weight) : &pd_enomem;
	if (!err)
		err = cmd_zstd_level("compress", options->compress, &writing->opts.perfdata.level);
	if (!err && options->labels)
		err = set_tags(writing, options->labels);
	for (size_t i = 0; i < options->tags.items.n && !err; i++)
		err = add_label(writing, options->tags.items.data[i]);
	writing->opts.pprof.labels = writing->labels.data;
	writing->opts.pprof.n_labels = writing->labels.n;
	if (err)
		cmd_writing_deinit(writing);
	return err;
}

void cmd_writing_deinit(struct cmd_writing *writing)
{
	for (size_t i = 0; i < writing->labels.n; i++)
		free((char *)writing->labels.data[i].key);
	pd_vec_deinit(&writing->labels);
	free(writing->title);
}
