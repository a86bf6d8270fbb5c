/** @file Names of system calls by their numbers. */
#ifndef PD_LEDGER_SYSCALL_NAME_H
#define PD_LEDGER_SYSCALL_NAME_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/arch.h>

/** Bytes that names take, with the NUL. */
enum { LED_SYSCALL_NAME_SIZE = 64 };

/**
 * Write the name of system call @p number of @p arch to @p ret, or the number if it has no name.
 * @p arch may be NULL.
 */
void led_syscall_name(
	const struct pd_arch *arch, int64_t number, char ret[static LED_SYSCALL_NAME_SIZE]);

#endif
