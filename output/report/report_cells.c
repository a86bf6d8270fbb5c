#include "output/report/report_cells.h"

void out_report_add_function(
	struct out_table *table, const struct ana_symbols *symbols, uint32_t symbol)
{
	if (symbol == PROF_NONE)
		out_table_function(table, "[no function of the program]", "", false);
	else
		out_table_function(table, ana_symbol_name(symbols, symbol),
			ana_symbol_binary(symbols, symbol), ana_symbol_is_inlined(symbols, symbol));
}
