#include "symbolize/file/open_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/limit.h"

/**
 * Upper limit for the size of a file that is opened. No program or debug file is that large, but
 * /proc/kcore has 128 TiB.
 */
static const off_t MAX_FILE_SIZE = (off_t)PD_LIMIT_FILE_BYTES;

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

int sym_open_below(int root, const char *file, int flags, bool by_steps)
{
	int fd = by_steps ? fail(ENOSYS) : open_resolved(root, file, flags, RESOLVE_IN_ROOT);

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
	return root < 0 ? -1 : sym_open_below(root, path + root_len, flags, false);
}

int sym_open_path(const char *path, size_t root_len)
{
	return open_with(path, root_len, O_PATH);
}

/* Whether @p path is exactly one of SYM_MAP_FILE_FORMAT. */
static bool is_map_file(const char *path)
{
	unsigned long start, end;
	struct sym_path exact;
	unsigned pid;

	return sscanf(path, SYM_MAP_FILE_FORMAT, &pid, &start, &end) == 3 &&
	       strcmp(path, sym_path_format(&exact, SYM_MAP_FILE_FORMAT, pid, start, end)) == 0;
}

/*
 * Open @p path for a look at it. Magic links such as /dev/stdin and /proc/self/exe lead to files of
 * pdconv itself instead of the recorded process, so they are not followed.
 */
static int look_at(const char *path, size_t root_len, bool is_kernel_expected)
{
	if (root_len || is_kernel_expected || is_map_file(path))
		return sym_open_path(path, root_len);
	int fd = open_resolved(AT_FDCWD, path, O_PATH, RESOLVE_NO_MAGICLINKS);
	return fd >= 0 || !is_unsupported(errno) ? fd : sym_open_path(path, 0);
}

/* Length of @p dir without trailing slashes, if it is set and @p path is below it, otherwise 0. */
static size_t len_above(const char *path, const char *dir)
{
	const char *rest = dir ? sym_path_after(path, dir) : NULL;

	return rest ? (size_t)(rest - path) : 0;
}

/* Length of /proc/PID/root, if @p path is below it, otherwise 0. */
static size_t proc_root_len(const char *path)
{
	static const char proc[] = "/proc/", root[] = "/root/";
	const char *p = path + strlen(proc);

	if (strncmp(path, proc, strlen(proc)) != 0 || !isdigit((unsigned char)*p))
		return 0;
	p += strspn(p, "0123456789");
	return strncmp(p, root, strlen(root)) == 0 ? (size_t)(p - path) + strlen(root) - 1 : 0;
}

static size_t find_root(const char *path, const struct sym_access *access)
{
	size_t len = len_above(path, access->symfs);

	if (!len)
		len = len_above(path, access->kernel_dir);
	return len ? len : proc_root_len(path);
}

static bool is_of_kernel(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	for (size_t i = 0; i < PD_ARRAY_LEN(KERNEL_FILE_SYSTEMS); i++) {
		if ((uint32_t)fs.f_type == KERNEL_FILE_SYSTEMS[i])
			return true;
	}
	return false;
}

/*
 * Whether @p error says that the file does not exist, or that it was never meant to be read: many
 * candidates are tried, and the search reports why it found none.
 */
static bool is_expected(int error)
{
	static const int expected[] = { ENOENT, ENOTDIR, ENAMETOOLONG, EACCES, EPERM, ELOOP, EXDEV,
		ENXIO, ENODEV };

	for (size_t i = 0; i < PD_ARRAY_LEN(expected); i++) {
		if (error == expected[i])
			return true;
	}
	return false;
}

int sym_open_failed(
	const char *path, struct sym_access access, int error, struct sym_failure *failure_ret)
{
	bool missing = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;

	if (!is_expected(error))
		sym_trouble_add(access.trouble, path, error);
	failure_ret->status = missing ? SYM_NO_FILE : SYM_UNREADABLE;
	failure_ret->text = strerrordesc_np(error);
	if (!failure_ret->text)
		failure_ret->text = "cannot be opened";
	return -1;
}

static int refuse(struct sym_failure *ret, const char *text)
{
	*ret = (struct sym_failure){ SYM_NOT_ELF, text };
	return -1;
}

/* Open the regular file @p seen, which was found at @p path, for reading. */
static int reopen(int seen, const struct stat *st, const char *path, size_t root_len)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY };
	char self[32];
	struct stat now;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", seen);
	int fd = open(self, FLAGS | O_CLOEXEC);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	/* There is no /proc. The path may lead elsewhere by now. */
	fd = open_with(path, root_len, FLAGS);
	if (fd < 0 ||
		(fstat(fd, &now) == 0 && now.st_dev == st->st_dev && now.st_ino == st->st_ino))
		return fd;
	close(fd);
	return fail(ENOENT);
}

int sym_open_regular(const char *path, struct sym_access access, struct sym_failure *failure_ret)
{
	size_t root_len = find_root(path, &access);
	struct stat st;

	sym_deps_add_below(access.deps, SYM_DEP_FILE, path, root_len);
	_cleanup_close_ int seen = look_at(path, root_len, access.is_kernel_expected);
	if (seen < 0 || fstat(seen, &st))
		return sym_open_failed(path, access, errno, failure_ret);
	if (!S_ISREG(st.st_mode))
		return refuse(failure_ret, "is not a regular file");
	if (st.st_size > MAX_FILE_SIZE) {
		sym_trouble_add_limit(access.trouble, path, PD_LIMIT_ID_FILE_BYTES);
		return refuse(failure_ret, "has more than 1 TiB");
	}
	if (!access.is_kernel_expected && is_of_kernel(seen))
		return refuse(failure_ret, "is made by the kernel");
	int fd = reopen(seen, &st, path, root_len);
	return fd < 0 ? sym_open_failed(path, access, errno, failure_ret) : fd;
}

bool sym_stat_regular(const char *path, struct sym_access access, struct stat *ret)
{
	size_t root_len = find_root(path, &access);

	sym_deps_add_below(access.deps, SYM_DEP_FILE, path, root_len);
	_cleanup_close_ int seen = look_at(path, root_len, access.is_kernel_expected);
	return seen >= 0 && fstat(seen, ret) == 0 && S_ISREG(ret->st_mode);
}

/* Path of an open file without links, as the kernel knows it. Returns false without /proc. */
static bool path_of(int fd, struct sym_path *ret)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(self, ret->text, sizeof(ret->text));
	if (len < 0 || (size_t)len >= sizeof(ret->text))
		return false;
	ret->text[len] = '\0';
	return true;
}

bool sym_real_path(const char *path, struct sym_access access, struct sym_path *ret)
{
	size_t root_len = find_root(path, &access);
	struct sym_path real, real_root;

	sym_deps_add_below(access.deps, SYM_DEP_REAL_PATH, path, root_len);
	_cleanup_close_ int fd = sym_open_path(path, root_len);
	if (fd < 0 || !path_of(fd, &real))
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
