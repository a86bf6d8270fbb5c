/*
 * Views of lakes: V("name", "meaning of a row", "query"), in SQL of DuckDB. They have the labels of
 * the recordings as columns, whose names are not known here.
 */
/* clang-format off */
#define OUT_LAKE_VIEWS(V) \
	V("top_functions", "samples of an event in one recording that have a function in their stack", \
		"SELECT t.* EXCLUDE (event, function), e.name AS event, e.unit, f.name AS function, f.binary, f.is_inlined, " \
		"f.is_scaffolding FROM function_totals t JOIN functions f ON f.recording = t.recording AND f.id = t.function " \
		"JOIN events e ON e.recording = t.recording AND e.id = t.event") \
	V("quality_by_recording", "a recording, and how complete its stacks and names are", \
		"SELECT recording, host, max(n) FILTER (name = 'stacks') AS stacks, " \
		"max(n) FILTER (name = 'rooted_stacks') AS rooted_stacks, max(n) FILTER (name = 'frames') AS frames " \
		"FROM quality GROUP BY recording, host")
/* clang-format on */
