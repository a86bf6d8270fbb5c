#include "symbolize/file/trouble.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/diag.h"

/* A failure to read, or a limit. */
struct item {
	char *path;
	/** errno; 0: @ref limit was reached. */
	int error;
	enum base_limit_id limit;
};

struct sym_trouble {
	pthread_mutex_t lock;
	PD_VEC(struct item) items;
	/** There were more than can be listed. */
	bool is_cut;
	/** There was no memory for one. */
	bool is_incomplete;
};

struct pd_error *sym_trouble_create(struct sym_trouble **ret)
{
	struct sym_trouble *trouble = calloc(1, sizeof(*trouble));

	if (!trouble)
		return &pd_enomem;
	pthread_mutex_init(&trouble->lock, NULL);
	*ret = trouble;
	return NULL;
}

static void clear(struct sym_trouble *trouble)
{
	for (size_t i = 0; i < trouble->items.n; i++)
		free(trouble->items.data[i].path);
	trouble->items.n = 0;
	trouble->is_cut = trouble->is_incomplete = false;
}

void sym_trouble_destroy(struct sym_trouble *trouble)
{
	if (!trouble)
		return;
	clear(trouble);
	pd_vec_deinit(&trouble->items);
	pthread_mutex_destroy(&trouble->lock);
	free(trouble);
}

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (order)
		return order;
	if (x->error != y->error)
		return x->error < y->error ? -1 : 1;
	return (x->limit > y->limit) - (x->limit < y->limit);
}

static bool is_known(const struct sym_trouble *trouble, const struct item *item)
{
	for (size_t i = 0; i < trouble->items.n; i++) {
		if (compare(&trouble->items.data[i], item) == 0)
			return true;
	}
	return false;
}

/* More files than this are not listed: a recording may name any number of them. */
enum { MAX_ITEMS = PD_LIMIT_REPORTED_FILES };

static void add_new(struct sym_trouble *trouble, struct item item)
{
	if (trouble->items.n >= MAX_ITEMS) {
		trouble->is_cut = true;
		return;
	}
	char *path = strdup(item.path);
	PD_IS_OWNED(path, "the list frees it, or the end of this function");
	item.path = path;
	if (path && pd_vec_push(&trouble->items, item))
		return;
	free(path);
	trouble->is_incomplete = true;
}

static void add(struct sym_trouble *trouble, const char *path, int error, enum base_limit_id limit)
{
	struct item item = { .path = (char *)path, .error = error, .limit = limit };

	if (!trouble)
		return;
	pthread_mutex_lock(&trouble->lock);
	if (!is_known(trouble, &item))
		add_new(trouble, item);
	pthread_mutex_unlock(&trouble->lock);
}

void sym_trouble_add(struct sym_trouble *trouble, const char *path, int error)
{
	add(trouble, path, error, 0);
}

void sym_trouble_add_limits(
	struct sym_trouble *trouble, const char *path, const struct base_limit_set *set)
{
	for (enum base_limit_id id = 0; id < PD_N_LIMITS; id++) {
		if (base_limit_set_has(set, id))
			add(trouble, path, 0, id);
	}
}

void sym_trouble_add_limit(struct sym_trouble *trouble, const char *path, enum base_limit_id limit)
{
	add(trouble, path, 0, limit);
}

void sym_trouble_note_limits(struct sym_trouble *trouble, const char *path)
{
	struct base_limit_set set = base_limit_reached();

	if (!base_limit_set_is_empty(&set))
		sym_trouble_add_limits(trouble, path, &set);
}

bool sym_trouble_is_empty(struct sym_trouble *trouble)
{
	if (!trouble)
		return true;
	pthread_mutex_lock(&trouble->lock);
	bool result = !trouble->items.n && !trouble->is_incomplete;
	pthread_mutex_unlock(&trouble->lock);
	return result;
}

static void describe(const struct item *item, struct pd_diag *diag)
{
	if (item->error)
		pd_diag_warn(diag, item->path, PD_NO_OFFSET, NULL, "cannot be read: %s",
			base_error_text(item->error));
	else
		pd_diag_note(diag, item->path, PD_NO_OFFSET, base_limit_name(item->limit),
			base_limit_text(item->limit));
}

/* Add an entry for the item alone: a diag would count it as one more of the first file's kind. */
static void report(const struct item *item, struct pd_diag *diag)
{
	struct pd_diag *own = pd_diag_create();

	if (own)
		describe(item, own);
	if (diag)
		base_diag_restore(diag, own ? pd_diag_get(own, 0).first : &pd_enomem, 1);
	pd_diag_destroy(own);
}

void sym_trouble_report(struct sym_trouble *trouble, struct pd_diag *diag)
{
	if (!trouble)
		return;
	/* Workers add in any order. */
	if (trouble->items.n)
		qsort(trouble->items.data, trouble->items.n, sizeof(*trouble->items.data), compare);
	for (size_t i = 0; i < trouble->items.n; i++)
		report(&trouble->items.data[i], diag);
	if (trouble->is_cut)
		pd_diag_note(diag, "other files", PD_NO_OFFSET,
			base_limit_name(PD_LIMIT_ID_REPORTED_FILES),
			base_limit_text(PD_LIMIT_ID_REPORTED_FILES));
	if (trouble->is_incomplete)
		pd_diag_warn(diag, NULL, PD_NO_OFFSET, NULL,
			"out of memory: not all files that cannot be read are listed");
	clear(trouble);
}
