#include "symbolize/file/access.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/limit.h"
#include "symbolize/file/open_path.h"

/**
 * Upper limit for the size of a file that is opened. No program or debug file is that large, but
 * /proc/kcore has 128 TiB.
 */
static const off_t MAX_FILE_SIZE = (off_t)PD_LIMIT_FILE_BYTES;

/* Whether @p path is exactly one of SYM_MAP_FILE_FORMAT. */
static bool is_map_file(const char *path)
{
	unsigned long start, end;
	struct sym_path exact;
	unsigned pid;

	return sscanf(path, SYM_MAP_FILE_FORMAT, &pid, &start, &end) == 3 &&
	       strcmp(path, sym_path_format(&exact, SYM_MAP_FILE_FORMAT, pid, start, end)) == 0;
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

static bool is_one_of(int error, const int *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (error == list[i])
			return true;
	}
	return false;
}

/* Whether the file does not exist, such as one below /proc of a process that has just ended. */
static bool is_missing(int error)
{
	static const int missing[] = { ENOENT, ENOTDIR, ENAMETOOLONG, ESRCH };

	return is_one_of(error, missing, PD_ARRAY_LEN(missing));
}

/* Whether the file was never meant to be read. */
static bool is_forbidden(int error)
{
	static const int forbidden[] = { EACCES, EPERM, ELOOP, EXDEV, ENXIO, ENODEV };

	return is_one_of(error, forbidden, PD_ARRAY_LEN(forbidden));
}

int sym_open_failed(
	const char *path, struct sym_access access, int error, struct sym_failure *failure_ret)
{
	/* Many candidates are tried, and the search reports why it found none. */
	if (!is_missing(error) && !is_forbidden(error))
		sym_trouble_add(access.trouble, path, error);
	failure_ret->status = is_missing(error) ? SYM_NO_FILE : SYM_UNREADABLE;
	failure_ret->text = base_error_text(error);
	return -1;
}

static int refuse(struct sym_failure *ret, const char *text)
{
	*ret = (struct sym_failure){ SYM_NOT_ELF, text };
	return -1;
}

/* Look at @p path. Links of the kernel to files that a process has mapped are followed. */
static bool see(const char *path, size_t root_len, bool is_kernel_expected, struct sym_seen *ret)
{
	return sym_see(path, root_len, is_kernel_expected || is_map_file(path), ret);
}

int sym_open_regular(const char *path, struct sym_access access, struct sym_failure *failure_ret)
{
	size_t root_len = find_root(path, &access);
	_cleanup_(sym_unsee) struct sym_seen seen = { .fd = -1 };

	sym_deps_add_below(access.deps, SYM_DEP_FILE, path, root_len);
	if (!see(path, root_len, access.is_kernel_expected, &seen))
		return sym_open_failed(path, access, errno, failure_ret);
	if (!S_ISREG(seen.st.st_mode))
		return refuse(failure_ret, "is not a regular file");
	if (seen.st.st_size > MAX_FILE_SIZE) {
		sym_trouble_add_limit(access.trouble, path, PD_LIMIT_ID_FILE_BYTES);
		return refuse(failure_ret, "has more than 1 TiB");
	}
	if (!access.is_kernel_expected && sym_seen_is_of_kernel(&seen))
		return refuse(failure_ret, "is made by the kernel");
	int fd = sym_seen_open(&seen, path, root_len);
	return fd < 0 ? sym_open_failed(path, access, errno, failure_ret) : fd;
}

bool sym_stat_regular(const char *path, struct sym_access access, struct stat *ret)
{
	size_t root_len = find_root(path, &access);
	_cleanup_(sym_unsee) struct sym_seen seen = { .fd = -1 };

	sym_deps_add_below(access.deps, SYM_DEP_FILE, path, root_len);
	if (!see(path, root_len, access.is_kernel_expected, &seen))
		return false;
	*ret = seen.st;
	return S_ISREG(seen.st.st_mode);
}

bool sym_real_path(const char *path, struct sym_access access, struct sym_path *ret)
{
	size_t root_len = find_root(path, &access);
	_cleanup_(sym_unsee) struct sym_seen seen = { .fd = -1 };

	sym_deps_add_below(access.deps, SYM_DEP_REAL_PATH, path, root_len);
	return sym_see(path, root_len, true, &seen) && sym_seen_path(&seen, path, root_len, ret);
}
