/*
 * Unwind this process's own stack, captured like the kernel does it, and compare the frames with
 * those of backtrace().
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>

#include "tests/unit/unwind/elf.h"
#include "unwind/unwind.h"

#define noinline __attribute__((noinline))

enum { MAX_FRAMES = 256, MAX_STACK = 256 << 10, MAX_MODULES = 64 };

struct module {
	struct unw_module module;
	struct test_elf elf;
	struct unw_binary *binary;
};

struct snapshot {
	/** Registers in the order of perf's bits: bx, bp, sp, ip, r12 to r15. */
	uint64_t regs[8];
	uint8_t stack[MAX_STACK];
	size_t stack_size;
	void *expected[MAX_FRAMES];
	int n_expected;
};

static const uint64_t regs_mask = 1U << 1 | 1U << 6 | 1U << 7 | 1U << 8 | 0xfU << 20;

static struct module modules[MAX_MODULES];
static size_t n_modules;
static struct snapshot snapshot;

static const struct unw_module *find_module(const struct unw_space *space, uint64_t addr)
{
	(void)space;
	for (size_t i = 0; i < n_modules; i++) {
		if (addr >= modules[i].module.start && addr < modules[i].module.end)
			return &modules[i].module;
	}
	return NULL;
}

static const struct unw_space space = { .id = 1, .find = find_module };

static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum && n_modules < MAX_MODULES; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		struct module *m = &modules[n_modules];

		if (phdr->p_type != PT_LOAD || !(phdr->p_flags & PF_X) ||
			!test_elf_open(path, &m->elf))
			continue;
		assert_null(unw_binary_create(&m->elf.input, &m->binary));
		m->module = (struct unw_module){
			.start = info->dlpi_addr + phdr->p_vaddr,
			.end = info->dlpi_addr + phdr->p_vaddr + phdr->p_memsz,
			.bias = info->dlpi_addr,
			.binary = m->binary,
			.missing = PD_UNWIND_END_NO_FILE,
		};
		n_modules++;
	}
	return 0;
}

/** Find the end of the stack that @p sp points into. */
static uintptr_t stack_end(uintptr_t sp)
{
	uintptr_t start;
	uintptr_t end = 0;
	char line[512];

	FILE *f = fopen("/proc/self/maps", "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) == 2 && sp >= start &&
			sp < end)
			break;
	}
	fclose(f);
	return end;
}

/** Copy the stack without memcpy(), because sanitizers report reads of other functions' frames. */
__attribute__((no_sanitize("address", "undefined"))) static noinline void copy_stack(
	uintptr_t sp, uintptr_t end)
{
	volatile uint8_t *to = snapshot.stack;
	size_t size = end - sp < MAX_STACK ? end - sp : MAX_STACK;

	for (size_t i = 0; i < size; i++)
		to[i] = ((const volatile uint8_t *)sp)[i];
	snapshot.stack_size = size;
}

static noinline void capture(void)
{
	__asm__ volatile("movq %%rbx, 0(%0)\n\tmovq %%rbp, 8(%0)\n\tmovq %%rsp, 16(%0)\n\t"
			 "leaq 0f(%%rip), %%rcx\n0:\tmovq %%rcx, 24(%0)\n\tmovq %%r12, 32(%0)\n\t"
			 "movq %%r13, 40(%0)\n\tmovq %%r14, 48(%0)\n\tmovq %%r15, 56(%0)\n\t"
			 :
			 : "a"(snapshot.regs)
			 : "rcx", "memory");
	copy_stack(snapshot.regs[2], stack_end(snapshot.regs[2]));
	snapshot.n_expected = backtrace(snapshot.expected, MAX_FRAMES);
	__asm__ volatile("" ::: "memory");
}

static void walk(struct unw_walker *walker, struct unw_stack *stack)
{
	const struct unw_input input = {
		.space = &space,
		.regs_mask = regs_mask,
		.regs = (const uint8_t *)snapshot.regs,
		.stack = snapshot.stack,
		.stack_size = snapshot.stack_size,
		.is_stack_full = false,
	};

	unw_prefetch(&input);
	assert_null(unw_walk(walker, &input, stack));
}

/** Number of leading frames of backtrace() itself: one if a sanitizer wraps it, else none. */
static size_t n_foreign(const struct unw_walker *walker, const struct unw_stack *stack)
{
	uint64_t caller = unw_walker_frame(walker, stack->frames.data[1])->pc;

	return caller == (uintptr_t)snapshot.expected[1] ? 0 : 1;
}

/** Compare from frame 1 on: frame 0 is capture() at another address than in backtrace(). */
static void compare(enum pd_unwind_end end)
{
	struct unw_walker *walker;
	struct unw_stack stack = { 0 };

	assert_null(unw_walker_create(&base_arch_x86_64, NULL, &walker));
	for (int pass = 0; pass < 2; pass++) {
		walk(walker, &stack);
		assert_string_equal(pd_unwind_end_text(stack.end), pd_unwind_end_text(end));
		assert_true(stack.frames.n > 3);
		size_t foreign = n_foreign(walker, &stack);
		assert_true(stack.frames.n + foreign <= (size_t)snapshot.n_expected);
		for (size_t i = 1; i < stack.frames.n; i++) {
			const struct unw_frame *frame =
				unw_walker_frame(walker, stack.frames.data[i]);
			assert_int_equal(frame->pc, (uintptr_t)snapshot.expected[foreign + i]);
			assert_false(frame->flags & UNW_FRAME_BY_FP);
		}
		if (end == PD_UNWIND_END_ROOT)
			assert_int_equal(stack.frames.n + foreign, snapshot.n_expected);
	}
	pd_vec_deinit(&stack.frames);
	unw_walker_destroy(walker);
}

static noinline int recurse(int depth)
{
	volatile char frame[100];

	frame[depth] = 1;
	if (depth)
		return recurse(depth - 1) + frame[depth];
	capture();
	return frame[0];
}

static void test_calls(void **state)
{
	(void)state;
	recurse(40);
	compare(PD_UNWIND_END_ROOT);
}

static noinline int with_alloca(size_t n)
{
	volatile char *p = __builtin_alloca(n);

	p[0] = 1;
	p[n - 1] = (char)recurse(2);
	return p[0];
}

static void test_variable_frame(void **state)
{
	(void)state;
	with_alloca(3000);
	compare(PD_UNWIND_END_ROOT);
}

static noinline int with_realigned_stack(size_t n)
{
	volatile char aligned[128] __attribute__((aligned(128)));
	volatile char *p = __builtin_alloca(n);

	p[0] = aligned[0] = 1;
	p[0] = (char)recurse(2);
	return p[0] + aligned[0];
}

static void test_realigned_frame(void **state)
{
	(void)state;
	with_realigned_stack(500);
	compare(PD_UNWIND_END_ROOT);
}

static int compare_by_capture(const void *a, const void *b)
{
	static int calls;

	if (!calls++)
		capture();
	return *(const int *)a - *(const int *)b;
}

static void test_callback(void **state)
{
	int numbers[] = { 3, 1, 2 };

	(void)state;
	qsort(numbers, 3, sizeof(numbers[0]), compare_by_capture);
	compare(PD_UNWIND_END_ROOT);
}

static void *run_thread(void *arg)
{
	recurse(5);
	return arg;
}

static void test_thread(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, run_thread, NULL), 0);
	pthread_join(thread, NULL);
	compare(PD_UNWIND_END_ROOT);
}

static void handle_signal(int number)
{
	(void)number;
	recurse(3);
}

static void raise_with(int flags)
{
	struct sigaction action = { .sa_handler = handle_signal, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
}

/** Check that the last snapshot has exactly one signal trampoline. */
static void check_trampoline(void)
{
	struct unw_walker *walker;
	struct unw_stack stack = { 0 };
	int n = 0;

	assert_null(unw_walker_create(&base_arch_x86_64, NULL, &walker));
	walk(walker, &stack);
	for (size_t i = 0; i < stack.frames.n; i++) {
		uint32_t flags = unw_walker_frame(walker, stack.frames.data[i])->flags;

		if (!(flags & UNW_FRAME_SIGNAL))
			continue;
		n++;
		assert_false(flags & UNW_FRAME_RETURN);
		if (i + 1 < stack.frames.n)
			assert_int_equal(
				unw_walker_frame(walker, stack.frames.data[i + 1])->flags, 0);
	}
	assert_int_equal(n, 1);
	pd_vec_deinit(&stack.frames);
	unw_walker_destroy(walker);
}

static void test_signal(void **state)
{
	(void)state;
	raise_with(0);
	compare(PD_UNWIND_END_ROOT);
	check_trampoline();
}

static void test_signal_stack(void **state)
{
	enum { SIZE = 128 << 10 };
	stack_t alternate = { .ss_sp = aligned_alloc(4096, SIZE), .ss_size = SIZE };

	(void)state;
	assert_int_equal(sigaltstack(&alternate, NULL), 0);
	raise_with(SA_ONSTACK);
	/* Only the alternate stack was captured, not the interrupted one. */
	compare(PD_UNWIND_END_OTHER_STACK);
	check_trampoline();
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
	free(alternate.ss_sp);
}

static int open_modules(void **state)
{
	void *warm_up[4];

	(void)state;
	backtrace(warm_up, 4);
	dl_iterate_phdr(add_module, NULL);
	return n_modules ? 0 : -1;
}

static int close_modules(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_modules; i++) {
		unw_binary_destroy(modules[i].binary);
		test_elf_close(&modules[i].elf);
	}
	return 0;
}

int main(void)
{
	/* /proc of this process has the mappings and the program's file. */
	if (access("/proc/self/maps", R_OK) != 0) {
		puts("skipped: no /proc");
		return 0;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_variable_frame),
		cmocka_unit_test(test_realigned_frame),
		cmocka_unit_test(test_callback),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_signal_stack),
	};

	return cmocka_run_group_tests(tests, open_modules, close_modules);
}
