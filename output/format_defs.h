/*
 * The output formats: F(name), in the order of the help text; the first is the default. Each is a
 * file, output/<name>.c, which defines out_format_<name>.
 */
#define OUT_FORMATS(F) \
	F(report) \
	F(pprof) \
	F(folded) \
	F(script) \
	F(perfdata)
