#include "ledger/changes.h"

void led_changes_deinit(struct led_changes *changes)
{
	pd_vec_deinit(&changes->cursors);
}

static const struct led_phase *phase_at(const struct ledger *l, uint32_t number)
{
	return number ? &l->timeline.phases.data[number - 1] : NULL;
}

/* Describe the beginning of a phase that ends at @p end. Returns the phase that precedes it. */
static uint32_t begin_of(
	const struct ledger *l, const struct led_phase *phase, uint64_t end, struct led_change *ret)
{
	const struct led_task *task = &l->tasks.data[ret->task];
	const struct led_phase *before = phase_at(l, phase->previous);
	uint64_t first = led_life(l, task).from, ignored;

	ret->to = (uint8_t)led_state_of(l, phase, end, &ret->time);
	ret->is_disk = phase->is_disk;
	ret->cpu = phase->cpu;
	ret->by = LED_NONE;
	if (!before || ret->time <= first) {
		bool is_born = task->born && task->born == first;

		ret->time = ret->time > first ? ret->time : first;
		ret->from = is_born ? LED_UNSEEN : LED_GONE;
		ret->by = is_born ? task->parent : LED_NONE;
		return 0;
	}
	ret->from = (uint8_t)led_state_of(l, before, phase->begin, &ignored);
	if (ret->from == LED_RUNNING)
		ret->cpu = before->cpu;
	if (ret->from == LED_BLOCKED)
		ret->by = before->waker;
	return phase->previous;
}

/*
 * Go to the change before the present one. Returns false if there is none. A run may consist of
 * several phases, such as before and after EXIT. Its CPU is known for certain when it ends.
 */
static bool go_back(const struct ledger *l, struct led_cursor *cursor)
{
	const struct led_phase *phase = phase_at(l, cursor->phase);
	uint32_t cpu = phase ? phase->cpu : LED_NONE;

	for (; phase; phase = phase_at(l, cursor->phase)) {
		cursor->phase = begin_of(l, phase, cursor->end, &cursor->change);
		cursor->end = phase->begin;
		if (cursor->change.to == LED_RUNNING)
			cursor->change.cpu = cpu;
		if (cursor->change.from != cursor->change.to)
			return true;
	}
	return false;
}

/* Go to the end of a life, or to its last change if it is not over. */
static bool go_to_end(const struct ledger *l, struct led_cursor *cursor)
{
	const struct led_task *task = &l->tasks.data[cursor->change.task];
	struct led_range life = led_life(l, task);
	const struct led_phase *phase;

	cursor->phase = task->last_phase;
	cursor->end = task->since;
	while ((phase = phase_at(l, cursor->phase)) && phase->begin >= life.to) {
		cursor->phase = phase->previous;
		cursor->end = phase->begin;
	}
	if (!phase || !task->ended || task->ended != life.to)
		return go_back(l, cursor);
	begin_of(l, phase, cursor->end, &cursor->change);
	cursor->change.from = cursor->change.to;
	cursor->change.to = LED_GONE;
	cursor->change.time = life.to;
	cursor->change.by = LED_NONE;
	cursor->change.is_disk = false;
	cursor->change.cpu = phase->cpu;
	return true;
}

/* Whether the change @p a is taken before @p b. */
static bool is_first(const struct led_change *a, const struct led_change *b)
{
	bool a_leaves = a->from == LED_RUNNING, b_leaves = b->from == LED_RUNNING;
	bool a_gets = a->to == LED_RUNNING, b_gets = b->to == LED_RUNNING;

	if (a->time != b->time)
		return a->time > b->time;
	if (a_gets != b_gets)
		return a_gets;
	if (a_leaves != b_leaves)
		return b_leaves;
	return a->task > b->task;
}

/* Restore the order of the heap after the cursor @p at has changed. */
static void sift_down(struct led_changes *changes, size_t at)
{
	struct led_cursor *list = changes->cursors.data;
	size_t n = changes->cursors.n;

	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		child += child + 1 < n && is_first(&list[child + 1].change, &list[child].change);
		if (!is_first(&list[child].change, &list[at].change))
			return;
		struct led_cursor moved = list[at];
		list[at] = list[child];
		list[child] = moved;
	}
}

static void sift_up(struct led_changes *changes, size_t at)
{
	struct led_cursor *list = changes->cursors.data;

	while (at && is_first(&list[at].change, &list[(at - 1) / 2].change)) {
		struct led_cursor moved = list[at];

		list[at] = list[(at - 1) / 2];
		list[(at - 1) / 2] = moved;
		at = (at - 1) / 2;
	}
}

struct pd_error *led_changes_add(
	struct led_changes *changes, const struct ledger *l, uint32_t index)
{
	struct led_cursor cursor = { .change.task = index };

	if (!go_to_end(l, &cursor))
		return NULL;
	if (!pd_vec_push(&changes->cursors, cursor))
		return &pd_enomem;
	sift_up(changes, changes->cursors.n - 1);
	return NULL;
}

bool led_changes_take(struct led_changes *changes, const struct ledger *l, struct led_change *ret)
{
	if (!changes->cursors.n)
		return false;
	struct led_cursor *top = &changes->cursors.data[0];
	*ret = top->change;
	if (!go_back(l, top))
		*top = changes->cursors.data[--changes->cursors.n];
	sift_down(changes, 0);
	return true;
}
