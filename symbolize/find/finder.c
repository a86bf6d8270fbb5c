#include "symbolize/find/finder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/array.h"
#include "base/cleanup.h"

/* A place, and how to look there. */
struct place {
	const char *name;
	const char *text;
	sym_binary_place_fn *binary;
	sym_debug_place_fn *debug;
};

static const struct place places[] = {
#define PLACE_ROW(id, binary_, debug_, name_, text_) \
	[SYM_PLACE_##id] = { name_, text_, sym_binary_in_##binary_, sym_debug_in_##debug_ },
	SYM_PLACES(PLACE_ROW)
#undef PLACE_ROW
};

const char *sym_place_name(enum sym_place place)
{
	return places[place].name;
}

const char *sym_place_text(enum sym_place place)
{
	return places[place].text;
}

bool sym_binary_in_none(struct sym_hunt *hunt)
{
	(void)hunt;
	return false;
}

bool sym_debug_in_none(struct sym_hunt *hunt, const struct sym_image *main)
{
	(void)hunt;
	(void)main;
	return false;
}

void sym_hunt_deinit(struct sym_hunt *hunt)
{
	sym_image_destroy(hunt->found);
	sym_image_destroy(hunt->other_build);
	free(hunt->why);
	pd_error_destroy(hunt->err);
	*hunt = (struct sym_hunt){ 0 };
}

/* How much a failure tells; the first of the best kind is remembered. */
static int weight(enum sym_status status)
{
	static const int weights[] = {
		[SYM_WRONG_BUILD_ID] = 3,
		[SYM_NOT_ELF] = 2,
		[SYM_UNREADABLE] = 1,
	};
	return (size_t)status < PD_ARRAY_LEN(weights) ? weights[status] : 0;
}

/* What came of a candidate. */
struct verdict {
	enum sym_status status;
	/** As in "PATH: is no ELF file"; of one that was taken, how it was known. Owned; NULL: no memory. */
	char *text;
};

static struct verdict pd_printf(2, 3) decide(enum sym_status status, const char *fmt, ...)
{
	struct verdict verdict = { .status = status };
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&verdict.text, fmt, ap) < 0)
		verdict.text = NULL;
	va_end(ap);
	return verdict;
}

/* Note what came of @p path; takes the verdict's text. */
static void note(struct sym_hunt *hunt, const char *path, struct verdict verdict)
{
	struct sym_attempt attempt = {
		.place = hunt->place,
		.is_debug = hunt->wants_debug,
		.status = verdict.status,
		.path = strdup(path),
		.why = verdict.text,
	};

	hunt->last = verdict.status;
	if (!attempt.path || !attempt.why)
		hunt->err = hunt->err ? hunt->err : &pd_enomem;
	if (weight(verdict.status) > weight(hunt->status) && !hunt->err) {
		free(hunt->why);
		bool is_judged = verdict.status == SYM_WRONG_BUILD_ID;
		if (asprintf(&hunt->why, "%s%s %s", path, is_judged ? "" : ":", verdict.text) < 0)
			hunt->why = NULL;
		hunt->status = verdict.status;
	}
	if (!hunt->err && hunt->trail && pd_vec_push(&hunt->trail->list, attempt))
		return;
	free(attempt.path);
	free(attempt.why);
}

static bool has_crc(struct sym_image *image, uint32_t want)
{
	size_t size;
	const char *bytes = elf_rawfile(image->elf, &size);

	return bytes && crc32_z(0, (const Bytef *)bytes, size) == want;
}

/* Whether an inode number of the recording can be that of @p image. */
static bool has_comparable_inode(const struct sym_hunt *hunt)
{
	return hunt->search->is_here && hunt->recorded.ino &&
	       (hunt->place == SYM_PLACE_OWN_PATH || hunt->place == SYM_PLACE_PROC_ROOT);
}

/*
 * No build id was recorded. Size, inode and time show some of the files that are others. The device
 * is not compared: overlays and subvolumes show another one to stat than to the recorder.
 */
static struct verdict judge_by_file(const struct sym_hunt *hunt, const struct sym_image *image)
{
	struct stat st;

	if (image->fd < 0 || fstat(image->fd, &st))
		return decide(SYM_FOUND, "taken by name: no build id was recorded");
	if (hunt->recorded.offset && (uint64_t)st.st_size <= hunt->recorded.offset)
		return decide(SYM_WRONG_BUILD_ID, "has %llu bytes, byte %llu was mapped",
			(unsigned long long)st.st_size, (unsigned long long)hunt->recorded.offset);
	if (has_comparable_inode(hunt) && st.st_ino != hunt->recorded.ino)
		return decide(SYM_WRONG_BUILD_ID, "is another file: inode %llu, recorded was %llu",
			(unsigned long long)st.st_ino, (unsigned long long)hunt->recorded.ino);
	if (has_comparable_inode(hunt) && hunt->search->ended_at &&
		st.st_mtime > hunt->search->ended_at)
		return decide(SYM_WRONG_BUILD_ID, "was changed after the recording");
	if (hunt->place == SYM_PLACE_PROC_ROOT && !has_comparable_inode(hunt))
		return decide(SYM_WRONG_BUILD_ID, "neither build id nor inode was recorded");
	return decide(SYM_FOUND, "taken by %s: no build id was recorded",
		has_comparable_inode(hunt) ? "inode" : "name");
}

static struct verdict judge(const struct sym_hunt *hunt, struct sym_image *image)
{
	char have[PD_BUILD_ID_HEX_MAX], want[PD_BUILD_ID_HEX_MAX];

	if (hunt->wants_debug && !sym_image_has_dwarf(image) &&
		(hunt->wants_dwarf || !sym_image_scn(image, ".symtab")))
		return decide(SYM_NO_FILE, "has no debug information");
	if (!hunt->wants_debug && sym_image_lacks_code(image))
		return decide(SYM_NO_FILE, "is a debug file: the binary itself is needed");
	pd_build_id_hex(&hunt->id, want);
	pd_build_id_hex(&image->build_id, have);
	if (hunt->id.len && image->build_id.len)
		return pd_build_id_equal(&hunt->id, &image->build_id)
			       ? decide(SYM_FOUND, "taken by build id")
			       : decide(SYM_WRONG_BUILD_ID, "has build id %s, recorded was %s",
					 have, want);
	if (hunt->has_crc)
		return has_crc(image, hunt->crc)
			       ? decide(SYM_FOUND, "taken by checksum")
			       : decide(SYM_WRONG_BUILD_ID, "has another checksum");
	if (hunt->id.len)
		return decide(SYM_WRONG_BUILD_ID, "has no build id, recorded was %s", want);
	return judge_by_file(hunt, image);
}

bool sym_hunt_try_image(struct sym_hunt *hunt, struct sym_image *image, const char *path)
{
	struct verdict verdict = judge(hunt, image);

	note(hunt, path, verdict);
	if (verdict.status == SYM_FOUND && !hunt->err)
		hunt->found = image;
	else if (verdict.status == SYM_WRONG_BUILD_ID && hunt->search->force_mismatch &&
		 !hunt->wants_debug && !hunt->other_build)
		hunt->other_build = image;
	else
		sym_image_destroy(image);
	return hunt->found || hunt->err;
}

bool sym_hunt_try(struct sym_hunt *hunt, const char *path)
{
	struct sym_trouble trouble = { 0 };
	struct sym_image *image;

	if (hunt->found || hunt->err)
		return true;
	if (!*path || (hunt->but && strcmp(path, hunt->but) == 0))
		return false;
	hunt->err = sym_image_open(path, &image, &trouble);
	if (hunt->err)
		return true;
	if (image)
		return sym_hunt_try_image(hunt, image, path);
	note(hunt, path, decide(trouble.status, "%s", trouble.text));
	return hunt->err != NULL;
}

bool sym_hunt_try_member(
	struct sym_hunt *hunt, const struct sym_archive *archive, const struct sym_member *member)
{
	struct sym_trouble trouble = { 0 };
	struct sym_image *image;
	struct sym_path name;

	if (hunt->found || hunt->err)
		return true;
	sym_path_format(&name, "%s:%s", sym_archive_path(archive), member->path);
	if (hunt->but && strcmp(name.text, hunt->but) == 0)
		return false;
	hunt->err = sym_image_open_range(
		sym_archive_fd(archive), member->offset, member->size, name.text, &image, &trouble);
	if (hunt->err)
		return true;
	if (image)
		return sym_hunt_try_image(hunt, image, name.text);
	note(hunt, name.text, decide(trouble.status, "%s", trouble.text));
	return hunt->err != NULL;
}

bool sym_hunt_debuginfod(struct sym_hunt *hunt, enum sym_debuginfod_kind kind)
{
	struct sym_debuginfod *debuginfod = hunt->search->debuginfod;
	const char *why;

	if (!debuginfod || !hunt->id.len || hunt->found || hunt->err)
		return hunt->found || hunt->err;
	_cleanup_free_ char *path = sym_debuginfod_fetch(
		debuginfod, &hunt->id, kind, sym_path_base(hunt->recorded.name), &why);
	if (!path) {
		note(hunt, hunt->recorded.name, decide(SYM_NO_FILE, "%s", why));
		return hunt->err != NULL;
	}
	bool is_over = sym_hunt_try(hunt, path);
	if (!is_over && (hunt->last == SYM_NOT_ELF || hunt->last == SYM_WRONG_BUILD_ID))
		sym_debuginfod_reject(debuginfod, path);
	return is_over;
}

static bool try_binary_places(struct sym_hunt *hunt)
{
	bool is_over = false;

	for (size_t i = 0; i < SYM_N_PLACES && !is_over; i++) {
		hunt->place = (enum sym_place)i;
		is_over = places[i].binary(hunt);
	}
	return is_over;
}

/* @p main is NULL where places that go by more than a build id are left out. */
static bool try_debug_places(struct sym_hunt *hunt, const struct sym_image *main)
{
	bool is_over = false;

	for (size_t i = 0; i < SYM_N_PLACES && !is_over; i++) {
		if (!main && (i == SYM_PLACE_DEBUGLINK || i == SYM_PLACE_OWN_PATH))
			continue;
		if (i == SYM_PLACE_DEBUGINFOD ? hunt->is_local : hunt->is_remote)
			continue;
		hunt->place = (enum sym_place)i;
		is_over = places[i].debug(hunt, main);
	}
	return is_over;
}

void sym_hunt_binary(struct sym_hunt *hunt)
{
	try_binary_places(hunt);
	if (!hunt->found && !hunt->err)
		hunt->found = take_ptr(hunt->other_build);
}

void sym_hunt_debug(struct sym_hunt *hunt, const struct sym_image *main)
{
	hunt->id = main->build_id;
	hunt->has_crc = sym_read_debuglink(main, &hunt->crc);
	hunt->but = main->path;
	hunt->wants_debug = true;
	if (try_debug_places(hunt, main) || !hunt->id.len || hunt->is_remote)
		return;
	/* Some copy of the binary itself may not be stripped. */
	hunt->wants_dwarf = true;
	try_binary_places(hunt);
}

void sym_hunt_by_id(struct sym_hunt *hunt)
{
	try_debug_places(hunt, NULL);
}
