/*
 * Questions to recordings, and their parameters. The schemas of the server, the help texts and the
 * manual pages read them.
 *
 * P(NAME, "name", kind, "meaning"): a parameter. Its kind is TEXT, COUNT (a whole number of at
 * least 1) or SHARE (a percentage). Every tool has LIMIT and TOKENS.
 *
 * T(NAME, "name", function, takes, needs, main, "description"): a tool. takes and needs are the
 * parameters that it has and those that must be given, Q(NAME) each; main is the one that a word
 * without a name on the command line stands for. The function is qry_answer_<function>().
 */
/* clang-format off */
#define QRY_PARAMS(P) \
	P(RECORDING, "recording", TEXT, "id such as r-1, or path; default: the one opened last") \
	P(PATH, "path", TEXT, "path of a recording; default: list the recordings that can be opened") \
	P(FUNCTION, "function", TEXT, "id such as f-12, or name: ns::f<int>, ns::f, f or /REGEX/") \
	P(MATCH, "match", TEXT, "only functions of this name: ns::f, f or /REGEX/") \
	P(THREAD, "thread", TEXT, "only threads of this id such as t-3, number, or name") \
	P(PROCESS, "process", TEXT, "only processes of this number or name") \
	P(CPU, "cpu", TEXT, "only these CPUs: 0-3,7") \
	P(TIME, "time", TEXT, "only this time: 10%-20%, 1s-2.5s after the start, or 12.5,13.25 on its clock") \
	P(FOCUS, "focus", TEXT, "only samples with a frame that this regular expression matches") \
	P(EVENT, "event", TEXT, "event to count; default: the first that is not of waits or a tracepoint") \
	P(SORT, "sort", TEXT, "column that is sorted by, as the description says") \
	P(DEPTH, "depth", COUNT, "levels of calls to show (default: 6)") \
	P(SHARE, "min_share", SHARE, "smallest share of a call, in percent (default: 1)") \
	P(SLICES, "slices", COUNT, "number of time slices, at most 100 (default: 20)") \
	P(BEFORE, "before", TEXT, "recording before the change: id or path") \
	P(AFTER, "after", TEXT, "recording after the change: id or path") \
	P(STATEMENT, "statement", TEXT, "SELECT in the SQL of SQLite") \
	P(QUESTION, "question", TEXT, "name of a question; default: all of them") \
	P(LIMIT, "limit", COUNT, "rows of each table, at most (default: 20)") \
	P(TOKENS, "max_tokens", COUNT, "size of the answer, at most (default: 2000)")

/* Parameters that select samples. */
#define QRY_SELECTION (Q(RECORDING) | Q(THREAD) | Q(PROCESS) | Q(CPU) | Q(TIME) | Q(FOCUS))

#define QRY_TOOLS(T) \
	T(OPEN, "open", open, Q(PATH), 0, PATH, \
		"Open a recording, or list those that can be opened. Begin here. Says what was recorded, and gives the id of the recording.") \
	T(SUMMARY, "summary", summary, QRY_SELECTION | Q(EVENT), 0, RECORDING, \
		"What ran and for how long: events, busiest functions and threads, waits, quality, and what to ask next.") \
	T(FUNCTIONS, "functions", functions, QRY_SELECTION | Q(EVENT) | Q(MATCH) | Q(SORT), 0, MATCH, \
		"Functions by samples, with intervals. sort: self (default) or total, which includes what they call.") \
	T(CALLERS, "callers", callers, QRY_SELECTION | Q(EVENT) | Q(FUNCTION) | Q(DEPTH) | Q(SHARE), Q(FUNCTION), FUNCTION, \
		"Tree of what calls a function.") \
	T(CALLEES, "callees", callees, QRY_SELECTION | Q(EVENT) | Q(FUNCTION) | Q(DEPTH) | Q(SHARE), Q(FUNCTION), FUNCTION, \
		"Tree of what a function calls.") \
	T(TREE, "tree", tree, QRY_SELECTION | Q(EVENT) | Q(DEPTH) | Q(SHARE), 0, RECORDING, \
		"Call tree from the roots of the stacks.") \
	T(PATH, "path", path, QRY_SELECTION | Q(EVENT) | Q(FUNCTION), 0, FUNCTION, \
		"Heaviest chain of calls, frame by frame: through a function, or of the whole recording.") \
	T(LINES, "lines", lines, QRY_SELECTION | Q(FUNCTION), 0, FUNCTION, \
		"Source lines with most samples: of a function, or of all.") \
	T(ANNOTATE, "annotate", annotate, QRY_SELECTION | Q(FUNCTION), 0, FUNCTION, \
		"Instructions of a function with their samples; default: the hottest function.") \
	T(THREADS, "threads", threads, QRY_SELECTION | Q(EVENT) | Q(SORT), 0, RECORDING, \
		"Threads, with the time for which each ran, could not get a CPU (runnable), or waited (blocked), if switches were recorded. sort: samples (default), running, runnable or blocked.") \
	T(WAITS, "waits", waits, QRY_SELECTION, 0, RECORDING, \
		"Where threads wait, for how long, and for what: locks, I/O, sleep.") \
	T(WAKERS, "wakers", wakers, QRY_SELECTION, 0, RECORDING, \
		"Which threads and functions ended the waits of which.") \
	T(CRITICAL_PATH, "critical_path", critical_path, Q(RECORDING) | Q(THREAD) | Q(TIME), 0, THREAD, \
		"What the end of a thread had to wait for, across threads; default: the main thread of the recorded command.") \
	T(TIMELINE, "timeline", timeline, QRY_SELECTION | Q(EVENT) | Q(SLICES), 0, RECORDING, \
		"Time slices: samples of each, its busiest function and thread.") \
	T(COMPARE, "compare", compare, Q(BEFORE) | Q(AFTER), Q(BEFORE) | Q(AFTER), AFTER, \
		"What changed between two recordings beyond noise, with intervals.") \
	T(QUALITY, "quality", quality, QRY_SELECTION, 0, RECORDING, \
		"How far the recording can be trusted: incomplete stacks, missing names, losses, binaries of another build, and commands that help.") \
	T(SQL, "sql", sql, QRY_SELECTION | Q(STATEMENT), Q(STATEMENT), STATEMENT, \
		"Tables of the recording by SQL, for what no other tool answers. SELECT * FROM help lists tables, columns and views; times are ns.") \
	T(WHY_NOT, "why_not", why_not, Q(RECORDING) | Q(QUESTION), 0, QUESTION, \
		"What this recording cannot answer, why, and the exact command that records it.")
/* clang-format on */
