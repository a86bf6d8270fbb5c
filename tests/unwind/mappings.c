#include "tests/unwind/mappings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "tests/unwind/die.h"

static bool parse(const char *line, struct mapping *ret)
{
	char prot[5];
	int path = 0;

	*ret = (struct mapping){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		    &ret->start, &ret->end, prot, &ret->offset, &ret->major, &ret->minor,
		    &ret->inode, &path) < 7)
		return false;
	ret->prot = (prot[0] == 'r' ? PROT_READ : 0) | (prot[1] == 'w' ? PROT_WRITE : 0) |
		    (prot[2] == 'x' ? PROT_EXEC : 0);
	snprintf(
		ret->path, sizeof(ret->path), "%.*s", (int)strcspn(line + path, "\n"), line + path);
	return true;
}

void mappings_read(pid_t pid, struct mappings *ret)
{
	char path[64], line[512];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	ret->list.n = 0;
	while (in && fgets(line, sizeof(line), in)) {
		struct mapping mapping;

		if (parse(line, &mapping) && !pd_vec_push(&ret->list, mapping))
			die("no memory");
	}
}

const struct mapping *mappings_find(const struct mappings *mappings, uint64_t addr)
{
	for (size_t i = 0; i < mappings->list.n; i++) {
		const struct mapping *mapping = &mappings->list.data[i];

		if (mapping->start <= addr && addr < mapping->end)
			return mapping;
	}
	return NULL;
}

void mappings_deinit(struct mappings *mappings)
{
	pd_vec_deinit(&mappings->list);
}
