/* perf-PID.map files of processes that still write them. */
#include "resolve/binaries_private.h"

#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "symbolize/perf_map.h"

/*
 * Names that are missing are looked for at once, those of code that was replaced after a second. To
 * look takes at most a tenth of the time.
 */
static const double SECONDS_BETWEEN = 1;
enum { PAUSE_FACTOR = 10 };

void resolve_binaries_follow_maps(struct resolve_binaries *binaries)
{
	binaries->follows_maps = true;
}

/* Set the state of the file in @p ret. Returns whether it is another one than before. */
static bool has_changed(const struct sym_perf_map_file *file, struct resolve_live_map *ret)
{
	struct resolve_live_map before = *ret;
	struct stat st;

	if (fstat(file->fd, &st) < 0)
		return false;
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	ret->size = st.st_size;
	ret->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return ret->dev != before.dev || ret->ino != before.ino || ret->size != before.size ||
	       ret->mtime_ns != before.mtime_ns;
}

/* Read the map if it has changed. A map that is gone is kept: its process may have exited. */
static struct pd_error *read_again(struct resolve_binaries *binaries, struct resolve_binary *binary)
{
	_cleanup_(sym_perf_map_file_deinit) struct sym_perf_map_file file = { .fd = -1 };
	struct pd_error *err = sym_perf_map_find(binaries->search, binary->live.pid, &file);
	struct sym_perf_map *map;

	if (err || !file.path || !has_changed(&file, &binary->live))
		return err;
	err = sym_perf_map_read(&file, sym_search_access(binaries->search), &map);
	if (err)
		return err;
	sym_perf_map_destroy(binary->perf_map);
	binary->perf_map = map;
	return NULL;
}

struct pd_error *binaries_follow_map(
	struct resolve_binaries *binaries, struct resolve_binary *binary, bool is_missing)
{
	struct resolve_live_map *live = &binary->live;
	double start = pd_clock_now();

	if (!live->pid || start < live->next ||
		(!is_missing && start < live->looked + SECONDS_BETWEEN))
		return NULL;
	struct pd_error *err = read_again(binaries, binary);
	live->looked = pd_clock_now();
	live->next = live->looked + PAUSE_FACTOR * (live->looked - start);
	return err;
}

/* Find the code at @p addr. The map is read again before or, if it lacks the code, after that. */
static struct pd_error *look_up(struct resolve_binaries *binaries, struct resolve_binary *binary,
	uint64_t addr, struct sym_perf_map_code *ret)
{
	struct pd_error *err = binaries_follow_map(binaries, binary, false);

	if (err || (binary->perf_map && sym_perf_map_lookup(binary->perf_map, addr, ret)))
		return err;
	ret->name = NULL;
	err = binaries_follow_map(binaries, binary, true);
	if (!err && binary->perf_map && !sym_perf_map_lookup(binary->perf_map, addr, ret))
		ret->name = NULL;
	return err;
}

struct pd_error *resolve_binaries_generated_name(struct resolve_binaries *binaries,
	struct resolve_binary *binary, uint64_t addr, struct pd_arena *arena, const char **ret)
{
	struct sym_perf_map_code code = { .name = NULL };

	pthread_mutex_lock(&binaries->lock);
	struct pd_error *err = look_up(binaries, binary, addr, &code);
	*ret = code.name ? pd_arena_strndup(arena, code.name, strlen(code.name)) : NULL;
	if (!err && code.name && !*ret)
		err = &pd_enomem;
	pthread_mutex_unlock(&binaries->lock);
	return err;
}
