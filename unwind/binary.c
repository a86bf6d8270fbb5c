#include "unwind/binary.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/code.h"
#include "unwind/starts.h"

enum {
	/** Largest length of entry code in bytes: Free Pascal's _start has 80 on x86-64. */
	MAX_ENTRY_BYTES = 256,
	/**
	 * Largest length where the end is not found by instructions. The longest of glibc is _start
	 * of the dynamic loader: 60 on x86-64.
	 */
	UNKNOWN_ENTRY_BYTES = 64,
};

static struct unw_frame_section frame_section(const struct unw_binary_input *input,
	const struct unw_arch *arch, const struct unw_section *bytes, bool is_debug_frame)
{
	return (struct unw_frame_section){
		.bytes = *bytes,
		.is_debug_frame = is_debug_frame,
		.swap = unw_arch_swap(arch),
		.word = arch->arch->word,
		.text_vaddr = input->text_vaddr,
		.data_vaddr = input->data_vaddr,
	};
}

bool unw_binary_plt_step(const struct unw_binary *binary, uint64_t addr, struct unw_step *ret)
{
	for (size_t i = 0; i < UNW_MAX_PLTS && binary->arch->plt.step; i++) {
		uint64_t off = addr - binary->plts.list[i].start;
		uint64_t header = unw_binary_plt_header(binary, i);

		if (!unw_range_has(&binary->plts.list[i], addr))
			continue;
		bool is_header = off < header;
		*ret = binary->arch->plt.step(
			binary->arch, is_header ? off : off - header, is_header);
		return true;
	}
	return false;
}

bool unw_binary_is_root(const struct unw_binary *binary, uint64_t addr)
{
	for (size_t i = 0; i < binary->roots.n; i++) {
		if (unw_range_has(&binary->roots.data[i].range, addr))
			return true;
	}
	return false;
}

bool unw_binary_sets_fp(const struct unw_binary *binary, uint64_t start)
{
	uint64_t off = start - binary->text.vaddr;

	return binary->arch == &unw_arch_x86_64 && off < binary->text.size &&
	       unw_x86_sets_fp(binary->text.data + off, binary->text.size - off);
}

bool unw_binary_is_after_entry_call(const struct unw_binary *binary, uint64_t pc)
{
	uint64_t target;

	return unw_range_has(&binary->entry, pc - 1) && binary->arch->calls.before &&
	       binary->arch->calls.before(binary->arch, &binary->text, pc, &target) !=
		       UNW_CALL_NONE;
}

bool unw_binary_may_return_to(const struct unw_binary *binary, uint64_t pc, bool from_outside)
{
	struct unw_step plt;
	uint64_t target;

	if (!binary->arch->calls.before || pc - 1 - binary->text.vaddr >= binary->text.size)
		return true;
	switch (binary->arch->calls.before(binary->arch, &binary->text, pc, &target)) {
	case UNW_CALL_NONE:
		return false;
	case UNW_CALL_DIRECT:
		return !from_outside || unw_binary_plt_step(binary, target, &plt);
	default:
		return true;
	}
}

/**
 * Find the part of @p root that is the base of a stack. Returns false if a function that should
 * switch stacks does not: it is a wrapper of the same name.
 */
static bool find_base(
	const struct unw_binary *binary, const struct unw_root *root, struct unw_base *ret)
{
	const struct unw_section *text = &binary->text;
	uint64_t off = root->start - text->vaddr;

	*ret = (struct unw_base){
		.range = { root->start, root->end },
		.function = root->start,
		.switches = root->switches,
	};
	if (!root->switches)
		return true;
	if (!binary->arch->base.find_switch || root->end <= root->start || off >= text->size)
		return false;
	size_t size = root->end - root->start;
	if (size > text->size - off)
		size = text->size - off;
	size_t after = binary->arch->base.find_switch(binary->arch, text->data + off, size);
	ret->range.start += after;
	return after > 0;
}

/** Find the code at the entry point @p vaddr. Functions without tables may follow at once. */
static struct unw_range find_entry(const struct unw_binary *binary, uint64_t vaddr)
{
	const struct unw_arch *arch = binary->arch;
	/* On other architectures it is not known which calls do not return. */
	uint64_t size = arch->calls.is_last ? MAX_ENTRY_BYTES : UNKNOWN_ENTRY_BYTES;

	if (!vaddr)
		return (struct unw_range){ 0 };
	return (struct unw_range){ vaddr, unw_code_find_end(&binary->text, arch, vaddr, size) };
}

static bool copy_roots(struct unw_binary *binary, const struct unw_binary_input *input)
{
	struct unw_base base;

	for (size_t i = 0; i < input->roots.n && i < UNW_MAX_ROOTS; i++) {
		if (find_base(binary, &input->roots.data[i], &base) &&
			!pd_vec_push(&binary->roots, base))
			return false;
	}
	return true;
}

static bool copy_text(struct unw_binary *binary, const struct unw_section *text)
{
	size_t n = text->isa_marks.n;
	uint64_t *marks = n ? reallocarray(NULL, n, sizeof(*marks)) : NULL;

	if (marks)
		memcpy(marks, text->isa_marks.data, n * sizeof(*marks));
	binary->text = *text;
	binary->text.isa_marks.data = marks;
	return marks || !n;
}

struct pd_error *unw_binary_create(const struct unw_binary_input *input, struct unw_binary **ret)
{
	const struct unw_arch *arch = unw_arch_find(input->arch);

	if (!arch)
		return pd_error_create(
			PD_ERROR_UNSUPPORTED, NULL, "unwinding this architecture is not supported");
	struct unw_binary *binary = calloc(1, sizeof(*binary));
	if (!binary)
		return &pd_enomem;
	binary->arch = arch;
	binary->plts = input->plts;
	binary->is_doubtful = input->is_doubtful;
	binary->cfi = (struct unw_cfi){
		.arch = arch,
		.eh_frame = frame_section(input, arch, &input->eh_frame, false),
		.debug_frame = frame_section(input, arch, &input->debug_frame, true),
	};
	binary->exidx = (struct unw_exidx){
		.index = input->exidx,
		.extab = input->extab,
		.swap = unw_arch_swap(arch),
	};
	binary->go = input->go;
	binary->starts = unw_starts_create(&binary->text, arch);
	binary->limits = calloc(1, sizeof(*binary->limits));
	if (!binary->starts || !binary->limits ||
		!unw_cfi_init(&binary->cfi, &input->eh_frame_hdr) ||
		!copy_text(binary, &input->text) || !copy_roots(binary, input)) {
		unw_binary_destroy(binary);
		return &pd_enomem;
	}
	binary->entry = find_entry(binary, input->entry_vaddr);
	*ret = binary;
	return NULL;
}

void unw_binary_destroy(struct unw_binary *binary)
{
	if (!binary)
		return;
	unw_cfi_deinit(&binary->cfi);
	unw_starts_destroy(binary->starts);
	pd_vec_deinit(&binary->roots);
	free((uint64_t *)binary->text.isa_marks.data);
	free(binary->limits);
	free(binary);
}

void unw_binary_note_limits(const struct unw_binary *binary)
{
	struct pd_limit_set set = pd_limit_take();

	for (size_t i = 0; i < PD_ARRAY_LEN(set.bits); i++)
		__atomic_fetch_or(&binary->limits->bits[i], set.bits[i], __ATOMIC_RELAXED);
}

struct pd_limit_set unw_binary_limits(const struct unw_binary *binary)
{
	struct pd_limit_set set = { 0 };

	for (size_t i = 0; i < PD_ARRAY_LEN(set.bits); i++)
		set.bits[i] = __atomic_load_n(&binary->limits->bits[i], __ATOMIC_RELAXED);
	return set;
}

bool unw_binary_has_unusable_debug_frame(const struct unw_binary *binary)
{
	const struct unw_range code = unw_section_range(&binary->text);

	return binary->text.data && unw_fde_table_misses(binary->cfi.debug_table, &code);
}
