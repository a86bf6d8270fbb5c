#include "output/chain.h"

#include <stddef.h>
#include <stdlib.h>

#include <pdconv/cursor.h>

#include "base/map.h"

/* A direct-mapped cache in front of the look-up in maps. */
enum { CACHE_SLOTS = 1 << 15 };

struct cache_slot {
	uint64_t maps_id;
	uint64_t pc;
	uint32_t is_return;
	uint32_t frame;
};

/* Frame numbers of a walker to those of the profile. */
struct walked {
	PD_VEC(uint32_t) frames;
};

struct out_frames {
	struct profile *profile;
	struct out_binaries *binaries;
	struct cache_slot *cache;
	size_t n_walkers;
	struct walked *walked;
};

struct pd_error *out_frames_create(struct profile *profile, struct out_binaries *binaries,
	size_t n_walkers, struct out_frames **ret)
{
	struct out_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return &pd_enomem;
	frames->profile = profile;
	frames->binaries = binaries;
	frames->n_walkers = n_walkers;
	frames->cache = calloc(CACHE_SLOTS, sizeof(*frames->cache));
	frames->walked = calloc(n_walkers, sizeof(*frames->walked));
	if (!frames->cache || !frames->walked) {
		out_frames_destroy(frames);
		return &pd_enomem;
	}
	*ret = frames;
	return NULL;
}

void out_frames_destroy(struct out_frames *frames)
{
	if (!frames)
		return;
	for (size_t i = 0; frames->walked && i < frames->n_walkers; i++)
		pd_vec_deinit(&frames->walked[i].frames);
	free(frames->walked);
	free(frames->cache);
	free(frames);
}

static void extend(size_t i, bool in_kernel, struct out_chain_parts *parts)
{
	size_t *start = in_kernel ? &parts->kernel_start : &parts->user_start;
	size_t *n = in_kernel ? &parts->n_kernel : &parts->n_user;

	if (!*n)
		*start = i;
	*n = i - *start + 1;
}

struct out_chain_parts out_chain_split(const struct pd_view *chain, uint16_t cpumode, bool swap)
{
	struct out_chain_parts parts = { 0 };
	enum {
		KERNEL,
		USER,
		OTHER
	} context = cpumode == PD_MISC_KERNEL ? KERNEL
		    : cpumode == PD_MISC_USER ? USER
					      : OTHER;

	for (size_t i = 0; i < chain->n; i++) {
		uint64_t entry = pd_view_u64(chain, i, swap);

		if (entry < PD_CONTEXT_MIN) {
			if (context != OTHER)
				extend(i, context == KERNEL, &parts);
			continue;
		}
		if (entry == PD_CONTEXT_KERNEL)
			context = KERNEL;
		else if (entry == PD_CONTEXT_USER)
			context = USER;
		else
			context = OTHER; /* guests, and user parts that come later */
	}
	return parts;
}

/* The binary's number in the profile, where it is entered with its first frame. */
static struct pd_error *binary_id(
	struct out_frames *frames, struct out_binary *binary, uint32_t *ret)
{
	struct profile *profile = frames->profile;

	if (binary->profile_id == PROF_NONE) {
		struct prof_binary entry = {
			.name = pd_intern_str(&profile->strings, binary->dso->name),
			.build_id = binary->dso->build_id,
			.is_kernel = binary->dso->is_kernel,
			.is_found = sym_binary_status(binary->symbols) == SYM_FOUND,
			.has_image = sym_binary_status(binary->symbols) != SYM_NO_IMAGE,
			.start = binary->segment.vaddr,
			.limit = binary->segment.vaddr + binary->segment.mem_size,
			.offset = binary->segment.offset,
		};
		if (!entry.build_id.len && entry.is_found)
			entry.build_id = *sym_binary_build_id(binary->symbols);
		if (!entry.is_found && entry.has_image && !entry.is_kernel)
			entry.why =
				pd_intern_str(&profile->strings, sym_binary_why(binary->symbols));
		if (entry.name == PD_INTERN_NONE || entry.why == PD_INTERN_NONE ||
			!pd_vec_push(&profile->binaries, entry))
			return &pd_enomem;
		binary->profile_id = (uint32_t)profile->binaries.n - 1;
	}
	*ret = binary->profile_id;
	return NULL;
}

static struct pd_error *add_frame(
	struct out_frames *frames, const struct prof_frame *frame, uint32_t *ret)
{
	*ret = pd_intern_add(&frames->profile->frames, frame, sizeof(*frame));
	return *ret == PD_INTERN_NONE ? &pd_enomem : NULL;
}

/* What lies beyond the segment that was seen first: the range grows to hold every frame. */
static void widen(struct prof_binary *binary, uint64_t addr)
{
	if (!binary->limit) {
		binary->start = binary->offset = addr;
		binary->limit = addr + 1;
	}
	if (addr < binary->start) {
		binary->offset -= binary->start - addr < binary->offset ? binary->start - addr
									: binary->offset;
		binary->start = addr;
	}
	if (addr >= binary->limit)
		binary->limit = addr + 1;
}

/* The frame at lookup, an address inside the instruction. */
static struct pd_error *enter(struct out_frames *frames, const struct out_module *module,
	uint64_t lookup, uint32_t flags, uint32_t *ret)
{
	struct prof_frame frame = { .addr = lookup, .binary = PROF_NONE, .flags = flags };

	if (module) {
		struct pd_error *err = binary_id(frames, module->binary, &frame.binary);
		if (err)
			return err;
		if (!module->binary->dso->is_kernel)
			frame.addr = out_module_addr(module, lookup);
		widen(&frames->profile->binaries.data[frame.binary], frame.addr);
	}
	return add_frame(frames, &frame, ret);
}

static struct cache_slot *find_slot(
	struct out_frames *frames, uint64_t maps_id, uint64_t pc, bool is_return)
{
	uint64_t hash = pd_hash_u64(pc * 2 + is_return + maps_id * 0x9e3779b97f4a7c15U);

	return &frames->cache[hash & (CACHE_SLOTS - 1)];
}

static bool is_kernel_half(uint64_t pc)
{
	return pc >> 63;
}

struct pd_error *out_frames_at(struct out_frames *frames, const struct pd_maps *maps, uint64_t pc,
	bool is_return, uint32_t *ret)
{
	struct cache_slot *slot = find_slot(frames, maps->id, pc, is_return);

	if (slot->maps_id == maps->id && slot->pc == pc && slot->is_return == is_return) {
		*ret = slot->frame;
		return NULL;
	}
	uint64_t lookup = pc - is_return;
	const struct pd_mapping *mapping = pd_maps_find(maps, lookup);
	const struct out_module *module =
		mapping ? out_binaries_module(frames->binaries, mapping) : NULL;
	if (mapping && !module)
		return &pd_enomem;
	/*
	 * Where a program does not keep frame pointers, the kernel records whatever it takes for
	 * return addresses: values that lie nowhere, each of them new. They are one unknown place.
	 */
	if (!module && !is_kernel_half(pc))
		lookup = 0;
	struct pd_error *err = enter(frames, module, lookup, 0, ret);
	if (!err)
		*slot = (struct cache_slot){ maps->id, pc, is_return, *ret };
	return err;
}

struct pd_error *out_frames_walked(struct out_frames *frames, size_t walker_index,
	const struct unw_walker *walker, uint32_t id, uint32_t *ret)
{
	struct walked *walked = &frames->walked[walker_index];

	while (walked->frames.n <= id) {
		if (!pd_vec_push(&walked->frames, PROF_NONE))
			return &pd_enomem;
	}
	/*
	 * Frames are numbered as samples come to them, not as this walker did: which samples it
	 * walked is up to chance.
	 */
	if (walked->frames.data[id] == PROF_NONE) {
		const struct unw_frame *frame = unw_walker_frame(walker, id);
		/* out_module.unw is its first member. */
		const struct out_module *module = (const struct out_module *)frame->module;
		uint64_t lookup = frame->pc - !!(frame->flags & UNW_FRAME_RETURN);
		uint32_t flags = frame->flags & UNW_FRAME_BY_FP ? PROF_FRAME_BY_FP : 0;

		struct pd_error *err =
			enter(frames, module, lookup, flags, &walked->frames.data[id]);
		if (err)
			return err;
	}
	*ret = walked->frames.data[id];
	return NULL;
}
