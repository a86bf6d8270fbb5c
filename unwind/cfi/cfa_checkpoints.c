#include "unwind/cfi/cfa_checkpoints.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/analyzer.h"
#include "base/limit.h"
#include "base/containers/map.h"
#include "base/lower_bound.h"

/*
 * Upper limit for the rows of all checkpoints. Entries of a damaged section may overlap, so its
 * size does not limit them.
 */
enum { MAX_ROWS = PD_LIMIT_CFA_MARKED_ROWS };

struct list {
	struct unw_cfa_program program;
	PD_VEC(struct unw_cfa_checkpoint) checkpoints;
};

struct unw_cfa_checkpoints {
	pthread_mutex_t lock;
	/** Index in lists by the address of the program in memory; the first of equal ones. */
	struct base_map by_program;
	PD_VEC(struct list) lists;
	size_t n_rows;
};

struct unw_cfa_checkpoints *unw_cfa_checkpoints_create(void)
{
	struct unw_cfa_checkpoints *checkpoints = calloc(1, sizeof(*checkpoints));

	if (checkpoints)
		pthread_mutex_init(&checkpoints->lock, NULL);
	return checkpoints;
}

void unw_cfa_checkpoints_destroy(struct unw_cfa_checkpoints *checkpoints)
{
	if (!checkpoints)
		return;
	for (size_t i = 0; i < checkpoints->lists.n; i++) {
		struct list *list = &checkpoints->lists.data[i];

		for (size_t k = 0; k < list->checkpoints.n; k++)
			free((struct unw_row *)list->checkpoints.data[k].rows);
		pd_vec_deinit(&list->checkpoints);
	}
	pd_vec_deinit(&checkpoints->lists);
	base_map_deinit(&checkpoints->by_program);
	pthread_mutex_destroy(&checkpoints->lock);
	free(checkpoints);
}

static bool is_same(const struct unw_cfa_program *a, const struct unw_cfa_program *b)
{
	return a->bytes == b->bytes && a->start == b->start && a->cie_off == b->cie_off;
}

/* Find the list of a program, or NULL. */
static struct list *list_of(const struct unw_cfa_checkpoints *checkpoints, const uint8_t *bytes)
{
	const uint64_t *index = base_map_find(&checkpoints->by_program, (uintptr_t)bytes);

	return index ? &checkpoints->lists.data[*index] : NULL;
}

static bool find(const struct unw_cfa_checkpoints *checkpoints,
	const struct unw_cfa_program *program, uint64_t pc, struct unw_cfa_checkpoint *ret)
{
	const struct list *list = list_of(checkpoints, program->bytes);

	if (!list || !is_same(&list->program, program))
		return false;
	size_t n =
		base_lower_bound(list->checkpoints.n, i, list->checkpoints.data[i].highest <= pc);
	if (n)
		*ret = list->checkpoints.data[n - 1];
	return n > 0;
}

bool unw_cfa_checkpoints_find(struct unw_cfa_checkpoints *checkpoints,
	const struct unw_cfa_program *program, uint64_t pc, struct unw_cfa_checkpoint *ret)
{
	pthread_mutex_lock(&checkpoints->lock);
	bool is_found = find(checkpoints, program, pc, ret);
	pthread_mutex_unlock(&checkpoints->lock);
	return is_found;
}

/* Add the list of a program. Returns NULL if memory ran out. */
static struct list *add_list(
	struct unw_cfa_checkpoints *checkpoints, const struct unw_cfa_program *program)
{
	const struct list list = { .program = *program };

	PD_IS_TRUE(checkpoints->lists.data || !(checkpoints->lists.n || checkpoints->lists.cap),
		"a vector without data has no room");
	if (!pd_vec_push(&checkpoints->lists, list))
		return NULL;
	uint64_t *index = base_map_add(&checkpoints->by_program, (uintptr_t)program->bytes, NULL);
	if (!index)
		return NULL;
	*index = checkpoints->lists.n - 1;
	return &checkpoints->lists.data[*index];
}

static bool push_copy(struct list *list, const struct unw_cfa_checkpoint *checkpoint, size_t n_rows)
{
	struct unw_row *rows = reallocarray(NULL, n_rows, sizeof(*rows));
	struct unw_cfa_checkpoint copy = *checkpoint;

	if (!rows)
		return false;
	memcpy(rows, checkpoint->rows, n_rows * sizeof(*rows));
	copy.rows = rows;
	if (!pd_vec_push(&list->checkpoints, copy)) {
		free(rows);
		return false;
	}
	PD_IS_OWNED(rows, "unw_cfa_checkpoints_destroy() frees the rows of all checkpoints");
	return true;
}

static void add(struct unw_cfa_checkpoints *checkpoints, const struct unw_cfa_program *program,
	const struct unw_cfa_checkpoint *checkpoint)
{
	size_t n_rows = 1 + (size_t)checkpoint->n_remembered;
	struct list *list = list_of(checkpoints, program->bytes);

	if (checkpoints->n_rows + n_rows > MAX_ROWS &&
		base_limit_reach(PD_LIMIT_ID_CFA_MARKED_ROWS))
		return;
	if (!list)
		list = add_list(checkpoints, program);
	if (!list || !is_same(&list->program, program))
		return;
	/* Another thread may have passed here in the meantime. */
	if (list->checkpoints.n &&
		list->checkpoints.data[list->checkpoints.n - 1].n_ops >= checkpoint->n_ops)
		return;
	if (push_copy(list, checkpoint, n_rows))
		checkpoints->n_rows += n_rows;
}

void unw_cfa_checkpoints_add(struct unw_cfa_checkpoints *checkpoints,
	const struct unw_cfa_program *program, const struct unw_cfa_checkpoint *checkpoint)
{
	pthread_mutex_lock(&checkpoints->lock);
	add(checkpoints, program, checkpoint);
	pthread_mutex_unlock(&checkpoints->lock);
}
