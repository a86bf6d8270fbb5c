/* Read a recording in either order, and its features. At worst, damage is noted. */
#include "tests/fuzz/recording.h"

static void read_features(const struct pd_file *file)
{
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		union {
			char bytes[PD_MAX_STRUCT_BYTES];
			uint64_t aligned;
		} feature;

		(void)!pd_file_feature(file, bit, &feature);
	}
}

void fuzz_target_file(struct fuzz_input *in)
{
	static const enum pd_order_kind orders[] = { PD_ORDER_FILE, PD_ORDER_TIME };
	struct pd_file *file = fuzz_open(in);

	if (!file)
		return;
	fuzz_read(file, orders[fuzz_pick(in, 2)]);
	read_features(file);
	pd_file_close(file);
}
