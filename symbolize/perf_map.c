#include "symbolize/perf_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pdconv/vec.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/deleted.h"
#include "base/limit.h"
#include "base/lower_bound.h"
#include "symbolize/file/deps.h"
#include "symbolize/file/image.h"
#include "symbolize/file/path.h"
#include "symbolize/file/local_processes.h"
#include "symbolize/file/text_file.h"
#include "symbolize/find/binary_archive.h"

/* Line of the map. */
struct code {
	uint64_t start;
	uint64_t end;
	/** Name in the text. */
	const char *name;
	/** Index of the line. */
	size_t line;
};

/* Addresses and the line that is valid for them. */
struct range {
	uint64_t start;
	uint64_t end;
	/** The whole code of the line, of which the range may be a part. */
	struct sym_perf_map_code code;
};

struct sym_perf_map {
	char *text;
	struct sym_perf_map_origin origin;
	/** Sorted, without overlaps. */
	PD_VEC(struct range) ranges;
};

/* Heap of the lines that contain the current address. The last one in the file is on top. */
struct heap {
	PD_VEC(const struct code *) list;
};

static bool parse_line(char *line, struct code *ret)
{
	char *p = line;
	uint64_t numbers[2];

	for (size_t i = 0; i < 2; i++) {
		if (p[0] == '0' && (p[1] | 0x20) == 'x')
			p += 2;
		char *end = sym_text_hex(p, &numbers[i]);
		if (end == p || (*end != ' ' && *end != '\t'))
			return false;
		p = end + strspn(end, " \t");
	}
	p[strcspn(p, "\r")] = '\0';
	ret->start = numbers[0];
	ret->end = numbers[0] + numbers[1];
	ret->name = p;
	return *p && ret->end > ret->start;
}

static int compare(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool heap_push(struct heap *heap, const struct code *code)
{
	size_t i = heap->list.n;

	if (!pd_vec_push(&heap->list, code))
		return false;
	const struct code **list = heap->list.data;
	for (; i && list[(i - 1) / 2]->line < code->line; i = (i - 1) / 2)
		list[i] = list[(i - 1) / 2];
	list[i] = code;
	return true;
}

static void heap_pop(struct heap *heap)
{
	const struct code **list = heap->list.data, *last = list[--heap->list.n];
	size_t n = heap->list.n, i = 0, child;

	for (; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && list[child + 1]->line > list[child]->line)
			child++;
		if (last->line >= list[child]->line)
			break;
		list[i] = list[child];
	}
	if (n)
		list[i] = last;
}

static bool add_range(struct sym_perf_map *map, uint64_t start, uint64_t end,
	const struct code *code, bool is_reused)
{
	struct range range = { start, end,
		{ code->start, code->end - code->start, code->name, is_reused } };

	return pd_vec_push(&map->ranges, range);
}

/*
 * Whether other lines have code of another name at @p at, where the line on top is valid. If so,
 * the range ends with that code at the latest. Few lines share an address: more are not looked at.
 */
static bool is_reused(const struct heap *heap, uint64_t at, uint64_t *end)
{
	enum { MOST_LINES = 16 };
	const struct code *const *list = heap->list.data;
	bool ret = false;

	for (size_t i = 1; i < heap->list.n && i < MOST_LINES; i++) {
		if (list[i]->end <= at || strcmp(list[i]->name, list[0]->name) == 0)
			continue;
		ret = true;
		if (list[i]->end < *end)
			*end = list[i]->end;
	}
	return ret;
}

/*
 * Divide the code of overlapping lines, so that each address belongs to the last line that contains
 * it.
 */
static bool settle(struct sym_perf_map *map, const struct code *codes, size_t n)
{
	struct heap heap = { 0 };
	uint64_t at = 0;
	size_t i = 0;
	bool ok = true;

	while (ok && (i < n || heap.list.n)) {
		if (!heap.list.n)
			at = codes[i].start;
		for (; ok && i < n && codes[i].start <= at; i++)
			ok = heap_push(&heap, &codes[i]);
		const struct code *top = ok ? heap.list.data[0] : NULL;
		if (!top)
			break;
		/* Lines that ended earlier stay in the heap until they are on top. */
		if (top->end <= at) {
			heap_pop(&heap);
			continue;
		}
		/* The result may change where the line ends and where another one starts. */
		uint64_t end = i < n && codes[i].start < top->end ? codes[i].start : top->end;
		bool reused = is_reused(&heap, at, &end);
		ok = add_range(map, at, end, top, reused);
		at = end;
	}
	pd_vec_deinit(&heap.list);
	return ok;
}

static bool parse(struct sym_perf_map *map)
{
	PD_VEC(struct code) codes = { 0 };
	char *rest = map->text, *line;
	struct code code;
	bool ok = true;

	while (ok && (line = sym_text_line(&rest))) {
		code.line = codes.n;
		if (parse_line(line, &code))
			ok = pd_vec_push(&codes, code);
	}
	if (ok && codes.n) {
		qsort(codes.data, codes.n, sizeof(*codes.data), compare);
		ok = settle(map, codes.data, codes.n);
	}
	pd_vec_deinit(&codes);
	return ok;
}

static struct pd_error *note_source(struct sym_perf_map *map, const struct sym_perf_map_file *file)
{
	struct stat st;

	map->origin.path = strdup(file->path);
	if (!file->member && fstat(file->fd, &st) == 0) {
		map->origin.dev = st.st_dev;
		map->origin.ino = st.st_ino;
	}
	return map->origin.path ? NULL : &pd_enomem;
}

static struct pd_error *read_file(
	const struct sym_perf_map_file *file, struct sym_access access, struct sym_perf_map *map)
{
	struct sym_failure failure;
	size_t len;

	return sym_text_file_read_fd(file->fd, file->path, access, &map->text, &len, &failure);
}

/* *ret stays NULL if the temporary file of the archive cannot be read. */
static struct pd_error *read_member(const struct sym_perf_map_file *file, char **ret)
{
	size_t size = file->member->size < PD_LIMIT_TEXT_FILE_BYTES ? file->member->size
								    : PD_LIMIT_TEXT_FILE_BYTES;
	char *text = malloc(size + 1);

	if (!text)
		return &pd_enomem;
	ssize_t n = pread(sym_archive_fd(file->archive), text, size, (off_t)file->member->offset);
	if (n < 0 || (size_t)n != size) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	*ret = text;
	return NULL;
}

const struct sym_perf_map_origin *sym_perf_map_origin(const struct sym_perf_map *map)
{
	return &map->origin;
}

struct pd_error *sym_perf_map_read(
	const struct sym_perf_map_file *file, struct sym_access access, struct sym_perf_map **ret)
{
	struct sym_perf_map *map = calloc(1, sizeof(*map));

	if (!map)
		return &pd_enomem;
	struct pd_error *err = note_source(map, file);
	if (!err)
		err = file->member ? read_member(file, &map->text) : read_file(file, access, map);
	if (err || (map->text && !parse(map))) {
		sym_perf_map_destroy(map);
		return err ? err : &pd_enomem;
	}
	*ret = map;
	return NULL;
}

void sym_perf_map_destroy(struct sym_perf_map *map)
{
	if (!map)
		return;
	pd_vec_deinit(&map->ranges);
	free(map->origin.path);
	free(map->text);
	free(map);
}

bool sym_perf_map_has_code(const struct sym_perf_map *map, uint64_t start, uint64_t end)
{
	size_t n = base_lower_bound(map->ranges.n, i, map->ranges.data[i].end <= start);

	return n < map->ranges.n && map->ranges.data[n].start < end;
}

bool sym_perf_map_lookup(
	const struct sym_perf_map *map, uint64_t addr, struct sym_perf_map_code *ret)
{
	size_t n = base_lower_bound(map->ranges.n, i, map->ranges.data[i].start <= addr);

	if (!n || addr >= map->ranges.data[n - 1].end)
		return false;
	*ret = map->ranges.data[n - 1].code;
	return true;
}

/* Prefixes of names in brackets that are memory of the process. Others are pages of the kernel. */
static const char *const MEMORY[] = { "[anon", "[heap]", "[stack" };

bool sym_may_be_generated(const char *name)
{
	if (!sym_is_no_image(name))
		return false;
	for (size_t i = 0; i < PD_ARRAY_LEN(MEMORY); i++) {
		if (strncmp(name, MEMORY[i], strlen(MEMORY[i])) == 0)
			return true;
	}
	return name[0] != '[';
}

/* Begin of names of memory that processes share, of files in memory, and of huge pages. */
static const char *const SHARED[] = { "/memfd:", "/dev/shm/", "/dev/hugepages", "/dev/ashmem",
	"/run/shm/" };

/* Whether libffi has created the file: "ffi" and six letters of mkostemp(), in any directory. */
static bool is_of_libffi(const char *name)
{
	const char *base = sym_path_base(name);

	return strncmp(base, "ffi", 3) == 0 && base_undeleted_len(base) == 9 &&
	       strcmp(base + 9, PD_DELETED_MARK) == 0;
}

bool sym_file_may_be_generated(const char *name)
{
	const char *base = sym_path_base(name);

	for (size_t i = 0; i < PD_ARRAY_LEN(SHARED); i++) {
		if (strncmp(name, SHARED[i], strlen(SHARED[i])) == 0)
			return true;
	}
	/* Huge pages may be mounted anywhere, such as at /mnt/huge and /hugetlbfs. */
	const char *huge = strstr(name, "/huge");
	return (name[0] == '/' && huge && huge < base - 1) || is_of_libffi(name);
}

/*
 * Any user may create a file or link in /tmp, so the file must have a trusted owner, and must not
 * be a link.
 */
static bool is_trusted(const char *path, int fd, const struct sym_process *process)
{
	struct stat st, named;

	if (fstat(fd, &st) || lstat(path, &named) || named.st_ino != st.st_ino ||
		named.st_dev != st.st_dev)
		return false;
	return !st.st_uid || st.st_uid == base_user() ||
	       (process->is_alive && st.st_uid == process->uid);
}

/*
 * Open @p path if it is a usable map. @p process is set for a map in /tmp, and NULL for one in a
 * directory that the user gave. Returns -1 if it is not.
 */
static int open_map(
	const struct sym_search *search, const char *path, const struct sym_process *process)
{
	struct sym_failure failure;

	if (process)
		sym_deps_add(search->deps, SYM_DEP_LINK, path);
	_cleanup_close_ int fd = sym_open_regular(path, sym_search_access(search), &failure);
	if (fd < 0 || (process && !is_trusted(path, fd, process)))
		return -1;
	int result = fd;
	fd = -1;
	return result;
}

static int open_in_dirs(const struct sym_search *search, uint32_t pid, struct sym_path *ret)
{
	struct sym_path dir;
	size_t pos = 0;
	int fd = -1;

	if (search->perf_map_dir)
		fd = open_map(search,
			sym_path_format(ret, "%s/perf-%" PRIu32 ".map", search->perf_map_dir, pid),
			NULL);
	if (fd < 0 && search->symfs)
		fd = open_map(search,
			sym_path_format(ret, "%s/tmp/perf-%" PRIu32 ".map", search->symfs, pid),
			NULL);
	while (fd < 0 && sym_path_next(search->debug_dirs, &pos, &dir))
		fd = open_map(search,
			sym_path_format(ret, "%s/perf-%" PRIu32 ".map", dir.text, pid), NULL);
	return fd;
}

/* Look for the map that pdconv archive has put at the path that it had. */
static bool find_in_archives(const struct sym_search *search, uint32_t pid,
	struct sym_perf_map_file *found, struct sym_path *ret)
{
	struct sym_path name;

	sym_path_format(&name, "/tmp/perf-%" PRIu32 ".map", pid);
	for (size_t i = 0; i < search->n_archives; i++) {
		found->archive = search->archives[i];
		found->member = sym_archive_find_recorded(search->archives[i], name.text);
		if (!found->member)
			continue;
		sym_path_format(
			ret, "%s:%s", sym_archive_path(found->archive), found->member->path);
		return true;
	}
	return false;
}

static struct pd_error *open_on_this_machine(
	const struct sym_search *search, uint32_t pid, struct sym_path *ret, int *fd_ret)
{
	struct sym_process process;
	struct pd_error *err = sym_process_read(pid, search->ended_at, &process);

	if (err)
		return err;
	sym_deps_add_process(search->deps, pid, search->ended_at);
	if (process.is_alive)
		*fd_ret = open_map(search,
			sym_path_format(ret, "/proc/%" PRIu32 "/root/tmp/perf-%" PRIu32 ".map", pid,
				process.own_pid),
			&process);
	if (*fd_ret < 0)
		*fd_ret = open_map(
			search, sym_path_format(ret, "/tmp/perf-%" PRIu32 ".map", pid), &process);
	return NULL;
}

struct pd_error *sym_perf_map_find(
	const struct sym_search *search, uint32_t pid, struct sym_perf_map_file *ret)
{
	struct sym_path path;

	*ret = (struct sym_perf_map_file){ .fd = open_in_dirs(search, pid, &path) };
	bool is_found = ret->fd >= 0 || find_in_archives(search, pid, ret, &path);
	if (!is_found && search->is_here && sym_search_has_own_paths(search) &&
		!search->perf_map_dir) {
		struct pd_error *err = open_on_this_machine(search, pid, &path, &ret->fd);
		if (err)
			return err;
	}
	if (ret->fd < 0 && !ret->member)
		return NULL;
	ret->path = strdup(path.text);
	if (ret->path)
		return NULL;
	sym_perf_map_file_deinit(ret);
	return &pd_enomem;
}

void sym_perf_map_file_deinit(struct sym_perf_map_file *file)
{
	base_close(&file->fd);
	free(file->path);
	file->path = NULL;
}
