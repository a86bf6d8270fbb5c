/**
 * @file The worker: answers questions about the recordings of a page. It holds the data and the current selection; the
 * page holds neither samples nor stacks.
 *
 * Messages
 * --------
 *     page → worker   { id, question, arguments }
 *     worker → page   { id, answer, functions }    `functions`: see "Functions" below; absent if there are no new ones
 *                     { id, error }                a text for people, such as "invalid pattern 'a(': ..."
 *                     { id, superseded: true }     a newer question of the same kind arrived before this one began
 *
 * `id` is a number that the page chooses. Questions are answered one at a time and in order. Of the questions with one
 * name that wait, only the newest is answered, except for `open`, `select` and `names`. If a page shows two flame graphs at
 * once, it gives each question a `slot` (text) of its own: { id, question, slot, arguments }. Typed arrays in answers are
 * transferred and belong to the page.
 *
 * Units
 * -----
 * Times are numbers in units of `time_unit_ns` from `base_ns` on (JSON of the container), like sample.time; both
 * recordings of a difference count from their own base. Weights are sums of periods, in the unit of the event; sums up to
 * 2^53 are exact. Shares and positions are fractions from 0 to 1.
 *
 * Functions
 * ---------
 * A function is a number that stays the same as long as the page is open, and in each page that is made of the same file.
 * Each answer brings the descriptions of those functions in it that no answer has described before:
 *     functions: [ { id, name, binary, file, line, kind, mark } ]
 *       binary  its name as recorded, "" if there is none;  file, line  of its definition, "" and 0 if unknown
 *       kind    0 program, 1 native library, 2 kernel, 3 generated code, 4 none or other
 *       mark    true: it stands for missing frames, as "[truncated]" does
 * Functions with the same name in the same binary of a difference's two recordings are one.
 *
 * Recordings and threads
 * ----------------------
 * A page has one recording, or two for a difference: side 0 is before, side 1 is after. Threads, processes, CPUs and events
 * are numbered over both: threads and processes of side 1 follow those of side 0; events of the same name are one; CPUs are
 * those of the machines, which are not told apart.
 *
 * Selection
 * ---------
 *     {
 *       event: 0,                  // index; default: the first one without `waits` that has samples, else the first with any
 *       time: null | [from, to],   // samples with from <= time < to
 *       threads: null | [index],   // threads OR processes: a sample of any of them is selected; an empty list selects nothing
 *       processes: null | [index],
 *       cpus: null | [number],     // numbers of CPUs as the kernel counts them; -1: samples without a CPU
 *       focus:  [pattern],         // stacks with a frame that any pattern matches (pdconv --focus)
 *       ignore: [pattern],         // leave out stacks with a frame that any pattern matches (pdconv --ignore)
 *       hide:   [pattern],         // leave out frames that any pattern matches (pdconv --hide)
 *       roots:  [text],            // stacks begin at their outermost function with one of these names (pdconv --root)
 *       recursion: false,          // show a recursive function once in each stack (pdconv --tree)
 *       binaries: [text],          // show frames of these binaries that follow each other as one frame, named as the binary
 *     }
 * Every member may be absent, which means no restriction. A pattern is { text } (a part of the name, in either case), { text,
 * exact: true } (the whole name) or { regex } (a regular expression of JavaScript without flags). Patterns are compared with the name of
 * a function, the path of its source file and the path of its binary; exact ones with its name only. A stack has to match
 * one pattern of `focus`; to ask for several, give `focus` a list in a list: [[p, q], [r]] means (p or q) and r.
 *
 * Questions
 * ---------
 * open({ profiles: [{ name, base64 } | { name, bytes }] })   base64: the text of a profile element; bytes: a container
 *     → {
 *         recordings: [ per side, JSON of the container without `columns`, and:
 *             { name, json, span: [first time, last time], units: time_unit_ns } ],
 *         events:    [ { name, unit, waits, sides: [{ samples, weight, period }] } ],   // period: decimal text, as recorded
 *         event:     index of the default event,
 *         processes: [ { side, pid, name } ],
 *         threads:   [ { side, process, tid, name, start?, end? } ],
 *         cpus:      [ number ],                            // those with samples, ascending
 *         counts:    { samples, nodes, functions },         // rows in memory
 *         totals                                            // as of `select({})`, which is the selection from now on
 *       }
 *     Errors: the data is not a container, is truncated, or has another version.
 *
 * select({ selection })    make it the selection that all other questions are about
 *     → totals: {
 *         event,                                      // index of the event that is shown
 *         sides: [ { samples, weight, of_samples, of_weight, exact } ],   // one or two
 *         time: [from, to] | null                     // what was selected
 *       }
 *       samples, weight: of the selection; of_…: of all samples of the event;  exact: false if the weight exceeds 2^53
 *     Error: an invalid pattern; the selection remains the one before.
 *
 * flame({ inverted?, root?, width?, sort?, scale? })    layout of the flame graph, top down or bottom up
 *     inverted  false: the first level are outermost callers; true: the first level are the functions with self weight
 *     root      path to zoom to: function numbers from the first level on ([] or absent: everything). If the selection has no
 *               such path, its longest existing part is used.
 *     width     boxes narrower than half of 1/width are left out (default 2000)
 *     sort      "weight" (default: heaviest child first) or "name"
 *     scale     difference only: "normalized" (default: weights of `after` are multiplied so that both sides have the
 *               same sum) or "absolute"
 *     → {
 *         n, depths,                            // boxes; number of levels
 *         parent: Int32Array,                   // index of the box one level before, -1 for the first level; parents precede
 *         function: Uint32Array,
 *         depth: Uint16Array,                   // 0: first level
 *         x0, x1: Float64Array,                 // position as fractions of the width
 *         total, self: Float64Array,            // weight of side 0;  in an inverted tree `self` is the weight of stacks that end here
 *         count: Float64Array,                  // samples in `total`
 *         flags: Uint8Array,                    // 1 inlined in all its stacks, 2 found by guess in any, 4 stitched in any,
 *                                               // 8 mark, 16 ancestor of the zoomed box, 32 has children that are too narrow to be here
 *         total1, self1, count1,                // difference only: the same of side 1, not scaled
 *         factor,                               // difference only: what weights of side 1 are multiplied by; else 1
 *         sum,                                  // weight that the full width stands for: total + factor * total1 of the zoomed box
 *         zoom: index of the zoomed box or -1,  // its ancestors have full width
 *         zoomed: [function]                    // the path that was found
 *       }
 *     In a difference, width is proportional to total + factor * total1, so that both vanished and new stacks are visible.
 *     Samples without a stack are not boxes, but part of `sum` if there is no zoom.
 *
 * sandwich({ function, width?, sort?, scale? })    callers and callees of one function
 *     → { callers: layout, callees: layout, total, self, count, total1?, self1?, count1? }
 *     Both layouts are those of `flame` with the function as their first level; `callers` is inverted. Recursive functions
 *     count once, at their outermost call.
 *
 * table({ sort?, descending?, limit?, offset?, search? })    self and total of each function
 *     sort      "self" (default), "total", "name", "binary"; in a difference also "change", "change_total" (by the amount of the change)
 *     search    a pattern: only these functions
 *     → { n: functions in all, function: Uint32Array, self, total, count, count_self: Float64Array, …1 in a difference, factor }
 *     The arrays have the rows from `offset` on, `limit` (default 200) at most.
 *
 * heat({ rows, columns, side? })    when the weight of the selection was, without regard to its `time`
 *     → { rows, columns, from, row_units, column_units, value: Float64Array(rows * columns), max, sum }
 *     value[row * columns + column] is the weight from `from + row * row_units + column * column_units` on. A row is a round
 *     number of milliseconds, seconds, minutes or hours, so that there are at most `rows` rows; the answer may have fewer
 *     columns than asked for. Weights of waits are spread over the time that they span.
 *
 * lanes({ by: "cpu" | "thread", columns, from?, to?, limit?, offset?, side? })    who was running when, without regard to `time`
 *     → {
 *         n: lanes in all, key: Int32Array (index of the thread, or number of the CPU), columns, from, column_units,
 *         running: Float64Array(lanes * columns), waiting: Float64Array(lanes * columns),
 *         weight, waited: Float64Array(lanes), max: largest value of `running`, column_ns
 *       }
 *     Lanes are sorted by weight, CPUs by number; `limit` (default 100) from `offset` on. `running` has weights of the selected
 *     event (of the first event that does not wait, if a waiting one is selected), `waiting` has ns of the first waiting event.
 *
 * chart({ thread, columns, from?, to?, waits? })    flame chart: the stacks of one thread in order of time
 *     from, to  default: the selected time, else all;  waits  true (default): show waiting samples too, if there are any
 *     → { n, depths, from, to, function, depth, x0, x1, flags, start, end, weight }
 *       x0, x1: fractions of [from, to];  start, end: Float64Array of times;  weight: Float64Array, of the samples in the box
 *       flags: as in `flame`, and 64: waiting
 *     Boxes narrower than a column are left out where another one of this depth is in the column.
 *
 * search({ pattern })    functions that match, and what they weigh
 *     → { functions: Uint32Array (sorted), n: functions in the selection that match, boxes: nodes that match,
 *         weight, share, weight1?, share1? }    weight of stacks with a matching function, each once; share of the selection
 *
 * quality({})    how the stacks of the selection end
 *     → { ends: [ { text, kind, samples, weight } ],    // kind as in the container: "rooted", "cut", "guessed", "lost", "unknown", "none"
 *         samples, weight, guessed: { samples, weight }, no_stack: { samples, weight } }
 *       of side 0, and side 1 if `side` is 1. Sentences, advice, lost and left-out samples are in `open`'s recordings.
 *
 * parts({})    what each process, thread and CPU has in the selection, without regard to its threads, processes and CPUs
 *     → { threads, processes: Float64Array of weights by index, cpus: Float64Array in the order of open's cpus,
 *         waits: { threads, processes } of the first waiting event, or null }
 *
 * lines({ function })    self and total of one function by source line
 *     → { line: Uint32Array (ascending, 0: unknown), self, total, count: Float64Array, …1 in a difference }
 *
 * names({ functions: [number] })    → {}; the descriptions are in the message's `functions`, also if they were sent before
 *
 * folded({ threads? })    the selection as folded stacks, as `pdconv --folded` writes it
 *     threads   true: threads are shown by number, as with --folded-tid
 *     → { text }
 *
 * Starting
 * --------
 *     if (typeof document === 'undefined')
 *         serveQuestions(self);
 */
