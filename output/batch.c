#include "output/batch.h"

#include <stdlib.h>

#include "base/cleanup.h"

struct pd_error *out_batch_init(struct out_batch *batch)
{
	*batch = (struct out_batch){ .items = calloc(OUT_BATCH, sizeof(*batch->items)) };
	return batch->items ? NULL : &pd_enomem;
}

void out_item_release(struct out_item *item)
{
	pd_maps_unref(item->maps);
	pd_maps_unref(item->kernel_maps);
	pd_record_release(&item->rec);
	pd_record_release(&item->deferred_rec);
	pd_error_destroy(take_ptr(item->err));
	item->maps = item->kernel_maps = NULL;
	item->deferred = (struct pd_view){ 0 };
	item->rest.n = 0;
	item->rest_is_whole = false;
}

void out_item_deinit(struct out_item *item)
{
	out_item_release(item);
	unw_stack_deinit(&item->stack);
	pd_vec_deinit(&item->rest);
	pd_vec_deinit(&item->counts);
}

void out_batch_deinit(struct out_batch *batch)
{
	for (size_t i = 0; batch->items && i < OUT_BATCH; i++)
		out_item_deinit(&batch->items[i]);
	free(batch->items);
}

void out_batch_clear(struct out_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++)
		out_item_release(&batch->items[i]);
	batch->n = 0;
}
