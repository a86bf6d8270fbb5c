/*
 * Generates code and tells of it in a jitdump, three times at the same place. "first" and "second" keep
 * no frame pointer, move the stack pointer, and call back; they come with call frame information.
 * "third" keeps a frame pointer, and comes without.
 */
#include <stdint.h>

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

enum {
	SYS_WRITE = 1,
	SYS_OPEN = 2,
	SYS_MMAP = 9,
	SYS_GETPID = 39,
	SYS_EXIT = 60,
	SYS_CLOCK_GETTIME = 228
};

struct header {
	uint32_t magic, version, total_size, elf_mach, pad1, pid;
	uint64_t timestamp, flags;
};

struct prefix {
	uint32_t id, total_size;
	uint64_t timestamp;
};

struct unwinding {
	struct prefix prefix;
	uint64_t unwinding_size, eh_frame_hdr_size, mapped_size;
	uint8_t eh_frame[64];
};

struct load {
	struct prefix prefix;
	uint32_t pid, tid;
	uint64_t vma, code_addr, code_size, code_index;
	char name[8];
	uint8_t code[24];
};

/* sub $0x48,%rsp; mov %rdi,%rax; call *%rax; add $0x48,%rsp; ret; and padding */
static const uint8_t frameless[24] = { 0x48, 0x83, 0xec, 0x48, 0x48, 0x89, 0xf8, 0xff, 0xd0, 0x48, 0x83,
	0xc4, 0x48, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 };

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret; and padding */
static const uint8_t framed[24] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

/* A CIE; an FDE for the 24 bytes in front of it: CFA is rsp + 8, after 4 bytes rsp + 80, after 13 rsp + 8. */
static const uint8_t eh_frame[64] = {
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1, 0,
	0,								  /* CIE */
	28, 0, 0, 0, 28, 0, 0, 0, 0xc8, 0xff, 0xff, 0xff, 24, 0, 0, 0, 0, /* FDE; -56 to the code */
	0x44, 14, 80, 0x49, 14, 8, 0, 0, 0, 0, 0, 0, 0, 0,
	0,	    /* advance 4; def_cfa_offset 80; ... */
	0, 0, 0, 0, /* end */
};

static uint64_t now(void)
{
	struct {
		uint64_t s, ns;
	} t;

	syscall6(SYS_CLOCK_GETTIME, 1, (long)&t, 0, 0, 0, 0);
	return t.s * 1000000000 + t.ns;
}

static __attribute__((noinline)) void work(void)
{
	for (int i = 0; i < 40000000; i++)
		sink += i;
}

static __attribute__((noinline)) void run(void *generated)
{
	((void (*)(void (*)(void)))generated)(work);
	sink++;
}

static void tell(int fd, uint32_t pid, void *at, const uint8_t *code, const char *name, int index)
{
	struct unwinding unwinding = { { 4, sizeof(unwinding), now() }, sizeof(eh_frame) + 20, 20,
		0, { 0 } };
	struct load load = { { 0, sizeof(load), now() }, pid, pid, (uint64_t)at, (uint64_t)at,
		sizeof(frameless), index, { 0 }, { 0 } };
	static const uint8_t hdr[20];

	unwinding.prefix.total_size += sizeof(hdr) + 4;
	for (unsigned i = 0; i < sizeof(eh_frame); i++)
		unwinding.eh_frame[i] = eh_frame[i];
	for (unsigned i = 0; i < sizeof(frameless); i++)
		load.code[i] = code[i];
	for (unsigned i = 0; i < 8; i++)
		load.name[i] = name[i];
	if (code == frameless) {
		syscall6(SYS_WRITE, fd, (long)&unwinding, sizeof(unwinding), 0, 0, 0);
		syscall6(SYS_WRITE, fd, (long)hdr, sizeof(hdr), 0, 0, 0);
		syscall6(SYS_WRITE, fd, (long)hdr, 4, 0, 0, 0);
	}
	syscall6(SYS_WRITE, fd, (long)&load, sizeof(load), 0, 0, 0);
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
	static const char names[3][8] = { "first", "second", "third" };
	char path[] = "jit-00000.dump";
	uint32_t pid = syscall6(SYS_GETPID, 0, 0, 0, 0, 0, 0);
	struct header header = { 0x4a695444, 1, sizeof(header), 62, 0, pid, now(), 0 };
	volatile uint8_t *page = (void *)syscall6(SYS_MMAP, 0, 4096, 7, 0x22, -1, 0);

	for (uint32_t n = pid, i = 8; i >= 4; i--, n /= 10)
		path[i] = '0' + n % 10;
	int fd = syscall6(SYS_OPEN, (long)path, 0102, 0644, 0, 0, 0);
	syscall6(SYS_WRITE, fd, (long)&header, sizeof(header), 0, 0, 0);
	/* This is how the recorder learns of the dump. */
	syscall6(SYS_MMAP, 0, 4096, 5, 2, fd, 0);
	for (int i = 0; i < 3; i++) {
		const uint8_t *code = i < 2 ? frameless : framed;

		for (unsigned k = 0; k < sizeof(frameless); k++)
			page[k] = code[k];
		tell(fd, pid, (void *)page, code, names[i], i);
		run((void *)page);
	}
	syscall6(SYS_EXIT, 0, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}
