/**
 * @file The worker: answers questions about the recordings of a page. It holds the data and the current selection; the
 * page holds neither samples nor stacks.
 *
 * Messages
 * --------
 *     page → worker   { id, question, arguments }
 *     worker → page   { id, answer, functions }    `functions`: see "Functions" below; absent if there are no new ones
 *                     { id, error }                a text for people, such as "invalid pattern 'a(': ..."
 *                     { id, superseded: true }     a newer question of the same name arrived before this one began
 *                     { matching }                 the regular expression (text) that is matched from now on, or null:
 *                                                  no more. If it takes too long, only ending the worker stops it.
 *
 * `id` is a number that the page chooses. Questions are answered one at a time and in order. Of the questions with one
 * name that wait, only the newest is answered, except for `open`, `select` and `names`. If a page shows two flame
 * graphs at once, it gives each question a `slot` (text): { id, question, slot, arguments }. Typed arrays in
 * answers are transferred and belong to the page.
 *
 * Units
 * -----
 * Times are numbers in units of `time_unit_ns` from `base_ns` on (JSON of the container), like sample.time; each
 * recording of a difference counts from its own base. Weights are sums of periods, in the unit of the event; sums up to
 * 2^53 are exact. Shares and positions are fractions from 0 to 1.
 *
 * Functions
 * ---------
 * A function is a number that stays the same as long as the page is open, and in each page that is made of the same
 * file. Functions of the same name in binaries of the same file name are one. Each answer brings the descriptions of
 * those functions in it that no answer has described before:
 *     functions: [ { id, name, binary, file, line, kind, mark } ]
 *       binary  its name as recorded, "" if there is none;  file, line  of its definition, "" and 0 if unknown
 *       kind    0 program, 1 native library, 2 kernel, 3 generated code, 4 none or other
 *       mark    true: it stands for missing frames, as "[truncated]" does
 *
 * Recordings and threads
 * ----------------------
 * A page has one recording, or two for a difference: side 0 is before, side 1 is after. Members of answers with a digit
 * (total1) are those of side 1, and only there in a difference. Threads, processes and events are numbered over both
 * sides: threads and processes of side 1 follow those of side 0; events of the same name are one. CPUs are those of
 * both machines, which are not distinguished.
 *
 * Selection
 * ---------
 *     {
 *       event: 0,                  // index; default: `event` in the answer of `open`
 *       time: null | [from, to],   // samples with from <= time < to
 *       threads: null | [index],   // a sample of any of the threads OR processes is selected; [] selects nothing
 *       processes: null | [index],
 *       cpus: null | [number],     // numbers of CPUs as the kernel counts them; -1: samples without a CPU
 *       focus:  [pattern],         // stacks with a frame that any pattern matches (pdconv --focus)
 *       ignore: [pattern],         // leave out stacks with a frame that any pattern matches (pdconv --ignore)
 *       hide:   [pattern],         // leave out frames that any pattern matches (pdconv --hide)
 *       roots:  [text],            // stacks begin at their outermost function with one of these names (pdconv --root)
 *       recursion: false,          // true: show a recursive function once in each stack (pdconv --tree)
 *       binaries: [text],          // show consecutive frames of these binaries (names as recorded) as one frame
 *     }
 * Every member may be absent, which means no restriction. A pattern is { text } (a part, in either case), { text,
 * exact: true } (the whole name) or { regex } (a regular expression of JavaScript without flags). Patterns are compared
 * with the name of a function, the path of its source file and the path of its binary; exact ones with its name only. A
 * stack has to match one pattern of `focus`; to ask for several, put lists in the list: [[p, q], [r]] means (p or q)
 * and r.
 *
 * Questions
 * ---------
 * open({ profiles: [{ name, base64 } | { name, bytes }] })   base64: text of a profile element;  bytes: a container
 *     → {
 *         recordings: [ { name, json, span, units } ],   // by side: JSON of the container without `columns`, [first,
 *                                                        // last] time of samples, time_unit_ns
 *         events:    [ { name, unit, waits, sides: [{ samples, weight, period }] } ],   // period: decimal, as recorded
 *         event:     index of the default event: the first with samples, and if possible one that does not wait
 *         processes: [ { side, pid, name } ],
 *         threads:   [ { side, process, tid, name, start?, end? } ],
 *         cpus:      [ number ],                         // those with samples, ascending
 *         counts:    { samples, nodes, functions },      // rows in memory
 *         totals                                         // as of `select`; everything is selected from now on
 *       }
 *     Errors: the data is not a container, is damaged, or has another version.
 *
 * select({ selection })    make it the selection that all other questions are about
 *     → { event, time,                                   // as selected
 *         sides: [ { samples, weight, of_samples, of_weight, exact } ] }
 *       samples, weight  of the selection;  of_…  of all samples of the event;  exact  false: sums may exceed 2^53
 *     Error: an invalid pattern; the selection remains the one before.
 *
 * flame({ inverted?, root?, width?, sort?, scale? })    layout of the flame graph, top down or bottom up
 *     inverted  false: the first level are outermost callers;  true: the first level are the functions with self weight
 *     root      path to zoom to: function numbers from the first level on ([] or absent: everything). If the selection
 *               has no such path, its longest existing part is used.
 *     width     boxes narrower than half of 1/width are left out (default 2000)
 *     sort      "weight" (default: heaviest child first) or "name"
 *     scale     in a difference "normalized" (default: weights of side 1 are multiplied so that both sides have the same
 *               sum) or "absolute"
 *     → {
 *         n, depths,                    // number of boxes and of levels
 *         parent: Int32Array,           // index of the box one level before; -1 for the first level; parents precede
 *         function: Uint32Array,
 *         depth: Uint16Array,           // 0: first level
 *         x0, x1: Float64Array,         // position as fractions of the width
 *         total, self: Float64Array,    // weight; in an inverted tree `self` is that of stacks whose root is here
 *         count: Float64Array,          // samples in `total`
 *         total1, self1, count1,        // not scaled
 *         flags: Uint8Array,            // 1 inlined in all its stacks, 2 found by guess in any, 4 of a recorded
 *                                       // call chain in any, 8 mark, 16 above the zoomed box, 32 some children are not
 *                                       // here, because they are too narrow
 *         factor,                       // what weights of side 1 are multiplied by; 1 if there is none
 *         sum,                          // what the full width stands for: total + factor * total1 of the zoomed box
 *         zoom,                         // index of the zoomed box or -1; those above it have full width
 *         zoomed: [function]            // the path that was found
 *       }
 *     In a difference, width is proportional to total + factor * total1, so that vanished and new stacks are visible.
 *     An inverted tree with very many boxes lacks its last levels (flag 32). Samples without a stack have no box; without
 *     a zoom they are part of `sum`.
 *
 * sandwich({ function, width?, sort?, scale? })    callers and callees of one function
 *     → { callers: layout, callees: layout, total, self, count, total1, self1, count1 }
 *     Both layouts are those of `flame` with the function as their first level; `callers` is inverted. Recursive
 *     functions count once, at their outermost call.
 *
 * table({ sort?, descending?, limit?, offset?, search?, scale? })    self and total of each function
 *     sort      "self" (default), "total", "name", "binary", "change" or "change_total" (amount of the change of self or
 *               total)
 *     search    a pattern: only these functions
 *     → { n: functions in all, factor, function: Uint32Array, self, total, count, count_self: Float64Array,
 *         self1, total1, count1, count_self1 }
 *     The arrays have the rows from `offset` on, `limit` (default 200) at most.
 *
 * heat({ rows, columns, side? })    when the weight of the selection was, without regard to its `time`
 *     → {
 *         rows, columns, from, row_units, column_units,
 *         value, shade, lost, throttled: Float64Array(rows * columns),
 *         max: largest value of `shade`, sum
 *       }
 *     `lost` has numbers of records or samples that were lost, `throttled` how often the kernel paused an event.
 *     value[row * columns + column] is the weight from `from + row * row_units + column * column_units` on. A row is a
 *     round number of milliseconds, seconds, minutes or hours, so that there are at most `rows` rows; the answer may
 *     have fewer columns than asked for. Weights of waits are spread over the time that they span. `shade` is to be
 *     drawn: it has the same weights, but those in ns are spread over the time before their sample, without what was
 *     before `from`.
 *
 * lanes({ by: "cpu" | "thread", columns, from?, to?, limit?, offset?, side?, all?, also? })    who did what when
 *     from, to  default: all times;  all  true: threads, processes and CPUs that are not selected, too;  also  threads that
 *     have lanes in any case
 *     → {
 *         n: lanes in all, key: Int32Array (index of the thread, or number of the CPU), columns, from, column_units,
 *         column_ns, running: Float64Array(lanes * columns), waiting: Float64Array(lanes * columns),
 *         weight, waited: Float64Array(lanes), max: largest value of `running`,
 *         lost, throttled: Float64Array(columns)   // as in `heat`, of the whole recording
 *       }
 *     Threads are sorted by weight, CPUs by number; `limit` (default 100) lanes from `offset` on. `running` has
 *     weights of the selected event (of the first event that does not wait, if a waiting one is selected), `waiting`
 *     has ns of the first waiting event. Weights in ns are spread over the time before their sample.
 *     Lanes of threads have in addition:
 *         parts,                                   // number of parts of all columns, in which states are shown
 *         known: Uint8Array(lanes),                // 1: the ledger has states of the thread
 *         states: Float64Array(lanes * 4 * parts), // ns running, runnable, blocked and unknown: all parts of a state
 *         reasons: Uint8Array(lanes * parts),      // what most of the blocked time is for: 0 not known, else the number
 *                                                  // in JSON.ledger.reasons plus 1
 *         path: null | { states: Float64Array(4 * parts), thread: Int32Array, label_from, label_to: Float64Array }
 *     `path` is the critical path. It has a label for each part that is in one thread and has room for a name.
 *
 * piece({ thread, from, to?, side? })    what a thread did in a time in ns from `base_ns` on (one moment without `to`)
 *     thread  -1: the critical path of `side`
 *     → { piece: null | {
 *         thread,                       // -2 on the critical path: several
 *         state,                        // number in JSON.ledger.states, or 4: several, each short
 *         begin, ns, sums: [ns],        // times by state
 *         reason,                       // as in `reasons`
 *         waker,                        // thread that ended the wait; -1 an interrupt, -2 not known
 *         interrupt,                    // name of the interrupt, such as "[irq eth0]"; '': none, or not known
 *         woken: null | ns,             // when
 *         blocked: null | { begin, ns } // the wait, which may be before the piece: a thread is runnable after it
 *         waiter_stack, waker_stack: { function: Uint32Array },   // innermost first, empty if there is none
 *         instead                       // on the critical path: what had the CPU; -1 nothing, -2 not known
 *       } }
 *     If the time has several pieces, it is one in which the thread did not have a CPU, if there is one, and the longest of
 *     these.
 *
 * follow({ thread, at })    → { piece } : the last time before `at` (ns) in which a thread did not have a CPU
 *
 * wakeups({ thread, from, to, limit })    who woke a thread in a time in ns
 *     → { n, time: Float64Array (ns), waker: Int32Array }   // none if there are more than `limit`
 *
 * chart({ thread, columns?, from?, to?, waits? })    flame chart: the stacks of one thread in order of time
 *     from, to  default: the selected time, else all;  waits  true (default): show waiting samples too
 *     → { n, depths, from, to, function, depth, x0, x1, flags, start, end, weight }
 *       x0, x1  fractions of [from, to];  start, end  times;  weight  of the samples in the box (all Float64Array)
 *       flags   as in `flame`, and 64: waiting
 *     Boxes narrower than a column are left out where another one of this depth is in the column.
 *
 * search({ pattern })    functions that match, and what they weigh
 *     → { functions: Uint32Array (ascending), n: their number, boxes: nodes, weight, share, weight1, share1 }
 *       weight, share  of the stacks with such a function, each counted once, in the selection
 *
 * quality({ side? })    how the stacks of the selection end
 *     → { ends: [ { text, kind, samples, weight } ], samples, weight, guessed: { samples, weight },
 *         no_stack: { samples, weight } }
 *       kind  as in JSON.ends;  guessed  stacks with a frame that was found by guess. Sentences, advice, lost samples
 *       and those that were left out are in the JSON in the answer of `open`.
 *
 * parts({})    what threads, processes and CPUs have in the selection, without regard to those that are selected
 *     → { threads, processes: Float64Array of weights by index, cpus: Float64Array in the order of `cpus` of `open`,
 *         waits: the same three of the first waiting event, or null }
 *
 * lines({ function, side? })    self and total of one function by source line
 *     → { files: [{ path, note }], file, line: Uint32Array, text: [text | null], self, total, count: Float64Array,
 *         self1, total1, count1 }
 *       Rows are in order of file, the function's own first, and line (0: unknown). Lines without weight are here if the
 *       page has their text: that of `side`.
 *       note  why the page lacks text of the file; "" if it does not, or if no text was put into the page
 *
 * instructions({ function, code?, side? })    self by instruction, where one function was compiled to
 *     code  which function's code (default: the first of `codes`)
 *     → {
 *         embedded: null | { percent, left_out },   // null: no instructions were put into the page. Functions with less
 *                                                   // than `percent` of an event are not in it, and `left_out` others
 *         codes: [{ code, function, weight }],      // functions with instructions of this one, by their weight
 *         code, note, length,                       // the one that is shown, what makes it less than exact, and the
 *                                                   // number of its instructions
 *         address, text: [text], self, count: Float64Array,
 *         gap: Uint32Array,                         // number of instructions left out before this one
 *         jump: Int32Array,                         // row to which it jumps, or -1
 *         files: [path], function, file, line,      // source line: file 0 and line 0 if it is not known
 *         own_file, own_line: Uint32Array           // line of the function that was asked for, 0 if it is not part of it
 *       }
 *       Without `codes` there is no more than the first two members, and `code` is -1.
 *
 * hottest({ side?, with_code? })    the function with most self weight in the selection
 *     with_code  true: the hottest of the functions with source text or instructions in the page, if one of them has self
 *                weight. Instructions whose address alone is known are not enough.
 *     → { function: Uint32Array (one function, or none), is_first }
 *       is_first  false: a hotter function has neither in the page. Marks and whole binaries are not functions.
 *
 * names({ functions: [number] })    → { function }; the message describes all of them, again if need be
 *
 * folded({ threads?, side? })    the selection as folded stacks, as `pdconv --folded` writes it
 *     threads  true: threads are shown by number, as with --folded-tid
 *     → { text }
 *
 * Starting
 * --------
 *     if (typeof document === 'undefined')
 *         serveQuestions(self);
 */
import { answerChart } from './chart.js';
import { answerInstructions } from './code.js';
import { decodeBase64, inflate } from './container.js';
import { answerFlame, answerSandwich } from './flame.js';
import { answerFolded } from './folded.js';
import { answerLines } from './lines.js';
import { readProfile } from './profile.js';
import { answerQuality } from './quality.js';
import { Recordings } from './recordings.js';
import { Selection } from './selection.js';
import { Stacks } from './stacks.js';
import { answerHottest, answerSearch, answerTable } from './table.js';
import { answerHeat, answerLanes, answerParts } from './timeline.js';
import { answerFollow, answerPiece, answerWakeups } from './waits.js';

/** Questions of which each is answered, even if newer ones of the same name wait. */
const ALWAYS_ANSWERED = new Set(['open', 'select', 'names']);

/** Description of a recording for the page. */
function describeRecording(profile, name) {
    const { columns, ...json } = profile.json;

    return { name, json, span: profile.span, units: json.time_unit_ns };
}

/** The data of a page and what is selected of it. Each method answers the question of its name. */
export class Session {
    /** @param {function(string|null)} [watch] See Stacks. */
    constructor(watch) {
        this.watch = watch;
    }

    async open({ profiles }) {
        const read = [];

        for (const { bytes, base64 } of profiles)
            read.push(readProfile(bytes ?? await inflate(decodeBase64(base64))));
        const recordings = new Recordings(read);
        this.recordings = recordings;
        this.stacks = new Stacks(recordings, this.watch);
        this.selection = null;
        const totals = this.select({ selection: {} });
        return {
            recordings: read.map((profile, side) => describeRecording(profile, profiles[side].name)),
            events: recordings.events, event: recordings.defaultEvent, processes: recordings.processes,
            threads: recordings.threads, cpus: recordings.cpus,
            counts: {
                samples: read.reduce((n, profile) => n + profile.samples.n, 0), nodes: recordings.tree.n - 1,
                functions: recordings.functions.nRecorded,
            },
            totals,
        };
    }

    select({ selection }) {
        this.selection = new Selection(this.stacks, selection, this.selection);
        const { event, time, totals } = this.selection;
        return { event, time, sides: totals };
    }

    flame(options) {
        return answerFlame(this.selection, options);
    }

    sandwich(options) {
        return answerSandwich(this.selection, options);
    }

    table(options) {
        return answerTable(this.selection, options, options.search ? this.stacks.match(options.search) : null);
    }

    heat(options) {
        return answerHeat(this.selection, options);
    }

    lanes(options) {
        return answerLanes(this.selection, options);
    }

    piece(options) {
        return answerPiece(this.selection, options);
    }

    follow(options) {
        return answerFollow(this.selection, options);
    }

    wakeups(options) {
        return answerWakeups(this.selection, options);
    }

    chart(options) {
        return answerChart(this.selection, options);
    }

    search({ pattern }) {
        return answerSearch(this.selection, this.stacks.match(pattern));
    }

    quality(options) {
        return answerQuality(this.selection, options);
    }

    parts() {
        return answerParts(this.selection);
    }

    lines(options) {
        return answerLines(this.selection, options);
    }

    instructions(options) {
        return answerInstructions(this.selection, options);
    }

    folded(options) {
        return answerFolded(this.selection, options);
    }

    hottest(options) {
        return answerHottest(this.selection, options);
    }

    names({ functions }) {
        return { function: Uint32Array.from(functions) };
    }
}

/** Arrays of function numbers in an answer. */
function functionsIn(answer) {
    const { callers, callees, piece } = answer;
    const parts = [callers, callees, piece?.waiter_stack, piece?.waker_stack];

    return [answer.function, answer.functions, ...parts.map((part) => part?.function)].filter(Boolean);
}

/** Buffers of the typed arrays in an answer, each once. */
function buffersIn(answer, found = new Set()) {
    for (const value of Object.values(answer)) {
        if (ArrayBuffer.isView(value))
            found.add(value.buffer);
        else if (value && Object.getPrototypeOf(value) === Object.prototype)
            buffersIn(value, found);
    }
    return found;
}

/** Answers messages of the page: see the top of this file. */
class Server {
    /** @param {{postMessage: function(object, Transferable[])}} scope */
    constructor(scope) {
        this.scope = scope;
        this.session = new Session((matching) => scope.postMessage({ matching }));
        this.waiting = [];
        this.isBusy = false;
        /** Functions that have been described to the page, by number. */
        this.described = [];
    }

    receive(message) {
        this.waiting.push(message);
        if (!this.isBusy)
            this.answerAll();
    }

    async answerAll() {
        this.isBusy = true;
        while (this.waiting.length) {
            /* Let messages in that have arrived meanwhile: they may supersede those that wait. */
            await new Promise((resolve) => {
                this.resume = resolve;
                this.yieldToMessages();
            });
            await this.answerNext();
        }
        this.isBusy = false;
    }

    yieldToMessages() {
        const { port1, port2 } = new MessageChannel();

        port1.onmessage = () => {
            port1.close();
            this.resume();
        };
        port2.postMessage(null);
    }

    isSuperseded(message) {
        return !ALWAYS_ANSWERED.has(message.question) && this.waiting.some((newer) =>
            newer.question === message.question && newer.slot === message.slot);
    }

    async answerNext() {
        const message = this.waiting.shift();

        if (this.isSuperseded(message)) {
            this.scope.postMessage({ id: message.id, superseded: true });
            return;
        }
        try {
            await this.answer(message);
        } catch (error) {
            this.scope.postMessage({ id: message.id, error: error.message });
        }
    }

    async answer({ id, question, arguments: options }) {
        if (!QUESTIONS.has(question))
            throw new Error(`there is no question '${question}'`);
        if (question !== 'open' && !this.session.selection)
            throw new Error('nothing has been opened');
        const answer = await this.session[question](options ?? {});
        const functions = this.describe(functionsIn(answer), question === 'names');

        this.scope.postMessage(functions.length ? { id, answer, functions } : { id, answer }, [...buffersIn(answer)]);
    }

    /** Describe the functions in `lists` that have not been described, or all if `again`. */
    describe(lists, again) {
        const descriptions = [];

        for (const numbers of lists) {
            for (const number of numbers) {
                if (this.described[number] && !again)
                    continue;
                this.described[number] = true;
                descriptions.push(this.session.recordings.functions.describe(number));
            }
        }
        return descriptions;
    }
}

/** Names of questions: the methods of a session. */
const QUESTIONS = new Set(Object.getOwnPropertyNames(Session.prototype).filter((name) => name !== 'constructor'));

/**
 * Answer the messages of a page from now on.
 * @param {DedicatedWorkerGlobalScope} scope The worker.
 */
export function serveQuestions(scope) {
    const server = new Server(scope);

    scope.onmessage = ({ data }) => server.receive(data);
}
