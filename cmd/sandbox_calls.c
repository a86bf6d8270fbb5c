#include "cmd/sandbox_calls.h"

#include <asm/termbits.h>
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/sandbox_defs.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
/* Some architectures have only the older one. */
#ifndef TCGETS2
#define TCGETS2 TCGETS
#endif

/* The argument of clone() that has the flags. */
#ifdef __s390__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif

struct call {
	const char *name;
	/* The bits @a mask of this argument must have the value; mask 0: any will do. */
	unsigned argument;
	uint64_t mask;
	uint64_t value;
};

/* Calls of another architecture, or newer than the library, have no number: nothing makes them. */
static int allow(scmp_filter_ctx filter, const struct call *call)
{
	const struct scmp_arg_cmp condition = {
		.arg = call->argument,
		.op = SCMP_CMP_MASKED_EQ,
		.datum_a = call->mask,
		.datum_b = call->value,
	};
	int number = seccomp_syscall_resolve_name(call->name);

	if (number < 0)
		return 0;
	int failed =
		seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, call->mask != 0, &condition);
	return failed == -EEXIST ? 0 : failed;
}

static int allow_all(scmp_filter_ctx filter)
{
#define CALL(name) { #name, 0, 0, 0 },
#define CALL_IF(name, argument, mask, value) { #name, argument, mask, value },
	const struct call calls[] = { CMD_ALLOWED_CALLS(CALL, CALL_IF)
#ifdef PD_SANITIZED
			CMD_SANITIZER_CALLS(CALL)
#endif
	};
#undef CALL
#undef CALL_IF
	int failed = 0;

	for (size_t i = 0; i < PD_ARRAY_LEN(calls) && !failed; i++)
		failed = allow(filter, &calls[i]);
	return failed;
}

void cmd_calls_restrict(void)
{
	/* Other calls fail as if the kernel did not have them: the C library then does without. */
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));

	if (!filter)
		return;
	/* Kernels before 5.16 would slow down all stores, for programs that share a process. */
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	if (!allow_all(filter))
		(void)seccomp_load(filter);
	seccomp_release(filter);
}
