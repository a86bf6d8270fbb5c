#include "cmd/process/recorded_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pdconv/bytes.h>

#include "base/cleanup.h"
#include "base/deleted.h"
#include "base/system/base_machine.h"
#include "base/io/temporary.h"
#include "base/text.h"
#include "symbolize/file/access.h"
#include "symbolize/find/file_search.h"

struct pd_error *cmd_recorded_files_read(const char *input, const struct resolve_opts *opts,
	struct pd_diag *diag, struct profile **ret)
{
	struct resolve_opts own = *opts;
	struct pd_file *file;
	struct pd_error *err = pd_file_open(input, diag, &file);

	if (err)
		return err;
	pd_file_set_budget(file, opts->budget);
	/* Members of archives are not files, and perf's cache has kallsyms of the kernel. */
	own.search.n_archives = 0;
	own.kernel.ignore_vmlinux = true;
	/* Only names need .dwo and .dwp files. */
	own.no_names = !own.search.deps;
	own.list_files = true;
	err = resolve_profile(file, &own, ret);
	pd_file_close(file);
	return err;
}

static const char *kind_of(const struct prof_binary *binary, const char *name, bool is_debug)
{
	if (is_debug)
		return "debug";
	if (binary->is_kernel &&
		(base_has_prefix(name, "[kernel.") || base_has_prefix(name, "[guest.kernel.")))
		return "kallsyms";
	return base_has_prefix(name, "[vdso") ? "vdso" : "elf";
}

bool cmd_recorded_file(const struct profile *profile, const struct prof_attempt *attempt,
	struct cmd_recorded_file *ret)
{
	if (!attempt->is_taken || prof_is_none(attempt->binary))
		return false;
	const struct prof_binary *binary = prof_binary(profile, attempt->binary);
	*ret = (struct cmd_recorded_file){
		.binary = binary,
		.path = prof_string(profile, attempt->path),
		.kind = kind_of(binary, prof_string(profile, binary->name), attempt->is_debug),
	};
	return true;
}

/* Whether a component of @p path is "." or "..". */
static bool has_steps(const char *path)
{
	for (const char *part = path; *part; part += strspn(part, "/")) {
		size_t n = strcspn(part, "/");

		if ((n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
			return true;
		part += n;
	}
	return false;
}

char *cmd_recorded_path(const char *name)
{
	const char *at = name + strspn(name, "/");
	size_t len = base_undeleted_len(at);

	return len && !has_steps(at) && !base_has_prefix(at, ".build-id/") ? strndup(at, len)
									   : strdup("other");
}

static struct pd_error *read_all(int fd, const char *path, struct cmd_recorded_bytes *ret)
{
	struct pd_bytes bytes = { 0 };
	uint8_t buffer[1 << 16];
	ssize_t n;

	while ((n = base_read_some(fd, buffer, sizeof(buffer))) > 0)
		pd_bytes_put(&bytes, buffer, (size_t)n);
	struct pd_error *err = n < 0 ? pd_error_os(path, "cannot read") : NULL;
	ret->memory = bytes.buf.data;
	ret->size = bytes.buf.n;
	if (!err && bytes.failed)
		err = &pd_enomem;
	if (err)
		cmd_recorded_bytes_close(ret);
	return err;
}

static struct pd_error *copy_vdso(struct cmd_recorded_bytes *ret)
{
	size_t size = 0;
	const void *vdso = base_machine_vdso(&size);

	ret->memory = vdso ? malloc(size) : NULL;
	if (!ret->memory)
		return &pd_enomem;
	memcpy(ret->memory, vdso, size);
	ret->size = size;
	return NULL;
}

bool cmd_recorded_bytes_open(const struct cmd_recorded_file *file, const struct sym_search *search,
	struct cmd_recorded_bytes *ret, struct pd_error **err_ret)
{
	struct sym_access access = sym_search_access(search);
	struct sym_failure failure = { 0 };
	struct stat st;

	*ret = (struct cmd_recorded_bytes){ .fd = -1 };
	*err_ret = NULL;
	if (strcmp(file->path, SYM_OWN_VDSO) == 0) {
		*err_ret = copy_vdso(ret);
		return !*err_ret;
	}
	access.is_kernel_expected = strcmp(file->kind, "kallsyms") == 0;
	_cleanup_close_ int fd = file->held ? base_fd_share(file->held)
					    : sym_open_regular(file->path, access, &failure);
	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	ret->mtime = st.st_mtime;
	if (!st.st_size) {
		*err_ret = read_all(fd, file->path, ret);
		return !*err_ret;
	}
	ret->size = (uint64_t)st.st_size;
	ret->fd = fd;
	fd = -1;
	return true;
}

void cmd_recorded_bytes_close(struct cmd_recorded_bytes *bytes)
{
	base_close(&bytes->fd);
	free(bytes->memory);
	bytes->memory = NULL;
}
