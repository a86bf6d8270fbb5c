/**
 * @file The sandbox: takes away what reading, naming and writing do not need.
 *
 * Recordings and binaries are untrusted. From here on, a bug in a decoder that they trigger can
 * neither start a program, nor reach the network or another process, nor write outside of the
 * folders in use. See doc/design/sandbox.md.
 */
#ifndef PD_CMD_SANDBOX_H
#define PD_CMD_SANDBOX_H

#include <pdconv/error.h>

#include "cmd/process/output_file.h"

/**
 * Enter the sandbox for a conversion whose output will be opened by cmd_output_open(@p path,
 * @p opts). A pager that will be needed stands by from now on. Nothing is done if the user refused
 * the sandbox. If files are to be fetched, the network and all system calls stay. A kernel without
 * a part of it leaves that part out. Call it before the first byte of the input is read, while
 * there is one thread. Errors: OS, NOMEM.
 */
struct pd_error *cmd_sandbox_enter(
	const char *path, const struct cmd_output_opts *opts) pd_must_check;

#endif
