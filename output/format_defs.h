/*
 * Table of the output formats: F(id, "name"), in the order of the help text. The first format is
 * the default. output/<id>.c, or that of a format which differs in details only, defines it as
 * out_format_<id>.
 */
#define OUT_FORMATS(F) \
	F(report, "report") \
	F(pprof, "pprof") \
	F(otlp, "otlp") \
	F(otlp_json, "otlp-json") \
	F(folded, "folded") \
	F(script, "script") \
	F(html, "html") \
	F(firefox, "firefox") \
	F(perfetto, "perfetto") \
	F(speedscope, "speedscope") \
	F(callgrind, "callgrind") \
	F(sqlite, "sqlite") \
	F(parquet, "parquet") \
	F(bolt, "bolt") \
	F(autofdo, "autofdo") \
	F(gcov, "gcov") \
	F(perfdata, "perfdata")
