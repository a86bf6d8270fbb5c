#include "unwind/cfa_marks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/analyzer.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/search.h"

/*
 * Upper limit for the rows of all marks. Entries of a damaged section may overlap, so its size does
 * not limit them.
 */
enum { MAX_ROWS = PD_LIMIT_CFA_MARKED_ROWS };

struct list {
	struct unw_cfa_program program;
	PD_VEC(struct unw_cfa_mark) marks;
};

struct unw_cfa_marks {
	pthread_mutex_t lock;
	/** Index in lists by the address of the program in memory; the first of equal ones. */
	struct pd_map by_program;
	PD_VEC(struct list) lists;
	size_t n_rows;
};

struct unw_cfa_marks *unw_cfa_marks_create(void)
{
	struct unw_cfa_marks *marks = calloc(1, sizeof(*marks));

	if (marks)
		pthread_mutex_init(&marks->lock, NULL);
	return marks;
}

void unw_cfa_marks_destroy(struct unw_cfa_marks *marks)
{
	if (!marks)
		return;
	for (size_t i = 0; i < marks->lists.n; i++) {
		struct list *list = &marks->lists.data[i];

		for (size_t k = 0; k < list->marks.n; k++)
			free((struct unw_row *)list->marks.data[k].rows);
		pd_vec_deinit(&list->marks);
	}
	pd_vec_deinit(&marks->lists);
	pd_map_deinit(&marks->by_program);
	pthread_mutex_destroy(&marks->lock);
	free(marks);
}

static bool is_same(const struct unw_cfa_program *a, const struct unw_cfa_program *b)
{
	return a->bytes == b->bytes && a->start == b->start && a->cie_off == b->cie_off;
}

/* Find the list of a program, or NULL. */
static struct list *list_of(const struct unw_cfa_marks *marks, const uint8_t *bytes)
{
	const uint64_t *index = pd_map_find(&marks->by_program, (uintptr_t)bytes);

	return index ? &marks->lists.data[*index] : NULL;
}

static bool find(const struct unw_cfa_marks *marks, const struct unw_cfa_program *program,
	uint64_t pc, struct unw_cfa_mark *ret)
{
	const struct list *list = list_of(marks, program->bytes);

	if (!list || !is_same(&list->program, program))
		return false;
	size_t n = pd_lower_bound(list->marks.n, i, list->marks.data[i].highest <= pc);
	if (n)
		*ret = list->marks.data[n - 1];
	return n > 0;
}

bool unw_cfa_marks_find(struct unw_cfa_marks *marks, const struct unw_cfa_program *program,
	uint64_t pc, struct unw_cfa_mark *ret)
{
	pthread_mutex_lock(&marks->lock);
	bool is_found = find(marks, program, pc, ret);
	pthread_mutex_unlock(&marks->lock);
	return is_found;
}

/* Add the list of a program. Returns NULL if memory ran out. */
static struct list *add_list(struct unw_cfa_marks *marks, const struct unw_cfa_program *program)
{
	const struct list list = { .program = *program };

	PD_IS_TRUE(marks->lists.data || !(marks->lists.n || marks->lists.cap),
		"a vector without data has no room");
	if (!pd_vec_push(&marks->lists, list))
		return NULL;
	uint64_t *index = pd_map_add(&marks->by_program, (uintptr_t)program->bytes, NULL);
	if (!index)
		return NULL;
	*index = marks->lists.n - 1;
	return &marks->lists.data[*index];
}

static bool push_copy(struct list *list, const struct unw_cfa_mark *mark, size_t n_rows)
{
	struct unw_row *rows = reallocarray(NULL, n_rows, sizeof(*rows));
	struct unw_cfa_mark copy = *mark;

	if (!rows)
		return false;
	memcpy(rows, mark->rows, n_rows * sizeof(*rows));
	copy.rows = rows;
	if (!pd_vec_push(&list->marks, copy)) {
		free(rows);
		return false;
	}
	PD_IS_OWNED(rows, "unw_cfa_marks_destroy() frees the rows of all marks");
	return true;
}

static void add(struct unw_cfa_marks *marks, const struct unw_cfa_program *program,
	const struct unw_cfa_mark *mark)
{
	size_t n_rows = 1 + (size_t)mark->n_remembered;
	struct list *list = list_of(marks, program->bytes);

	if (marks->n_rows + n_rows > MAX_ROWS && pd_limit_reach(PD_LIMIT_ID_CFA_MARKED_ROWS))
		return;
	if (!list)
		list = add_list(marks, program);
	if (!list || !is_same(&list->program, program))
		return;
	/* Another thread may have passed here in the meantime. */
	if (list->marks.n && list->marks.data[list->marks.n - 1].n_ops >= mark->n_ops)
		return;
	if (push_copy(list, mark, n_rows))
		marks->n_rows += n_rows;
}

void unw_cfa_marks_add(struct unw_cfa_marks *marks, const struct unw_cfa_program *program,
	const struct unw_cfa_mark *mark)
{
	pthread_mutex_lock(&marks->lock);
	add(marks, program, mark);
	pthread_mutex_unlock(&marks->lock);
}
