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

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/maps.h"
#include "bpf/regs.h"
#include "bpf/search.h"

char licence[] SEC("license") = "GPL v2";

/**
 * Bytes of the stack that are read at once, and near its end. A helper call costs more than copying
 * them.
 */
enum { STACK_BYTES = 2048, LAST_STACK_BYTES = 256 };

/** State of a walk: one for each CPU, because programs of samples do not interrupt each other. */
struct bw_env {
	/* The first member: see env_of(). */
	struct bw_walk walk;
	uint32_t pid;
	uint32_t cpu;
	uint8_t is_missed;
	/** Time for used_at. */
	uint32_t now;
	/** Tag of known rows that are valid now. The lowest bit is clear. */
	uint64_t tag;
	/** Stack that was read: n_stack bytes from the address stack_at on. */
	uint64_t stack_at;
	uint64_t n_stack;
	/** Mapping of the last address that was searched. */
	struct bw_mapping mapping;
	bw_regs regs;
	uint64_t stack[STACK_BYTES / 8];
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

/** Mapped by the recorder, so that tables are added without a system call. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BW_MAX_TABLES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct bw_table);
} tables SEC(".maps");

struct slab {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BW_SLAB_PAGES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(union bw_page));
};

/** The recorder sets the number of entries, by the memory that tables may take. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(uint32_t));
	__array(values, struct slab);
} slabs SEC(".maps");

/** One for each CPU. The recorder sets the number of entries. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bw_cache);
} caches SEC(".maps");

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

/** Read stack around @p addr: a frame saves registers below its return address. */
static __attribute__((noinline)) int read_stack(struct bw_env *env, uint64_t addr)
{
	enum { BELOW = 48 };

	if (!env)
		return 0;
	env->stack_at = (addr & ~(uint64_t)7) - BELOW;
	env->n_stack = STACK_BYTES;
	if (bpf_probe_read_user(env->stack, STACK_BYTES, (const void *)env->stack_at) == 0)
		return 0;
	env->n_stack = LAST_STACK_BYTES;
	if (bpf_probe_read_user(env->stack, LAST_STACK_BYTES, (const void *)env->stack_at) < 0)
		env->n_stack = 0;
	return 0;
}

/** Copy the word at @p addr, if it is in the stack that was read. */
bw_inline bool copy_word(const struct bw_env *env, uint64_t addr, uint64_t *ret)
{
	uint64_t at = addr - env->stack_at;

	if (at % 8 || at >= env->n_stack || at >= STACK_BYTES)
		return false;
	*ret = env->stack[at / 8];
	return true;
}

static bool bw_read_word(struct bw_walk *w, uint64_t addr, uint64_t *ret)
{
	struct bw_env *env = env_of(w);
	uint64_t word = 0;

	if (copy_word(env, addr, ret))
		return true;
	read_stack(env, addr);
	if (copy_word(env, addr, ret))
		return true;
	/* The stack may end soon, or the address is not aligned. */
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

/** Ask the recorder for the mappings of a process. */
static void ask(uint32_t pid, enum bw_miss_kind kind)
{
	struct bw_miss *miss = bpf_ringbuf_reserve(&misses, sizeof(*miss), 0);

	if (!miss)
		return;
	miss->pid = pid;
	miss->kind = kind;
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
	ask(env->pid, BW_MISS_UNKNOWN);
	return 0;
}

/** Find the mapping of @p addr, and remember it. */
bw_inline bool find_mapping(struct bw_env *env, uint64_t addr)
{
	struct bw_chunk_key key = { 0 };
	uint32_t n = 0;

	if (addr >= env->mapping.start && addr < env->mapping.end)
		return true;
	struct bw_space *space = bpf_map_lookup_elem(&spaces, &env->pid);
	if (!space || addr >= BW_NO_ADDR)
		return false;
	for (uint32_t step = BW_MAX_CHUNKS / 2; step; step /= 2)
		n += step * bw_is_at_most(space->first[(n + step) & (BW_MAX_CHUNKS - 1)], addr);
	key.generation = space->generation;
	key.index = n;
	struct bw_chunk *chunk = bpf_map_lookup_elem(&chunks, &key);
	if (!chunk) {
		miss_mapping(env, space);
		return false;
	}
	n = 0;
	for (uint32_t step = BW_CHUNK_MAPPINGS / 2; step; step /= 2)
		n += step *
		     bw_is_at_most(
			     chunk->mappings[(n + step) & (BW_CHUNK_MAPPINGS - 1)].start, addr);
	env->mapping = chunk->mappings[n & (BW_CHUNK_MAPPINGS - 1)];
	if (addr >= env->mapping.start && addr < env->mapping.end)
		return true;
	miss_mapping(env, space);
	return false;
}

bw_inline const union bw_page *get_page(uint32_t number)
{
	uint32_t slab = number / BW_SLAB_PAGES, i = number % BW_SLAB_PAGES;
	void *pages = bpf_map_lookup_elem(&slabs, &slab);

	return pages ? bpf_map_lookup_elem(pages, &i) : NULL;
}

/** Ask for the mappings of a process that refers to a table which was dropped. */
static __attribute__((noinline)) int miss_table(struct bw_env *env)
{
	if (!env)
		return 0;
	miss_mapping(env, bpf_map_lookup_elem(&spaces, &env->pid));
	return 0;
}

/** Note that a table is used, if it exists. Most of the time nothing is written. */
bw_inline bool use_table(const struct bw_env *env, uint32_t number)
{
	uint32_t i = number % BW_MAX_TABLES;
	struct bw_table *table = bpf_map_lookup_elem(&tables, &i);

	if (!table || table->number != number)
		return false;
	if (table->used_at != env->now)
		table->used_at = env->now;
	return true;
}

/** Find the row of @p distance in the table of @p mapping; a gap if there is none. */
bw_inline void find_row(const struct bw_mapping *mapping, uint32_t distance, struct bw_row *ret)
{
	uint32_t number = distance >> mapping->shift;
	const union bw_page *page = get_page(mapping->top);

	*ret = (struct bw_row){ .kind = BW_ROW_GAP };
	if (!page || number >= BW_MAX_BLOCKS)
		return;
	page = get_page(page->numbers[number / BW_PAGE_BLOCKS]);
	if (!page)
		return;
	struct bw_block block = page->blocks[number % BW_PAGE_BLOCKS];
	page = get_page(block.first / BW_PAGE_ROWS);
	if (page && block.n)
		*ret = *bw_search(page, block, distance);
}

/** Find a row by the mapping and its table. */
static void search(struct bw_env *env, uint64_t addr, struct bw_place *ret)
{
	const struct bw_row loading = { .kind = BW_ROW_END, .detail = BW_END_LOADING };

	ret->found = BW_FOUND_NOTHING;
	if (!find_mapping(env, addr))
		return;
	ret->found = BW_FOUND_MAPPING;
	if (env->mapping.table == BW_NO_TABLE)
		return;
	ret->found = BW_FOUND_ROW;
	ret->row = loading;
	if (env->mapping.table == BW_TABLE_LOADING)
		return;
	if (!use_table(env, env->mapping.table)) {
		miss_table(env);
		return;
	}
	uint64_t distance = addr - env->mapping.base;
	if (distance >= UINT32_MAX) {
		ret->row = (struct bw_row){ .kind = BW_ROW_GAP };
		return;
	}
	find_row(&env->mapping, (uint32_t)distance, &ret->row);
	ret->is_first = ret->row.start == distance;
}

/** Slot of @p addr in the cache of known rows; NULL if the CPU has none. */
bw_inline struct bw_known *get_known(const struct bw_env *env, uint64_t addr)
{
	struct bw_cache *cache = bpf_map_lookup_elem(&caches, &env->cpu);
	/* Addresses that are close together stay so, as callers and callees often are. */
	uint64_t hash = addr / 16 + (env->tag >> 32) * 41;

	return cache ? &cache->entries[hash % BW_CACHE_ENTRIES] : NULL;
}

static void bw_find(struct bw_walk *w, uint64_t addr, struct bw_place *ret)
{
	struct bw_env *env = env_of(w);
	struct bw_known *known = get_known(env, addr);

	ret->is_first = false;
	ret->low_bits = (uint8_t)addr;
	if (!known)
		return;
	if (known->addr == addr && (known->tag & ~(uint64_t)1) == env->tag) {
		ret->found = BW_FOUND_ROW;
		ret->row = known->row;
		ret->is_first = known->tag & 1;
		return;
	}
	search(env, addr, ret);
	if (ret->found != BW_FOUND_ROW ||
		(ret->row.kind == BW_ROW_END && ret->row.detail == BW_END_LOADING))
		return;
	known->addr = addr;
	known->tag = env->tag | ret->is_first;
	known->row = ret->row;
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

/** Find the current process and thread in the recorder's namespace. */
bw_inline bool find_ids(uint32_t *pid_ret, uint32_t *tid_ret)
{
	uint32_t zero = 0;
	struct bpf_pidns_info ids = { 0 };
	const struct bw_config *c = bpf_map_lookup_elem(&config, &zero);

	if (!c)
		return false;
	if (c->is_first_ns) {
		uint64_t both = bpf_get_current_pid_tgid();

		*pid_ret = both >> 32;
		*tid_ret = (uint32_t)both;
		return true;
	}
	if (bpf_get_ns_current_pid_tgid(c->pid_ns_dev, c->pid_ns_ino, &ids, sizeof(ids)) < 0)
		return false;
	*pid_ret = ids.tgid;
	*tid_ret = ids.pid;
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
	ask(env->pid, BW_MISS_UNKNOWN);
}

bw_inline void walk(struct bw_env *env)
{
	const struct bw_space *space = bpf_map_lookup_elem(&spaces, &env->pid);

	if (!space) {
		miss_process(env);
		return;
	}
	/* The time is a part of the tag, so that the use of a table is noted once in a step. */
	env->tag = (uint64_t)space->generation << 32 | (uint32_t)(env->now << 1);
	env->cpu = bpf_get_smp_processor_id();
	env->n_stack = 0;
	bw_begin(&env->walk, &env->regs);
	env->walk.end = BW_END_LIMIT;
	bpf_loop(BW_MAX_FRAMES + 1, step, NULL, 0);
	env->record.generation = space->generation;
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
	record->generation = 0;
	if (!find_ids(&record->pid, &record->tid))
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

/* Members of the kernel's struct task_struct, in two versions of the kernel. */

struct task_struct {
	int pid;
	int tgid;
	/** Events of the thread, since Linux 6.2. */
	void *perf_event_ctxp;
} __attribute__((preserve_access_index));

struct task_struct___before_6_2 {
	void *perf_event_ctxp[2];
} __attribute__((preserve_access_index));

/** Whether the current thread has events. They may be those of another recorder. */
bw_inline bool has_events(void)
{
	const void *task = bpf_get_current_task_btf();
	const struct task_struct *new = task;
	const struct task_struct___before_6_2 *old = task;
	void *events = NULL;

	if (bpf_core_field_exists(new->perf_event_ctxp))
		bpf_core_read(&events, sizeof(events), &new->perf_event_ctxp);
	else if (bpf_core_field_exists(old->perf_event_ctxp))
		bpf_core_read(&events, sizeof(events), &old->perf_event_ctxp[0]);
	return events;
}

/**
 * Tracepoints and probes always run in the kernel, and their programs for all threads: only those
 * of recorded ones have samples.
 */
bw_inline int trace(void *ctx)
{
	uint32_t zero = 0;
	const struct bw_config *c = bpf_map_lookup_elem(&config, &zero);

	if (!c || !(c->is_system_wide || has_events()))
		return 1;
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

/**
 * Forget the mappings that a process had before it executed another program, and ask for the new
 * ones. Many programs end before they have a sample, so the recorder is not asked too often: it
 * is asked again when there is one.
 */
SEC("raw_tp")
int reach_exec(void *ctx)
{
	enum { PAUSE_NS = 1000000 };
	static uint64_t asked_at;
	uint32_t zero = 0, pid, tid;
	const struct bw_config *c = bpf_map_lookup_elem(&config, &zero);
	uint64_t now = bpf_ktime_get_ns();

	(void)ctx;
	if (!c || !find_ids(&pid, &tid))
		return 0;
	bpf_map_delete_elem(&spaces, &pid);
	if (now - asked_at < PAUSE_NS || !(c->is_system_wide || has_events()))
		return 0;
	asked_at = now;
	ask(pid, BW_MISS_EXEC);
	return 0;
}

/**
 * Let a process that was forked have the mappings of its parent, until it changes them. Its id is
 * known in the first namespace only; in others, it is asked for when it has a sample.
 */
SEC("raw_tp")
int reach_fork(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *child = (const void *)ctx->args[1];
	uint32_t zero = 0, pid = 0, tid = 0, parent = bpf_get_current_pid_tgid() >> 32;
	const struct bw_config *c = bpf_map_lookup_elem(&config, &zero);
	const struct bw_space *space = bpf_map_lookup_elem(&spaces, &parent);

	if (!c || !c->is_first_ns || !space)
		return 0;
	bpf_core_read(&pid, sizeof(pid), &child->tgid);
	bpf_core_read(&tid, sizeof(tid), &child->pid);
	if (pid && pid == tid)
		bpf_map_update_elem(&spaces, &pid, space, BPF_ANY);
	return 0;
}
