#include "capture/machine/machine.h"

#include <ctype.h>
#include <errno.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"

enum {
	READ_BYTES = 16384,
	/** Limit of a file that is read as a whole; larger ones are truncated. */
	MAX_BYTES = 64 << 20,
};

static bool make_path(
	const struct cap_machine *machine, char ret[PATH_MAX], const char *fmt, va_list args)
{
	int root = snprintf(ret, PATH_MAX, "%s", machine->root);

	if (root < 0 || root >= PATH_MAX)
		return false;
	int n = vsnprintf(ret + root, (size_t)(PATH_MAX - root), fmt, args);
	return n >= 0 && n < PATH_MAX - root;
}

/* Call make_path() with the variable arguments after fmt. */
#define MAKE_PATH(machine, path, fmt) \
	({ \
		va_list args_; \
		va_start(args_, fmt); \
		bool fits_ = make_path(machine, path, fmt, args_); \
		va_end(args_); \
		fits_; \
	})

bool cap_machine_path(const struct cap_machine *machine, char ret[PATH_MAX], const char *fmt, ...)
{
	return MAKE_PATH(machine, ret, fmt);
}

FILE *cap_machine_open(const struct cap_machine *machine, const char *fmt, ...)
{
	char path[PATH_MAX];

	if (MAKE_PATH(machine, path, fmt))
		return fopen(path, "re");
	errno = ENAMETOOLONG;
	return NULL;
}

/* Whether the file is empty. An error of reading is not noticed here. */
static bool is_empty(FILE *in)
{
	int c = getc(in);

	if (c != EOF)
		ungetc(c, in);
	return c == EOF && !ferror(in);
}

/* Open the mappings of the first thread of a process that has any; NULL: none has. */
static FILE *open_other_maps(const struct cap_machine *machine, uint32_t pid, uint32_t *tid_ret)
{
	_cleanup_(cap_close_dir) DIR *dir = cap_machine_dir(machine, "/proc/%u/task", pid);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		FILE *in = tid && tid != pid
				   ? cap_machine_open(machine, "/proc/%u/task/%u/maps", pid, tid)
				   : NULL;

		if (in && !is_empty(in)) {
			*tid_ret = tid;
			return in;
		}
		if (in)
			fclose(in);
	}
	return NULL;
}

FILE *cap_machine_open_maps(const struct cap_machine *machine, uint32_t pid, uint32_t *tid_ret)
{
	FILE *in = cap_machine_open(machine, "/proc/%u/task/%u/maps", pid, pid);

	*tid_ret = pid;
	if (!in || !is_empty(in))
		return in;
	FILE *other = open_other_maps(machine, pid, tid_ret);
	if (!other)
		return in;
	fclose(in);
	return other;
}

DIR *cap_machine_dir(const struct cap_machine *machine, const char *fmt, ...)
{
	char path[PATH_MAX];

	if (MAKE_PATH(machine, path, fmt))
		return opendir(path);
	errno = ENAMETOOLONG;
	return NULL;
}

/*
 * Read the rest of @p in and append a NUL. Sizes of files in /proc are not known before they are
 * read.
 */
static char *read_all(struct cap_machine *machine, FILE *in, size_t *size_ret)
{
	PD_VEC(char) text = { 0 };
	size_t n = 1;

	while (n && text.n < MAX_BYTES) {
		if (!pd_vec_reserve(&text, text.n + READ_BYTES + 1)) {
			machine->failed = true;
			pd_vec_deinit(&text);
			return NULL;
		}
		n = fread(text.data + text.n, 1, READ_BYTES, in);
		text.n += n;
	}
	/*
	 * A read fails, for example, if the process has exited. Do not return a part as if it were
	 * the whole file.
	 */
	if (ferror(in)) {
		pd_vec_deinit(&text);
		return NULL;
	}
	text.data[text.n] = '\0';
	if (size_ret)
		*size_ret = text.n;
	return text.data;
}

static char *read_path(struct cap_machine *machine, const char *path, size_t *size_ret)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");

	return in ? read_all(machine, in, size_ret) : NULL;
}

char *cap_machine_read(struct cap_machine *machine, size_t *size_ret, const char *fmt, ...)
{
	char path[PATH_MAX];

	return MAKE_PATH(machine, path, fmt) ? read_path(machine, path, size_ret) : NULL;
}

static char *without_blanks(char *text)
{
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

static char *read_line(struct cap_machine *machine, const char *path)
{
	char *text = read_path(machine, path, NULL);

	if (!text)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return without_blanks(text);
}

char *cap_machine_line(struct cap_machine *machine, const char *fmt, ...)
{
	char path[PATH_MAX];

	return MAKE_PATH(machine, path, fmt) ? read_line(machine, path) : NULL;
}

bool cap_machine_number(struct cap_machine *machine, int base, uint64_t *ret, const char *fmt, ...)
{
	char path[PATH_MAX];
	_cleanup_free_ char *line = MAKE_PATH(machine, path, fmt) ? read_line(machine, path) : NULL;
	char *end;

	if (!line)
		return false;
	uint64_t value = strtoull(line, &end, base);
	if (end == line)
		return false;
	*ret = value;
	return true;
}

/* The value of a line if its key is @p key, else NULL. The line is split in place. */
static char *value_of(char *line, const char *key)
{
	char *colon = strchr(line, ':');

	if (!colon)
		return NULL;
	*colon = '\0';
	if (strcmp(without_blanks(line), key) != 0)
		return NULL;
	colon++;
	return without_blanks(colon + strspn(colon, " \t"));
}

static char *find_value(struct cap_machine *machine, FILE *in, const char *key)
{
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, in) > 0) {
		char *value = value_of(line, key);
		char *copy = value ? strdup(value) : NULL;

		machine->failed |= value && !copy;
		if (value)
			return copy;
	}
	return NULL;
}

char *cap_machine_value(struct cap_machine *machine, const char *key, const char *fmt, ...)
{
	char path[PATH_MAX];
	_cleanup_fclose_ FILE *in = MAKE_PATH(machine, path, fmt) ? fopen(path, "re") : NULL;

	return in ? find_value(machine, in, key) : NULL;
}

enum { MOUNT_LINE_BYTES = 16384 };

char *cap_machine_mount(struct cap_machine *machine, const char *type, const char *option)
{
	_cleanup_free_ char *line = malloc(MOUNT_LINE_BYTES);
	_cleanup_fclose_ FILE *in = cap_machine_open(machine, "/proc/mounts");
	struct mntent mount;
	char *found = NULL;

	machine->failed |= !line;
	while (line && in && !found && getmntent_r(in, &mount, line, MOUNT_LINE_BYTES)) {
		if (strcmp(mount.mnt_type, type) != 0 || (option && !hasmntopt(&mount, option)))
			continue;
		found = strdup(mount.mnt_dir);
		if (!found) {
			machine->failed = true;
			break;
		}
	}
	return found;
}

char *cap_machine_cgroups(struct cap_machine *machine)
{
	char *mount = cap_machine_mount(machine, "cgroup", "perf_event");

	return mount || machine->failed ? mount : cap_machine_mount(machine, "cgroup2", NULL);
}

/* Nice value of threads that go first. */
enum { RAISED_NICE = -15 };

int cap_priority_raise(void)
{
	id_t tid = (id_t)gettid();
	int nice = getpriority(PRIO_PROCESS, tid);

	setpriority(PRIO_PROCESS, tid, RAISED_NICE);
	return nice;
}

void cap_priority_restore(int nice)
{
	setpriority(PRIO_PROCESS, (id_t)gettid(), nice);
}
