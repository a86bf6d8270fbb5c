#include "parse/space/region.h"

static struct parse_region from_mmap(const struct pd_mmap *mmap, uint16_t misc)
{
	return (struct parse_region){
		.pid = mmap->pid,
		.prot = misc & PD_MISC_MMAP_DATA ? PD_PROT_READ : PD_PROT_EXEC,
		.start = mmap->addr,
		.len = mmap->len,
		.pgoff = mmap->pgoff,
		.name = mmap->filename.s,
	};
}

static struct parse_region from_mmap2(const struct pd_mmap2 *mmap2)
{
	return (struct parse_region){
		.pid = mmap2->pid,
		.prot = mmap2->prot,
		.flags = mmap2->flags,
		.start = mmap2->addr,
		.len = mmap2->len,
		.pgoff = mmap2->pgoff,
		.name = mmap2->filename.s,
		.maj = mmap2->maj,
		.min = mmap2->min,
		.ino = mmap2->ino,
	};
}

static struct parse_region from_mmap2_build_id(const struct pd_mmap2_build_id *mmap2)
{
	return (struct parse_region){
		.pid = mmap2->pid,
		.prot = mmap2->prot,
		.flags = mmap2->flags,
		.start = mmap2->addr,
		.len = mmap2->len,
		.pgoff = mmap2->pgoff,
		.name = mmap2->filename.s,
		.build_id = mmap2->build_id,
	};
}

/* Both forms of MMAP2 are in one recording: the kernel sets the bit if it found a build id. */
bool parse_region_of(
	const struct pd_record *rec, const union pd_body *body, struct parse_region *ret)
{
	switch (rec->type) {
	case PD_RECORD_MMAP:
		*ret = from_mmap(&body->mmap, rec->misc);
		return true;
	case PD_RECORD_MMAP2:
		*ret = rec->misc & PD_MISC_MMAP_BUILD_ID
			       ? from_mmap2_build_id(&body->mmap2_build_id)
			       : from_mmap2(&body->mmap2);
		return true;
	default:
		return false;
	}
}
