#include "tests/fuzz/profiles.h"

#include <stdlib.h>

#include "base/array.h"
#include "output/formats.h"
#include "profile/name_filter.h"

/* Keys of a table that every profile can answer, and some that need more than others. */
static const char *const keys[] = { "sym", "dso", "comm", "tid", "time", "cgroup", "parent", "cpu",
	"srcline", "local_weight", "mem", "symbol_from", "symbol_to", "period" };

static void take_report(struct fuzz_input *in, struct pd_report_opts *opts, const char **list)
{
	static const char *const functions[] = { NULL, NULL, "", "work", "main" };
	uint8_t flags = fuzz_byte(in);
	size_t n_keys = fuzz_choice(in, 5);

	opts->limit = fuzz_byte(in);
	opts->percent_limit = flags & 1 ? 0 : fuzz_byte(in) / 8.0;
	opts->sample_counts = flags & 2;
	opts->total_period = flags & 4;
	opts->no_children = flags & 8;
	opts->shows_scaffolding = flags & 16;
	opts->tree = flags & 32;
	opts->callers = functions[fuzz_choice(in, PD_ARRAY_LEN(functions))];
	opts->callees = functions[fuzz_choice(in, PD_ARRAY_LEN(functions))];
	for (size_t i = 0; i < n_keys; i++)
		list[i] = keys[fuzz_choice(in, PD_ARRAY_LEN(keys))];
	opts->sort = list;
	opts->n_sort = n_keys;
}

static void take_folded(struct fuzz_input *in, struct out_write_opts *write)
{
	struct pd_folded_opts *opts = &write->format.folded;
	uint8_t flags = fuzz_byte(in);

	opts->counts_samples = flags & 1;
	opts->pid = flags & 2;
	opts->tid = flags & 4;
	opts->mark_kernel = opts->mark_jit = opts->mark_inlined = flags & 8;
	opts->addrs = flags & 16;
	opts->context = flags & 32;
	write->has_partial_stacks = flags & 64;
}

static void take_script(struct fuzz_input *in, struct out_write_opts *write)
{
	struct pd_script_opts *opts = &write->format.script;
	uint8_t flags = fuzz_byte(in);

	write->names.no_inline = flags & 1;
	opts->ns = flags & 2;
	opts->hide_call_graph = flags & 4;
	opts->header = flags & 8;
	opts->header_only = flags & 16;
	opts->show_mmap = opts->show_task = opts->show_switch = opts->show_lost = flags & 32;
}

/* An out_directory.add whose files go nowhere. */
static struct pd_error *add_nowhere(void *ctx, const char *name, out_write_file *write, void *what)
{
	(void)ctx;
	(void)name;
	return write(what, fuzz_nowhere());
}

void fuzz_write_profile(struct fuzz_input *in, const struct profile *profile)
{
	size_t n_formats;
	const struct out_format *const *formats = out_formats(&n_formats);
	const struct out_format *format = formats[fuzz_choice(in, n_formats)];
	const char *sort[8];
	uint8_t flags = fuzz_byte(in);
	struct prof_request request = { 0 };
	struct out_write_opts opts = {
		.event = prof_no_event(),
		.has_all_events = flags & 1,
		.input = "fuzz",
		.jobs = 1,
		.format.text = { .style = (flags >> 1 & 3) % 3,
			.width = flags & 8 ? 60 : 0,
			.has_color = flags & 16 },
		.pprof = { .tags = flags >> 5 },
	};

	take_report(in, &opts.format.report, sort);
	take_folded(in, &opts);
	take_script(in, &opts);
	if (format->rereads_input)
		return;
	struct pd_error *err = format->prepare ? format->prepare(&opts, &request) : NULL;
	const struct out_directory directory = { .add = add_nowhere };
	if (!err)
		err = format->write ? format->write(profile, &opts, fuzz_nowhere())
				    : format->write_directory(profile, &opts, &directory);
	pd_error_destroy(err);
	fflush(fuzz_nowhere());
}

void fuzz_filter_profile(struct fuzz_input *in, struct profile *profile)
{
	static const char *const names[] = { "main", "work", "lib", "^a.*z$", "[0-9]+" };
	struct prof_filter filter = { 0 };
	uint8_t flags = fuzz_byte(in);
	struct prof_patterns *lists[] = { &filter.focus, &filter.ignore, &filter.hide };

	for (size_t i = 0; i < PD_ARRAY_LEN(lists); i++) {
		const char *name = names[fuzz_choice(in, PD_ARRAY_LEN(names))];
		struct base_pattern *pattern;

		if (!(flags >> i & 1))
			continue;
		struct pd_error *err = base_pattern_create(name, &pattern);
		if (err || !pd_vec_push(&lists[i]->items, pattern))
			abort();
	}
	const char *root = names[fuzz_choice(in, 2)];
	if (flags & 8 && !pd_vec_push(&filter.roots.items, root))
		abort();
	filter.hides_scaffolding = flags & 16;
	/* Filters of names are for profiles with names. */
	if (profile->frame_lines.n == profile->frames.n)
		pd_error_destroy(prof_filter_by_names(&filter, profile));
	prof_filter_deinit(&filter);
}
