#include "symbolize/file/deps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/vec.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/intern.h"
#include "base/limit.h"
#include "base/number.h"
#include "symbolize/file/access.h"
#include "symbolize/file/open_path.h"
#include "symbolize/file/local_processes.h"
#include "symbolize/file/text_file.h"

enum {
	N_WORDS = 8,
	/** Largest size in bytes of a file whose contents are compared. /proc/kcore is larger. */
	MAX_CONTENTS = PD_LIMIT_COMPARED_BYTES,
	/** Digits of the length of the root in a key. */
	KEY_ROOT = 4,
	/** Length of a key in front of the path. */
	KEY_PREFIX = 1 + KEY_ROOT,
};

/* State of a dependency. States are compared by their bytes. */
struct state {
	uint64_t words[N_WORDS];
};

struct sym_deps {
	pthread_mutex_t lock;
	/** A key is the kind as a byte, the length of the root as KEY_ROOT digits, and the path. */
	struct base_intern keys;
	/** States, indexed by the ids of the keys. */
	PD_VEC(struct state) states;
	bool is_spoilt;
};

/* Header of an encoded dependency. Its key follows, padded to 8 bytes. */
struct entry {
	struct state state;
	uint64_t key_len;
};

static int64_t in_ns(struct timespec time)
{
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

struct sym_file_id sym_file_identify(const struct stat *st)
{
	return (struct sym_file_id){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime_ns = in_ns(st->st_mtim),
		.ctime_ns = in_ns(st->st_ctim),
		.mode = st->st_mode,
	};
}

/*
 * The kernel takes the time of a change from a clock that advances with the timer interrupt, up to
 * 10 ms apart. Some file systems store times in units of up to two seconds: their times have no
 * fraction.
 */
bool sym_file_is_fresh(const struct stat *st)
{
	static const int64_t TICK_NS = 50000000, COARSE_NS = 2500000000;
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now))
		return true;
	int64_t age = in_ns(now) - in_ns(st->st_ctim);
	return age < (st->st_ctim.tv_nsec ? TICK_NS : COARSE_NS);
}

/* Returns false if the state cannot be relied on. */
typedef bool observe_fn(const char *path, struct state *ret);

static bool observe_contents(const char *path, struct state *ret)
{
	_cleanup_free_ char *text = NULL;
	struct sym_failure failure;
	size_t len;
	struct pd_error *err =
		sym_text_file_read(path, (struct sym_access){ 0 }, &text, &len, &failure);

	if (err) {
		pd_error_destroy(err);
		return false;
	}
	*ret = (struct state){ { (uint64_t)(text ? 1 : 2), len,
		XXH3_64bits(text ? text : "", len) } };
	return true;
}

static bool set_state(const struct stat *st, struct state *ret)
{
	struct sym_file_id id = sym_file_identify(st);

	_Static_assert(sizeof(id) <= (N_WORDS - 1) * sizeof(uint64_t), "one word remains");
	memcpy(ret->words + 1, &id, sizeof(id));
	return !sym_file_is_fresh(st);
}

/* Whether the contents of a virtual file are too large to be compared. Its state has EFBIG then. */
static bool is_too_large(const struct stat *st, struct state *ret)
{
	if (st->st_size <= MAX_CONTENTS)
		return false;
	ret->words[0] = EFBIG;
	return true;
}

static bool observe_file(const char *path, struct state *ret)
{
	struct stat st;

	if (stat(path, &st)) {
		ret->words[0] = (uint64_t)errno;
		return true;
	}
	/* Directories and devices are never read: all that matters is that they are not files. */
	if (!S_ISREG(st.st_mode)) {
		ret->words[1] = st.st_mode & S_IFMT;
		return true;
	}
	/* Their contents are compared. */
	if (sym_path_is_virtual(path))
		return !is_too_large(&st, ret) && observe_contents(path, ret);
	if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS))
		ret->words[0] = (uint64_t)errno;
	return set_state(&st, ret);
}

static bool observe_link(const char *path, struct state *ret)
{
	struct stat st;

	if (lstat(path, &st)) {
		ret->words[0] = (uint64_t)errno;
		return true;
	}
	return set_state(&st, ret);
}

static bool observe_real_path(const char *path, struct state *ret)
{
	_cleanup_(sym_unsee) struct sym_seen seen = { .fd = -1 };
	struct sym_path real;

	if (!sym_see(path, 0, true, &seen) || !sym_seen_path(&seen, path, 0, &real))
		ret->words[0] = (uint64_t)errno;
	else
		ret->words[1] = XXH3_64bits(real.text, strlen(real.text));
	return true;
}

static bool observe_process(const char *text, struct state *ret)
{
	struct sym_process process;
	const char *end;
	uint64_t pid;

	if (!base_number_parse(text, UINT32_MAX, &end, &pid) || *end != ' ')
		return false;
	int64_t ended_at = strtoll(end + 1, NULL, 10);
	struct pd_error *err = sym_process_read((uint32_t)pid, ended_at, &process);
	if (err) {
		pd_error_destroy(err);
		return false;
	}
	*ret = (struct state){ { process.is_alive, process.uid, process.own_pid } };
	return true;
}

static bool observe_roots(const char *path, struct state *ret)
{
	(void)path;
	return sym_process_roots_hash(&ret->words[0]);
}

static observe_fn *const observers[SYM_N_DEP_KINDS] = {
	[SYM_DEP_FILE] = observe_file,
	[SYM_DEP_LINK] = observe_link,
	[SYM_DEP_REAL_PATH] = observe_real_path,
	[SYM_DEP_PROCESS] = observe_process,
	[SYM_DEP_ROOTS] = observe_roots,
};

/* Observe what is at @p path below its root, which has @p root_len bytes. */
static bool observe_below(
	observe_fn *observer, const char *path, size_t root_len, struct state *ret)
{
	_cleanup_(sym_unsee) struct sym_seen seen = { .fd = -1 };
	struct sym_path link;

	if (!sym_see(path, root_len, true, &seen)) {
		ret->words[0] = (uint64_t)errno;
		return true;
	}
	/* It leads to what was seen, whatever is at the path now. */
	sym_seen_link(&seen, &link);
	return observer(link.text, ret);
}

/* Observe the dependency with the key @p key, which has @p len bytes. */
static bool observe(const char *key, size_t len, struct state *ret)
{
	char digits[KEY_ROOT + 1] = { 0 };

	*ret = (struct state){ 0 };
	if (len < KEY_PREFIX || (uint8_t)key[0] >= SYM_N_DEP_KINDS)
		return false;
	memcpy(digits, key + 1, KEY_ROOT);
	size_t root_len = strtoul(digits, NULL, 16);
	observe_fn *observer = observers[(uint8_t)key[0]];
	const char *path = key + KEY_PREFIX;
	if (!root_len)
		return observer(path, ret);
	return root_len < len - KEY_PREFIX && observe_below(observer, path, root_len, ret);
}

struct pd_error *sym_deps_create(struct sym_deps **ret)
{
	struct sym_deps *deps = calloc(1, sizeof(*deps));

	if (!deps)
		return &pd_enomem;
	pthread_mutex_init(&deps->lock, NULL);
	*ret = deps;
	return NULL;
}

void sym_deps_destroy(struct sym_deps *deps)
{
	if (!deps)
		return;
	pthread_mutex_destroy(&deps->lock);
	base_intern_deinit(&deps->keys);
	pd_vec_deinit(&deps->states);
	free(deps);
}

/* Add a key. The lock is held. Returns false if the dependencies cannot be relied on. */
static bool add(struct sym_deps *deps, const char *key, size_t len)
{
	struct state state;
	uint32_t id = base_intern_add(&deps->keys, key, len);

	if (id == PD_INTERN_NONE)
		return false;
	if (id < deps->states.n)
		return true;
	bool ok = observe(key, len, &state);
	if (!ok && state.words[0] == EFBIG)
		base_limit_reach(PD_LIMIT_ID_COMPARED_BYTES);
	return pd_vec_push(&deps->states, state) && ok;
}

struct pd_error *sym_deps_visit_files(const struct sym_deps *deps, sym_deps_fn *fn, void *ctx)
{
	for (uint32_t id = 0; id < deps->states.n; id++) {
		const char *key = base_intern_bytes(&deps->keys, id);
		size_t len = base_intern_len(&deps->keys, id);

		if (key[0] != SYM_DEP_FILE || deps->states.data[id].words[0])
			continue;
		_cleanup_free_ char *path = strndup(key + KEY_PREFIX, len - KEY_PREFIX);
		struct pd_error *err = path ? fn(ctx, path) : &pd_enomem;
		if (err)
			return err;
	}
	return NULL;
}

void sym_deps_add_below(
	struct sym_deps *deps, enum sym_dep_kind kind, const char *path, size_t root_len)
{
	char key[KEY_PREFIX + 4096];

	if (!deps)
		return;
	int len = snprintf(key, sizeof(key), "%c%0*zx%s", (char)kind, KEY_ROOT, root_len, path);
	/* No file has such a path: opening it fails at any time. */
	if (len < 0 || (size_t)len >= sizeof(key))
		return;
	pthread_mutex_lock(&deps->lock);
	if (!add(deps, key, (size_t)len))
		deps->is_spoilt = true;
	pthread_mutex_unlock(&deps->lock);
}

void sym_deps_add(struct sym_deps *deps, enum sym_dep_kind kind, const char *path)
{
	sym_deps_add_below(deps, kind, path, 0);
}

void sym_deps_add_process(struct sym_deps *deps, uint32_t pid, int64_t ended_at)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu32 " %" PRId64, pid, ended_at);
	sym_deps_add(deps, SYM_DEP_PROCESS, text);
}

void sym_deps_spoil(struct sym_deps *deps)
{
	if (!deps)
		return;
	pthread_mutex_lock(&deps->lock);
	deps->is_spoilt = true;
	pthread_mutex_unlock(&deps->lock);
}

/* Room of a key with its NUL. */
static size_t padded(size_t len)
{
	return (len + 8) & ~(size_t)7;
}

static size_t encoded_size(const struct sym_deps *deps)
{
	size_t size = 0;

	for (uint32_t i = 0; i < deps->keys.n; i++)
		size += sizeof(struct entry) + padded(base_intern_len(&deps->keys, i));
	return size;
}

/* Whether all dependencies are as they were when they were added. */
static bool are_unchanged(const struct sym_deps *deps)
{
	struct state now;

	for (uint32_t i = 0; i < deps->keys.n; i++) {
		if (!observe(base_intern_bytes(&deps->keys, i), base_intern_len(&deps->keys, i),
			    &now) ||
			memcmp(&now, &deps->states.data[i], sizeof(now)))
			return false;
	}
	return true;
}

static void encode(const struct sym_deps *deps, uint8_t *to)
{
	for (uint32_t i = 0; i < deps->keys.n; i++) {
		size_t len = base_intern_len(&deps->keys, i);
		const struct entry entry = { deps->states.data[i], len };

		memcpy(to, &entry, sizeof(entry));
		memcpy(to + sizeof(entry), base_intern_bytes(&deps->keys, i), len);
		to += sizeof(entry) + padded(len);
	}
}

struct pd_error *sym_deps_encode(struct sym_deps *deps, uint8_t **ret, size_t *size_ret)
{
	size_t size = encoded_size(deps);

	*ret = NULL;
	*size_ret = 0;
	if (deps->is_spoilt || !are_unchanged(deps))
		return NULL;
	uint8_t *bytes = calloc(1, size ? size : 1);
	if (!bytes)
		return &pd_enomem;
	encode(deps, bytes);
	*ret = bytes;
	*size_ret = size;
	return NULL;
}

bool sym_deps_are_current(const uint8_t *bytes, size_t size)
{
	struct entry entry;
	struct state now;

	while (size) {
		if (size < sizeof(entry))
			return false;
		memcpy(&entry, bytes, sizeof(entry));
		bytes += sizeof(entry);
		size -= sizeof(entry);
		if (!entry.key_len || entry.key_len >= size || padded(entry.key_len) > size ||
			bytes[entry.key_len] ||
			!observe((const char *)bytes, entry.key_len, &now) ||
			memcmp(&now, &entry.state, sizeof(now)))
			return false;
		bytes += padded(entry.key_len);
		size -= padded(entry.key_len);
	}
	return true;
}
