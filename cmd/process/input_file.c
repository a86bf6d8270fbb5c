#include "cmd/process/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io/temporary.h"

static bool is_stdin(const char *path)
{
	return strcmp(path, "-") == 0;
}

static bool has_type(const char *path, mode_t type)
{
	struct stat st;
	int result = is_stdin(path) ? fstat(STDIN_FILENO, &st) : stat(path, &st);

	return result == 0 && (st.st_mode & S_IFMT) == type;
}

/* Pipes and sockets can be read only once. Opening refuses other special files. */
static bool comes_once(const char *path)
{
	return has_type(path, S_IFIFO) || has_type(path, S_IFSOCK);
}

static struct pd_error *copy(int from, int to, const char *path)
{
	enum { ROOM = 1 << 20 };
	_cleanup_free_ char *buf = malloc(ROOM);
	ssize_t n = 1;

	if (!buf)
		return &pd_enomem;
	while (n) {
		n = read(from, buf, ROOM);
		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = from, .events = POLLIN }, 1, -1);
		else if (n < 0 && errno != EINTR)
			return pd_error_os(path, "cannot read");
		if (n > 0 && !base_write_all(to, buf, (size_t)n))
			return pd_error_os(path, "cannot copy to a temporary file");
	}
	return NULL;
}

static struct pd_error *spool(const char *path, int *ret)
{
	_cleanup_close_ int opened = is_stdin(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	int from = is_stdin(path) ? STDIN_FILENO : opened;

	if (from < 0)
		return pd_error_os(path, "cannot open");
	int to = base_temporary_open();
	if (to < 0)
		return pd_error_os(path, "cannot copy to a temporary file");
	struct pd_error *err = copy(from, to, path);
	if (err) {
		base_close(&to);
		return err;
	}
	*ret = to;
	return NULL;
}

struct pd_error *cmd_input_init(const char *path, bool is_reread, struct cmd_input_file *ret)
{
	*ret = (struct cmd_input_file){ .path = path, .fd = -1 };
	if (!is_reread)
		return NULL;
	if (comes_once(path))
		return spool(path, &ret->fd);
	if (is_stdin(path))
		ret->fd = base_fd_share(STDIN_FILENO);
	return NULL;
}

struct pd_error *cmd_input_use(const char *path, int fd, struct cmd_input_file *ret)
{
	*ret = (struct cmd_input_file){ .path = path, .fd = base_fd_share(fd) };
	return ret->fd < 0 ? pd_error_os(path, "cannot read again") : NULL;
}

void cmd_input_deinit(struct cmd_input_file *input)
{
	base_close(&input->fd);
}

struct pd_error *cmd_input_open(
	const struct cmd_input_file *input, struct pd_diag *diag, struct pd_file **ret)
{
	if (input->fd >= 0)
		return pd_file_open_fd(input->fd, input->path, diag, ret);
	return pd_file_open(input->path, diag, ret);
}
