#include "pgo/forecast.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/lower_bound.h"
#include "pgo/sweep.h"

/* Functions of an image: a part of the list of all. */
struct part {
	struct pgo_function *list;
	size_t n;
};

static bool knows_lines(const struct profile *profile, struct prof_function_id id)
{
	return prof_function(profile, id)->start_line;
}

/* Whether two functions are one, which may have lines in several files. */
static bool is_same(
	const struct profile *profile, struct prof_function_id a, struct prof_function_id b)
{
	return prof_same_string(
		prof_function(profile, a)->linkage, prof_function(profile, b)->linkage);
}

/* Append the code to the functions of image @p i: to the last one if it is of the same function. */
static bool add_code(struct pgo_forecast *f, const struct pgo_flow *flow, uint32_t i,
	const struct pgo_code *code)
{
	uint32_t n;
	const struct prof_line *lines = prof_code_lines(flow->profile, code->id, &n);
	struct pgo_function *last = f->functions.n ? &f->functions.data[f->functions.n - 1] : NULL;

	if (!n)
		return true;
	struct prof_function_id id = lines[n - 1].function;
	if (last && last->image == i && is_same(flow->profile, last->id, id)) {
		last->end = code->end;
		return true;
	}
	const struct pgo_function function = {
		.id = id,
		.image = i,
		.start = code->start,
		.end = code->end,
		.has_lines = knows_lines(flow->profile, id),
	};
	return pd_vec_push(&f->functions, function);
}

/* Return the index of the first function that ends after @p addr, or the number of functions. */
static size_t find(const struct part *part, uint64_t addr)
{
	return base_lower_bound(part->n, i, part->list[i].end <= addr);
}

static bool contains(const struct part *part, size_t i, uint64_t addr)
{
	return i < part->n && part->list[i].start <= addr;
}

/* Count a run for the function that it starts in. */
static void add_run(const struct part *part, const struct pgo_run *run)
{
	size_t i = find(part, run->start);

	if (!contains(part, i, run->start))
		return;
	part->list[i].n_runs += run->n;
	if (part->list[i].end <= run->last)
		part->list[i].n_misfits += run->n;
}

/* Return the bytes from @p start up to @p end that ran, as often as they did. */
static uint64_t executed_between(struct pgo_sweep *sweep, uint64_t start, uint64_t end)
{
	uint64_t sum = 0;

	for (uint64_t at = start, next; at < end; at = next) {
		pgo_sweep_to(sweep, at);
		next = pgo_sweep_next(sweep);
		next = next < end ? next : end;
		sum += sweep->n * (next - at);
	}
	return sum;
}

static struct pd_error *add_runs(const struct part *part, const struct pgo_image *image)
{
	struct pgo_sweep sweep;
	struct pd_error *err = pgo_sweep_init(image, &sweep);

	for (size_t i = 0; i < image->runs.n && !err; i++)
		add_run(part, &image->runs.data[i]);
	for (size_t i = 0; i < part->n && !err; i++)
		part->list[i].executed =
			executed_between(&sweep, part->list[i].start, part->list[i].end);
	pgo_sweep_deinit(&sweep);
	return err;
}

static void add_hits(const struct part *part, const struct pgo_image *image)
{
	for (size_t i = 0; i < image->unfit.n; i++) {
		const struct pgo_hit *unfit = &image->unfit.data[i];
		size_t k = find(part, unfit->addr);

		if (!contains(part, k, unfit->addr))
			continue;
		part->list[k].n_runs += unfit->n;
		part->list[k].n_misfits += unfit->n;
	}
	for (size_t i = 0; i < image->hits.n; i++) {
		size_t k = find(part, image->hits.data[i].addr);

		if (contains(part, k, image->hits.data[i].addr))
			part->list[k].executed += image->hits.data[i].n;
	}
}

static double density_of(const struct pgo_function *function)
{
	return (double)function->executed / (double)(function->end - function->start);
}

static int compare_densities(const void *a, const void *b)
{
	const struct pgo_function *const *x = a, *const *y = b;
	double first = density_of(*x), second = density_of(*y);

	return first > second ? -1 : first < second;
}

/* Find the density of the least dense of the hot functions. */
static struct pd_error *find_density(const struct part *part, uint64_t executed, double *ret)
{
	_cleanup_free_ const struct pgo_function **sorted = base_calloc_n(part->n, sizeof(*sorted));
	uint64_t sum = 0;

	if (!sorted)
		return &pd_enomem;
	for (size_t i = 0; i < part->n; i++)
		sorted[i] = &part->list[i];
	if (part->n)
		qsort(sorted, part->n, sizeof(struct pgo_function *), compare_densities);
	for (size_t i = 0; i < part->n && (double)sum < PGO_HOT_SHARE * (double)executed; i++) {
		sum += sorted[i]->executed;
		*ret = density_of(sorted[i]);
	}
	return NULL;
}

static void sum_up(const struct part *part, struct pgo_image_forecast *ret)
{
	for (size_t i = 0; i < part->n; i++) {
		const struct pgo_function *function = &part->list[i];

		ret->executed += function->executed;
		ret->executed_with_lines += function->has_lines ? function->executed : 0;
		ret->n_runs += function->n_runs;
		ret->n_misfits += function->n_misfits;
	}
}

static struct pd_error *add_image(struct pgo_forecast *f, const struct pgo_flow *flow, uint32_t i)
{
	const struct pgo_image *image = &flow->images.data[i];
	size_t first = f->functions.n;

	for (size_t k = 0; k < image->code.n; k++) {
		if (!add_code(f, flow, i, &image->code.data[k]))
			return &pd_enomem;
	}
	const struct part part = { f->functions.data + first, f->functions.n - first };
	struct pd_error *err = add_runs(&part, image);
	if (err)
		return err;
	add_hits(&part, image);
	sum_up(&part, &f->images[i]);
	if (!flow->has_branches)
		return NULL;
	return find_density(&part, f->images[i].executed, &f->images[i].density);
}

static void add_value(struct prof_value *to, const struct prof_value *value)
{
	to->samples += value->samples;
	to->period += value->period;
}

/* Count a sample for the image that its leaf is in. */
static void add_sample(
	struct pgo_forecast *f, const struct pgo_flow *flow, struct prof_sample_id id)
{
	const struct profile *profile = flow->profile;
	const struct prof_value *value = prof_value(profile, id);
	uint32_t n_frames, n;
	const struct prof_frame_id *frames =
		prof_stack(profile, prof_sample(profile, id)->stack, &n_frames);

	add_value(&f->whole, value);
	uint32_t image = n_frames ? pgo_image_at(flow, frames[0]) : PROF_NONE;
	if (image == PROF_NONE)
		return;
	add_value(&f->images[image].value, value);
	add_value(&f->covered, value);
	const struct prof_line *lines = prof_frame_lines(profile, frames[0], &n);
	if (n && knows_lines(profile, lines[n - 1].function))
		add_value(&f->with_lines, value);
}

struct pd_error *pgo_forecast_create(
	const struct pgo_flow *flow, struct prof_event_id event, struct pgo_forecast *ret)
{
	*ret = (struct pgo_forecast){ 0 };
	ret->images = base_calloc_n(flow->images.n, sizeof(*ret->images));
	if (!ret->images)
		return &pd_enomem;
	for (uint32_t i = 0; i < flow->images.n; i++) {
		struct pd_error *err = add_image(ret, flow, i);
		if (err)
			return err;
	}
	for (struct prof_sample_id id = { 0 }; id.i < flow->profile->samples.n; id.i++) {
		if (prof_same_event(prof_sample(flow->profile, id)->event, event))
			add_sample(ret, flow, id);
	}
	return NULL;
}

void pgo_forecast_deinit(struct pgo_forecast *forecast)
{
	pd_vec_deinit(&forecast->functions);
	free(forecast->images);
}
