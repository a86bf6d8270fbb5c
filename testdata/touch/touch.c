/*
 * Touches pages of memory for the first time, each of which is a page fault: in variables, on the
 * heap, on the stack, and in anonymous memory. The numbers of pages differ, so that each count tells
 * where it belongs.
 */
enum { PAGE = 4096, READ = 1, WRITE = 2, PRIVATE = 2, ANONYMOUS = 32, SYS_MMAP = 9, SYS_BRK = 12, SYS_EXIT = 60 };

volatile char filled[7 * PAGE] __attribute__((aligned(PAGE))) = { 1 };
static volatile char zeroed[6 * PAGE] __attribute__((aligned(PAGE)));
static const volatile char fixed[PAGE] __attribute__((aligned(PAGE))) = { 1 };

static long call(long number, long a, long b, long c, long d)
{
	register long flags __asm__("r10") = d;
	register long fd __asm__("r8") = -1;
	register long offset __asm__("r9") = 0;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(flags), "r"(fd), "r"(offset)
			 : "rcx", "r11", "memory");
	return ret;
}

static __attribute__((noinline)) void touch(volatile char *at, long pages)
{
	for (long i = 0; i < pages; i++)
		at[i * PAGE] = 1;
}

static __attribute__((noinline)) void touch_stack(void)
{
	volatile char room[5 * PAGE];

	touch(room, 4);
}

void _start(void)
{
	long heap = call(SYS_BRK, 0, 0, 0, 0);
	long area = call(SYS_MMAP, 0, 2 * PAGE, READ | WRITE, PRIVATE | ANONYMOUS);

	call(SYS_BRK, heap + 3 * PAGE, 0, 0, 0);
	touch(filled, 7);
	touch(zeroed, 6);
	touch_stack();
	touch((volatile char *)heap, 3);
	touch((volatile char *)area, 2);
	call(SYS_EXIT, fixed[0] - 1, 0, 0, 0);
	__builtin_unreachable();
}
