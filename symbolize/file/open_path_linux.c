#include "symbolize/file/open_path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/limit.h"

enum {
	/** Links in a path, as in the kernel (MAXSYMLINKS). */
	MAX_LINKS = PD_LIMIT_PATH_LINKS,
	/** Components that are opened for one path by steps. */
	MAX_STEPS = PD_LIMIT_PATH_STEPS,
	/** Calls of openat2() if directories are renamed meanwhile. */
	MAX_RETRIES = 16,
};

/*
 * File systems of the kernel. Their files look regular, but reading them can take data away from
 * others (trace_pipe, kmsg) or reach hardware (the resources of PCI devices).
 */
static const uint32_t KERNEL_FILE_SYSTEMS[] = {
	PROC_SUPER_MAGIC,
	SYSFS_MAGIC,
	TRACEFS_MAGIC,
	DEBUGFS_MAGIC,
	SECURITYFS_MAGIC,
	BPF_FS_MAGIC,
	CGROUP_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC,
	PSTOREFS_MAGIC,
	EFIVARFS_MAGIC,
	SELINUX_MAGIC,
};

static int open_resolved(int dir, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = { .flags = (uint64_t)(flags | O_CLOEXEC), .resolve = resolve };
	int fd;

	for (int i = 0; i < MAX_RETRIES; i++) {
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd;
}

/* Whether openat2() failed because the kernel, or a filter of system calls, does not have it. */
static bool is_unsupported(int error)
{
	return error == ENOSYS || error == EPERM;
}

/* State while a path is followed by steps. */
struct walk {
	int root;
	/** Components that were followed, without links and "..". */
	struct sym_path done;
	/** Components that are left. */
	struct sym_path rest;
	unsigned links;
	unsigned steps;
};

static int fail(int error)
{
	errno = error;
	return -1;
}

/* Skip the slashes before the next component of *rest. Returns its length, 0 at the end. */
static size_t next_component(const char **rest)
{
	*rest += strspn(*rest, "/");
	return strcspn(*rest, "/");
}

/* Open one component, which is not followed if it is a link. */
static int step(struct walk *walk, int dir, const char *name, int flags)
{
	if (walk->steps++ >= MAX_STEPS && base_limit_reach(PD_LIMIT_ID_PATH_STEPS))
		return fail(ELOOP);
	return openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
}

/* Open the directory walk->done. It has no links, unless it is being changed, which fails. */
static int open_done(struct walk *walk)
{
	_cleanup_close_ int dir = fcntl(walk->root, F_DUPFD_CLOEXEC, 0);
	const char *rest = walk->done.text;
	char name[256];
	size_t len;

	while (dir >= 0 && (len = next_component(&rest))) {
		snprintf(name, sizeof(name), "%.*s", (int)len, rest);
		int next = step(walk, dir, name, O_PATH | O_DIRECTORY);
		close(dir);
		dir = next;
		rest += len;
	}
	int opened = dir;
	dir = -1;
	return opened;
}

/* Replace the link @p fd, which comes before @p rest, with what it refers to. */
static int follow_link(struct walk *walk, int fd, const char *rest)
{
	struct sym_path target, joined;
	ssize_t len = readlinkat(fd, "", target.text, sizeof(target.text) - 1);

	if (len <= 0)
		return len < 0 ? -1 : fail(ENOENT);
	if (++walk->links > MAX_LINKS && base_limit_reach(PD_LIMIT_ID_PATH_LINKS))
		return fail(ELOOP);
	target.text[len] = '\0';
	if (target.text[0] == '/')
		walk->done.text[0] = '\0';
	if (!*sym_path_format(&joined, "%s%s", target.text, rest))
		return fail(ENAMETOOLONG);
	walk->rest = joined;
	return 0;
}

static void drop_last(struct sym_path *done)
{
	char *slash = strrchr(done->text, '/');

	if (slash)
		*slash = '\0';
}

/* Whether the last component of the path is reached: only slashes follow. */
static bool is_end(const char *rest)
{
	return !rest[strspn(rest, "/")];
}

/*
 * Follow the first component of walk->rest. *opened_ret is the descriptor of the file at the end of
 * the path, -1 before it. Returns -1 and sets errno on failure.
 */
static int advance(struct walk *walk, int flags, int *opened_ret)
{
	const char *rest = walk->rest.text;
	size_t len = next_component(&rest);
	char name[256];
	struct sym_path done, tail;
	struct stat st;

	*opened_ret = -1;
	if (len >= sizeof(name))
		return fail(ENAMETOOLONG);
	snprintf(name, sizeof(name), "%.*s", (int)len, rest);
	sym_path_format(&tail, "%s", rest + len);
	if (strcmp(name, "..") == 0)
		drop_last(&walk->done);
	if (!len || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		if (is_end(tail.text))
			return *opened_ret = open_done(walk);
		walk->rest = tail;
		return 0;
	}
	_cleanup_close_ int dir = open_done(walk);
	_cleanup_close_ int fd = dir < 0 ? -1 : step(walk, dir, name, O_PATH);
	if (fd < 0 || fstat(fd, &st))
		return -1;
	if (S_ISLNK(st.st_mode))
		return follow_link(walk, fd, tail.text);
	if (is_end(tail.text))
		return *opened_ret = step(walk, dir, name, flags | (*tail.text ? O_DIRECTORY : 0));
	if (!S_ISDIR(st.st_mode))
		return fail(ENOTDIR);
	if (!*sym_path_format(&done, "%s/%s", walk->done.text, name))
		return fail(ENAMETOOLONG);
	walk->done = done;
	walk->rest = tail;
	return 0;
}

/*
 * Follow @p file in @p root. Directories are always opened from the root, where no component is a
 * link any more, so that ".." cannot lead out even if directories are moved meanwhile.
 */
static int open_by_steps(int root, const char *file, int flags)
{
	struct walk walk = { .root = root };
	int opened = -1;

	if (!*sym_path_format(&walk.rest, "/%s", file))
		return fail(ENAMETOOLONG);
	while (opened < 0) {
		if (advance(&walk, flags, &opened) < 0)
			return -1;
	}
	return opened;
}

/* Open @p file with the flags of open() as if the directory @p root were "/". */
static int open_below(int root, const char *file, int flags)
{
	int fd = open_resolved(root, file, flags, RESOLVE_IN_ROOT);

	if (fd >= 0 || !is_unsupported(errno))
		return fd;
	return open_by_steps(root, file, flags);
}

static int open_root(const char *path, size_t root_len)
{
	struct sym_path root;

	sym_path_format(&root, "%.*s", (int)root_len, path);
	return open(root.text, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_with(const char *path, size_t root_len, int flags)
{
	if (!root_len)
		return open(path, flags | O_CLOEXEC);
	_cleanup_close_ int root = open_root(path, root_len);
	return root < 0 ? -1 : open_below(root, path + root_len, flags);
}

/*
 * Open @p path for a look at it. Magic links such as /dev/stdin and /proc/self/exe lead to files of
 * pdconv itself instead of the recorded process, so they are not followed.
 */
static int look_at(const char *path, size_t root_len, bool follows_magic)
{
	if (root_len || follows_magic)
		return open_with(path, root_len, O_PATH);
	int fd = open_resolved(AT_FDCWD, path, O_PATH, RESOLVE_NO_MAGICLINKS);
	return fd >= 0 || !is_unsupported(errno) ? fd : open_with(path, 0, O_PATH);
}

/* Set @p ret to the file @p fd; -1: it could not be opened. */
static bool see(int fd, struct sym_seen *ret)
{
	*ret = (struct sym_seen){ .fd = fd };
	if (fd < 0)
		return false;
	if (fstat(fd, &ret->st) == 0)
		return true;
	sym_unsee(ret);
	return false;
}

bool sym_see(const char *path, size_t root_len, bool follows_magic, struct sym_seen *ret)
{
	return see(look_at(path, root_len, follows_magic), ret);
}

bool sym_see_by_steps(const char *path, size_t root_len, struct sym_seen *ret)
{
	_cleanup_close_ int root = open_root(path, root_len);

	return see(root < 0 ? -1 : open_by_steps(root, path + root_len, O_PATH), ret);
}

void sym_unsee(struct sym_seen *seen)
{
	base_close(&seen->fd);
}

bool sym_seen_is_of_kernel(const struct sym_seen *seen)
{
	struct statfs fs;

	if (fstatfs(seen->fd, &fs))
		return false;
	for (size_t i = 0; i < PD_ARRAY_LEN(KERNEL_FILE_SYSTEMS); i++) {
		if ((uint32_t)fs.f_type == KERNEL_FILE_SYSTEMS[i])
			return true;
	}
	return false;
}

static const char *link_of(int fd, struct sym_path *ret)
{
	return sym_path_format(ret, "/proc/self/fd/%d", fd);
}

void sym_seen_link(const struct sym_seen *seen, struct sym_path *ret)
{
	link_of(seen->fd, ret);
}

int sym_seen_open(const struct sym_seen *seen, const char *path, size_t root_len)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY };
	struct sym_path link;
	struct stat now;

	int fd = open(link_of(seen->fd, &link), FLAGS | O_CLOEXEC);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	/* There is no /proc. The path may lead elsewhere by now. */
	fd = open_with(path, root_len, FLAGS);
	if (fd < 0 || (fstat(fd, &now) == 0 && now.st_dev == seen->st.st_dev &&
			      now.st_ino == seen->st.st_ino))
		return fd;
	close(fd);
	return fail(ENOENT);
}

/* Path of an open file without links, as the kernel knows it. Returns false without /proc. */
static bool path_of(int fd, struct sym_path *ret)
{
	struct sym_path link;
	ssize_t len = readlink(link_of(fd, &link), ret->text, sizeof(ret->text));

	if (len < 0 || (size_t)len >= sizeof(ret->text))
		return false;
	ret->text[len] = '\0';
	return true;
}

bool sym_seen_path(
	const struct sym_seen *seen, const char *path, size_t root_len, struct sym_path *ret)
{
	struct sym_path real, real_root;

	if (!path_of(seen->fd, &real))
		return false;
	if (!root_len) {
		*ret = real;
		return true;
	}
	_cleanup_close_ int root = open_root(path, root_len);
	if (root < 0 || !path_of(root, &real_root))
		return false;
	const char *rest = sym_path_after(real.text, real_root.text);
	return rest && *sym_path_format(ret, "%.*s%s", (int)root_len, path, rest);
}

bool sym_path_is_virtual(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 &&
	       (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC);
}
