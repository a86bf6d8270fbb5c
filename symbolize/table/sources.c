#include "symbolize/table/sources.h"

struct pd_error *sym_note_source(struct sym_ranges *ranges, enum sym_source_kind kind,
	const struct sym_image *image, const char *wanted, uint64_t dwo_id)
{
	struct sym_range_source source = {
		.kind = kind,
		.is_found = image != NULL,
		.dwo_id = dwo_id,
	};
	char hex[PD_BUILD_ID_HEX_MAX];
	struct pd_error *err =
		sym_ranges_string(ranges, image ? image->path : wanted, &source.path);

	if (err)
		return err;
	/*
	 * The cache uses a stored table only as long as its files are the same. They are compared
	 * by these facts.
	 */
	if (image) {
		pd_build_id_hex(&image->build_id, hex);
		err = sym_ranges_string(ranges, hex, &source.build_id);
		if (err)
			return err;
		sym_image_stamp(image, &source.size, &source.mtime_ns);
	}
	return sym_ranges_note_source(ranges, &source);
}
