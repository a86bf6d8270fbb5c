#include "parse/moved_text.h"

#include <string.h>

#include "base/array.h"
#include "parse/snapshot.h"

enum { HUGE_PAGE = 2 << 20 };

/* Beginnings of the names that the kernel gives to memory without a file of code. */
static const char *const NO_FILES[] = { "//anon", "[anon", "/memfd:", "/dev/zero", "/SYSV" };

static bool is_without_file(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(NO_FILES); i++) {
		if (strncmp(name, NO_FILES[i], strlen(NO_FILES[i])) == 0)
			return true;
	}
	return !*name;
}

static bool is_file(const struct pd_dso *dso)
{
	return dso->name[0] == '/' && !is_without_file(dso->name);
}

void pd_note_program(struct pd_process *process, const struct pd_dso *dso)
{
	if (!process->program && is_file(dso))
		process->program = dso;
}

bool pd_is_moved_text(const struct pd_process *process, const struct pd_region *region)
{
	uint64_t end = region->start + region->len;

	if (!is_without_file(region->name))
		return false;
	const struct pd_maps_entry *entry = pd_maps_first(process->maps, region->start, end);
	if (!entry || entry->start > region->start || entry->end < end ||
		!is_file(entry->mapping->dso))
		return false;
	return entry->mapping->dso == process->program ||
	       (region->start % HUGE_PAGE == 0 && end % HUGE_PAGE == 0);
}

static const struct pd_maps_entry *entry_before(const struct pd_maps *maps, uint64_t addr)
{
	return addr ? pd_maps_first(maps, addr - 1, addr) : NULL;
}

/* Whether the region continues the file that is mapped before @p moved. */
static bool continues(const struct pd_process *process, const struct pd_maps_entry *moved,
	const struct pd_region *region)
{
	const struct pd_maps_entry *head = entry_before(process->maps, moved->start);

	/* Nothing else is mapped right before the program, which is the first file. */
	if (!head || !is_file(head->mapping->dso))
		return !process->program;
	return strcmp(head->mapping->dso->name, region->name) == 0 &&
	       head->mapping->pgoff - head->mapping->start == region->pgoff - region->start;
}

void pd_join_moved_text(const struct pd_process *process, struct pd_region *region)
{
	const struct pd_maps_entry *moved = entry_before(process->maps, region->start);

	if (!moved || is_without_file(region->name) || !is_without_file(moved->mapping->dso->name))
		return;
	uint64_t size = region->start - moved->start;
	if (size > region->pgoff || !continues(process, moved, region))
		return;
	region->start -= size;
	region->pgoff -= size;
	region->len += size;
}
