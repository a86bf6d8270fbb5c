#include "parse/gaps.h"

#include "parse/open_file.h"

void pd_gaps_count(struct pd_file *file, uint32_t part, uint64_t offset, uint64_t n, uint64_t time)
{
	struct pd_part *from = &file->parts.data[part];

	if (offset < from->gaps_end || !n)
		return;
	if (from->first_gap == PD_NO_OFFSET) {
		from->first_gap = offset;
		from->first_gap_time = time;
	}
	from->gaps_end = offset + n;
	file->gaps.n++;
	file->gaps.bytes += n;
}

bool pd_gaps_precede_record(const struct pd_file *file, const struct pd_record *rec)
{
	const struct pd_part *parts = file->parts.data;

	if (rec->offset > parts[rec->part].first_gap)
		return true;
	/* Records of one file of a directory are about the threads of the others, too. */
	for (size_t i = 0; i < file->parts.n; i++) {
		if (i != rec->part && parts[i].first_gap != PD_NO_OFFSET &&
			rec->time > parts[i].first_gap_time)
			return true;
	}
	return false;
}
