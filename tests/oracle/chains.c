/*
 * Print the call chain of every sample for comparison with perf script. usage: chains FILE
 *
 * For each sample prints a line "TID TIME_NS END SOURCE", then a line "ADDRESS OFFSET BINARY" for
 * each frame: the address in the process, and the offset in the file, for user frames in files; else
 * the address again. Unwound return addresses are inside the call instruction, recorded ones after it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"
#include "resolve/resolve.h"

struct link {
	uint64_t addr;
	uint64_t offset;
	struct prof_binary_id binary;
};

struct chain {
	struct pd_sample sample;
	enum pd_unwind_end end;
	enum prof_stack_origin origin;
	size_t n;
};

/* Chains and all their links, until binaries have names. */
struct chains {
	PD_VEC(struct chain) list;
	PD_VEC(struct link) links;
};

static struct link link_at(
	const struct profile *profile, const struct resolve_chain *chain, size_t i)
{
	const struct prof_frame *frame = prof_frame(profile, chain->frames[i]);
	const struct prof_binary *binary = NULL;
	bool was_unwound = chain->origin == PROF_STACK_UNWOUND;
	bool is_return = i > chain->n_system;
	uint64_t addr = chain->pcs[i], offset = addr;

	if (!prof_is_none(frame->binary))
		binary = prof_binary(profile, frame->binary);
	if (binary && !binary->is_kernel)
		offset = frame->addr - binary->start + binary->offset + (is_return && !was_unwound);
	else if (!binary && was_unwound && i >= chain->n_system)
		offset = frame->addr;
	/* Mappings begin at pages, so the offset shows if the frame is one byte before. */
	if (was_unwound && (addr - offset) & 1)
		addr--;
	return (struct link){ addr, offset, frame->binary };
}

static void note_chain(void *ctx, const struct profile *profile, const struct pd_sample *sample,
	const struct resolve_chain *chain)
{
	struct chains *chains = ctx;
	const struct chain new = { *sample, chain->end, chain->origin, chain->n };

	if (!pd_vec_push(&chains->list, new))
		abort();
	for (size_t i = 0; i < chain->n; i++) {
		if (!pd_vec_push(&chains->links, link_at(profile, chain, i)))
			abort();
	}
}

static void print_chains(const struct profile *profile, const struct chains *chains)
{
	const struct link *link = chains->links.data;

	for (size_t i = 0; i < chains->list.n; i++) {
		const struct chain *chain = &chains->list.data[i];

		printf("%" PRId32 " %" PRIu64 " %d %d\n", (int32_t)chain->sample.tid,
			chain->sample.time, chain->end, chain->origin);
		for (size_t k = 0; k < chain->n; k++, link++)
			printf("%" PRIx64 " %" PRIx64 " %s\n", link->addr, link->offset,
				prof_is_none(link->binary)
					? "[unknown]"
					: prof_string(profile,
						  prof_binary(profile, link->binary)->name));
	}
}

int main(int argc, char **argv)
{
	struct chains chains = { 0 };
	struct resolve_opts opts = {
		.on_sample = note_chain, .ctx = &chains, .no_names = true, .no_truncated = true
	};
	struct pd_file *file = NULL;
	struct profile *profile = NULL;

	if (argc != 2)
		return 2;
	struct pd_error *err = pd_file_open(argv[1], NULL, &file);
	if (!err)
		err = resolve_profile(file, &opts, &profile);
	if (!err)
		print_chains(profile, &chains);
	if (err) {
		_cleanup_free_ char *text = pd_error_string(err);
		fprintf(stderr, "chains: %s\n", text);
		pd_error_destroy(err);
	}
	pd_vec_deinit(&chains.list);
	pd_vec_deinit(&chains.links);
	prof_destroy(profile);
	pd_file_close(file);
	return err ? 1 : 0;
}
