/**
 * @file A program under control: natively by ptrace, or in qemu by its gdb stub.
 *
 * It stands at its first instruction after the start, in the dynamic linker if it has one. A thread
 * that reported an event stands still until it is stepped.
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
	/** The thread did one instruction, or stands at the first one of a signal handler. */
	TARGET_STEPPED,
	/** A signal is about to be delivered: step with it. */
	TARGET_SIGNALLED,
	/** The thread is new. */
	TARGET_BORN,
	TARGET_DIED,
	/** The whole program is gone. */
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
	/** Do one instruction, or enter the handler of @p signal if that is not 0. */
	void (*step)(struct target *target, pid_t tid, int signal);
	/** Let it run until a thread is at @p pc, and say which. */
	pid_t (*run_to)(struct target *target, uint64_t pc);
	void (*regs)(struct target *target, pid_t tid, struct cpu *ret);
	/** Registers that samples have and steps do not need; NULL if there are none. */
	void (*more_regs)(struct target *target, struct cpu *ret);
	void (*mappings)(struct target *target, struct mappings *ret);
	/** Kill the program. */
	void (*destroy)(struct target *target);
};

struct target {
	const struct target_ops *ops;
	const struct arch *arch;
	/** Of the program, or of the qemu that runs it. */
	pid_t pid;
	/** Address in that process - address in the target. */
	uint64_t base;
	const char *program;
	/** Address in the target - vaddr, of the program. */
	uint64_t bias;
};

struct target_opts {
	const struct arch *arch;
	/** The program and its arguments; with qemu before them if it is to run there. */
	char **argv;
	/** The program by itself. */
	const char *program;
	/** Threads that the program starts are stepped too. */
	bool follow;
};

struct target *target_ptrace(const struct target_opts *opts);
/** A path for the socket of qemu's stub is @p socket. */
struct target *target_gdbstub(const struct target_opts *opts, const char *socket);

/** Read up to @p size bytes of its memory; how many could be read. */
size_t target_read(struct target *target, uint64_t addr, void *buf, size_t size);
/** One word, 0 if it cannot be read. */
uint64_t target_word(struct target *target, uint64_t addr);
/** Where the program's symbol @p name is in the target; false if it has none. */
bool target_symbol(struct target *target, const char *name, uint64_t *ret);
/** What entry @p type of the auxiliary vector in @p bytes is; 0 if it is not there. */
uint64_t target_auxv(const struct target *target, const uint8_t *bytes, size_t size, uint64_t type);

#endif
