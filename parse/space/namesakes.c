#include "parse/space/namesakes.h"

#include <string.h>
#include <xxhash.h>

#include <pdconv/events.h>
#include <pdconv/reader.h>

#include "parse/open_file.h"
#include "parse/space/space.h"

/* Instead of an inode: there are several. */
#define SEVERAL UINT64_MAX

static uint64_t hash_path(const char *path)
{
	return XXH3_64bits(path, strlen(path));
}

static uint64_t hash_region(uint64_t path, uint64_t offset, uint64_t size)
{
	const uint64_t region[] = { path, offset, size };

	return XXH3_64bits(region, sizeof(region));
}

static bool add(struct base_map *map, uint64_t key, uint64_t ino)
{
	bool is_first;
	uint64_t *known = base_map_add(map, key, &is_first);

	if (!known)
		return false;
	*known = is_first || *known == ino ? ino : SEVERAL;
	return true;
}

static bool add_mapping(struct parse_namesakes *namesakes, const struct pd_mmap2 *mmap2)
{
	uint64_t path = hash_path(mmap2->filename.s);

	return add(&namesakes->paths, path, mmap2->ino) &&
	       add(&namesakes->regions, hash_region(path, mmap2->pgoff, mmap2->len), mmap2->ino);
}

static struct pd_error *take_record(
	const struct pd_file *file, const struct pd_record *rec, struct parse_namesakes *namesakes)
{
	union pd_body body;
	const char *wrong;

	if (rec->type != PD_RECORD_MMAP2 || rec->misc & PD_MISC_MMAP_BUILD_ID)
		return NULL;
	/* Damage is reported when the records are replayed. */
	const struct pd_plan *plan = pd_events_plan(&file->events, rec);
	if (!pd_record_decode(rec, plan ? plan->sid_bytes : 0, &body, &wrong) ||
		!(body.mmap2.prot & PD_PROT_EXEC) || !body.mmap2.ino)
		return NULL;
	return add_mapping(namesakes, &body.mmap2) ? NULL : &pd_enomem;
}

static struct pd_error *take_records(
	struct pd_reader *reader, const struct pd_file *file, struct parse_namesakes *namesakes)
{
	struct pd_record rec;

	for (;;) {
		struct pd_error *err = pd_reader_next(reader, &rec);

		if (err || !rec.bytes)
			return err;
		err = take_record(file, &rec, namesakes);
		if (err)
			return err;
	}
}

struct pd_error *parse_namesakes_read(struct pd_file *file, struct parse_namesakes *ret)
{
	struct pd_reader *reader;

	if (file->is_pipe || !parse_file_has_namesakes(file))
		return NULL;
	struct pd_error *err = pd_reader_create(file, PD_ORDER_FILE, &reader);
	if (err)
		return err;
	err = take_records(reader, file, ret);
	pd_reader_destroy(reader);
	return err;
}

static bool are_several(const struct base_map *map, uint64_t key)
{
	const uint64_t *found = base_map_find(map, key);

	return found && *found == SEVERAL;
}

enum base_id_origin parse_namesakes_origin(
	const struct parse_namesakes *namesakes, const struct parse_dso *dso)
{
	uint64_t path = hash_path(dso->name);

	if (!namesakes || !are_several(&namesakes->paths, path))
		return PD_ID_OF_PATH;
	return are_several(&namesakes->regions, hash_region(path, dso->pgoff, dso->size))
		       ? PD_ID_OF_TWIN
		       : PD_ID_OF_NAMESAKE;
}

void parse_namesakes_deinit(struct parse_namesakes *namesakes)
{
	base_map_deinit(&namesakes->paths);
	base_map_deinit(&namesakes->regions);
}
