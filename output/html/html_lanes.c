/*
 * Lanes of the html format. A lane is a sequence of pieces without gaps. If there would be too
 * many, pieces that are shorter than a resolution are summed up with those next to them, so that a
 * lane has the sums of its thread in any case.
 */
#include "output/html/html_lanes.h"

#include "analyze/waits/phase_stacks.h"
#include "base/cleanup.h"
#include "output/html/html_ledger.h"
#include "output/html/html_samples.h"
#include "output/html/html_tree.h"

/* Numbers of wakers in the page: an interrupt, and the first thread. */
enum { WOKEN_BY_INTERRUPT = 1, FIRST_WAKER = 2 };
/* Numbers of what had the CPU of a thread on the critical path: nothing, and the first thread. */
enum { INSTEAD_IDLE = 1, FIRST_INSTEAD = 2 };

/* A part of a lane. */
struct piece {
	uint64_t begin;
	uint64_t ns;
	/* enum prof_ledger_state, or HTML_PIECE_* */
	unsigned state;
	/* Times by state of a mix. */
	uint64_t sums[PROF_N_LEDGER_STATES];
	/* Number of phases or steps in it, and the index of the last one. */
	size_t n;
	size_t index;
	/* Thread of a step; PROF_NONE: several. */
	uint32_t thread;
};

/* Makes the pieces of lanes. */
struct lanes {
	struct html *h;
	/* Shorter ones are summed up. */
	uint64_t least;
	/* NULL: only count. */
	void (*put)(struct lanes *lanes, const struct piece *piece);
	const struct ana_phase_stacks *stacks;
	/* The piece that is being summed up, unless n is 0. */
	struct piece mix;
	/* State before the piece that is put next. */
	unsigned before;
	/* Number of pieces of the present lane, and of all. */
	size_t n;
	size_t n_all;
};

static void emit(struct lanes *l, const struct piece *piece)
{
	if (l->put)
		l->put(l, piece);
	l->before = piece->state;
	l->n++;
	l->n_all++;
}

static void flush(struct lanes *l)
{
	if (l->mix.n > 1)
		l->mix.state = HTML_PIECE_MIX;
	if (l->mix.n)
		emit(l, &l->mix);
	l->mix.n = 0;
}

static void add_to_mix(struct lanes *l, const struct piece *piece)
{
	struct piece *mix = &l->mix;

	if (!mix->n) {
		*mix = *piece;
		return;
	}
	mix->ns += piece->ns;
	mix->n++;
	for (size_t i = 0; i < PROF_N_LEDGER_STATES; i++)
		mix->sums[i] += piece->sums[i];
	if (mix->thread != piece->thread)
		mix->thread = PROF_NONE;
}

/* Add a phase or a step, which begins at @p end, where the one before it ends, or after a gap. */
static void add(struct lanes *l, struct piece piece, uint64_t end)
{
	const struct piece gap = { .begin = end,
		.ns = piece.begin - end,
		.state = HTML_PIECE_LEFT_OUT,
		.thread = PROF_NONE };

	piece.n = 1;
	piece.sums[piece.state] = piece.ns;
	if (piece.begin > end) {
		flush(l);
		emit(l, &gap);
	}
	if (piece.ns >= l->least) {
		flush(l);
		emit(l, &piece);
		return;
	}
	add_to_mix(l, &piece);
	if (l->mix.ns >= l->least)
		flush(l);
}

/* Begin a lane at @p begin. @p thread is a row of the page plus 1; 0: a critical path. */
static void begin_lane(struct lanes *l, uint64_t thread, uint64_t begin)
{
	l->n = 0;
	l->before = HTML_PIECE_LEFT_OUT;
	if (!l->put)
		return;
	html_put(&l->h->columns, HTML_LANE_THREAD, thread);
	html_put(&l->h->columns, HTML_LANE_BEGIN, begin - l->h->base_ns);
}

static void end_lane(struct lanes *l)
{
	flush(l);
	if (l->put)
		html_put(&l->h->columns, HTML_LANE_PIECES, l->n);
}

/* Put what lanes of threads and of paths have. */
static void put_piece(struct lanes *l, const struct piece *piece)
{
	struct html_columns *columns = &l->h->columns;

	html_put(columns, HTML_PIECE_STATE, piece->state);
	html_put(columns, HTML_PIECE_NS, piece->ns);
	for (size_t i = 0; piece->state == HTML_PIECE_MIX && i < PROF_N_LEDGER_STATES; i++)
		html_put(columns, HTML_MIX_NS, piece->sums[i]);
}

/* Leaf of the stack of a sample plus 1; 0: there is none. */
static uint32_t leaf_of(const struct html *h, struct prof_sample_id id)
{
	return prof_is_none(id) ? 0 : h->leaves[prof_sample(h->profile, id)->stack.i];
}

static void put_wait(struct lanes *l, const struct prof_ledger_phase *phase)
{
	struct html *h = l->h;
	struct ana_phase_stack at = { .waiter = { PROF_NONE }, .waker = { PROF_NONE } };
	/* After a wakeup, it is the blocked piece before that has the stacks. */
	bool has_own = phase->state == PROF_LEDGER_BLOCKED || l->before != PROF_LEDGER_BLOCKED;
	uint64_t waker = phase->is_woken ? WOKEN_BY_INTERRUPT : 0;

	if (l->stacks && has_own)
		at = ana_phase_stack_find(l->stacks, phase);
	if (!prof_is_none(phase->waker))
		waker = FIRST_WAKER + html_thread_row(h, phase->waker);
	html_put(&h->columns, HTML_WAIT_REASON, at.has_kind ? (uint64_t)at.kind + 1 : 0);
	html_put(&h->columns, HTML_WAIT_WAKER, waker);
	html_put(&h->columns, HTML_WAIT_INTERRUPT, html_profile_string(h, phase->interrupt));
	html_put(&h->columns, HTML_WAIT_LEAF, leaf_of(h, at.waiter));
	html_put(&h->columns, HTML_WAIT_WAKER_LEAF, leaf_of(h, at.waker));
}

static void put_phase(struct lanes *l, const struct piece *piece)
{
	put_piece(l, piece);
	if (piece->state == PROF_LEDGER_RUNNABLE || piece->state == PROF_LEDGER_BLOCKED)
		put_wait(l, &l->h->profile->ledger_phases.data[piece->index]);
}

static void put_step(struct lanes *l, const struct piece *piece)
{
	struct html *h = l->h;
	uint64_t thread = 0, instead = 0;

	put_piece(l, piece);
	if (piece->thread != PROF_NONE)
		thread = (uint64_t)html_thread_row(h, (struct prof_thread_id){ piece->thread }) + 1;
	if (piece->state == PROF_LEDGER_RUNNABLE) {
		const struct prof_path_step *step = &h->profile->path_steps.data[piece->index];

		if (step->instead_kind == PROF_INSTEAD_IDLE)
			instead = INSTEAD_IDLE;
		else if (step->instead_kind == PROF_INSTEAD_THREAD)
			instead = FIRST_INSTEAD + html_thread_row(h, step->instead);
	}
	html_put(&h->columns, HTML_STEP_THREAD, thread);
	html_put(&h->columns, HTML_STEP_INSTEAD, instead);
}

/* Add the lanes of all lives. */
static void add_lives(struct lanes *l)
{
	const struct profile *profile = l->h->profile;
	uint32_t life = PROF_NONE;
	uint64_t end = 0;

	for (size_t i = 0; i < profile->ledger_phases.n; i++) {
		const struct prof_ledger_phase *phase = &profile->ledger_phases.data[i];

		base_spill_pass(&profile->ledger_phases, i);
		if (phase->life != life) {
			struct prof_thread_id thread =
				profile->ledger_threads.data[phase->life].thread;

			if (life != PROF_NONE)
				end_lane(l);
			life = phase->life;
			end = phase->begin_ns;
			begin_lane(
				l, l->put ? (uint64_t)html_thread_row(l->h, thread) + 1 : 0, end);
		}
		add(l,
			(struct piece){ .begin = phase->begin_ns,
				.ns = phase->ns,
				.state = phase->state,
				.index = i,
				.thread = PROF_NONE },
			end);
		end = phase->begin_ns + phase->ns;
	}
	if (life != PROF_NONE)
		end_lane(l);
}

/* Add the lanes of all critical paths. */
static void add_paths(struct lanes *l)
{
	const struct profile *profile = l->h->profile;
	uint32_t path = PROF_NONE;
	uint64_t end = 0;

	for (size_t i = 0; i < profile->path_steps.n; i++) {
		const struct prof_path_step *step = &profile->path_steps.data[i];

		if (step->path != path) {
			if (path != PROF_NONE)
				end_lane(l);
			path = step->path;
			end = step->begin_ns;
			begin_lane(l, 0, end);
		}
		if (step->end_ns <= step->begin_ns)
			continue;
		add(l,
			(struct piece){ .begin = step->begin_ns,
				.ns = step->end_ns - step->begin_ns,
				.state = step->state,
				.index = i,
				.thread = step->thread.i },
			end);
		end = step->end_ns;
	}
	if (path != PROF_NONE)
		end_lane(l);
}

static size_t count_pieces(struct html *h, uint64_t least, void (*add_all)(struct lanes *lanes))
{
	struct lanes lanes = { .h = h, .least = least };

	add_all(&lanes);
	return lanes.n_all;
}

/* Return the least power of two that leaves at most @p max pieces; 0: all of them are few. */
static uint64_t choose_least(struct html *h, size_t max, void (*add_all)(struct lanes *lanes))
{
	unsigned low = 0, high = 62;

	if (count_pieces(h, 0, add_all) <= max)
		return 0;
	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (count_pieces(h, UINT64_C(1) << middle, add_all) <= max)
			high = middle;
		else
			low = middle + 1;
	}
	return UINT64_C(1) << low;
}

/* Put the lanes of threads, with @p stacks of waits, if they are known. */
static void put_all(struct html *h, const struct ana_phase_stacks *stacks)
{
	struct lanes paths = { .h = h, .put = put_step };
	struct lanes lives = { .h = h, .put = put_phase, .stacks = stacks };

	h->least_step_ns = paths.least = choose_least(h, HTML_MAX_STEPS, add_paths);
	h->least_phase_ns = lives.least = choose_least(h, HTML_MAX_PIECES, add_lives);
	if (h->profile->paths.n)
		h->path_owner = html_thread_row(h, h->profile->paths.data[0].thread) + 1;
	add_paths(&paths);
	add_lives(&lives);
}

struct pd_error *html_put_lanes(struct html *h)
{
	_cleanup_(ana_symbols_deinit) struct ana_symbols symbols = { 0 };
	struct ana_phase_stacks stacks;

	if (h->base_ns == PD_NO_TIME || !html_has_ledger(h->profile))
		return NULL;
	if (!h->profile->ledger_phases.n || !ana_has_moments(h->profile)) {
		put_all(h, NULL);
		return NULL;
	}
	struct pd_error *err = ana_symbols_create(h->profile, &symbols);
	if (!err)
		err = ana_phase_stacks_create(h->profile, &symbols, &stacks);
	if (err)
		return err;
	put_all(h, &stacks);
	ana_phase_stacks_deinit(&stacks);
	return NULL;
}
