/*
 * A library for LD_PRELOAD that makes an allocation fail, and lists what a process did not release.
 *
 *	FAIL_AT=N	the N-th allocation fails
 *	FAIL_ON=1	those after it fail, too
 *	FAIL_LOG=FILE	when the process exits, write the number of its allocations to FILE, and a line for each
 *			allocation, mapping and descriptor that is left, with the code that made it
 *	FAIL_TRACE=1	print the return addresses where the N-th fails, for addr2line
 *	FAIL_STACKS=FILE	when the process exits, write a struct stack for each allocation to FILE, in order
 *
 * The process has the variables, those that it executes do not. Only processes that end with exit() are logged.
 *
 * Allocations are malloc(), calloc(), realloc(), aligned memory and anonymous mappings, by the
 * program and by all its libraries, including the C library's own for strdup(), streams and others.
 * Except for those of LLVM and of C++, which end the process when memory runs out, of the dynamic
 * linker, which loads them, and of libseccomp 2.5.4, which uses null pointers then.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <regex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static atomic_ulong n_allocations;
/* 0: not read from the environment yet; allocations before that are those of the dynamic linker. */
static unsigned long fail_at;
static bool fail_on;
static bool is_traced;
/* Number of the descriptor of the log, above those of the process, and -1 without a log. */
enum { HIGH = 700 };
static int log_fd = -1;
/* Descriptors that the process was started with. */
static bool is_inherited[HIGH];

/* Number of the call of regcomp() in which this thread is, from 1 on; 0: none. */
static _Thread_local unsigned regcomp_call;

/* Something that has not been released. */
struct live {
	void *address;
	/* Code that called the function that made it. */
	const void *caller;
	bool is_mapping;
	/* regcomp_call when it was made. */
	unsigned regcomp_call;
};

/* Open addressing, with a marker for entries that were removed. */
enum { N_LIVE = 1 << 17 };
static struct live lives[N_LIVE];
static size_t n_used;
static char removed;
static atomic_flag lock = ATOMIC_FLAG_INIT;

/* Callers of an allocation. */
struct stack {
	/* Hash of the innermost callers. */
	uint32_t hash;
	/* Innermost return addresses in the program, as offsets from its start; 0: none. */
	uint32_t offsets[3];
};

/* Stacks by number of the allocation minus 1. Later allocations are not noted. */
enum { N_STACKS = 1 << 20, N_CALLERS = 12 };
static struct stack *stacks;
/* Addresses of the program. */
static uintptr_t program_start, program_end;
/* Descriptor of the file that they are written to. */
static int stacks_fd = -1;

static size_t slot_of(const void *address)
{
	return (size_t)(((uintptr_t)address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
	       (N_LIVE - 1);
}

static void *remember(void *address, const void *caller, bool is_mapping)
{
	if (log_fd < 0 || !address)
		return address;
	while (atomic_flag_test_and_set(&lock))
		;
	size_t i = slot_of(address);
	while (lives[i].address && lives[i].address != &removed)
		i = (i + 1) & (N_LIVE - 1);
	/* A search ends at an entry that was never used. */
	n_used += !lives[i].address;
	if (n_used > N_LIVE / 2)
		abort();
	lives[i] = (struct live){ address, caller, is_mapping, regcomp_call };
	atomic_flag_clear(&lock);
	return address;
}

static void forget(const void *address)
{
	if (log_fd < 0 || !address)
		return;
	while (atomic_flag_test_and_set(&lock))
		;
	for (size_t i = slot_of(address); lives[i].address; i = (i + 1) & (N_LIVE - 1)) {
		if (lives[i].address == address) {
			lives[i].address = &removed;
			break;
		}
	}
	atomic_flag_clear(&lock);
}

static void trace(void)
{
	void *addresses[32];

	backtrace_symbols_fd(
		addresses, backtrace(addresses, sizeof(addresses) / sizeof(*addresses)), 2);
}

/* Note the addresses of the first module, which is the program. */
static int find_program(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	program_start = info->dlpi_addr;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t end = program_start + segment->p_vaddr + segment->p_memsz;

		if (segment->p_type == PT_LOAD && end > program_end)
			program_end = end;
	}
	return 1;
}

/* Note the callers of the allocation number @p n. */
static void note_stack(unsigned long n)
{
	void *addresses[N_CALLERS + 3];
	uint64_t hash = 0;
	size_t n_offsets = 0;

	if (!stacks || n > N_STACKS)
		return;
	struct stack *stack = &stacks[n - 1];
	int depth = backtrace(addresses, sizeof(addresses) / sizeof(*addresses));
	for (int i = 0; i < depth; i++) {
		uintptr_t address = (uintptr_t)addresses[i];

		hash = (hash ^ address) * UINT64_C(0x9e3779b97f4a7c15);
		if (n_offsets < sizeof(stack->offsets) / sizeof(*stack->offsets) &&
			address >= program_start && address < program_end)
			stack->offsets[n_offsets++] = (uint32_t)(address - program_start);
	}
	stack->hash = (uint32_t)(hash >> 32);
}

/* Open a log now, because the process may confine itself, with a number that the process does not use. */
static int open_log(const char *path)
{
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH);

	if (fd >= 0)
		close(fd);
	return high;
}

__attribute__((constructor)) static void read_environment(void)
{
	const char *at = getenv("FAIL_AT");

	fail_on = getenv("FAIL_ON");
	is_traced = getenv("FAIL_TRACE");
	stacks_fd = open_log(getenv("FAIL_STACKS"));
	/* The first call of backtrace() loads a library, which allocates. */
	if (is_traced || stacks_fd >= 0)
		backtrace((void *[1]){ NULL }, 1);
	if (stacks_fd >= 0) {
		dl_iterate_phdr(find_program, NULL);
		stacks = __libc_calloc(N_STACKS, sizeof(*stacks));
	}
	log_fd = open_log(getenv("FAIL_LOG"));
	for (int i = 0; i < HIGH; i++)
		is_inherited[i] = fcntl(i, F_GETFD) >= 0;
	n_allocations = 0;
	fail_at = at ? strtoul(at, NULL, 10) : 0;
	unsetenv("LD_PRELOAD");
}

/* Whether the code at @p caller is in a library that ends the process when memory runs out. */
static bool is_excluded(const void *caller)
{
	static const char *const libraries[] = { "/libLLVM", "/libstdc++", "/ld-linux",
		"/libseccomp" };
	Dl_info info;

	if (!dladdr(caller, &info) || !info.dli_fname)
		return false;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		if (strstr(info.dli_fname, libraries[i]))
			return true;
	}
	return false;
}

static void log_line(const char *kind, const char *what, uintptr_t offset)
{
	char line[512];
	int len = snprintf(line, sizeof(line), "%s %s+0x%lx\n", kind, what, (unsigned long)offset);

	(void)!write(log_fd, line, (size_t)len);
}

/* Code in a library is identified by its offset there, which does not depend on where it was loaded. */
static void log_live(const struct live *live)
{
	Dl_info info;

	if (!dladdr(live->caller, &info) || !info.dli_fname) {
		log_line(live->is_mapping ? "mapping" : "memory", "?", 0);
		return;
	}
	const char *slash = strrchr(info.dli_fname, '/');
	log_line(live->is_mapping ? "mapping" : "memory", slash ? slash + 1 : info.dli_fname,
		(uintptr_t)live->caller - (uintptr_t)info.dli_fbase);
}

__attribute__((destructor)) static void write_log(void)
{
	char link[32], path[256];

	if (stacks)
		(void)!write(stacks_fd, stacks,
			(n_allocations < N_STACKS ? n_allocations : N_STACKS) * sizeof(*stacks));
	if (log_fd < 0)
		return;
	log_line("allocations", "count", n_allocations);
	for (size_t i = 0; i < N_LIVE; i++) {
		if (lives[i].address && lives[i].address != &removed &&
			!is_excluded(lives[i].caller))
			log_live(&lives[i]);
	}
	for (int fd = 0; fd < HIGH; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		ssize_t len = is_inherited[fd] ? -1 : readlink(link, path, sizeof(path) - 1);
		if (len < 0)
			continue;
		path[len] = '\0';
		log_line("descriptor", path, 0);
	}
}

static bool fails(const void *caller)
{
	if (is_excluded(caller))
		return false;
	unsigned long n = ++n_allocations;

	note_stack(n);
	if (!fail_at || (fail_on ? n < fail_at : n != fail_at))
		return false;
	if (is_traced && n == fail_at)
		trace();
	errno = ENOMEM;
	return true;
}

/* glibc 2.36 does not release all of a regular expression if memory runs out while it is compiled. */
int regcomp(regex_t *regex, const char *text, int flags)
{
	static atomic_uint n_calls;
	int (*real)(regex_t *, const char *, int) =
		(int (*)(regex_t *, const char *, int))dlsym(RTLD_NEXT, "regcomp");
	unsigned call = ++n_calls;

	regcomp_call = call;
	int code = real(regex, text, flags);
	regcomp_call = 0;
	while (atomic_flag_test_and_set(&lock))
		;
	for (size_t i = 0; code == REG_ESPACE && i < N_LIVE; i++) {
		if (lives[i].regcomp_call == call)
			lives[i].address = &removed;
	}
	atomic_flag_clear(&lock);
	return code;
}

void free(void *memory)
{
	forget(memory);
	__libc_free(memory);
}

void *malloc(size_t size)
{
	const void *caller = __builtin_return_address(0);

	return fails(caller) ? NULL : remember(__libc_malloc(size), caller, false);
}

void *calloc(size_t n, size_t size)
{
	const void *caller = __builtin_return_address(0);

	return fails(caller) ? NULL : remember(__libc_calloc(n, size), caller, false);
}

static void *resize(void *old, size_t size, const void *caller)
{
	if (fails(caller))
		return NULL;
	/* Another thread may get the address as soon as it is free. */
	forget(old);
	void *new = __libc_realloc(old, size);
	if (!new &&size)
		remember(old, caller, false);
	return remember(new, caller, false);
}

void *realloc(void *old, size_t size)
{
	return resize(old, size, __builtin_return_address(0));
}

void *reallocarray(void *old, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return resize(old, bytes, __builtin_return_address(0));
}

static void *align(size_t alignment, size_t size, const void *caller)
{
	return fails(caller) ? NULL : remember(__libc_memalign(alignment, size), caller, false);
}

void *memalign(size_t alignment, size_t size)
{
	return align(alignment, size, __builtin_return_address(0));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return align(alignment, size, __builtin_return_address(0));
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *memory = align(alignment, size, __builtin_return_address(0));

	if (!memory)
		return ENOMEM;
	*ret = memory;
	return 0;
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	const void *caller = __builtin_return_address(0);

	if (flags & MAP_ANONYMOUS && fails(caller))
		return MAP_FAILED;
	void *mapping = (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
	if (mapping != MAP_FAILED && !is_excluded(caller))
		remember(mapping, caller, true);
	return mapping;
}

int munmap(void *address, size_t size)
{
	forget(address);
	return (int)syscall(SYS_munmap, address, size);
}

void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	va_list ap;

	va_start(ap, flags);
	void *address = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	void *mapping = (void *)syscall(SYS_mremap, old, old_size, size, flags, address);
	if (mapping != MAP_FAILED && mapping != old) {
		forget(old);
		remember(mapping, __builtin_return_address(0), true);
	}
	return mapping;
}
