#include "tests/unwind/target.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "tests/unwind/die.h"
#include "tests/unwind/image.h"

/*
 * The remote serial protocol of gdb, as far as qemu-user needs it: one thread. See "Remote
 * Protocol" in gdb's manual.
 */
enum { MAX_PACKET = 1 << 16, CONNECT_TRIES = 500, CONNECT_WAIT_NS = 10000000 };

struct file {
	char path[256];
	struct image image;
};

struct target_gdbstub {
	struct target target;
	int fd;
	/** Program counter at the last request. */
	uint64_t pc;
	/** A handler was entered, and its event is not reported yet. */
	bool is_entering;
	/** Addresses that the running handlers interrupted, outermost first. */
	PD_VEC(uint64_t) handlers;
	/** Return address of all handlers, or 0 before the first. */
	uint64_t trampoline;
	/** The last step was the return from a handler, and has ended. */
	bool has_returned;
	/** Files that were mapped. */
	PD_VEC(struct file) files;
	/** Received bytes that are not parsed yet. */
	char in[MAX_PACKET];
	size_t in_at;
	size_t in_end;
	/** Last answer, without its framing. */
	char answer[MAX_PACKET];
	size_t answer_size;
};

static struct target_gdbstub *self_of(struct target *target)
{
	return (struct target_gdbstub *)target;
}

static int take_char(struct target_gdbstub *self)
{
	if (self->in_at == self->in_end) {
		ssize_t n = read(self->fd, self->in, sizeof(self->in));

		if (n <= 0)
			return -1;
		self->in_at = 0;
		self->in_end = (size_t)n;
	}
	return (unsigned char)self->in[self->in_at++];
}

/*
 * Receive one packet: $ANSWER#XX, with } before escaped bytes. Return false if the stub has closed.
 */
static bool take_packet(struct target_gdbstub *self)
{
	int c;

	do
		c = take_char(self);
	while (c >= 0 && c != '$');
	self->answer_size = 0;
	while ((c = take_char(self)) >= 0 && c != '#') {
		if (c == '}')
			c = take_char(self) ^ 0x20;
		if (self->answer_size + 1 < sizeof(self->answer))
			self->answer[self->answer_size++] = (char)c;
	}
	self->answer[self->answer_size] = '\0';
	take_char(self);
	return take_char(self) >= 0;
}

static void send_packet(struct target_gdbstub *self, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void send_packet(struct target_gdbstub *self, const char *fmt, ...)
{
	char packet[256] = "+$"; /* + acknowledges the answer before */
	unsigned char sum = 0;
	va_list args;

	va_start(args, fmt);
	size_t n = 2 + (size_t)vsnprintf(packet + 2, sizeof(packet) - 8, fmt, args);
	va_end(args);
	for (size_t i = 2; i < n; i++)
		sum = (unsigned char)(sum + packet[i]);
	n += (size_t)sprintf(packet + n, "#%02x", sum);
	if (write(self->fd, packet, n) != (ssize_t)n)
		die("cannot write to qemu: %s", strerror(errno));
}

/* Send a request, and wait for the answer. */
#define ask(self, ...) (send_packet(self, __VA_ARGS__), take_packet(self))

static uint8_t nibble(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* At the handler's first instruction the link register has the address of the trampoline. */
static void note_handler(struct target_gdbstub *self, const struct cpu *cpu)
{
	const struct arch *arch = self->target.arch;

	self->trampoline = cpu->reg[arch->lr] & ~(uint64_t)1;
	self->is_entering = false;
}

static void get_regs(struct target *target, pid_t tid, struct cpu *ret)
{
	struct target_gdbstub *self = self_of(target);
	uint8_t bytes[1024];
	size_t n = 0;

	(void)tid;
	if (!ask(self, "g"))
		die("qemu has exited");
	for (; n < sizeof(bytes) && 2 * n + 1 < self->answer_size; n++) {
		const char *hex = &self->answer[2 * n];

		bytes[n] = (uint8_t)(nibble(hex[0]) << 4 | nibble(hex[1]));
	}
	if (!arch_take_gdb_regs(target->arch, bytes, n, ret))
		die("registers of %s: %zu bytes", target->arch->name, n);
	self->pc = arch_pc(target->arch, ret);
	if (self->is_entering)
		note_handler(self, ret);
}

/* s390x saves other registers in floating-point ones. */
static void get_more_regs(struct target *target, struct cpu *ret)
{
	struct target_gdbstub *self = self_of(target);
	const struct gdb_single_regs *regs = arch_gdb_single_regs(target->arch);

	for (unsigned i = 0; regs && i < regs->n; i++) {
		if (!ask(self, "p%x", regs->gdb + i))
			die("qemu has exited");
		/*
		 * The stub prints bytes in the target's order, which on s390x is that of numbers.
		 */
		ret->reg[regs->first + i] = strtoull(self->answer, NULL, 16);
	}
}

static void set_breakpoint(struct target_gdbstub *self, char how, uint64_t pc)
{
	if (!ask(self, "%c0,%" PRIx64 ",4", how, pc) || strcmp(self->answer, "OK") != 0)
		die("breakpoint at %#" PRIx64 ": %s", pc, self->answer);
}

/* gdb's signal numbers, which differ from those of Linux. */
static const struct {
	int on_linux;
	int in_gdb;
} signals[] = { { SIGUSR1, 30 }, { SIGUSR2, 31 }, { SIGSEGV, 11 }, { SIGILL, 4 }, { SIGTRAP, 5 },
	{ SIGABRT, 6 }, { SIGFPE, 8 }, { SIGBUS, 10 } };

enum { N_SIGNALS = PD_ARRAY_LEN(signals) };

static int to_gdb_signal(int signal)
{
	for (size_t i = 0; i < N_SIGNALS; i++) {
		if (signals[i].on_linux == signal)
			return signals[i].in_gdb;
	}
	die("signal %d: gdb has no number for it", signal);
}

static int from_gdb_signal(int signal)
{
	for (size_t i = 0; i < N_SIGNALS; i++) {
		if (signals[i].in_gdb == signal)
			return signals[i].on_linux;
	}
	die("unknown signal %d of gdb", signal);
}

/*
 * The stub steps over a system call together with the following instruction. So run, not step, from
 * the return of a handler to the interrupted instruction.
 */
static void leave_handler(struct target_gdbstub *self)
{
	uint64_t pc = self->handlers.data[--self->handlers.n];

	set_breakpoint(self, 'Z', pc);
	if (!ask(self, "c") || strncmp(self->answer, "T05", 3) != 0)
		die("signal handler does not return: %s", self->answer);
	set_breakpoint(self, 'z', pc);
	self->has_returned = true;
}

static bool is_at_trampoline(const struct target_gdbstub *self)
{
	return self->handlers.n && self->trampoline == self->pc;
}

static void step(struct target *target, pid_t tid, int signal)
{
	struct target_gdbstub *self = self_of(target);

	(void)tid;
	if (signal) { /* to the breakpoint that handlers have */
		if (!pd_vec_push(&self->handlers, self->pc))
			die("no memory");
		self->is_entering = true;
		send_packet(self, "C%02x", to_gdb_signal(signal));
	} else if (is_at_trampoline(self)) {
		leave_handler(self);
	} else {
		send_packet(self, "s");
	}
}

static struct target_event wait_event(struct target *target)
{
	struct target_gdbstub *self = self_of(target);
	struct target_event event = { .kind = TARGET_EXITED, .tid = target->pid };
	unsigned number;

	if (self->has_returned) {
		self->has_returned = false;
		event.kind = TARGET_STEPPED;
		return event;
	}
	if (!take_packet(self) || sscanf(self->answer, "T%2x", &number) != 1)
		return event;
	int signal = from_gdb_signal((int)number);
	event.kind = signal == SIGTRAP ? TARGET_STEPPED : TARGET_SIGNALLED;
	event.signal = signal == SIGTRAP ? 0 : signal;
	return event;
}

static pid_t run_to(struct target *target, uint64_t pc)
{
	struct target_gdbstub *self = self_of(target);

	set_breakpoint(self, 'Z', pc);
	if (!ask(self, "c") || strncmp(self->answer, "T05", 3) != 0)
		die("%s ended early: %s", target->program, self->answer);
	set_breakpoint(self, 'z', pc);
	return target->pid;
}

/* NULL if the file is for another architecture, as are those of qemu itself. */
static const struct image *image_of(struct target_gdbstub *self, const char *path)
{
	struct file file = { 0 };
	size_t i = 0;

	while (i < self->files.n && strcmp(self->files.data[i].path, path) != 0)
		i++;
	if (i == self->files.n) {
		snprintf(file.path, sizeof(file.path), "%s", path);
		if (path[0] == '/')
			(void)!image_read(path, &file.image);
		if (!pd_vec_push(&self->files, file))
			die("no memory");
	}
	const struct image *image = &self->files.data[i].image;
	return image->e_machine == self->target.arch->e_machine ? image : NULL;
}

enum { PAGE = 4096 };

static uint64_t page_of(uint64_t addr)
{
	return addr & ~(uint64_t)(PAGE - 1);
}

static void add_mapping(struct mappings *mappings, const struct mapping *mapping)
{
	if (!pd_vec_push(&mappings->list, *mapping))
		die("no memory");
}

/*
 * Add the segments of a file that is mapped from @first on. The host's protections differ from the
 * target's.
 */
static void add_segments(
	const struct image *image, const struct mapping *first, struct mappings *ret)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct image_segment *segment = &image->segments[i];
		uint64_t start =
			first->start - page_of(image->segments[0].vaddr) + page_of(segment->vaddr);
		struct mapping mapping = *first;

		mapping.start = start;
		mapping.end = page_of(start + segment->vaddr % PAGE + segment->size + PAGE - 1);
		mapping.offset = page_of(segment->offset);
		mapping.prot = PROT_READ | (segment->is_exec ? PROT_EXEC : PROT_WRITE);
		add_mapping(ret, &mapping);
	}
}

/* Name the page that qemu makes for the return from handlers, as kernels name theirs. */
static void add_trampoline(struct target_gdbstub *self, struct mappings *ret)
{
	bool is_arm = self->target.arch->e_machine == EM_ARM;
	struct mapping mapping = { .prot = PROT_READ | PROT_EXEC };

	for (size_t i = 0; i < ret->list.n; i++) { /* unless the C library has one */
		const struct mapping *other = &ret->list.data[i];

		if (other->path[0] && other->start <= self->trampoline &&
			self->trampoline < other->end)
			return;
	}
	if (!self->trampoline)
		return;
	mapping.start = page_of(self->trampoline);
	mapping.end = mapping.start + PAGE;
	snprintf(mapping.path, sizeof(mapping.path), "%s", is_arm ? "[sigpage]" : "[vdso]");
	add_mapping(ret, &mapping);
}

static void get_mappings(struct target *target, struct mappings *ret)
{
	struct target_gdbstub *self = self_of(target);
	struct mappings all = { 0 };
	const char *last = "";

	mappings_read(target->pid, &all);
	ret->list.n = 0;
	for (size_t i = 0; i < all.list.n; i++) {
		struct mapping *mapping = &all.list.data[i];
		const struct image *image = image_of(self, mapping->path);

		mapping->start -= target->base;
		mapping->end -= target->base;
		mapping->prot = PROT_READ | PROT_WRITE;
		if (!image) { /* only its address matters: it may be a stack, or qemu's own */
			mapping->path[0] = '\0';
			add_mapping(ret, mapping);
		} else if (strcmp(last, mapping->path) != 0) {
			add_segments(image, mapping, ret);
			last = mapping->path;
		}
	}
	add_trampoline(self, ret);
	mappings_deinit(&all);
}

static void destroy(struct target *target)
{
	struct target_gdbstub *self = self_of(target);
	int status;

	kill(target->pid, SIGKILL);
	waitpid(target->pid, &status, 0);
	close(self->fd);
	pd_vec_deinit(&self->handlers);
	pd_vec_deinit(&self->files);
	free(self);
}

static const struct target_ops gdbstub_ops = {
	.wait = wait_event,
	.step = step,
	.run_to = run_to,
	.regs = get_regs,
	.more_regs = get_more_regs,
	.mappings = get_mappings,
	.destroy = destroy,
};

/* qemu waits for a connection before it runs the program. */
static int connect_to(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const struct timespec a_while = { .tv_nsec = CONNECT_WAIT_NS };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	for (int i = 0; i < CONNECT_TRIES; i++) {
		if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
			return fd;
		nanosleep(&a_while, NULL);
	}
	die("qemu does not listen on %s", path);
}

/* Find the address of the program in the target and in qemu. */
static void find_program(struct target_gdbstub *self)
{
	struct target *target = &self->target;
	struct mappings mappings = { 0 };
	struct image image;
	char path[PATH_MAX];

	if (!realpath(target->program, path) || !image_read(path, &image))
		die("'%s' is not an ELF file", target->program);
	if (!ask(self, "qXfer:auxv:read::0,1000") || self->answer[0] != 'l')
		die("no auxiliary vector: %s", self->answer);
	target->bias =
		target_auxv(target, (uint8_t *)self->answer + 1, self->answer_size - 1, AT_PHDR) -
		image.phdrs;
	mappings_read(target->pid, &mappings);
	for (size_t i = 0; i < mappings.list.n; i++) {
		const struct mapping *mapping = &mappings.list.data[i];

		if (strcmp(mapping->path, path) != 0)
			continue;
		target->base = mapping->start - (page_of(image.segments[0].vaddr) + target->bias);
		break;
	}
	mappings_deinit(&mappings);
}

/* Breakpoints stay set at handlers, because a step does not stop at their entry. */
static void stop_at_handlers(struct target_gdbstub *self)
{
	static const char *const names[] = { "on_signal", "on_signal_nested" };
	uint64_t pc;

	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		if (target_symbol(&self->target, names[i], &pc))
			set_breakpoint(self, 'Z', pc);
	}
}

struct target *target_gdbstub(const struct target_opts *opts, const char *socket)
{
	struct target_gdbstub *self = calloc(1, sizeof(*self));

	if (!self)
		die("no memory");
	self->target.ops = &gdbstub_ops;
	self->target.arch = opts->arch;
	self->target.program = opts->program;
	self->target.pid = fork();
	if (self->target.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(opts->argv[0], opts->argv);
		_exit(127);
	}
	self->fd = connect_to(socket);
	if (!ask(self, "qSupported:xmlRegisters=i386,arm"))
		die("qemu has exited");
	/* A request for descriptions adds all registers, on aarch64 10 KiB that are not needed. */
	if (opts->arch->e_machine != EM_AARCH64 &&
		!ask(self, "qXfer:features:read:target.xml:0,ffb"))
		die("qemu has exited");
	find_program(self);
	stop_at_handlers(self);
	return &self->target;
}
