/*
 * walks FILE [RUNS]: what a walk costs, without reading, replaying or naming.
 *
 * All samples of the recording are collected first; then their stacks are walked by one worker, RUNS
 * times over. Prints nanoseconds a frame and samples a second: of the first run, in which every
 * program counter is new, and the median of all. The bytes are mapped and were touched before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pdconv/reader.h>

#include "base/cleanup.h"
#include "output/batch.h"
#include "output/binaries.h"
#include "output/chain.h"
#include "output/collect.h"
#include "output/walkers.h"

enum { MAX_RUNS = 99 };

struct bench {
	struct pd_file *file;
	struct profile *profile;
	struct pd_space *space;
	struct out_source source;
	struct out_collector collector;
	struct pd_reader *reader;
	PD_VEC(struct out_batch) batches;
	struct pd_pool *pool;
	struct out_binaries *binaries;
	struct out_jits *jits;
	struct out_frames *frames;
	struct out_walkers *walkers;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct out_batch *room(struct bench *b)
{
	struct out_batch batch;

	if (b->batches.n && !out_batch_is_full(&b->batches.data[b->batches.n - 1]))
		return &b->batches.data[b->batches.n - 1];
	if (out_batch_init(&batch) || !pd_vec_push(&b->batches, batch))
		return NULL;
	return &b->batches.data[b->batches.n - 1];
}

static struct pd_error *collect(struct bench *b)
{
	struct pd_record rec;

	for (;;) {
		struct pd_error *err = pd_reader_next(b->reader, &rec);
		if (err || !rec.bytes)
			return err;
		const struct pd_plan *plan = pd_events_plan(&b->file->events, &rec);
		if (rec.type == PD_RECORD_SAMPLE) {
			struct out_batch *batch = room(b);
			err = batch ? out_collect(&b->collector, &rec, batch) : &pd_enomem;
		} else {
			err = pd_space_apply(b->space, &rec, plan ? plan->sid_bytes : 0);
		}
		if (err)
			return err;
	}
}

static struct pd_error *set_up(struct bench *b, const char *path)
{
	static const struct sym_search search;
	const struct unw_opts opts = { 0 };
	struct pd_error *err = pd_file_open(path, NULL, &b->file);

	if (!err)
		err = profile_create(&b->profile);
	if (!err)
		err = pd_space_create(b->file, &b->space);
	if (!err)
		err = pd_reader_create(b->file, PD_ORDER_TIME, &b->reader);
	if (!err)
		err = pd_pool_create(1, &b->pool);
	if (!err)
		err = out_binaries_create(&pd_arch_x86_64, &search, &b->binaries);
	if (!err)
		err = out_jits_create(b->file, &search, b->space, b->binaries, &b->jits);
	if (!err)
		err = out_frames_create(b->profile, b->binaries, 1, &b->frames);
	if (!err)
		err = out_walkers_create(
			b->file, &pd_arch_x86_64, &opts, b->binaries, b->pool, &b->walkers);
	if (err)
		return err;
	b->source = out_source_init(b->file, b->profile);
	b->collector = (struct out_collector){
		.file = b->file,
		.profile = b->profile,
		.space = b->space,
		.jits = b->jits,
		.source = &b->source,
		.walks = true,
	};
	return collect(b);
}

static uint64_t touch(const struct bench *b)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->batches.n; i++) {
		for (size_t k = 0; k < b->batches.data[i].n; k++) {
			const struct pd_view *stack =
				&b->batches.data[i].items[k].sample.stack_user.bytes;

			for (size_t at = 0; at < stack->n; at += 64)
				sum += stack->data[at];
		}
	}
	return sum;
}

static struct pd_error *walk_all(struct bench *b, double *seconds_ret)
{
	double start = now();

	for (size_t i = 0; i < b->batches.n; i++) {
		out_walkers_start(b->walkers, &b->batches.data[i]);
		struct pd_error *err = out_walkers_finish(b->walkers, b->frames);
		if (err)
			return err;
	}
	*seconds_ret = now() - start;
	return NULL;
}

static void count(const struct bench *b, uint64_t *n_stacks_ret, uint64_t *n_frames_ret)
{
	*n_stacks_ret = *n_frames_ret = 0;
	for (size_t i = 0; i < b->batches.n; i++) {
		for (size_t k = 0; k < b->batches.data[i].n; k++) {
			const struct out_item *item = &b->batches.data[i].items[k];

			*n_stacks_ret += item->has_walk;
			*n_frames_ret += item->has_walk ? item->stack.frames.n : 0;
		}
	}
}

static int compare_seconds(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print(const char *what, double seconds, uint64_t n_stacks, uint64_t n_frames)
{
	printf("%-10s %8.1f ns a frame %12.0f stacks a second\n", what,
		1e9 * seconds / (double)n_frames, (double)n_stacks / seconds);
}

int main(int argc, char **argv)
{
	static struct bench b;
	double seconds[MAX_RUNS];
	int n_runs = argc > 2 ? atoi(argv[2]) : 5;
	uint64_t n_stacks, n_frames;

	if (argc < 2 || n_runs < 1 || n_runs > MAX_RUNS)
		return 2;
	struct pd_error *err = set_up(&b, argv[1]);
	if (!err)
		touch(&b);
	for (int i = 0; i < n_runs && !err; i++)
		err = walk_all(&b, &seconds[i]);
	if (err) {
		_cleanup_free_ char *text = pd_error_string(err);
		fprintf(stderr, "walks: %s\n", text);
		pd_error_destroy(err);
		return 1;
	}
	count(&b, &n_stacks, &n_frames);
	printf("%" PRIu64 " stacks, %" PRIu64 " frames\n", n_stacks, n_frames);
	print("first", seconds[0], n_stacks, n_frames);
	qsort(seconds, (size_t)n_runs, sizeof(seconds[0]), compare_seconds);
	print("median", seconds[n_runs / 2], n_stacks, n_frames);
	return 0;
}
