#include "capture/bpf/replaced.h"

#include <xxhash.h>

struct cap_code_view *cap_code_views_begin(struct cap_code_views *views, uint32_t generation)
{
	struct cap_code_view *view = &views->list[views->n++ % CAP_MAX_VIEWS];

	view->generation = generation;
	view->list.n = 0;
	return view;
}

void cap_code_views_deinit(struct cap_code_views *views)
{
	for (size_t i = 0; i < CAP_MAX_VIEWS; i++)
		pd_vec_deinit(&views->list[i].list);
}

uint64_t cap_code_file(const char *path, size_t len)
{
	return XXH3_64bits(path, len);
}

void cap_replaced_note(struct cap_replaced *replaced, const struct cap_replaced_code *code)
{
	replaced->list[replaced->n++ % CAP_MAX_REPLACED] = *code;
}

static uint64_t n_valid(const struct cap_replaced *replaced)
{
	return replaced->n < CAP_MAX_REPLACED ? replaced->n : CAP_MAX_REPLACED;
}

bool cap_replaced_has(const struct cap_replaced *replaced, uint32_t pid)
{
	for (uint64_t i = 0; i < n_valid(replaced); i++) {
		if (replaced->list[i].pid == pid)
			return true;
	}
	return false;
}

/* Find the code that the process had mapped at @p pc last, as far as that is known. */
static const struct cap_code *find_code(
	const struct cap_replaced *replaced, uint32_t pid, uint64_t pc, uint64_t time)
{
	const struct cap_replaced_code *last = NULL;

	for (uint64_t i = 0; i < n_valid(replaced); i++) {
		const struct cap_replaced_code *code = &replaced->list[i];

		if (code->pid == pid && code->time <= time && pc >= code->code.start &&
			pc < code->code.end && (!last || code->time > last->time))
			last = code;
	}
	return last ? &last->code : NULL;
}

static bool has_code(
	const struct cap_code_views *views, uint32_t generation, const struct cap_code *code)
{
	const struct cap_code_view *view = NULL;

	for (size_t i = 0; i < CAP_MAX_VIEWS; i++) {
		if (views->list[i].generation == generation)
			view = &views->list[i];
	}
	for (size_t i = 0; view && i < view->list.n; i++) {
		const struct cap_code *known = &view->list.data[i];

		if (known->start <= code->start && code->start < known->end &&
			known->file == code->file)
			return true;
	}
	return false;
}

uint16_t cap_replaced_n_certain(const struct cap_replaced *replaced,
	const struct cap_code_views *views, const struct bw_record *stack, uint64_t time)
{
	for (uint16_t i = 0; i < stack->n; i++) {
		/* All but the first are return addresses. */
		const struct cap_code *code =
			find_code(replaced, stack->pid, stack->pcs[i] - (i > 0), time);

		if (code && !has_code(views, stack->generation, code))
			return i + 1;
	}
	return stack->n;
}
