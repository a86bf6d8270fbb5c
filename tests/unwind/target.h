/**
 * @file A program that is stepped: natively by ptrace, or in qemu by its gdb stub.
 *
 * After the start it is stopped at its first instruction, in the dynamic linker if it has one. A
 * thread that reported an event is stopped until it is stepped.
 */
#ifndef PD_TESTS_UNWIND_TARGET_H
#define PD_TESTS_UNWIND_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/unwind/arch.h"
#include "tests/unwind/mappings.h"

enum target_event_kind {
	/** The thread did one instruction, or is at the first one of a signal handler. */
	TARGET_STEPPED,
	/** A signal is about to be delivered: step with it. */
	TARGET_SIGNALLED,
	/** The thread is new. */
	TARGET_BORN,
	TARGET_DIED,
	/** The program has exited. */
	TARGET_EXITED,
};

struct target_event {
	enum target_event_kind kind;
	pid_t tid;
	int signal;
};

struct target;

struct target_ops {
	struct target_event (*wait)(struct target *target);
	/** Step one instruction, or into the handler of @p signal if that is not 0. */
	void (*step)(struct target *target, pid_t tid, int signal);
	/** Run until a thread is at @p pc, and return that thread. */
	pid_t (*run_to)(struct target *target, uint64_t pc);
	void (*regs)(struct target *target, pid_t tid, struct cpu *ret);
	/** Read registers that samples hold and stepping does not need. NULL if there are none. */
	void (*more_regs)(struct target *target, struct cpu *ret);
	void (*mappings)(struct target *target, struct mappings *ret);
	/** Kill the program. */
	void (*destroy)(struct target *target);
};

struct target {
	const struct target_ops *ops;
	const struct arch *arch;
	/** Process of the program, or of qemu. */
	pid_t pid;
	/** Address in that process minus address in the target. */
	uint64_t base;
	const char *program;
	/** Address in the target minus vaddr, for the program's file. */
	uint64_t bias;
};

struct target_opts {
	const struct arch *arch;
	/** Command line: the program and its arguments, after those of qemu if it is used. */
	char **argv;
	/** Path of the program. */
	const char *program;
	/** Step the threads that the program starts, too. */
	bool follow;
};

struct target *target_ptrace(const struct target_opts *opts);
/** Start qemu. Its stub listens on the path @p socket. */
struct target *target_gdbstub(const struct target_opts *opts, const char *socket);

/** Read up to @p size bytes of memory. Return how many could be read. */
size_t target_read(struct target *target, uint64_t addr, void *buf, size_t size);
/** Read one word. Return 0 if it cannot be read. */
uint64_t target_word(struct target *target, uint64_t addr);
/** Find the address of the symbol @p name in the target. Return false if the program has none. */
bool target_symbol(struct target *target, const char *name, uint64_t *ret);
/** Get entry @p type of the auxiliary vector in @p bytes, or 0 if it has none. */
uint64_t target_auxv(const struct target *target, const uint8_t *bytes, size_t size, uint64_t type);

#endif
