#include "cmd/process/sandbox.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io/cache_dir.h"
#include "base/cleanup.h"
#include "base/io/destination.h"
#include "base/format.h"
#include "base/io/temporary.h"
#include "cmd/process/pager.h"
#include "cmd/process/sandbox_defs.h"
#include "cmd/process/search_options.h"

/* Files, TCP and signals: Landlock. */

/*
 * The interface is that of linux/landlock.h, whose versions add members and bits. They are declared
 * here because a kernel may be newer than the headers that pdconv was built with.
 */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

struct ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

struct path_beneath_attr {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

/* Reading files and directories is not among them: rules are needed only for what is listed. */
enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_CHAR = 1 << 6,
	FS_MAKE_DIR = 1 << 7,
	FS_MAKE_REG = 1 << 8,
	FS_MAKE_SOCK = 1 << 9,
	FS_MAKE_FIFO = 1 << 10,
	FS_MAKE_BLOCK = 1 << 11,
	FS_MAKE_SYM = 1 << 12,
	FS_REFER = 1 << 13,
	FS_TRUNCATE = 1 << 14,
	FS_IOCTL_DEV = 1 << 15,
	NET_TCP = 1 << 0 | 1 << 1,
	SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0,
	SCOPE_SIGNAL = 1 << 1,
};

static const uint64_t FS_FIRST = FS_EXECUTE | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE |
				 FS_MAKE_CHAR | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SOCK |
				 FS_MAKE_FIFO | FS_MAKE_BLOCK | FS_MAKE_SYM;

/* Rights that each version of the interface can forbid in addition to the one before. */
static const struct ruleset_attr VERSIONS[] = {
	{ .handled_access_fs = FS_FIRST },
	{ .handled_access_fs = FS_REFER },
	{ .handled_access_fs = FS_TRUNCATE },
	{ .handled_access_net = NET_TCP },
	{ .handled_access_fs = FS_IOCTL_DEV },
	{ .scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL },
};

/** A set of rules that is built. */
struct landlock {
	/** Kinds of access to files that need a rule, as bits of Landlock. */
	uint64_t handled_fs;
	/** -1: the kernel has no Landlock. */
	int fd;
};

/* Everything that the running kernel can forbid. */
static struct ruleset_attr find_handled(long version)
{
	struct ruleset_attr handled = { 0 };

	for (long i = 0; i < version && i < (long)PD_ARRAY_LEN(VERSIONS); i++) {
		handled.handled_access_fs |= VERSIONS[i].handled_access_fs;
		handled.handled_access_net |= VERSIONS[i].handled_access_net;
		handled.scoped |= VERSIONS[i].scoped;
	}
	return handled;
}

/* Start a set. With @p keeps_network TCP and Unix sockets stay as they are. */
static void landlock_init(struct landlock *landlock, bool keeps_network)
{
	long version = syscall(CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
	struct ruleset_attr handled = find_handled(version);

	if (keeps_network) {
		handled.handled_access_net = 0;
		handled.scoped &= ~(uint64_t)SCOPE_ABSTRACT_UNIX_SOCKET;
	}
	*landlock = (struct landlock){ .handled_fs = handled.handled_access_fs, .fd = -1 };
	/* An older kernel accepts a larger struct if what it does not know is 0. */
	if (version > 0)
		landlock->fd = (int)syscall(CREATE_RULESET, &handled, sizeof(handled), 0);
}

static void landlock_deinit(struct landlock *landlock)
{
	base_close(&landlock->fd);
}

/* A path that does not exist needs no rule: opening it fails anyway. */
static void allow_path(struct landlock *landlock, int fd, uint64_t access)
{
	const struct path_beneath_attr rule = {
		.allowed_access = access & landlock->handled_fs,
		.parent_fd = fd,
	};

	syscall(ADD_RULE, landlock->fd, RULE_PATH_BENEATH, &rule, 0);
}

static const uint64_t FILES_OF_DIR = FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_REG | FS_TRUNCATE;

/*
 * Allow to create, replace, write and remove regular files in the directory @p path and below. @p
 * dir is the directory of a relative path, or AT_FDCWD.
 */
static void landlock_allow_dir(struct landlock *landlock, int dir, const char *path)
{
	_cleanup_close_ int fd = openat(dir, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	allow_path(landlock, fd, FILES_OF_DIR);
}

/* Like landlock_allow_dir(), for directories in it, too. */
static void landlock_allow_tree(struct landlock *landlock, int dir, const char *path)
{
	_cleanup_close_ int fd = openat(dir, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	allow_path(landlock, fd, FILES_OF_DIR | FS_MAKE_DIR | FS_REMOVE_DIR);
}

/* Allow to write, truncate and control an existing file, unless it is a directory. */
static void landlock_allow_file(struct landlock *landlock, int dir, const char *path)
{
	_cleanup_close_ int fd = openat(dir, path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
		allow_path(landlock, fd, FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV);
}

/*
 * Forbid this thread and those that it creates all else that changes files, executing them, signals
 * to other processes and, unless the network is kept, TCP connections. Reading files stays allowed.
 */
static void landlock_restrict(struct landlock *landlock)
{
	if (landlock->fd >= 0)
		syscall(RESTRICT_SELF, landlock->fd, 0);
}

/* System calls: seccomp. */

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
static int allow_call(scmp_filter_ctx filter, const struct call *call)
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
		failed = allow_call(filter, &calls[i]);
	return failed;
}

/*
 * Let system calls that are not in cmd/process/sandbox_defs.h fail with ENOSYS in this thread and
 * those that it creates. Does nothing if the kernel does not allow it.
 */
static void restrict_calls(void)
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

/* Rights of a conversion. */

/* Fetching needs the network, the name service, and the cache of debuginfod clients. */
static bool fetches_files(const struct cmd_options *options)
{
	return options->profile.search.debuginfod_urls;
}

/* An output that cannot be reached is reported when it is opened. */
static void allow_output(
	struct landlock *landlock, const char *path, const struct cmd_output_opts *opts)
{
	_cleanup_(base_destination_deinit) struct base_destination to = { 0 };
	struct pd_error *err = base_destination_find(path, !opts->in_place, &to);

	if (err)
		pd_error_destroy(err);
	else if (opts->is_directory)
		landlock_allow_tree(landlock, to.dir, ".");
	else if (base_destination_is_special(&to) || (opts->in_place && to.exists))
		landlock_allow_file(landlock, to.dir, to.name);
	else
		landlock_allow_dir(landlock, to.dir, ".");
}

/* The folder has to exist, since a rule is about a file, not about a path. */
static struct pd_error *allow_cache(struct landlock *landlock, const struct cmd_options *options)
{
	_cleanup_free_ char *dir = NULL;
	struct pd_error *err = cmd_cache_dir(options, &dir);

	if (err || !dir || base_cache_dir_distrust(dir))
		return err;
	base_cache_dir_create(dir);
	landlock_allow_dir(landlock, AT_FDCWD, dir);
	return NULL;
}

/* The cache of debuginfod clients: libdebuginfod uses the first of these directories. */
static struct pd_error *allow_debuginfod_cache(struct landlock *landlock)
{
	const char *given = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");
	const char *cache = getenv("XDG_CACHE_HOME");
	_cleanup_free_ char *old = base_format("%s/.debuginfod_client_cache", home ? home : "");
	_cleanup_free_ char *dir =
		cache && cache[0] ? base_format("%s/debuginfod_client", cache)
				  : base_format("%s/.cache/debuginfod_client", home ? home : "");

	if (!old || !dir)
		return &pd_enomem;
	if (given && given[0]) {
		base_cache_dir_create(given);
		landlock_allow_tree(landlock, AT_FDCWD, given);
		return NULL;
	}
	base_cache_dir_create(dir);
	landlock_allow_tree(landlock, AT_FDCWD, old);
	landlock_allow_tree(landlock, AT_FDCWD, dir);
	return NULL;
}

static struct pd_error *allow_writing(
	struct landlock *landlock, const char *path, const struct cmd_output_opts *opts)
{
	if (!cmd_output_is_stdout(path))
		allow_output(landlock, path, opts);
	landlock_allow_dir(landlock, AT_FDCWD, base_temporary_dir());
	landlock_allow_dir(landlock, AT_FDCWD, base_temporary_large_dir());
	struct pd_error *err = allow_cache(landlock, opts->options);
	return err || !fetches_files(opts->options) ? err : allow_debuginfod_cache(landlock);
}

struct pd_error *cmd_sandbox_enter(const char *path, const struct cmd_output_opts *opts)
{
	_cleanup_(landlock_deinit) struct landlock landlock = { .fd = -1 };

	bool fetches = fetches_files(opts->options);

	if (opts->options->no_sandbox)
		return NULL;
	if (opts->is_text && cmd_output_is_stdout(path)) {
		struct pd_error *err = cmd_pager_stand_by(opts->options);

		if (err)
			return err;
	}
	landlock_init(&landlock, fetches);
	struct pd_error *err = allow_writing(&landlock, path, opts);
	if (err)
		return err;
	/* Only root may give up rights without this. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return NULL;
	landlock_restrict(&landlock);
	/* Which calls the network and the name service need is not known. */
	if (!fetches)
		restrict_calls();
	return NULL;
}
