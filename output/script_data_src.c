/* Text of a data_src value (the source of a memory access), worded like `perf script`. */
#include <inttypes.h>

#include "analyze/sample_text.h"
#include "base/array.h"
#include "output/script_private.h"

int script_data_src(uint64_t data_src, char *buf, size_t size)
{
	static const struct {
		enum ana_data_src_part part;
		const char *mark;
	} parts[] = {
		{ ANA_DATA_SRC_OP, "|OP " },
		{ ANA_DATA_SRC_LEVEL, "|LVL " },
		{ ANA_DATA_SRC_SNOOP, "|SNP " },
		{ ANA_DATA_SRC_TLB, "|TLB " },
		{ ANA_DATA_SRC_LOCK, "|LCK " },
		{ ANA_DATA_SRC_BLOCK, "|BLK " },
	};
	size_t len = (size_t)snprintf(buf, size, "%16" PRIx64 " ", data_src);
	char text[256];

	for (size_t i = 0; i < PD_ARRAY_LEN(parts) && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s", parts[i].mark,
			ana_data_src_text(data_src, parts[i].part, text, sizeof(text)));
	return (int)(len < size ? len : size - 1);
}
