#include "capture/synth/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/synth/private.h"

struct pd_error *cap_synth_create(
	const struct cap_synth_opts *opts, cap_emit emit, void *ctx, struct cap_synth **ret)
{
	struct cap_synth *synth = calloc(1, sizeof(*synth));

	if (!synth)
		return &pd_enomem;
	synth->opts = *opts;
	synth->emit = emit;
	synth->ctx = ctx;
	synth->machine = cap_machine_init(opts->root);
	synth->zeros = calloc(1, opts->sid_bytes + 1);
	synth->hugetlb = cap_machine_mount(&synth->machine, "hugetlbfs", NULL);
	if (!synth->zeros || synth->machine.failed) {
		cap_synth_destroy(synth);
		return &pd_enomem;
	}
	*ret = synth;
	return NULL;
}

void cap_synth_destroy(struct cap_synth *synth)
{
	if (!synth)
		return;
	pd_bytes_deinit(&synth->record);
	cap_build_ids_deinit(&synth->build_ids);
	free(synth->zeros);
	free(synth->hugetlb);
	free(synth->line);
	free(synth);
}

const struct cap_synth_counts *cap_synth_counts(const struct cap_synth *synth)
{
	return &synth->counts;
}

void cap_synth_miss(struct cap_synth *synth, int error)
{
	bool is_gone = error == ENOENT || error == ESRCH;

	synth->counts.gone += is_gone;
	synth->counts.denied += !is_gone;
}

struct pd_error *cap_synth_put(struct cap_synth *synth, const struct pd_layout *layout,
	uint16_t misc, const union pd_body *body)
{
	struct pd_bytes *record = &synth->record;

	record->buf.n = 0;
	bool fits =
		pd_record_encode(layout, misc, body, synth->zeros, synth->opts.sid_bytes, record);
	if (record->failed)
		return &pd_enomem;
	if (!fits)
		return NULL;
	synth->counts.records++;
	return synth->emit(synth->ctx, record->buf.data, record->buf.n);
}

/* Postponed processes. */

void cap_postponed_deinit(struct cap_postponed *postponed)
{
	pd_map_deinit(&postponed->pids);
	pd_vec_deinit(&postponed->seen);
	postponed->n_taken = 0;
}

struct pd_error *cap_postponed_add(struct cap_postponed *postponed, uint32_t pid)
{
	/* Reserve the place in seen as well, so that noting it later cannot fail. */
	if (!pd_map_add(&postponed->pids, pid, NULL) ||
		!pd_vec_reserve(&postponed->seen, postponed->pids.n))
		return &pd_enomem;
	return NULL;
}

void cap_postponed_note(struct cap_postponed *postponed, uint32_t pid)
{
	uint64_t *is_seen = pd_map_find(&postponed->pids, pid);

	if (!is_seen || *is_seen)
		return;
	*is_seen = 1;
	postponed->seen.data[postponed->seen.n++] = pid;
}

bool cap_postponed_take(struct cap_postponed *postponed, uint32_t *ret)
{
	if (postponed->n_taken == postponed->seen.n)
		return false;
	*ret = postponed->seen.data[postponed->n_taken++];
	return true;
}

size_t cap_postponed_n_unseen(const struct cap_postponed *postponed)
{
	return postponed->pids.n - postponed->seen.n;
}
