#include "capture/bpf/task_regs.h"

#include <asm/ptrace.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"

/* The program, as clang has compiled it. */
__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"cap_regs_object:\n"
	".incbin \"" PD_REGS_OBJECT "\"\n"
	"cap_regs_object_end:\n"
	".popsection\n");
extern const char cap_regs_object[] __attribute__((visibility("hidden")));
extern const char cap_regs_object_end[] __attribute__((visibility("hidden")));

struct cap_task_regs {
	struct bpf_object *object;
	const struct bpf_program *program;
};

/* Registers as the program writes them, and their offsets by perf's numbers (asm/perf_regs.h). */
#ifdef __aarch64__
typedef struct user_pt_regs registers;

static bool is_64_bit(const registers *regs)
{
	enum { PSTATE_32 = 0x10 };

	return !(regs->pstate & PSTATE_32);
}

/* The numbered registers, the stack pointer and the program counter are in perf's order. */
static bool find_offset(unsigned number, size_t *ret)
{
	enum { N_NUMBERED = 33 };

	*ret = number * sizeof(uint64_t);
	return number < N_NUMBERED;
}
#else
typedef struct pt_regs registers;

static bool is_64_bit(const registers *regs)
{
	enum { CS_64 = 0x33 };

	return (uint16_t)regs->cs == CS_64;
}

static bool find_offset(unsigned number, size_t *ret)
{
	static const uint8_t none = UINT8_MAX;
	static const uint8_t offsets[] = {
		offsetof(registers, rax),
		offsetof(registers, rbx),
		offsetof(registers, rcx),
		offsetof(registers, rdx),
		offsetof(registers, rsi),
		offsetof(registers, rdi),
		offsetof(registers, rbp),
		offsetof(registers, rsp),
		offsetof(registers, rip),
		offsetof(registers, eflags),
		offsetof(registers, cs),
		offsetof(registers, ss),
		/* ds, es, fs and gs */
		UINT8_MAX,
		UINT8_MAX,
		UINT8_MAX,
		UINT8_MAX,
		offsetof(registers, r8),
		offsetof(registers, r9),
		offsetof(registers, r10),
		offsetof(registers, r11),
		offsetof(registers, r12),
		offsetof(registers, r13),
		offsetof(registers, r14),
		offsetof(registers, r15),
	};

	if (number >= PD_ARRAY_LEN(offsets) || offsets[number] == none)
		return false;
	*ret = offsets[number];
	return true;
}
#endif

static bool load(struct cap_task_regs *regs)
{
	/* cppcheck-suppress comparePointers; both are in the same object */
	const size_t size = (size_t)(cap_regs_object_end - cap_regs_object);

	regs->object = bpf_object__open_mem(cap_regs_object, size, NULL);
	if (!regs->object || bpf_object__load(regs->object))
		return false;
	regs->program = bpf_object__find_program_by_name(regs->object, "registers");
	return regs->program;
}

struct cap_task_regs *cap_task_regs_create(void)
{
	struct cap_task_regs *regs = calloc(1, sizeof(*regs));

	if (!regs || access("/sys/kernel/btf/vmlinux", R_OK) < 0) {
		free(regs);
		return NULL;
	}
	/* Libraries do not print. */
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	bool is_loaded = load(regs);
	libbpf_set_print(print);
	if (is_loaded)
		return regs;
	cap_task_regs_destroy(regs);
	return NULL;
}

void cap_task_regs_destroy(struct cap_task_regs *regs)
{
	if (!regs)
		return;
	bpf_object__close(regs->object);
	free(regs);
}

/* Run the program for one thread. */
static bool run(const struct cap_task_regs *regs, pid_t tid, registers *ret)
{
	union bpf_iter_link_info info = { .task = { .tid = (uint32_t)tid } };
	const struct bpf_iter_attach_opts opts = {
		.sz = sizeof(opts),
		.link_info = &info,
		.link_info_len = sizeof(info),
	};
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct bpf_link *link = bpf_program__attach_iter(regs->program, &opts);

	libbpf_set_print(print);
	if (!link)
		return false;
	_cleanup_close_ int fd = bpf_iter_create(bpf_link__fd(link));
	bool has_read = fd >= 0 && read(fd, ret, sizeof(*ret)) == (ssize_t)sizeof(*ret);
	bpf_link__destroy(link);
	return has_read;
}

bool cap_task_regs_read(
	const struct cap_task_regs *regs, pid_t tid, uint64_t mask, uint64_t *values)
{
	registers from;
	size_t n = 0, offset;

	if (!run(regs, tid, &from) || !is_64_bit(&from))
		return false;
	for (unsigned number = 0; number < 64; number++) {
		if (!(mask >> number & 1))
			continue;
		if (find_offset(number, &offset))
			memcpy(&values[n], (const char *)&from + offset, sizeof(*values));
		n++;
	}
	return true;
}
