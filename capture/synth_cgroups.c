/* Cgroups: the directories of their hierarchy. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "capture/synth_private.h"

/** A handle with room for what a cgroup's has: the number that samples have. */
union handle {
	struct file_handle handle;
	uint8_t room[sizeof(struct file_handle) + sizeof(uint64_t)];
};

/* On 64-bit machines the inode is the same number. */
static bool read_id(const char *path, uint64_t *ret)
{
	union handle handle = { .handle = { .handle_bytes = sizeof(uint64_t) } };
	struct stat st;
	int mount;

	if (name_to_handle_at(AT_FDCWD, path, &handle.handle, &mount, 0) == 0 &&
		handle.handle.handle_bytes == sizeof(uint64_t)) {
		memcpy(ret, handle.room + sizeof(struct file_handle), sizeof(*ret));
		return true;
	}
	if (stat(path, &st) != 0)
		return false;
	*ret = st.st_ino;
	return true;
}

/* @p path, which is @p mount_len bytes longer than the name of the cgroup. */
static struct pd_error *put_cgroup(struct cap_synth *synth, const char *path, size_t mount_len)
{
	union pd_body body = { .cgroup = { .path = cap_str(path + mount_len) } };

	if (!read_id(path, &body.cgroup.id))
		return NULL;
	if (!body.cgroup.path.len)
		body.cgroup.path = cap_str("/");
	synth->counts.cgroups++;
	return cap_synth_put(synth, &pd_layout_cgroup, 0, &body);
}

/* @p path and what is below, which is added to it and taken off again. */
static struct pd_error *put_tree(struct cap_synth *synth, char path[PATH_MAX], size_t mount_len)
{
	struct pd_error *err = put_cgroup(synth, path, mount_len);
	DIR *dir = err ? NULL : opendir(path);
	size_t len = strlen(path);
	struct dirent *entry;

	while (dir && !err && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 ||
			strcmp(entry->d_name, "..") == 0)
			continue;
		int n = snprintf(path + len, PATH_MAX - len, "/%s", entry->d_name);
		if (n > 0 && (size_t)n < PATH_MAX - len)
			err = put_tree(synth, path, mount_len);
		path[len] = '\0';
	}
	if (dir)
		closedir(dir);
	return err;
}

struct pd_error *cap_synth_cgroups(struct cap_synth *synth)
{
	_cleanup_free_ char *mount = cap_machine_cgroups(&synth->machine);
	char path[PATH_MAX];

	if (!mount || !cap_machine_path(&synth->machine, path, "%s", mount))
		return cap_machine_check(&synth->machine);
	return put_tree(synth, path, strlen(path));
}
