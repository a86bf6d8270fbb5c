/*
 * Views that answer common questions: V("name", "meaning of a row", "query"). They are in each
 * database, after the tables, in SQL that DuckDB knows as well. Samples are added up before names
 * are joined, which takes less time.
 */
/* clang-format off */

/* Columns of the sums of a row, whose event is e. */
#define SQL_SUMS(of) \
	of ".samples, " of ".period, 100.0 * " of ".period / nullif(e.period, 0) AS percent"

/* Samples of all groups by this column. */
#define SQL_GROUPS(column) \
	"(SELECT g.event, " column ", sum(g.samples) AS samples, sum(g.period) AS period " \
	"FROM sample_groups g GROUP BY g.event, " column ")"

#define SQL_VIEWS(V) \
	V("thread_totals", "samples of an event in one thread under one name", \
		"SELECT e.name AS event, t.pid, t.tid, t.comm, " SQL_SUMS("g") " FROM " \
		SQL_GROUPS("g.thread") " g JOIN events e ON e.id = g.event JOIN threads t ON t.id = g.thread") \
	V("command_totals", "samples of an event in all threads of one name", \
		"SELECT event, comm, sum(samples) AS samples, sum(period) AS period, sum(percent) AS percent " \
		"FROM thread_totals GROUP BY event, comm") \
	V("cgroup_totals", "samples of an event in one control group", \
		"SELECT e.name AS event, g.cgroup, " SQL_SUMS("g") " FROM " \
		SQL_GROUPS("g.cgroup") " g JOIN events e ON e.id = g.event") \
	V("binary_totals", "samples of an event in the code of all binaries of one file name", \
		"SELECT e.name AS event, b.name AS binary, sum(g.samples) AS samples, sum(g.period) AS period, " \
		"100.0 * sum(g.period) / nullif(e.period, 0) AS percent FROM " SQL_GROUPS("g.frame") \
		" g JOIN events e ON e.id = g.event LEFT JOIN frames f ON f.id = g.frame " \
		"LEFT JOIN binaries b ON b.id = f.binary GROUP BY g.event, e.name, e.period, b.name") \
	V("line_totals", "samples of an event in a line of source itself", \
		"SELECT e.name AS event, f.file, f.line, u.name AS function, u.binary, sum(g.samples) AS samples, " \
		"sum(g.period) AS period, 100.0 * sum(g.period) / nullif(e.period, 0) AS percent FROM " \
		SQL_GROUPS("g.frame") " g JOIN events e ON e.id = g.event JOIN frames f ON f.id = g.frame " \
		"JOIN functions u ON u.id = f.function GROUP BY g.event, e.name, e.period, f.file, f.line, f.function, u.name, " \
		"u.binary") \
	V("top_functions", "function_totals with names, and with shares of all samples of the event", \
		"SELECT e.name AS event, f.name AS function, f.binary, t.self_samples, t.self_period, " \
		"100.0 * t.self_period / nullif(e.period, 0) AS self_percent, " SQL_SUMS("t") ", f.is_inlined, " \
		"f.is_scaffolding FROM function_totals t JOIN functions f ON f.id = t.function " \
		"JOIN events e ON e.id = t.event") \
	V("tree", "stack_totals with names: nodes of the call tree, whose parent is a stack as well", \
		"SELECT e.name AS event, t.stack, s.parent, s.depth, f.name AS function, f.binary, " \
		"t.self_samples, t.self_period, " SQL_SUMS("t") \
		" FROM stack_totals t JOIN stacks s ON s.id = t.stack JOIN frames r ON r.id = s.frame " \
		"JOIN functions f ON f.id = r.function JOIN events e ON e.id = t.event") \
	V("calls", "calls of one function by another, with the samples in what was called", \
		"SELECT e.name AS event, p.name AS caller, p.binary AS caller_binary, c.name AS function, " \
		"c.binary, " SQL_SUMS("t") " FROM (SELECT t.event, q.function AS caller, r.function AS callee, " \
		"sum(t.samples) AS samples, sum(t.period) AS period FROM stack_totals t " \
		"JOIN stacks s ON s.id = t.stack JOIN frames r ON r.id = s.frame " \
		"LEFT JOIN stacks o ON o.id = s.parent LEFT JOIN frames q ON q.id = o.frame " \
		"GROUP BY t.event, q.function, r.function) t JOIN functions c ON c.id = t.callee " \
		"LEFT JOIN functions p ON p.id = t.caller JOIN events e ON e.id = t.event") \
	V("wait_totals", "wait_functions that took time, with names, and with shares of all waits", \
		"SELECT w.kind, f.name AS function, f.binary, w.waits, w.amount, " \
		"100.0 * w.amount / nullif((SELECT sum(amount) FROM wait_functions), 0) AS percent, " \
		"w.delay_ns, w.on_cpu FROM wait_functions w LEFT JOIN functions f ON f.id = w.function WHERE w.amount > 0") \
	V("stacks_text", "a stack as text: root;...;leaf", \
		"SELECT s.id, (WITH RECURSIVE up(stack, text) AS (SELECT s.parent, f.name FROM frames r " \
		"JOIN functions f ON f.id = r.function WHERE r.id = s.frame UNION ALL " \
		"SELECT o.parent, f.name || ';' || up.text FROM up JOIN stacks o ON o.id = up.stack " \
		"JOIN frames r ON r.id = o.frame JOIN functions f ON f.id = r.function) " \
		"SELECT text FROM up WHERE stack IS NULL) AS text FROM stacks s")
/* clang-format on */
