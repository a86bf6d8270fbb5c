#include "cmd/sandbox_files.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"

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

void cmd_landlock_init(struct cmd_landlock *landlock, bool keeps_network)
{
	long version = syscall(CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
	struct ruleset_attr handled = find_handled(version);

	if (keeps_network) {
		handled.handled_access_net = 0;
		handled.scoped &= ~(uint64_t)SCOPE_ABSTRACT_UNIX_SOCKET;
	}
	*landlock = (struct cmd_landlock){ .handled_fs = handled.handled_access_fs, .fd = -1 };
	/* An older kernel accepts a larger struct if what it does not know is 0. */
	if (version > 0)
		landlock->fd = (int)syscall(CREATE_RULESET, &handled, sizeof(handled), 0);
}

void cmd_landlock_deinit(struct cmd_landlock *landlock)
{
	pd_close(&landlock->fd);
}

/* A path that does not exist needs no rule: opening it fails anyway. */
static void allow(struct cmd_landlock *landlock, int fd, uint64_t access)
{
	const struct path_beneath_attr rule = {
		.allowed_access = access & landlock->handled_fs,
		.parent_fd = fd,
	};

	syscall(ADD_RULE, landlock->fd, RULE_PATH_BENEATH, &rule, 0);
}

static const uint64_t FILES_OF_DIR = FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_REG | FS_TRUNCATE;

void cmd_landlock_allow_dir(struct cmd_landlock *landlock, int dir, const char *path)
{
	_cleanup_close_ int fd = openat(dir, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	allow(landlock, fd, FILES_OF_DIR);
}

void cmd_landlock_allow_tree(struct cmd_landlock *landlock, int dir, const char *path)
{
	_cleanup_close_ int fd = openat(dir, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	allow(landlock, fd, FILES_OF_DIR | FS_MAKE_DIR | FS_REMOVE_DIR);
}

void cmd_landlock_allow_file(struct cmd_landlock *landlock, int dir, const char *path)
{
	_cleanup_close_ int fd = openat(dir, path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
		allow(landlock, fd, FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV);
}

void cmd_landlock_restrict(struct cmd_landlock *landlock)
{
	if (landlock->fd >= 0)
		syscall(RESTRICT_SELF, landlock->fd, 0);
}
