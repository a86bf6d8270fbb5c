/*
 * Folded stacks: "comm;root;...;leaf WEIGHT", sorted, with the weight the sum of periods, spelled
 * as stackcollapse-perf.pl spells them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "output/formats.h"

struct folder {
	const struct profile *profile;
	const struct out_write_opts *opts;
	/** More than one event is shown: lines begin with its name. */
	bool names_events;
	/** Names as they are written. */
	struct pd_intern names;
	/** Arrays of names: comm, then root to leaf; and what they weigh. */
	struct pd_intern stacks;
	PD_VEC(uint64_t) weights;
	/** The stack that is being put together, leaf first. */
	PD_VEC(uint32_t) path;
	/** Function to name + 1; 0 where not known yet. */
	uint32_t *name_of_function;
};

/*
 * ';' and line ends would break the line apart, other control characters may drive a terminal;
 * quotes go as they do in stackcollapse-perf.pl.
 */
static uint32_t add_name(struct folder *f, const char *text, char for_space)
{
	char buf[4096];
	size_t len = 0;

	for (const char *p = text; *p && len < sizeof(buf); p++) {
		if (*p == '"' || *p == '\'')
			continue;
		if (*p == ';')
			buf[len++] = ':';
		else if ((unsigned char)*p < ' ' || *p == 0x7f)
			buf[len++] = ' ';
		else
			buf[len++] = *p == ' ' ? for_space : *p;
	}
	if (!len) /* of a name of quotes only */
		return pd_intern_str(&f->names, "[unknown]");
	return pd_intern_add(&f->names, buf, len);
}

static uint32_t name_function(struct folder *f, uint32_t function)
{
	uint32_t *known = &f->name_of_function[function];

	if (!*known) {
		const struct prof_function *entry = profile_function(f->profile, function);
		uint32_t name = add_name(f, profile_string(f->profile, entry->name), ' ');

		if (name == PD_INTERN_NONE)
			return name;
		*known = name + 1;
	}
	return *known - 1;
}

static bool push(struct folder *f, uint32_t name)
{
	return name != PD_INTERN_NONE && pd_vec_push(&f->path, name);
}

static bool push_frame(struct folder *f, uint32_t id)
{
	const struct profile *profile = f->profile;
	struct prof_lines lines = { 0 };
	char unnamed[256];

	if (id < profile->frame_lines.n)
		lines = profile->frame_lines.data[id];
	for (uint32_t i = 0; i < lines.n; i++) {
		if (!push(f, name_function(f, profile->lines.data[lines.first + i].function)))
			return false;
	}
	return lines.n || push(f, add_name(f,
					  profile_unnamed(profile, profile_frame(profile, id),
						  unnamed, sizeof(unnamed)),
					  ' '));
}

static uint32_t name_event(struct folder *f, uint32_t event)
{
	return add_name(f, profile_string(f->profile, f->profile->events.data[event].name), '_');
}

static bool names_events(const struct profile *profile, const struct out_write_opts *opts)
{
	size_t n = 0;

	for (uint32_t i = 0; i < profile->events.n; i++)
		n += out_shows_event(profile, opts, i);
	return n > 1;
}

static bool add_sample(struct folder *f, uint32_t id)
{
	const struct prof_sample *sample = profile_sample(f->profile, id);
	const struct prof_thread *thread = profile_thread(f->profile, sample->thread);
	uint32_t n;
	const uint32_t *frames = profile_stack(f->profile, sample->stack, &n);

	f->path.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!push_frame(f, frames[i]))
			return false;
	}
	if (!push(f, add_name(f, profile_string(f->profile, thread->comm), '_')))
		return false;
	if (f->names_events && !push(f, name_event(f, sample->event)))
		return false;
	uint32_t stack = pd_intern_add(&f->stacks, f->path.data, f->path.n * sizeof(*f->path.data));
	if (stack == PD_INTERN_NONE)
		return false;
	if (stack == f->weights.n && !pd_vec_push(&f->weights, 0))
		return false;
	f->weights.data[stack] += f->profile->values.data[id].period;
	return true;
}

/* Lines in the order of their bytes: a name that others follow is followed by ';'. */
static int compare_names(const struct folder *f, uint32_t a, bool a_last, uint32_t b, bool b_last)
{
	const char *x = pd_intern_bytes(&f->names, a);
	const char *y = pd_intern_bytes(&f->names, b);
	size_t x_len = pd_intern_len(&f->names, a);
	size_t y_len = pd_intern_len(&f->names, b);
	size_t common = x_len < y_len ? x_len : y_len;
	int order = memcmp(x, y, common);

	if (order)
		return order;
	unsigned char x_next = x_len > common ? (unsigned char)x[common] : a_last ? 0 : ';';
	unsigned char y_next = y_len > common ? (unsigned char)y[common] : b_last ? 0 : ';';
	return x_next < y_next ? -1 : x_next > y_next;
}

static int compare_stacks(const void *a, const void *b, void *ctx)
{
	const struct folder *f = ctx;
	uint32_t ids[2] = { *(const uint32_t *)a, *(const uint32_t *)b };
	const uint32_t *x = pd_intern_bytes(&f->stacks, ids[0]);
	const uint32_t *y = pd_intern_bytes(&f->stacks, ids[1]);
	size_t i = pd_intern_len(&f->stacks, ids[0]) / sizeof(*x);
	size_t k = pd_intern_len(&f->stacks, ids[1]) / sizeof(*y);

	/* Root first: from the end. */
	while (i && k && x[i - 1] == y[k - 1]) {
		i--;
		k--;
	}
	if (!i || !k)
		return i ? 1 : k ? -1 : 0;
	return compare_names(f, x[i - 1], i == 1, y[k - 1], k == 1);
}

static void write_line(const struct folder *f, uint32_t stack, FILE *out)
{
	const uint32_t *path = pd_intern_bytes(&f->stacks, stack);

	for (size_t i = pd_intern_len(&f->stacks, stack) / sizeof(*path); i-- > 0;) {
		fwrite(pd_intern_bytes(&f->names, path[i]), 1, pd_intern_len(&f->names, path[i]),
			out);
		putc_unlocked(i ? ';' : ' ', out);
	}
	fprintf(out, "%" PRIu64 "\n", f->weights.data[stack]);
}

static struct pd_error *fold(struct folder *f, FILE *out)
{
	f->name_of_function = calloc(f->profile->functions.n + 1, sizeof(uint32_t));
	if (!f->name_of_function)
		return &pd_enomem;
	for (uint32_t i = 0; i < f->profile->samples.n; i++) {
		uint32_t event = profile_sample(f->profile, i)->event;

		if (out_shows_event(f->profile, f->opts, event) && !add_sample(f, i))
			return &pd_enomem;
	}
	uint32_t *order = calloc(f->stacks.n + 1, sizeof(*order));
	if (!order)
		return &pd_enomem;
	for (uint32_t i = 0; i < f->stacks.n; i++)
		order[i] = i;
	qsort_r(order, f->stacks.n, sizeof(*order), compare_stacks, f);
	for (uint32_t i = 0; i < f->stacks.n; i++)
		write_line(f, order[i], out);
	free(order);
	return NULL;
}

static struct pd_error *write_folded(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct folder f = {
		.profile = profile,
		.opts = opts,
		.names_events = names_events(profile, opts),
	};
	struct pd_error *err = fold(&f, out);

	pd_intern_deinit(&f.names);
	pd_intern_deinit(&f.stacks);
	pd_vec_deinit(&f.weights);
	pd_vec_deinit(&f.path);
	free(f.name_of_function);
	return err;
}

const struct out_format out_format_folded = {
	.name = "folded",
	.suffix = ".folded",
	.has_one_event = true,
	.help = "one line a stack and its weight, for flamegraph.pl and others",
	.write = write_folded,
};
