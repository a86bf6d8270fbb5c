/* Control groups: the directories of the hierarchy. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "capture/synth/private.h"

/** A file handle with room for that of a cgroup: the 64-bit id that samples have. */
union handle {
	struct file_handle handle;
	uint8_t room[sizeof(struct file_handle) + sizeof(uint64_t)];
};

/*
 * Read the id of a cgroup. Where handles are not permitted, the inode is the same number on 64-bit
 * machines.
 */
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

/* Emit the cgroup at @p path, whose first @p mount_len bytes are the mount point. */
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

/*
 * Emit the cgroup at @p path and all below. @p path is the buffer for their paths, and unchanged
 * afterwards.
 */
static struct pd_error *put_tree(struct cap_synth *synth, char path[PATH_MAX], size_t mount_len)
{
	struct pd_error *err = put_cgroup(synth, path, mount_len);

	if (err)
		return err;
	_cleanup_(cap_close_dir) DIR *dir = opendir(path);
	size_t len = strlen(path);
	struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 ||
			strcmp(entry->d_name, "..") == 0)
			continue;
		int n = snprintf(path + len, PATH_MAX - len, "/%s", entry->d_name);
		/* A path that does not fit is skipped. System calls would not accept it either. */
		if (n > 0 && (size_t)n < PATH_MAX - len)
			err = put_tree(synth, path, mount_len);
		if (err)
			return err;
		path[len] = '\0';
	}
	return NULL;
}

struct pd_error *cap_synth_cgroups(struct cap_synth *synth)
{
	_cleanup_free_ char *mount = cap_machine_cgroups(&synth->machine);
	char path[PATH_MAX];

	if (!mount || !cap_machine_path(&synth->machine, path, "%s", mount))
		return cap_machine_check(&synth->machine);
	return put_tree(synth, path, strlen(path));
}
