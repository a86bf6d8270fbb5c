/*
 * Calls through trampolines as CPython does with -X perf, and names them in a perf-PID.map: one of
 * each kind that CPython has had on x86-64, and one of an unknown kind as the outermost. The last
 * one is code as QEMU translates it.
 */
static volatile unsigned long sink;

static long syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

enum { SYS_WRITE = 1, SYS_OPEN = 2, SYS_MMAP = 9, SYS_GETPID = 39, SYS_EXIT = 60 };

typedef void eval_fn(long unused, long depth, long unused_too);
typedef void trampoline_fn(long unused, long depth, long unused_too, eval_fn *eval);

enum { N_KINDS = 6, DISTANCE = 64 };

struct kind {
	const char *name;
	/* Size of the code in the map, and of what precedes and follows it. */
	unsigned size, before, after;
	unsigned char code[48];
};

static const struct kind kinds[N_KINDS] = {
	/* sub $24,%rsp; mov %rcx,%rax; call *%rax; add $24,%rsp; ret */
	{ "py::<module>:later.py", 14, 0, 0,
		{ 0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0xc8, 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x18,
			0xc3 } },
	/* sub $8,%rsp; call *%rcx; add $8,%rsp; ret: CPython 3.12.1 and 3.13.0 */
	{ "py::sub:demo.py", 11, 0, 0,
		{ 0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3 } },
	/* endbr64, and the same: built with -fcf-protection */
	{ "py::endbr_sub:demo.py", 15, 0, 0,
		{ 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8,
			0xc3 } },
	/* push %rbp; mov %rsp,%rbp; call *%rcx; pop %rbp; ret */
	{ "py::push:demo.py", 8, 0, 0, { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3 } },
	/* endbr64, and the same: CPython 3.13.18 and 3.14.10 of Debian */
	{ "py::endbr_push:demo.py", 12, 0, 0,
		{ 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3 } },
	/*
	 * QEMU's prologue: push rbp, rbx, r12, r13, r14 and r15; sub $0x488,%rsp. Translated code:
	 * call *%rcx; nop. The epilogue: add $0x488,%rsp; pop the registers; ret.
	 */
	{ "guest-0x401000", 3, 17, 18,
		{ 0x55, 0x53, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x48, 0x81, 0xec, 0x88, 4,
			0, 0, 0xff, 0xd1, 0x90, 0x48, 0x81, 0xc4, 0x88, 4, 0, 0, 0x41, 0x5f, 0x41,
			0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5b, 0x5d, 0xc3 } },
};

static unsigned char *page;

static __attribute__((noinline)) void work(void)
{
	for (int i = 0; i < 8000000; i++)
		sink += i;
}

/* Called by the trampolines, as CPython's evaluation loop. */
static __attribute__((noinline)) void eval(long unused, long depth, long unused_too)
{
	trampoline_fn *next = (trampoline_fn *)(page + depth * DISTANCE);

	if (depth == N_KINDS)
		work();
	else
		next(0, depth + 1, 0, eval);
	sink++;
}

static char *put_hex(char *p, unsigned long n)
{
	int shift = 60;

	while (shift && !(n >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[n >> shift & 15];
	*p++ = ' ';
	return p;
}

static void describe(int fd, const unsigned char *at, const struct kind *kind)
{
	char line[64];
	char *p = put_hex(put_hex(line, (unsigned long)at), kind->size);

	for (const char *c = kind->name; *c; c++)
		*p++ = *c;
	*p++ = '\n';
	syscall6(SYS_WRITE, fd, (long)line, p - line, 0, 0, 0);
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
	char path[] = "................map";
	char *p = path + sizeof(path) - sizeof(".map");
	unsigned long pid = syscall6(SYS_GETPID, 0, 0, 0, 0, 0, 0);

	for (; pid; pid /= 10)
		*--p = '0' + pid % 10;
	p -= 5;
	for (unsigned i = 0; i < 5; i++)
		p[i] = "perf-"[i];
	page = (void *)syscall6(SYS_MMAP, 0, 4096, 7, 0x22, -1, 0);
	int fd = syscall6(SYS_OPEN, (long)p, 0102, 0644, 0, 0, 0);
	for (int i = 0; i < N_KINDS; i++) {
		const struct kind *kind = &kinds[i];

		for (unsigned k = 0; k < kind->before + kind->size + kind->after; k++)
			page[i * DISTANCE + k] = kind->code[k];
		describe(fd, page + i * DISTANCE + kind->before, kind);
	}
	eval(0, 0, 0);
	eval(0, 1, 0);
	syscall6(SYS_EXIT, 0, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}
