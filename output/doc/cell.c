/* Cells of tables as texts. */
#include <inttypes.h>
#include <math.h>

#include "output/doc/doc_private.h"
#include "output/doc/fit.h"

/* Shares below this, in percent, would be written as 0.00. */
static const double least_share = 0.005;

bool out_is_text(enum out_cell_kind kind)
{
	return kind == OUT_CELL_TEXT || kind == OUT_CELL_CODE || kind == OUT_CELL_FUNCTION;
}

void out_cell_format(const struct out_column *column, const struct out_cell *cell, char *buf)
{
	*buf = '\0';
	if (cell->is_empty)
		return;
	switch (column->kind) {
	case OUT_CELL_TEXT:
	case OUT_CELL_CODE:
	case OUT_CELL_FUNCTION:
		break;
	case OUT_CELL_COUNT:
		snprintf(buf, OUT_CELL_SIZE, "%" PRIu64, cell->count);
		break;
	case OUT_CELL_AMOUNT:
		out_fit_amount(cell->count, column->unit, buf);
		break;
	case OUT_CELL_DIFFERENCE:
		out_fit_amount((uint64_t)llround(fabs(cell->real)), column->unit, buf + 1);
		*buf = cell->real < 0 ? '-' : '+';
		break;
	case OUT_CELL_SHARE:
		if (cell->real >= least_share)
			snprintf(buf, OUT_CELL_SIZE, "%6.2f %%", cell->real);
		break;
	case OUT_CELL_CHANGE:
		if (fabs(cell->real) >= least_share)
			snprintf(buf, OUT_CELL_SIZE, "%+.2f %%", cell->real);
		break;
	case OUT_CELL_RATIO:
		snprintf(buf, OUT_CELL_SIZE, "%.2f", cell->real);
		break;
	case OUT_CELL_ADDRESS:
		snprintf(buf, OUT_CELL_SIZE, "%" PRIx64, cell->count);
		break;
	}
}
