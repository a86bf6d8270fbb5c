#include "unwind/unwind.h"

static const struct {
	const char *name;
	const char *text;
	const char *advice;
} ends[] = {
#define UNW_END_ROW(row, end_text, end_advice) \
	[UNW_END_##row] = { .name = #row, .text = end_text, .advice = end_advice },
	UNW_ENDS(UNW_END_ROW)
#undef UNW_END_ROW
};

const char *unw_end_name(enum unw_end end)
{
	return end < UNW_N_ENDS ? ends[end].name : "";
}

const char *unw_end_text(enum unw_end end)
{
	return end < UNW_N_ENDS ? ends[end].text : "";
}

const char *unw_end_advice(enum unw_end end)
{
	return end < UNW_N_ENDS ? ends[end].advice : "";
}
