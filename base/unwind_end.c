#include <pdconv/unwind_end.h>

static const struct {
	const char *name;
	const char *text;
} ends[] = {
#define END_ROW(row, end_text) [PD_UNWIND_END_##row] = { .name = #row, .text = end_text },
	PD_UNWIND_ENDS(END_ROW)
#undef END_ROW
};

const char *pd_unwind_end_name(enum pd_unwind_end end)
{
	return end < PD_N_UNWIND_ENDS ? ends[end].name : "";
}

const char *pd_unwind_end_text(enum pd_unwind_end end)
{
	return end < PD_N_UNWIND_ENDS ? ends[end].text : "";
}
