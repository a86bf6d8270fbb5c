#include "resolve/stacks/frames.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/hash.h"
#include "base/containers/intern_ahead.h"
#include "base/prefetch.h"
#include "resolve/stacks/unmapped.h"

enum {
	/** Direct-mapped cache of addresses that were looked up in the mappings. */
	CACHE_SLOTS = 1 << 15,
	KNOWN_MODULES = 1 << 10,
};

struct cache_slot {
	uint64_t maps_id;
	uint64_t pc;
	/** parse_callchain_link.is_return, and flags. */
	uint32_t how;
	struct prof_frame_id frame;
};

/* Frames of a walker, under the ids that it gives them. */
struct walked {
	PD_VEC(struct unw_frame) frames;
	/**
	 * Ids in the profile, or none yet. They are read for every sample, so they are kept
	 * densely.
	 */
	PD_VEC(struct prof_frame_id) ids;
	/** Walker's id of the first frame. */
	uint32_t first_id;
	/** Walker's first id at the last call. Lower ids are no longer in use. */
	uint32_t live_id;
};

struct resolve_frames {
	struct profile *profile;
	struct resolve_binaries *binaries;
	struct cache_slot *cache;
	/** Direct-mapped cache of modules that have a mapping for themselves. */
	const struct resolve_module *modules[KNOWN_MODULES];
	struct resolve_unmapped unmapped;
	size_t n_walkers;
	struct walked *walked;
	/** Binaries for contexts without mappings, such as guests; none before the first use. */
	struct prof_binary_id context_binaries[PD_N_CALLCHAIN_CONTEXTS];
};

struct pd_error *resolve_frames_create(struct profile *profile, struct resolve_binaries *binaries,
	size_t n_walkers, struct resolve_frames **ret)
{
	struct resolve_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return &pd_enomem;
	frames->profile = profile;
	frames->binaries = binaries;
	frames->n_walkers = n_walkers;
	/* calloc() is not enough: 0 is the id of the first binary. */
	for (size_t i = 0; i < PD_N_CALLCHAIN_CONTEXTS; i++)
		frames->context_binaries[i] = prof_no_binary();
	frames->cache = calloc(CACHE_SLOTS, sizeof(*frames->cache));
	frames->walked = calloc(n_walkers, sizeof(*frames->walked));
	if (!frames->cache || !frames->walked) {
		resolve_frames_destroy(frames);
		return &pd_enomem;
	}
	*ret = frames;
	return NULL;
}

static void deinit_walked(struct walked *walked)
{
	pd_vec_deinit(&walked->frames);
	pd_vec_deinit(&walked->ids);
}

void resolve_frames_destroy(struct resolve_frames *frames)
{
	if (!frames)
		return;
	for (size_t i = 0; frames->walked && i < frames->n_walkers; i++)
		deinit_walked(&frames->walked[i]);
	free(frames->walked);
	free(frames->cache);
	free(frames);
}

static void set_range(struct prof_binary *binary, struct sym_segment segment)
{
	binary->start = segment.vaddr;
	binary->limit = segment.vaddr + segment.mem_size;
	binary->offset = segment.offset;
}

/* A candidate that cannot be read may be in a folder of another user, where there is no file. */
static bool is_absent(const struct sym_binary *symbols)
{
	enum sym_status status = sym_binary_status(symbols);

	return status == SYM_NO_FILE || status == SYM_UNREADABLE ||
	       sym_binary_is_debug_only(symbols);
}

/* Return the id of the binary, which is added to the profile with its first frame. */
static struct pd_error *binary_id(
	struct resolve_frames *frames, struct resolve_binary *binary, struct prof_binary_id *ret)
{
	if (prof_is_none(binary->profile_id)) {
		struct prof_binary entry = {
			.build_id = binary->dso->build_id,
			.is_id_refuted = sym_binary_is_id_refuted(binary->symbols),
			.is_kernel = binary->dso->is_kernel,
			.is_generated = resolve_binary_is_generated(binary),
			.is_found = resolve_binary_is_generated(binary) ||
				    sym_binary_status(binary->symbols) == SYM_FOUND,
			.is_mismatched = sym_binary_is_mismatched(binary->symbols),
			.is_absent = is_absent(binary->symbols),
			.is_debug_only = sym_binary_is_debug_only(binary->symbols),
			.has_image = resolve_binary_is_generated(binary) ||
				     sym_binary_status(binary->symbols) != SYM_NO_IMAGE,
		};

		/* Callbacks see the profile before resolve_frames_finish() sets the final range. */
		set_range(&entry, resolve_binaries_segment(frames->binaries, binary));
		if (entry.is_id_refuted)
			entry.build_id.len = 0;
		if (!entry.build_id.len && sym_binary_status(binary->symbols) == SYM_FOUND)
			entry.build_id = *sym_binary_build_id(binary->symbols);
		binary->profile_id = prof_add_binary(frames->profile, &entry);
	}
	*ret = binary->profile_id;
	return prof_is_none(*ret) ? &pd_enomem : NULL;
}

static struct pd_error *add_frame(
	struct resolve_frames *frames, const struct prof_frame *frame, struct prof_frame_id *ret)
{
	*ret = prof_add_frame(frames->profile, frame);
	return prof_is_none(*ret) ? &pd_enomem : NULL;
}

/* Make the frame at lookup, an address inside the instruction. */
static struct pd_error *make_at(struct resolve_frames *frames, const struct resolve_module *module,
	uint64_t lookup, uint32_t flags, struct prof_frame *ret)
{
	*ret = (struct prof_frame){ .addr = lookup, .binary = prof_no_binary(), .flags = flags };
	if (!module)
		return NULL;
	if (!module->binary->dso->is_kernel)
		ret->addr = resolve_module_addr(module, lookup);
	return binary_id(frames, module->binary, &ret->binary);
}

static bool is_kernel_half(uint64_t pc)
{
	return pc >> 63;
}

/* Find the module at @p lookup by searching the mappings. */
static struct pd_error *search_module(struct resolve_frames *frames,
	const struct resolve_prepared_frame *prepared, uint64_t lookup,
	const struct resolve_module **ret)
{
	return prepared->link.context == PD_CALLCHAIN_KERNEL
		       ? resolve_binaries_find_kernel(frames->binaries, prepared->maps, lookup, ret)
		       : resolve_binaries_find(frames->binaries, prepared->maps, lookup, ret);
}

/* Like search_module(), but find modules that were found before without a lock. */
static struct pd_error *find_module(struct resolve_frames *frames,
	const struct resolve_prepared_frame *prepared, uint64_t lookup,
	const struct resolve_module **ret)
{
	const struct parse_mapping *mapping = parse_maps_find(prepared->maps, lookup);

	/* Generated code has several modules in one mapping. */
	if (!mapping || prepared->maps->jit)
		return search_module(frames, prepared, lookup, ret);
	const struct resolve_module **known = &frames->modules[mapping->id % KNOWN_MODULES];
	if (*known && (*known)->mapping == mapping) {
		*ret = *known;
		return NULL;
	}
	struct pd_error *err = search_module(frames, prepared, lookup, ret);
	if (!err && *ret && (*ret)->mapping == mapping && (*ret)->unw.start == mapping->start &&
		!(*ret)->rest && !(*ret)->binary->perf_map)
		*known = *ret;
	return err;
}

static struct pd_error *find_mapped(
	struct resolve_frames *frames, struct resolve_prepared_frame *prepared)
{
	const struct parse_callchain_link *link = &prepared->link;
	uint64_t lookup = link->pc - link->is_return;
	const struct resolve_module *module = NULL;
	struct pd_error *err =
		prepared->is_unknown ? NULL : find_module(frames, prepared, lookup, &module);

	if (err)
		return err;
	/*
	 * For programs without frame pointers the kernel records arbitrary stack values as return
	 * addresses. Most of them are not mapped and unique, so they share one unknown frame.
	 */
	if (!module && !is_kernel_half(link->pc)) {
		lookup = 0;
		prepared->is_uncached = true;
	}
	return make_at(frames, module, lookup, prepared->flags, &prepared->frame);
}

/* Return the binary that represents a context. */
static struct pd_error *context_binary(struct resolve_frames *frames,
	enum parse_callchain_context context, struct prof_binary_id *ret)
{
	struct prof_binary_id *known = &frames->context_binaries[context];

	if (prof_is_none(*known)) {
		const struct prof_binary entry = { .is_found = false };

		*known = prof_add_binary(frames->profile, &entry);
	}
	*ret = *known;
	return prof_is_none(*ret) ? &pd_enomem : NULL;
}

static struct pd_error *find_unmapped(
	struct resolve_frames *frames, struct resolve_prepared_frame *prepared)
{
	const struct parse_callchain_link *link = &prepared->link;

	prepared->frame = (struct prof_frame){
		.addr = link->pc - link->is_return,
		.flags = prepared->flags,
	};
	return context_binary(frames, link->context, &prepared->frame.binary);
}

static uint32_t how(const struct resolve_prepared_frame *prepared)
{
	return prepared->flags << 1 | prepared->link.is_return;
}

static struct cache_slot *find_slot(
	const struct resolve_frames *frames, const struct resolve_prepared_frame *prepared)
{
	uint64_t hash = base_hash_pair(prepared->link.pc * 8 + how(prepared), prepared->maps->id);

	return &frames->cache[hash & (CACHE_SLOTS - 1)];
}

/* Whether the bitmap of regions shows that nothing is mapped at the address of a user link. */
static bool is_in_no_region(struct resolve_frames *frames, const struct parse_maps *maps,
	const struct parse_callchain_link *link)
{
	return link->context == PD_CALLCHAIN_USER && !is_kernel_half(link->pc) &&
	       !resolve_may_be_mapped(
		       resolve_mapped_regions(&frames->unmapped, maps), link->pc - link->is_return);
}

void resolve_frames_prepare(struct resolve_frames *frames, const struct parse_maps *maps,
	const struct parse_callchain_link *link, uint32_t flags, struct resolve_prepared_frame *ret)
{
	*ret = (struct resolve_prepared_frame){
		.maps = maps,
		.link = *link,
		.flags = flags,
		.is_unknown = is_in_no_region(frames, maps, link),
		.known = prof_no_frame(),
	};
	ret->is_uncached = ret->is_unknown || parse_callchain_context_name(link->context);
	if (!ret->is_uncached)
		base_prefetch(find_slot(frames, ret));
}

/* Look up the frame, and start to load what adding it needs. The binary is added to the profile. */
static struct pd_error *look_up(
	struct resolve_frames *frames, struct resolve_prepared_frame *prepared)
{
	struct pd_error *err;

	if (parse_callchain_context_name(prepared->link.context)) {
		err = find_unmapped(frames, prepared);
	} else {
		const struct cache_slot *slot = find_slot(frames, prepared);

		if (!prepared->is_uncached && slot->maps_id == prepared->maps->id &&
			slot->pc == prepared->link.pc && slot->how == how(prepared)) {
			prepared->known = slot->frame;
			return NULL;
		}
		err = find_mapped(frames, prepared);
	}
	if (err)
		return err;
	prepared->hash = base_intern_hash(&prepared->frame, sizeof(prepared->frame));
	base_intern_load_slot(&frames->profile->frames, prepared->hash);
	return NULL;
}

static struct pd_error *add_prepared(struct resolve_frames *frames,
	const struct resolve_prepared_frame *prepared, struct prof_frame_id *ret)
{
	*ret = prepared->known;
	if (!prof_is_none(*ret))
		return NULL;
	ret->i = base_intern_add_hashed(&frames->profile->frames, &prepared->frame,
		sizeof(prepared->frame), prepared->hash);
	if (prof_is_none(*ret))
		return &pd_enomem;
	if (!prepared->is_uncached)
		*find_slot(frames, prepared) = (struct cache_slot){ prepared->maps->id,
			prepared->link.pc, how(prepared), *ret };
	return NULL;
}

struct pd_error *resolve_frames_add_prepared(struct resolve_frames *frames,
	struct resolve_prepared_frame *prepared, size_t n, struct prof_frame_id *ret)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = look_up(frames, &prepared[i]);
		if (err)
			return err;
	}
	for (size_t i = 0; i < n; i++) {
		if (prof_is_none(prepared[i].known))
			base_intern_load_bytes(&frames->profile->frames, prepared[i].hash);
	}
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = add_prepared(frames, &prepared[i], &ret[i]);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *resolve_frames_at(struct resolve_frames *frames, const struct parse_maps *maps,
	const struct parse_callchain_link *link, uint32_t flags, struct prof_frame_id *ret)
{
	struct resolve_prepared_frame prepared;

	resolve_frames_prepare(frames, maps, link, flags, &prepared);
	struct pd_error *err = look_up(frames, &prepared);
	return err ? err : add_prepared(frames, &prepared, ret);
}

/* Find the module of data. Addresses of memory without a file share a frame. */
static struct pd_error *find_data(struct resolve_frames *frames, const struct parse_maps *all_maps,
	uint64_t addr, struct prof_frame_id *ret)
{
	const struct resolve_module *module;
	struct pd_error *err =
		resolve_binaries_find_data(frames->binaries, all_maps, addr, &module);
	struct prof_frame frame = { .binary = prof_no_binary(), .flags = PROF_FRAME_DATA };

	if (err)
		return err;
	if (module) {
		err = binary_id(frames, module->binary, &frame.binary);
		if (err)
			return err;
		if (sym_binary_status(module->binary->symbols) != SYM_NO_IMAGE)
			frame.addr = resolve_module_addr(module, addr);
	}
	return add_frame(frames, &frame, ret);
}

struct pd_error *resolve_frames_data(struct resolve_frames *frames, const struct parse_maps *maps,
	const struct parse_maps *all_maps, uint64_t addr, struct prof_frame_id *ret)
{
	const struct parse_callchain_link link = { .pc = addr, .context = PD_CALLCHAIN_USER };
	const struct parse_mapping *mapping = parse_maps_find(all_maps, addr);

	/* Generated code is found by the mappings of code only. */
	if (!mapping || mapping->prot & PD_PROT_EXEC)
		return resolve_frames_at(frames, maps, &link, PROF_FRAME_DATA, ret);
	return find_data(frames, all_maps, addr, ret);
}

struct pd_error *resolve_frames_mark(
	struct resolve_frames *frames, uint32_t flag, struct prof_frame_id *ret)
{
	const struct prof_frame frame = { .binary = prof_no_binary(), .flags = flag };

	return add_frame(frames, &frame, ret);
}

/* Drop frames that the walker had forgotten before the last batch: no item refers to them. */
static void drop_forgotten(struct walked *walked)
{
	size_t n = walked->live_id - walked->first_id;
	size_t left = walked->frames.n - n;

	if (!n)
		return;
	memmove(walked->frames.data, walked->frames.data + n, left * sizeof(*walked->frames.data));
	memmove(walked->ids.data, walked->ids.data + n, left * sizeof(*walked->ids.data));
	walked->frames.n = walked->ids.n = left;
	walked->first_id = walked->live_id;
}

struct pd_error *resolve_frames_learn(
	struct resolve_frames *frames, size_t index, const struct unw_walker *walker)
{
	struct walked *walked = &frames->walked[index];
	uint32_t end = unw_walker_end_frame(walker);

	drop_forgotten(walked);
	walked->live_id = unw_walker_first_frame(walker);
	for (uint32_t id = walked->first_id + (uint32_t)walked->frames.n; id != end; id++) {
		if (!pd_vec_push(&walked->frames, *unw_walker_frame(walker, id)) ||
			!pd_vec_push(&walked->ids, prof_no_frame()))
			return &pd_enomem;
	}
	return NULL;
}

/*
 * Frames get their ids in the order of samples, not in that of the walker: which samples a worker
 * unwinds depends on timing, and the output must not.
 */
static struct pd_error *add_walked(
	struct resolve_frames *frames, const struct unw_frame *frame, struct prof_frame_id *ret)
{
	/* resolve_module.unw is its first member. */
	const struct resolve_module *module = (const struct resolve_module *)frame->module;
	uint64_t lookup = frame->pc - !!(frame->flags & UNW_FRAME_RETURN);
	uint32_t flags = frame->flags & UNW_FRAME_GUESSED ? PROF_FRAME_BY_FP : 0;

	struct prof_frame made;
	struct pd_error *err = make_at(frames, module, lookup, flags, &made);

	return err ? err : add_frame(frames, &made, ret);
}

struct pd_error *resolve_frames_walked(struct resolve_frames *frames, size_t index,
	const uint32_t *ids, size_t n, struct prof_frame_id *ret)
{
	struct walked *walked = &frames->walked[index];

	for (size_t i = 0; i < n; i++) {
		size_t at = ids[i] - walked->first_id;
		struct prof_frame_id *known = &walked->ids.data[at];

		if (prof_is_none(*known)) {
			struct pd_error *err = add_walked(frames, &walked->frames.data[at], known);
			if (err)
				return err;
		}
		ret[i] = *known;
	}
	return NULL;
}

const struct unw_frame *resolve_frames_walked_frame(
	const struct resolve_frames *frames, size_t index, uint32_t id)
{
	const struct walked *walked = &frames->walked[index];

	return &walked->frames.data[id - walked->first_id];
}

uint64_t resolve_frames_walked_pc(
	const struct resolve_frames *frames, size_t index, uint32_t id, bool *is_return_ret)
{
	const struct unw_frame *frame = resolve_frames_walked_frame(frames, index, id);

	*is_return_ret = frame->flags & UNW_FRAME_RETURN;
	return frame->pc;
}

/* Extend the range of the binary to an address outside of the mapped segment. */
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

static uint64_t section_bytes(struct sym_binary *symbols, const char *name)
{
	struct sym_section section;

	return sym_binary_section(symbols, name, &section) ? section.size : 0;
}

/*
 * Whether the file was built without call frame information. It has some even then: that of the
 * startup code, and of the PLT. Tables of a compiler are about a tenth of the code.
 */
static bool lacks_cfi(const struct resolve_binary *binary)
{
	enum { LEAST_SHARE = 32 };
	struct sym_binary *symbols = binary->symbols;

	if (resolve_binary_is_generated(binary) || sym_binary_status(symbols) != SYM_FOUND)
		return false;
	uint64_t tables = section_bytes(symbols, ".eh_frame") +
			  section_bytes(symbols, ".debug_frame") +
			  section_bytes(symbols, ".ARM.exidx");
	return tables * LEAST_SHARE < section_bytes(symbols, ".text");
}

static bool is_go(const struct resolve_binary *binary)
{
	return !resolve_binary_is_generated(binary) &&
	       (section_bytes(binary->symbols, ".gopclntab") ||
		       section_bytes(binary->symbols, ".data.rel.ro.gopclntab"));
}

/*
 * Files that only have data, such as a mapped database, need not be binaries. So it does not matter
 * if they were not found.
 */
static void forget_data_files(struct profile *profile)
{
	for (size_t i = 0; i < profile->binaries.n; i++) {
		struct prof_binary *binary = &profile->binaries.data[i];

		if (binary->limit)
			continue;
		binary->is_absent = false;
		binary->why = (struct prof_string_id){ 0 };
	}
}

/* Complete the entry of @p binary, whose frames have all been added. */
static void finish_binary(const struct resolve_binary *binary, struct prof_binary *entry)
{
	set_range(entry, binary->segment);
	entry->is_go = is_go(binary);
	entry->lacks_cfi = entry->ends[PD_UNWIND_END_NO_CFI].samples && lacks_cfi(binary);
	entry->has_unusable_debug_frame =
		binary->unwind && unw_binary_has_unusable_debug_frame(binary->unwind);
	/* A stream may have had the build id after the first frame. */
	entry->is_id_found = entry->build_id.len && !binary->dso->build_id.len;
}

static bool add_texts(struct profile *profile, const struct resolve_binary *binary)
{
	struct prof_binary *entry = &profile->binaries.data[binary->profile_id.i];

	entry->name = prof_add_string(profile, binary->dso->name);
	entry->jitdump = prof_add_string(profile, binary->jitdump);
	if (!entry->is_found && entry->has_image && !entry->is_kernel)
		entry->why = prof_add_string(profile, sym_binary_why(binary->symbols));
	return !prof_is_none(entry->name) && !prof_is_none(entry->jitdump) &&
	       !prof_is_none(entry->why);
}

static bool add_context_names(struct resolve_frames *frames)
{
	for (size_t i = 0; i < PD_N_CALLCHAIN_CONTEXTS; i++) {
		struct prof_binary_id id = frames->context_binaries[i];

		if (prof_is_none(id))
			continue;
		struct prof_string_id name = prof_add_string(frames->profile,
			parse_callchain_context_name((enum parse_callchain_context)i));
		if (prof_is_none(name))
			return false;
		frames->profile->binaries.data[id.i].name = name;
	}
	return true;
}

struct pd_error *resolve_frames_finish(struct resolve_frames *frames)
{
	struct profile *profile = frames->profile;
	/* Binaries are opened in any order. Those of the profile are in the order of samples. */
	_cleanup_free_ const struct resolve_binary **binaries =
		base_calloc_n(profile->binaries.n, sizeof(const struct resolve_binary *));

	if (!binaries)
		return &pd_enomem;
	for (size_t i = 0; i < resolve_binaries_n(frames->binaries); i++) {
		const struct resolve_binary *binary = resolve_binaries_get(frames->binaries, i);

		if (!prof_is_none(binary->profile_id))
			binaries[binary->profile_id.i] = binary;
	}
	for (size_t i = 0; i < profile->binaries.n; i++) {
		if (!binaries[i])
			continue;
		finish_binary(binaries[i], &profile->binaries.data[i]);
		if (!add_texts(profile, binaries[i]))
			return &pd_enomem;
	}
	if (!add_context_names(frames))
		return &pd_enomem;
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		const struct prof_frame *frame = prof_frame(profile, id);

		if (!prof_is_none(frame->binary) && !(frame->flags & PROF_FRAME_DATA))
			widen(&profile->binaries.data[frame->binary.i], frame->addr);
	}
	forget_data_files(profile);
	return NULL;
}
