#include "unwind/rules/arch_rules.h"

#include <string.h>

#include <pdconv/cursor.h>

#include "base/array.h"

static const struct unw_arch *const arches[] = {
	&unw_arch_x86_64,
	&unw_arch_i386,
	&unw_arch_aarch64,
	&unw_arch_arm,
	&unw_arch_riscv64,
	&unw_arch_s390x,
	&unw_arch_ppc64,
	&unw_arch_ppc64le,
};

const struct unw_arch *unw_arch_find(const struct pd_arch *arch)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(arches); i++) {
		if (arches[i]->arch == arch)
			return arches[i];
	}
	return NULL;
}

void unw_arch_default_row(const struct unw_arch *arch, struct unw_row *row)
{
	memset(row, 0, offsetof(struct unw_row, regs) + arch->n_regs * sizeof(row->regs[0]));
	for (size_t i = 0; i < arch->defaults.n; i++)
		row->regs[arch->defaults.data[i].reg] = arch->defaults.data[i].rule;
}

struct unw_step unw_link_plt_step(const struct unw_arch *arch, uint64_t off, bool is_header)
{
	(void)off;
	(void)is_header;
	return (struct unw_step){ .kind = UNW_STEP_SP_LINK, .cfa_off = arch->cfa_above_sp };
}

static bool switches_stack(const struct unw_arch *arch, uint32_t insn)
{
	for (size_t i = 0; i < arch->base.switches.n; i++) {
		const struct unw_switch_insn *known = &arch->base.switches.data[i];

		if ((insn & known->mask) == known->value &&
			(insn & known->source_mask) != known->sp)
			return true;
	}
	return false;
}

size_t unw_insn_find_switch(const struct unw_arch *arch, const uint8_t *code, size_t size)
{
	enum { INSN = 4 };

	for (size_t off = 0; size - off >= INSN; off += INSN) {
		if (switches_stack(arch, pd_load_u32(code + off, unw_arch_swap(arch))))
			return off + INSN;
	}
	return 0;
}

/* Bytes before a leaf may be the end of another instruction, so few of them prove nothing. */
enum { MIN_BYTES_BEFORE = 4 };

/** Most places differ in the first byte: do not call memcmp() for these. */
static inline bool has_bytes(struct unw_code_at at, const uint8_t *bytes, size_t n)
{
	return at.off < at.size && at.size - at.off >= n && at.bytes[at.off] == bytes[0] &&
	       memcmp(at.bytes + at.off, bytes, n) == 0;
}

/** Position @p n bytes before @p at. It is outside if @p at is at less than that. */
static struct unw_code_at before(struct unw_code_at at, size_t n)
{
	at.off = at.off >= n ? at.off - n : UINT64_MAX;
	return at;
}

static bool is_in_code(const struct unw_signal_code *signal, struct unw_code_at at)
{
	if (signal->n < MIN_BYTES_BEFORE)
		return false;
	for (size_t n = 1; n < signal->n; n++) {
		if (has_bytes(before(at, n), signal->bytes, signal->n))
			return true;
	}
	return false;
}

bool unw_is_trampoline(struct unw_code_at at, bool is_return)
{
	for (size_t i = 0; i < at.arch->signals.trampolines.n; i++) {
		const struct unw_signal_code *signal = &at.arch->signals.trampolines.data[i];

		if (has_bytes(at, signal->bytes, signal->n) ||
			(!is_return && is_in_code(signal, at)))
			return true;
	}
	return false;
}

bool unw_is_after_trampoline(struct unw_code_at at)
{
	for (size_t i = 0; i < at.arch->signals.trampolines.n; i++) {
		const struct unw_signal_code *signal = &at.arch->signals.trampolines.data[i];

		if (signal->n >= MIN_BYTES_BEFORE &&
			has_bytes(before(at, signal->n), signal->bytes, signal->n))
			return true;
	}
	return false;
}

bool unw_is_base(struct unw_code_at at)
{
	enum { ANY_BYTES = 4 };

	for (size_t i = 0; i < at.arch->base.coroutines.n; i++) {
		const struct unw_base_code *base = &at.arch->base.coroutines.data[i];
		size_t n = base->any ? base->any : base->n;
		size_t after = base->any ? base->any + ANY_BYTES : base->n;
		struct unw_code_at rest = { at.arch, at.bytes, at.size, at.off + after };

		if (has_bytes(at, base->bytes, n) &&
			(after == base->n || has_bytes(rest, base->bytes + after, base->n - after)))
			return true;
	}
	return false;
}

bool unw_is_exit(struct unw_code_at at)
{
	for (size_t i = 0; i < at.arch->base.exits.n; i++) {
		if (has_bytes(at, at.arch->base.exits.data[i].bytes, at.arch->base.exits.data[i].n))
			return true;
	}
	return false;
}

uint64_t unw_next_known(struct unw_code_at at, uint64_t end)
{
	bool is_first[UINT8_MAX + 1] = { 0 };
	uint64_t off;

	for (size_t i = 0; i < at.arch->signals.trampolines.n; i++)
		is_first[at.arch->signals.trampolines.data[i].bytes[0]] = true;
	for (size_t i = 0; i < at.arch->base.coroutines.n; i++)
		is_first[at.arch->base.coroutines.data[i].bytes[0]] = true;
	for (off = at.off; off < end && off < at.size; off++) {
		if (is_first[at.bytes[off]])
			return off;
	}
	return end;
}

bool unw_is_after_syscall(struct unw_code_at at)
{
	for (size_t i = 0; i < at.arch->syscalls.insns.n; i++) {
		const struct unw_syscall_code *call = &at.arch->syscalls.insns.data[i];

		if (has_bytes(before(at, call->n + call->n_any), call->bytes, call->n))
			return true;
	}
	return false;
}
