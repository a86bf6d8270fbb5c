#include "capture/features/memory_features.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/array.h"
#include "base/cleanup.h"

enum { MAX_NODES = 1 << 16 };

static const char nodes_path[] = "/sys/devices/system/node";

/*
 * Find the number of "KEY: N kB" in a meminfo file; lines of nodes begin with "Node N " before the
 * key.
 */
static bool memory_value(const char *text, const char *key, uint64_t *ret)
{
	const char *at = text ? strstr(text, key) : NULL;
	char *end;

	if (!at)
		return false;
	at += strlen(key);
	*ret = strtoull(at, &end, 10);
	return end != at;
}

bool cap_feature_total_mem(struct cap_machine *machine, struct pd_bytes *out)
{
	_cleanup_free_ char *text = cap_machine_read(machine, NULL, "/proc/meminfo");
	struct pd_total_mem body;

	if (!memory_value(text, "MemTotal:", &body.total_mem))
		return false;
	cap_encode(&pd_layout_total_mem, &body, out);
	return true;
}

/* Encode a node. False if one of its values cannot be read. */
static bool encode_node(struct cap_machine *machine, uint32_t node, struct pd_bytes *out)
{
	_cleanup_free_ char *text =
		cap_machine_read(machine, NULL, "%s/node%u/meminfo", nodes_path, node);
	_cleanup_free_ char *cpus =
		cap_machine_line(machine, "%s/node%u/cpulist", nodes_path, node);
	struct pd_numa_node body = { .node = node };

	if (!cpus || !memory_value(text, "MemTotal:", &body.mem_total) ||
		!memory_value(text, "MemFree:", &body.mem_free))
		return false;
	body.cpulist = cap_feature_str(cpus);
	cap_encode(&pd_layout_numa_node, &body, out);
	return true;
}

bool cap_feature_numa_topology(struct cap_machine *machine, struct pd_bytes *out)
{
	_cleanup_free_ char *online = cap_machine_line(machine, "%s/online", nodes_path);
	struct pd_str list = cap_feature_str(online ? online : "");
	struct pd_bytes nodes = { 0 };
	uint32_t first;
	uint32_t last;
	uint32_t n = 0;

	while (pd_cpu_range_take(&list, &first, &last)) {
		/*
		 * A node that cannot be read is left out, so the number of nodes is known only at
		 * the end.
		 */
		for (uint32_t node = first; node <= last && node < MAX_NODES; node++)
			n += encode_node(machine, node, &nodes);
	}
	const struct pd_numa_topology body = { .nr = n, .nodes = cap_list(&nodes, n) };
	cap_encode(&pd_layout_numa_topology, &body, out);
	out->failed |= nodes.failed;
	pd_bytes_deinit(&nodes);
	return n;
}

/* Parse a name that consists of @p prefix and a number. */
static bool parse_suffix(const char *name, const char *prefix, uint32_t *ret)
{
	size_t len = strlen(prefix);
	char *end;

	if (strncmp(name, prefix, len) != 0 || name[len] < '0' || name[len] > '9')
		return false;
	*ret = (uint32_t)strtoul(name + len, &end, 10);
	return !*end;
}

/* Sorted numbers of the entries of a directory, 17 for "memory17". */
struct numbers {
	PD_VEC(uint32_t) list;
};

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void read_numbers(
	struct cap_machine *machine, DIR *dir, const char *prefix, struct numbers *ret)
{
	struct dirent *entry;
	uint32_t number;

	while (dir && (entry = readdir(dir))) {
		if (parse_suffix(entry->d_name, prefix, &number) &&
			!pd_vec_push(&ret->list, number))
			machine->failed = true;
	}
	if (dir)
		closedir(dir);
	if (ret->list.n)
		qsort(ret->list.data, ret->list.n, sizeof(uint32_t), compare);
}

/* Encode a bitmap with the bits of the memory blocks that are present. */
static void encode_blocks(uint32_t node, const struct numbers *blocks, struct pd_bytes *out)
{
	uint64_t n_bits = blocks->list.n ? blocks->list.data[blocks->list.n - 1] + 1ULL : 0;
	size_t n_words = (n_bits + 63) / 64;
	uint64_t *words = base_calloc_n(n_words, sizeof(*words));
	const struct pd_memory_node body = {
		.node = node,
		.size = n_bits,
		.nr_bits = n_bits,
		.map = { .data = (const uint8_t *)words, .elem_size = 8, .n = n_words },
	};

	if (!words) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < blocks->list.n; i++)
		words[blocks->list.data[i] / 64] |= 1ULL << (blocks->list.data[i] % 64);
	cap_encode(&pd_layout_memory_node, &body, out);
	free(words);
}

bool cap_feature_mem_topology(struct cap_machine *machine, struct pd_bytes *out)
{
	struct numbers nodes = { 0 };
	struct pd_bytes bodies = { 0 };
	uint64_t block_size;

	/* Unlike most files in sysfs, this one is hexadecimal without 0x. */
	if (!cap_machine_number(
		    machine, 16, &block_size, "/sys/devices/system/memory/block_size_bytes"))
		return false;
	read_numbers(machine, cap_machine_dir(machine, "%s", nodes_path), "node", &nodes);
	for (size_t i = 0; i < nodes.list.n; i++) {
		uint32_t node = nodes.list.data[i];
		struct numbers blocks = { 0 };

		read_numbers(machine, cap_machine_dir(machine, "%s/node%u", nodes_path, node),
			"memory", &blocks);
		encode_blocks(node, &blocks, &bodies);
		pd_vec_deinit(&blocks.list);
	}
	const struct pd_mem_topology body = {
		.version = 1,
		.block_size = block_size,
		.nr = nodes.list.n,
		.nodes = cap_list(&bodies, nodes.list.n),
	};
	cap_encode(&pd_layout_mem_topology, &body, out);
	out->failed |= bodies.failed;
	pd_vec_deinit(&nodes.list);
	pd_bytes_deinit(&bodies);
	return body.nr;
}
