#include "unwind/unwind.h"

static const struct {
	const char *text;
	const char *advice;
} ends[] = {
#define UNW_END_ROW(name, end_text, end_advice) \
	[UNW_END_##name] = { .text = end_text, .advice = end_advice },
	UNW_ENDS(UNW_END_ROW)
#undef UNW_END_ROW
};

const char *unw_end_text(enum unw_end end)
{
	return end < UNW_N_ENDS ? ends[end].text : "";
}

const char *unw_end_advice(enum unw_end end)
{
	return end < UNW_N_ENDS ? ends[end].advice : "";
}
