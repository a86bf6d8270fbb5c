/**
 * @file Where the time of threads and CPUs went: rows of the ledger in the JSON of a recording, as numbers.
 */

/** Rows of one list, with the row of those that have none of their own, and the sums of all. */
function readList(ledger, name, counts) {
    const read = ({ ns, whole, ...row }) => ({
        ...row, ns: ns.map(Number), whole: Number(whole),
        ...Object.fromEntries(counts.map((count) => [count, Number(row[count])])),
    });
    const [more, all] = [ledger[`more_${name}`], ledger[`all_${name}`]];

    return { rows: ledger[name].map(read), more: more && read(more), all: all && read(all) };
}

/**
 * Read the ledger of a recording (`json.ledger`).
 * @returns {object} { notes: [{ name, text }], states, uses: [name], threads, cpus, wakers: { rows, more, all } }. A row has
 *     ns: [number] by state or use, whole: their sum, and runs and waits, switches, or waits. `more` sums up the rows that
 *     are left out, `all` all of them; they have their number `n`, and are undefined if there are none.
 */
export function readLedger(ledger) {
    const { notes, states, uses } = ledger;

    return {
        notes, states, uses,
        threads: readList(ledger, 'threads', ['runs', 'waits']),
        cpus: readList(ledger, 'cpus', ['switches']),
        wakers: readList(ledger, 'wakers', ['waits']),
    };
}

const INTERVAL_SUMS = ['total', 'times', 'errors', 'p50', 'p99', 'max'];

/**
 * Read the intervals of a recording (`json.intervals`), if it has any.
 * @returns {object[]} By kind: { kind, unended, unbegun, restarted, lists: [{ by: 'names' or 'threads', rows, more }] }. Rows have a
 *     name, that of a thread with its tid, and total, times, errors, p50, p99 and max; `more` is the number of rows left out.
 */
export function readIntervals(intervals = []) {
    const numbers = (row, names) => Object.fromEntries(names.map((name) => [name, Number(row[name])]));

    return intervals.map((kind) => ({
        kind: kind.kind, ...numbers(kind, ['unended', 'unbegun', 'restarted']),
        lists: ['names', 'threads'].filter((by) => kind[by]).map((by) => ({
            by, rows: kind[by].map((row) => ({ ...row, ...numbers(row, INTERVAL_SUMS) })), more: kind[`more_${by}`],
        })),
    }));
}

/** Longest row of a list, in ns: the width that all bars are measured by. */
export function longestRow({ rows }) {
    return rows.reduce((longest, { whole }) => Math.max(longest, whole), 0);
}
