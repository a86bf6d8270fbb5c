/*
 * Table of the output formats: F(name), in the order of the help text. The first format is the
 * default. output/<name>.c defines the format as out_format_<name>.
 */
#define OUT_FORMATS(F) \
	F(report) \
	F(pprof) \
	F(folded) \
	F(script) \
	F(html) \
	F(firefox) \
	F(perfetto) \
	F(speedscope) \
	F(callgrind) \
	F(sqlite) \
	F(parquet) \
	F(bolt) \
	F(autofdo) \
	F(gcov) \
	F(perfdata)
