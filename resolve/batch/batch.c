#include "resolve/batch/batch.h"

#include <stdlib.h>

#include "base/cleanup.h"

struct pd_error *resolve_batch_init(struct resolve_batch *batch, size_t most_bytes)
{
	*batch = (struct resolve_batch){
		.most_bytes = most_bytes,
		.items = calloc(RESOLVE_BATCH, sizeof(*batch->items)),
		.plain = calloc(RESOLVE_BATCH_PLAIN, sizeof(*batch->plain)),
		.contexts = calloc(RESOLVE_BATCH_CONTEXTS, sizeof(*batch->contexts)),
		.rows = calloc(RESOLVE_BATCH_PLAIN, sizeof(*batch->rows)),
		.fresh = calloc(RESOLVE_BATCH_PLAIN, sizeof(*batch->fresh)),
	};
	if (!batch->items || !batch->plain || !batch->contexts || !batch->rows || !batch->fresh)
		return &pd_enomem;
	return NULL;
}

void resolve_item_release(struct resolve_item *item)
{
	parse_maps_unref(item->maps);
	parse_maps_unref(item->kernel_maps);
	parse_maps_unref(item->all_maps);
	pd_record_release(&item->rec);
	pd_record_release(&item->deferred_rec);
	pd_error_destroy(take_ptr(item->err));
	item->maps = item->kernel_maps = item->all_maps = NULL;
	item->deferred = (struct pd_view){ 0 };
	item->rest.n = 0;
	item->rest_is_whole = item->rest_is_doubtful = item->is_tallied = false;
}

void resolve_item_deinit(struct resolve_item *item)
{
	resolve_item_release(item);
	unw_stack_deinit(&item->stack);
	pd_vec_deinit(&item->rest);
	pd_vec_deinit(&item->counts);
}

static void release_plain(struct resolve_batch *batch)
{
	for (size_t i = 0; i < batch->n_plain; i++)
		pd_record_release(&batch->plain[i].rec);
	for (size_t i = 0; i < batch->n_contexts; i++) {
		parse_maps_unref(batch->contexts[i].maps);
		parse_maps_unref(batch->contexts[i].kernel_maps);
	}
	batch->n_plain = batch->n_contexts = batch->n_fresh = batch->n_bytes = 0;
	resolve_tally_table_deinit(&batch->full);
}

void resolve_batch_deinit(struct resolve_batch *batch)
{
	for (size_t i = 0; i < batch->n_touched; i++)
		resolve_item_deinit(&batch->items[i]);
	release_plain(batch);
	free(batch->items);
	free(batch->plain);
	free(batch->contexts);
	free(batch->rows);
	free(batch->fresh);
	pd_vec_deinit(&batch->joined.stacks);
	pd_vec_deinit(&batch->joined.frames);
	pd_vec_deinit(&batch->joined.pcs);
	pd_vec_deinit(&batch->joined.user);
	pd_vec_deinit(&batch->joined.details);
}

/* Forget all stacks. The lists keep their memory. */
static void clear_joined(struct resolve_joined *joined)
{
	joined->stacks.n = joined->frames.n = joined->pcs.n = joined->user.n = 0;
	joined->details.n = 0;
}

void resolve_batch_clear(struct resolve_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++)
		resolve_item_release(&batch->items[i]);
	batch->n = 0;
	release_plain(batch);
	clear_joined(&batch->joined);
}
