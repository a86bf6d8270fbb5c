#include "resolve/batch/detail.h"

#include <stdlib.h>

#include <pdconv/sample.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "resolve/facts/recording_facts.h"

/* The detail to fill, and the sample that it is read from. */
struct detail_source {
	uint32_t wanted;
	struct profile *profile;
	struct resolve_frames *frames;
	const struct resolve_item *item;
};

static bool wants(const struct detail_source *m, unsigned bit)
{
	return m->wanted >> bit & 1;
}

static struct pd_error *keep(
	const struct detail_source *m, const void *bytes, size_t size, struct prof_bytes_id *ret)
{
	*ret = prof_add_bytes(m->profile, bytes, size);
	return prof_is_none(*ret) ? &pd_enomem : NULL;
}

static struct pd_error *keep_regs(
	const struct detail_source *m, const struct pd_regs *regs, struct prof_bytes_id *ret)
{
	uint64_t words[2 + 64] = { regs->abi, regs->mask };
	size_t n = regs->values.n < 64 ? regs->values.n : 64;

	for (size_t i = 0; i < n; i++)
		words[2 + i] = pd_view_u64(&regs->values, i);
	return keep(m, words, (2 + n) * sizeof(words[0]), ret);
}

/*
 * Add the frame at an address. Addresses in the upper half belong to the kernel, even if the sample
 * was taken in user space.
 */
static struct pd_error *find_frame(
	const struct detail_source *m, uint64_t addr, struct prof_frame_id *ret)
{
	bool is_kernel = addr >> 63;
	const struct parse_callchain_link link = {
		.pc = addr,
		.context = is_kernel ? PD_CALLCHAIN_KERNEL : PD_CALLCHAIN_USER,
	};

	return resolve_frames_at(
		m->frames, is_kernel ? m->item->kernel_maps : m->item->maps, &link, 0, ret);
}

/* Add the frame at the data address of the sample. Data of the kernel has no names. */
static struct pd_error *find_data(const struct detail_source *m, struct prof_frame_id *ret)
{
	uint64_t addr = m->item->sample.addr;

	if (addr >> 63 || !m->item->all_maps)
		return find_frame(m, addr, ret);
	return resolve_frames_data(m->frames, m->item->maps, m->item->all_maps, addr, ret);
}

static struct pd_error *find_ends(
	const struct detail_source *m, const struct pd_branch *branch, struct prof_branch *ret)
{
	*ret = (struct prof_branch){
		.from = branch->from,
		.to = branch->to,
		.flags = branch->flags,
	};
	struct pd_error *err = find_frame(m, branch->from, &ret->from_frame);
	return err ? err : find_frame(m, branch->to, &ret->to_frame);
}

static struct pd_error *keep_branches(const struct detail_source *m, struct prof_bytes_id *ret)
{
	const struct pd_branches *branches = &m->item->sample.branch_stack;
	size_t n = branches->entries.n;
	_cleanup_free_ struct prof_branch *list = base_calloc_n(n, sizeof(*list));

	if (!list)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++) {
		struct pd_branch branch = pd_branch_get(branches, i);
		struct pd_error *err = find_ends(m, &branch, &list[i]);
		if (err)
			return err;
	}
	return keep(m, list, n * sizeof(*list), ret);
}

static struct pd_error *keep_all_regs(const struct detail_source *m, struct prof_detail *ret)
{
	const struct pd_sample *sample = &m->item->sample;

	if (wants(m, PROF_FIELD_REGS_USER)) {
		struct pd_error *err = keep_regs(m, &sample->regs_user, &ret->regs_user);
		if (err)
			return err;
	}
	return wants(m, PROF_FIELD_REGS_INTR) ? keep_regs(m, &sample->regs_intr, &ret->regs_intr)
					      : NULL;
}

static struct pd_error *keep_lists(const struct detail_source *m, struct prof_detail *ret)
{
	const struct pd_sample *sample = &m->item->sample;
	struct pd_error *err = keep_all_regs(m, ret);

	if (err)
		return err;
	if (wants(m, PROF_FIELD_BRANCH_STACK)) {
		err = keep_branches(m, &ret->branches);
		if (err)
			return err;
	}
	if (wants(m, PROF_FIELD_RAW)) {
		err = keep(m, sample->raw.data, sample->raw.n, &ret->raw);
		if (err)
			return err;
	}
	return wants(m, PROF_FIELD_ADDR) ? find_data(m, &ret->addr_frame) : NULL;
}

uint32_t resolve_detail_wanted(const struct prof_request *request, const struct pd_event *event)
{
	return request->details[resolve_event_kind(event->attr.type)] &
	       resolve_event_fields(event->attr.sample_type);
}

bool resolve_has_plain_rows(const struct prof_request *request, const struct pd_event *event)
{
	return !request->rows ||
	       (event->attr.type != PD_TYPE_TRACEPOINT && !resolve_detail_wanted(request, event));
}

struct pd_error *resolve_detail_fill(uint32_t wanted, struct profile *profile,
	struct resolve_frames *frames, const struct resolve_item *item, struct prof_detail *ret)
{
	const struct detail_source m = { wanted, profile, frames, item };
	const struct pd_sample *sample = &item->sample;

	*ret = (struct prof_detail){
		.addr = sample->addr,
		.weight = sample->weight,
		.data_src = sample->data_src,
		.phys_addr = sample->phys_addr,
		.data_page_size = sample->data_page_size,
		.code_page_size = sample->code_page_size,
		.transaction = sample->transaction,
		.addr_frame = prof_no_frame(),
	};
	return keep_lists(&m, ret);
}
