/*
 * Time unwinding, without reading, replaying or naming. usage: walks FILE [RUNS]
 *
 * Collects all samples of the recording first. Then one thread unwinds their stacks RUNS times, in
 * the order and with the prefetching of resolve/batch/walkers.c. Prints nanoseconds per frame and
 * stacks per second: for the first run, in which every program counter is new and binaries are
 * opened, and the median of all. The bytes are mapped and in memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pdconv/reader.h>

#include "base/cleanup.h"
#include "parse/open_file.h"
#include "resolve/batch/batch.h"
#include "resolve/binaries/binaries.h"
#include "resolve/batch/collector.h"
#include "resolve/binaries/jits.h"
#include "resolve/stacks/sample_walk.h"
#include "unwind/unwind.h"

enum { MAX_RUNS = 99, PREFETCH_AHEAD = 2 };

/* A stack to unwind. */
struct job {
	struct unw_input input;
	struct parse_maps *maps;
};

struct bench {
	struct pd_file *file;
	struct profile *profile;
	struct parse_space *space;
	struct resolve_facts facts;
	struct resolve_collector collector;
	struct pd_reader *reader;
	struct resolve_batch batch;
	PD_VEC(struct job) jobs;
	struct resolve_binaries *binaries;
	struct resolve_jits *jits;
	struct unw_walker *walker;
	struct unw_stack stack;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A collected sample. Its address space is kept, too. */
static struct pd_error *take_item(struct bench *b)
{
	const struct resolve_item *item = &b->batch.items[0];
	struct job job = { .input = resolve_walk_input(&item->sample), .maps = item->maps };

	if (!b->batch.n)
		return NULL;
	if (item->has_walk && !pd_vec_push(&b->jobs, job))
		return &pd_enomem;
	parse_maps_ref(job.maps);
	resolve_batch_clear(&b->batch);
	return NULL;
}

static struct pd_error *collect(struct bench *b)
{
	struct pd_record rec;

	for (;;) {
		struct pd_error *err = pd_reader_next(b->reader, &rec);
		if (err || !rec.bytes)
			return err;
		const struct pd_plan *plan = pd_events_plan(&b->file->events, &rec);
		if (rec.type != PD_RECORD_SAMPLE)
			err = parse_space_apply(b->space, &rec, plan ? plan->sid_bytes : 0);
		else
			err = resolve_collect(&b->collector, &rec, &b->batch);
		if (!err)
			err = take_item(b);
		if (err)
			return err;
	}
}

static struct pd_error *set_up(struct bench *b, const char *path)
{
	static const struct sym_search search;
	struct pd_error *err = pd_file_open(path, NULL, &b->file);

	if (!err)
		err = prof_create(&b->profile);
	if (!err)
		err = parse_space_create(b->file, &b->space);
	if (!err)
		err = pd_reader_create(b->file, PD_ORDER_TIME, &b->reader);
	if (!err)
		err = resolve_binaries_create(&base_arch_x86_64, &search, &b->binaries);
	if (!err)
		err = resolve_jits_create(
			b->file, &base_arch_x86_64, &search, b->space, b->binaries, &b->jits);
	if (!err)
		err = resolve_batch_init(&b->batch, RESOLVE_BATCH_BYTES);
	if (!err)
		err = unw_walker_create(&base_arch_x86_64, NULL, &b->walker);
	if (err)
		return err;
	b->facts = resolve_facts_init(b->file, b->profile);
	b->collector = (struct resolve_collector){
		.file = b->file,
		.profile = b->profile,
		.space = b->space,
		.jits = b->jits,
		.facts = &b->facts,
		.arch = &base_arch_x86_64,
	};
	return collect(b);
}

static uint64_t touch(const struct bench *b)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->jobs.n; i++) {
		const struct unw_input *input = &b->jobs.data[i].input;

		for (size_t at = 0; at < input->stack_size; at += 64)
			sum += input->stack[at];
	}
	return sum;
}

static struct pd_error *walk_all(struct bench *b, double *seconds_ret, uint64_t *n_frames_ret)
{
	double start = now();

	*n_frames_ret = 0;
	for (size_t i = 0; i < b->jobs.n; i++) {
		struct job *job = &b->jobs.data[i];
		struct resolve_space space = resolve_space_init(b->binaries, job->maps);

		if (i + PREFETCH_AHEAD < b->jobs.n)
			unw_prefetch(&b->jobs.data[i + PREFETCH_AHEAD].input);
		job->input.space = &space.unw;
		struct pd_error *err = unw_walk(b->walker, &job->input, &b->stack);
		if (!err)
			err = space.err;
		if (err)
			return err;
		*n_frames_ret += b->stack.frames.n;
	}
	*seconds_ret = now() - start;
	return NULL;
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
	uint64_t n_frames = 0;

	if (argc < 2 || n_runs < 1 || n_runs > MAX_RUNS)
		return 2;
	struct pd_error *err = set_up(&b, argv[1]);
	if (!err)
		touch(&b);
	for (int i = 0; i < n_runs && !err; i++)
		err = walk_all(&b, &seconds[i], &n_frames);
	if (err) {
		_cleanup_free_ char *text = pd_error_string(err);
		fprintf(stderr, "walks: %s\n", text);
		pd_error_destroy(err);
		return 1;
	}
	printf("%zu stacks, %" PRIu64 " frames\n", b.jobs.n, n_frames);
	print("first", seconds[0], b.jobs.n, n_frames);
	qsort(seconds, (size_t)n_runs, sizeof(seconds[0]), compare_seconds);
	print("median", seconds[n_runs / 2], b.jobs.n, n_frames);
	return 0;
}
