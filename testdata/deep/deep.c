/* Goes down and up again, slowly, so that most stacks are larger than what is captured of them. */
static volatile unsigned long sink;

static void work(void)
{
	for (int i = 0; i < 1000000; i++)
		sink += i;
}

static __attribute__((noinline)) void down(int depth)
{
	volatile char room[80];

	room[0] = (char)depth;
	work();
	if (depth > 0)
		down(depth - 1);
	work();
	room[1] = room[0];
}

static __attribute__((noinline)) void left(void)
{
	down(24);
	sink++;
}

static __attribute__((noinline)) void right(void)
{
	down(24);
	sink--;
}

/* No C library: the binary is small enough to keep. */
__asm__(".globl _start\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	call start_here\n"
	"	.cfi_endproc\n");

__attribute__((noreturn, used)) void start_here(void)
{
	left();
	right();
	__asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11", "memory");
	__builtin_unreachable();
}
