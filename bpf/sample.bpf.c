/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Unwinds the user stack of a sample by tables, and writes it to the ring of the CPU before the
 * sample itself. Attached to perf events by PERF_EVENT_IOC_SET_BPF.
 *
 * The helpers that read memory are reserved for programs with a licence that is compatible with the
 * GPL. Therefore the sources in bpf/ may be used under the Apache License 2.0, like the rest of
 * pdconv, or under the GPL version 2.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/maps.h"
#include "bpf/regs.h"

char licence[] SEC("license") = "GPL v2";

/** State of a walk: one for each CPU, because programs of samples do not interrupt each other. */
struct bw_env {
	/* The first member: see env_of(). */
	struct bw_walk walk;
	uint32_t pid;
	uint32_t generation;
	uint8_t is_missed;
	/** Time for uses. */
	uint32_t now;
	/** Mapping of the last address that was looked up. */
	struct bw_mapping mapping;
	bw_regs regs;
	struct bw_record record;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bw_env);
} envs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bw_config);
} config SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BW_MAX_PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, uint32_t);
	__type(value, struct bw_space);
} spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BW_MAX_ALL_CHUNKS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct bw_chunk_key);
	__type(value, struct bw_chunk);
} chunks SEC(".maps");

struct table {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_INNER_MAP);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(struct bw_page));
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, BW_MAX_TABLES);
	__uint(key_size, sizeof(uint32_t));
	__array(values, struct table);
} tables SEC(".maps");

/** Times at which tables were used last, in steps of BW_USE_SHIFT. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BW_MAX_TABLES);
	__type(key, uint32_t);
	__type(value, uint32_t);
} uses SEC(".maps");

/** Ring of each CPU, as the descriptor of an event that writes to it. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint32_t));
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 16);
} misses SEC(".maps");

/** Times of the last misses of processes without a space. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, uint32_t);
	__type(value, uint64_t);
} strangers SEC(".maps");

static inline struct bw_env *env_of(struct bw_walk *w)
{
	return (struct bw_env *)w;
}

/* Functions that bpf/walk.h calls: they read memory and find rows. */

static bool bw_read_word(struct bw_walk *w, uint64_t addr, uint64_t *ret)
{
	uint64_t word = 0;

	(void)w;
	if (bpf_probe_read_user(&word, sizeof(word), (const void *)addr) < 0)
		return false;
	*ret = word;
	return true;
}

static bool bw_read_reg(struct bw_walk *w, uint8_t number, uint64_t *ret)
{
	return bw_get_reg(&env_of(w)->regs, number, ret);
}

static void bw_add_frame(struct bw_walk *w, uint32_t i, uint64_t pc, bool is_by_fp)
{
	(void)is_by_fp;
	if (i < BW_MAX_FRAMES)
		env_of(w)->record.pcs[i] = pc;
}

/**
 * 1 if @p a <= @p b, else 0, without a branch: the verifier follows each branch of a loop on its
 * own. Neither may be larger than BW_NO_ADDR.
 */
bw_inline uint32_t is_at_most(uint64_t a, uint64_t b)
{
	return (a - b - 1) >> 63;
}

/** Ask the recorder for the mappings of a process. */
static void ask(struct bw_env *env)
{
	struct bw_miss *miss = bpf_ringbuf_reserve(&misses, sizeof(*miss), 0);

	if (!miss)
		return;
	miss->pid = env->pid;
	miss->unused = 0;
	bpf_ringbuf_submit(miss, 0);
}

/** Report that an address is in no mapping of the process that is known. */
static __attribute__((noinline)) int miss_mapping(struct bw_env *env, struct bw_space *space)
{
	uint64_t now = bpf_ktime_get_ns();

	if (!env || !space)
		return 0;
	env->is_missed = 1;
	if (now - space->missed_at < space->patience)
		return 0;
	space->missed_at = now;
	ask(env);
	return 0;
}

/** Find the mapping of @p addr, and remember it. */
bw_inline bool find_mapping(struct bw_env *env, uint64_t addr)
{
	struct bw_chunk_key key = { .pid = env->pid };
	uint32_t n = 0;

	if (addr >= env->mapping.start && addr < env->mapping.end)
		return true;
	struct bw_space *space = bpf_map_lookup_elem(&spaces, &key.pid);
	if (!space || addr >= BW_NO_ADDR)
		return false;
	for (uint32_t step = BW_MAX_CHUNKS / 2; step; step /= 2)
		n += step * is_at_most(space->first[(n + step) & (BW_MAX_CHUNKS - 1)], addr);
	key.generation = space->generation;
	key.index = n;
	struct bw_chunk *chunk = bpf_map_lookup_elem(&chunks, &key);
	if (!chunk)
		return false;
	n = 0;
	for (uint32_t step = BW_CHUNK_MAPPINGS / 2; step; step /= 2)
		n += step *
		     is_at_most(chunk->mappings[(n + step) & (BW_CHUNK_MAPPINGS - 1)].start, addr);
	env->mapping = chunk->mappings[n & (BW_CHUNK_MAPPINGS - 1)];
	if (addr >= env->mapping.start && addr < env->mapping.end)
		return true;
	miss_mapping(env, space);
	return false;
}

/** Search for the page of a row. */
struct page_search {
	void *table;
	/** Distance of the address from the base of the table. */
	uint32_t distance;
	/** The page is in [low, high). */
	uint32_t low;
	uint32_t high;
};

static long halve(uint32_t i, struct page_search *s)
{
	uint32_t middle = s->low + (s->high - s->low) / 2;

	(void)i;
	if (s->high - s->low <= 1)
		return 1;
	struct bw_page *page = bpf_map_lookup_elem(s->table, &middle);
	if (!page)
		return 1;
	if (page->rows[0].start <= s->distance)
		s->low = middle;
	else
		s->high = middle;
	return 0;
}

/** Note that a table is used. Most of the time that is known, and nothing is written. */
bw_inline void note_use(struct bw_env *env, uint32_t number)
{
	uint32_t i = number & (BW_MAX_TABLES - 1);
	uint32_t *use = bpf_map_lookup_elem(&uses, &i);

	if (use && *use != env->now)
		*use = env->now;
}

/** Ask for the mappings of a process that refers to a table which was dropped. */
static __attribute__((noinline)) int miss_table(struct bw_env *env)
{
	if (!env)
		return 0;
	miss_mapping(env, bpf_map_lookup_elem(&spaces, &env->pid));
	return 0;
}

/** Find the row of @p distance in the table of env->mapping. */
bw_inline bool find_row(struct bw_env *env, uint32_t distance, struct bw_row *ret)
{
	uint32_t number = env->mapping.table, n = 0;
	struct page_search search = { .distance = distance, .high = env->mapping.n_pages };

	search.table = bpf_map_lookup_elem(&tables, &number);
	if (!search.table)
		return false;
	note_use(env, number);
	bpf_loop(32, halve, &search, 0);
	struct bw_page *page = bpf_map_lookup_elem(search.table, &search.low);
	if (!page)
		return false;
	for (uint32_t step = BW_PAGE_ROWS / 2; step; step /= 2)
		n += step * is_at_most(page->rows[(n + step) & (BW_PAGE_ROWS - 1)].start, distance);
	*ret = page->rows[n & (BW_PAGE_ROWS - 1)];
	return true;
}

static void bw_find(struct bw_walk *w, uint64_t addr, struct bw_place *ret)
{
	struct bw_env *env = env_of(w);

	ret->found = BW_FOUND_NOTHING;
	ret->distance = 1;
	ret->low_bits = (uint8_t)addr;
	if (!find_mapping(env, addr))
		return;
	ret->found = BW_FOUND_MAPPING;
	if (env->mapping.table == BW_NO_TABLE)
		return;
	ret->found = BW_FOUND_ROW;
	ret->row = (struct bw_row){ .kind = BW_ROW_GAP };
	if (env->mapping.table == BW_TABLE_LOADING) {
		ret->row = (struct bw_row){ .kind = BW_ROW_END, .detail = BW_END_LOADING };
		return;
	}
	uint64_t distance = addr - env->mapping.base;
	if (addr < env->mapping.base || distance >= UINT32_MAX)
		return;
	if (!find_row(env, (uint32_t)distance, &ret->row)) {
		miss_table(env);
		ret->row = (struct bw_row){ .kind = BW_ROW_END, .detail = BW_END_LOADING };
		return;
	}
	ret->distance = (uint32_t)distance - ret->row.start;
}

/* The program. */

static long step(uint32_t i, void *ctx)
{
	uint32_t zero = 0;
	struct bw_env *env = bpf_map_lookup_elem(&envs, &zero);

	(void)i;
	(void)ctx;
	return !env || !bw_step(&env->walk, &bw_arch);
}

/** Get the registers with which the current thread entered the kernel. */
bw_inline bool get_entry_regs(bw_regs *ret)
{
	const void *regs = (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());

	return bpf_probe_read_kernel(ret, sizeof(*ret), regs) == 0;
}

/** Get the user registers of the current thread. Returns false if it has none. */
bw_inline bool get_regs(const struct bpf_perf_event_data *ctx, bw_regs *ret)
{
	if (!bw_is_user(&ctx->regs))
		return get_entry_regs(ret);
	bw_copy_regs(ret, &ctx->regs);
	return true;
}

/** Find the process in the recorder's namespace. */
bw_inline bool find_ids(struct bw_record *record)
{
	uint32_t zero = 0;
	struct bpf_pidns_info ids = { 0 };
	const struct bw_config *c = bpf_map_lookup_elem(&config, &zero);

	if (!c || bpf_get_ns_current_pid_tgid(c->pid_ns_dev, c->pid_ns_ino, &ids, sizeof(ids)) < 0)
		return false;
	record->pid = ids.tgid;
	record->tid = ids.pid;
	return true;
}

/** Report a process that is not known, once in a while. */
static void miss_process(struct bw_env *env)
{
	enum { PATIENCE_NS = 5000000 };
	uint64_t now = bpf_ktime_get_ns();
	uint64_t *at = bpf_map_lookup_elem(&strangers, &env->pid);

	env->is_missed = 1;
	if (at && now - *at < PATIENCE_NS)
		return;
	bpf_map_update_elem(&strangers, &env->pid, &now, BPF_ANY);
	ask(env);
}

bw_inline void walk(struct bw_env *env)
{
	if (!bpf_map_lookup_elem(&spaces, &env->pid)) {
		miss_process(env);
		return;
	}
	bw_begin(&env->walk, &env->regs);
	env->walk.end = BW_END_LIMIT;
	bpf_loop(BW_MAX_FRAMES + 1, step, NULL, 0);
	env->record.end = env->walk.end;
	env->record.n = (uint16_t)env->walk.n;
}

/** Begin a record. Returns NULL if the process is in no namespace of the recorder. */
bw_inline struct bw_env *begin_record(uint32_t kind)
{
	uint32_t zero = 0;
	struct bw_env *env = bpf_map_lookup_elem(&envs, &zero);

	if (!env)
		return NULL;
	struct bw_record *record = &env->record;
	record->end = BW_N_ENDS;
	record->n = 0;
	record->kind = kind;
	if (!find_ids(record))
		return NULL;
	env->pid = record->pid;
	env->is_missed = 0;
	env->now = (uint32_t)(bpf_ktime_get_ns() >> BW_USE_SHIFT);
	env->mapping.end = 0;
	return env;
}

bw_inline void write_record(void *ctx, struct bw_env *env)
{
	struct bw_record *record = &env->record;

	record->is_missed = env->is_missed;
	uint64_t size = __builtin_offsetof(struct bw_record, pcs) + 8 * (record->n & 127);
	bpf_perf_event_output(ctx, &rings, BPF_F_CURRENT_CPU, record, size);
}

/* The programs return 1, or the kernel would drop the sample. */

SEC("perf_event")
int sample(struct bpf_perf_event_data *ctx)
{
	struct bw_env *env = begin_record(BW_RECORD_SAMPLE);

	if (!env)
		return 1;
	if (get_regs(ctx, &env->regs) && bw_is_64_bit(&env->regs))
		walk(env);
	write_record(ctx, env);
	return 1;
}

/** Tracepoints and probes always run in the kernel. */
bw_inline int trace(void *ctx)
{
	struct bw_env *env = begin_record(BW_RECORD_TRACE);

	if (!env)
		return 1;
	if (get_entry_regs(&env->regs) && bw_is_64_bit(&env->regs))
		walk(env);
	write_record(ctx, env);
	return 1;
}

SEC("tracepoint")
int reach_tracepoint(void *ctx)
{
	return trace(ctx);
}

SEC("kprobe")
int reach_probe(void *ctx)
{
	return trace(ctx);
}
