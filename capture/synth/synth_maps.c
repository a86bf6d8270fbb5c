#include "capture/synth/synth_maps.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/synth/synth_state.h"

/*
 * Names that the kernel uses in MMAP records for anonymous memory, and for paths longer than
 * PATH_MAX.
 */
static const char anonymous[] = "//anon";
static const char too_long[] = "//toolong";

/* Take a number in @p base and the character @p delimiter after it. */
static bool take_number(char **at, int base, char delimiter, uint64_t *ret)
{
	char *end;

	*ret = strtoull(*at, &end, base);
	if (end == *at || *end != delimiter)
		return false;
	*at = end + 1;
	return true;
}

/* Take the permissions, like "rwxp ". */
static bool take_access(char **at, struct cap_mapping *ret)
{
	static const char letters[] = "rwx";
	static const uint32_t bits[] = { PROT_READ, PROT_WRITE, PROT_EXEC };
	const char *access = *at;

	ret->prot = 0;
	for (size_t i = 0; i < PD_ARRAY_LEN(bits); i++) {
		if (access[i] == letters[i])
			ret->prot |= bits[i];
		else if (access[i] != '-')
			return false;
	}
	if ((access[3] != 'p' && access[3] != 's') || access[4] != ' ')
		return false;
	ret->flags = access[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	*at += 5;
	return true;
}

static const char *name_of(char *rest)
{
	rest[strcspn(rest, "\n")] = '\0';
	rest += strspn(rest, " ");
	if (strlen(rest) >= PATH_MAX)
		return too_long;
	return *rest ? rest : anonymous;
}

bool cap_mapping_parse(char *line, struct cap_mapping *ret)
{
	char *at = line;
	uint64_t maj;
	uint64_t min;

	if (!take_number(&at, 16, '-', &ret->start) || !take_number(&at, 16, ' ', &ret->end) ||
		!take_access(&at, ret) || !take_number(&at, 16, ' ', &ret->pgoff) ||
		!take_number(&at, 16, ':', &maj) || !take_number(&at, 16, ' ', &min))
		return false;
	char *end;
	ret->maj = (uint32_t)maj;
	ret->min = (uint32_t)min;
	ret->ino = strtoull(at, &end, 10);
	if (end == at || (*end && *end != ' ' && *end != '\n') || ret->end < ret->start)
		return false;
	ret->name = name_of(end);
	return true;
}

static bool is_below(const char *name, const char *dir)
{
	size_t len = dir ? strlen(dir) : 0;

	return len && strncmp(name, dir, len) == 0 && name[len] == '/';
}

static struct pd_error *find_build_id(struct cap_synth *synth, uint32_t tid,
	const struct cap_mapping *mapping, struct pd_build_id *ret)
{
	*ret = (struct pd_build_id){ 0 };
	if (!synth->opts.build_ids)
		return NULL;
	if (strcmp(mapping->name, "[vdso]") == 0) {
		if (!cap_build_id_vdso(&synth->machine, tid, mapping, ret))
			ret->len = 0;
		return NULL;
	}
	return cap_build_ids_find(&synth->build_ids, &synth->machine, tid, mapping, ret);
}

static struct pd_error *put_with_build_id(struct cap_synth *synth, uint32_t pid, uint16_t misc,
	const struct cap_mapping *mapping, const struct pd_build_id *id)
{
	const union pd_body body = {
		.mmap2_build_id = {
			.pid = pid,
			.tid = pid,
			.addr = mapping->start,
			.len = mapping->end - mapping->start,
			.pgoff = mapping->pgoff,
			.build_id = *id,
			.prot = mapping->prot,
			.flags = mapping->flags,
			.filename = cap_str(mapping->name),
		},
	};

	return cap_synth_put(synth, &pd_layout_mmap2_build_id, misc | PD_MISC_MMAP_BUILD_ID, &body);
}

/* The generation of the inode (ino_generation) is not in /proc. */
static struct pd_error *put_with_inode(
	struct cap_synth *synth, uint32_t pid, uint16_t misc, const struct cap_mapping *mapping)
{
	const union pd_body body = {
		.mmap2 = {
			.pid = pid,
			.tid = pid,
			.addr = mapping->start,
			.len = mapping->end - mapping->start,
			.pgoff = mapping->pgoff,
			.maj = mapping->maj,
			.min = mapping->min,
			.ino = mapping->ino,
			.prot = mapping->prot,
			.flags = mapping->flags,
			.filename = cap_str(mapping->name),
		},
	};

	return cap_synth_put(synth, &pd_layout_mmap2, misc, &body);
}

static struct pd_error *put_mapping(struct cap_synth *synth, uint32_t pid, uint32_t tid,
	uint16_t misc, struct cap_mapping *mapping)
{
	struct pd_build_id id;

	if (is_below(mapping->name, synth->hugetlb)) {
		mapping->name = anonymous;
		mapping->flags |= MAP_HUGETLB;
	}
	struct pd_error *err = find_build_id(synth, tid, mapping, &id);
	if (err)
		return err;
	synth->counts.mappings++;
	if (id.len)
		return put_with_build_id(synth, pid, misc, mapping, &id);
	return put_with_inode(synth, pid, misc, mapping);
}

/* Whether a mapping gets a record, and the misc bits of that. */
static bool is_wanted(
	const struct cap_synth *synth, const struct cap_mapping *mapping, uint16_t *misc_ret)
{
	*misc_ret = PD_MISC_USER;
	if (mapping->prot & PROT_EXEC)
		return true;
	*misc_ret |= PD_MISC_MMAP_DATA;
	return synth->opts.data && mapping->prot & PROT_READ;
}

/* Write the mappings in @p in, which is of thread @p tid. */
static struct pd_error *put_maps(struct cap_synth *synth, uint32_t pid, uint32_t tid, FILE *in)
{
	double limit = base_clock_now() + synth->opts.maps_timeout_ms / 1000.0;
	bool is_late = false;

	while (!is_late && getline(&synth->line, &synth->line_cap, in) > 0) {
		struct cap_mapping mapping;
		uint16_t misc;

		if (!cap_mapping_parse(synth->line, &mapping) || !is_wanted(synth, &mapping, &misc))
			continue;
		is_late = synth->opts.maps_timeout_ms && base_clock_now() > limit;
		/*
		 * Like perf, set the bit in the last record that is written. The other mappings are
		 * missing.
		 */
		if (is_late)
			misc |= PD_MISC_PROC_MAP_PARSE_TIMEOUT;
		struct pd_error *err = put_mapping(synth, pid, tid, misc, &mapping);
		if (err)
			return err;
	}
	synth->counts.cut += is_late;
	return NULL;
}

/*
 * The kernel checks permissions when the file is opened, or, on some versions, at the first read.
 */
struct pd_error *cap_synth_maps(struct cap_synth *synth, uint32_t pid)
{
	uint32_t tid;
	_cleanup_fclose_ FILE *in = cap_machine_open_maps(&synth->machine, pid, &tid);
	uint64_t before = synth->counts.mappings;

	if (!in) {
		cap_synth_miss(synth, errno);
		return NULL;
	}
	errno = 0;
	struct pd_error *err = put_maps(synth, pid, tid, in);
	if (ferror(in) && synth->counts.mappings == before)
		cap_synth_miss(synth, errno);
	return err;
}
