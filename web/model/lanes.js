/**
 * @file Lanes of a recording: what each thread did at any moment, and the critical path.
 *
 * A lane is a sequence of pieces without gaps. Times are in ns from `base_ns` on.
 */

/** States of pieces: those of JSON.ledger.states, and these. */
export const RUNNING = 0;
export const RUNNABLE = 1;
export const BLOCKED = 2;
export const UNKNOWN = 3;
/** Several states, each shorter than the resolution. */
export const MIX = 4;
/** Time that is not counted. */
export const NOT_COUNTED = 5;
export const N_STATES = 4;

/** Values of wait.waker and step.instead: not known; an interrupt or the idle task; others are threads. */
const FIRST_THREAD = 2;
/** In place of a thread: an interrupt that woke, or the idle task that had a CPU; and what is not known. */
export const NO_THREAD = -1;
export const NOT_KNOWN = -2;

function damaged(what) {
    return new Error(`the profile is damaged: ${what}`);
}

/** Read a waker or what had a CPU: a thread, NO_THREAD or NOT_KNOWN. */
const threadOf = (value) => value >= FIRST_THREAD ? value - FIRST_THREAD : value ? NO_THREAD : NOT_KNOWN;

export class Lanes {
    /**
     * @param {Object<string, Uint32Array|Float64Array>} columns Of a container.
     * @param {number} nThreads Rows of threads.
     * @throws {Error} The columns do not belong together.
     */
    constructor(columns, nThreads) {
        this.thread = columns['lane.thread'];
        this.begin = columns['lane.begin'];
        this.state = columns['piece.state'];
        this.ns = columns['piece.ns'];
        this.mixes = columns['mix.ns'];
        this.waits = {
            reason: columns['wait.reason'], waker: columns['wait.waker'], interrupt: columns['wait.interrupt'],
            leaf: columns['wait.leaf'], wakerLeaf: columns['wait.waker_leaf'],
        };
        this.steps = { thread: columns['step.thread'], instead: columns['step.instead'] };
        /** Pieces of each lane: from first[lane] to first[lane + 1] - 1. */
        this.first = new Uint32Array(this.thread.length + 1);
        columns['lane.pieces'].forEach((n, lane) => {
            this.first[lane + 1] = this.first[lane] + n;
        });
        if (this.first[this.thread.length] !== this.state.length)
            throw damaged('lane.pieces is not the number of pieces');
        this.number();
        this.list(nThreads);
    }

    /** Find where pieces begin, and their rows in the other tables. */
    number() {
        const { state, ns, thread } = this;
        const n = state.length;
        let [nMixes, nWaits, nSteps] = [0, 0, 0];

        this.time = new Float64Array(n);
        /** Row of the table that describes a piece: of mixes, or of waits. */
        this.row = new Uint32Array(n);
        /** Row of the first step of each lane that is a critical path. */
        this.firstStep = new Uint32Array(thread.length);
        for (let lane = 0; lane < thread.length; lane++) {
            let time = this.begin[lane];

            this.firstStep[lane] = nSteps;
            for (let i = this.first[lane]; i < this.first[lane + 1]; i++) {
                this.time[i] = time;
                time += ns[i];
                if (state[i] === MIX)
                    this.row[i] = nMixes++;
                else if (thread[lane] && (state[i] === RUNNABLE || state[i] === BLOCKED))
                    this.row[i] = nWaits++;
            }
            if (!thread[lane])
                nSteps += this.first[lane + 1] - this.first[lane];
        }
        if (nMixes * N_STATES !== this.mixes.length || nWaits !== this.waits.reason.length ||
            nSteps !== this.steps.thread.length)
            throw damaged('a piece has no description');
    }

    /** List the lanes of each thread, in order of time, and those of critical paths. */
    list(nThreads) {
        this.ofThread = Array.from({ length: nThreads }, () => []);
        this.paths = [];
        this.thread.forEach((thread, lane) => (thread ? this.ofThread[thread - 1] : this.paths).push(lane));
        for (const lanes of this.ofThread)
            lanes.sort((a, b) => this.begin[a] - this.begin[b]);
    }

    /** Whether anything is known of a thread, a row. */
    has(thread) {
        return this.ofThread[thread].length > 0;
    }

    /** The first piece of a lane that ends after `time`. */
    pieceAfter(lane, time) {
        let low = this.first[lane];
        let high = this.first[lane + 1];

        while (low < high) {
            const middle = low + high >> 1;

            if (this.time[middle] + this.ns[middle] > time)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    /** Call `visit(piece, lane)` for the pieces of `lanes` that overlap with the time from `from` to `to`. */
    visit(lanes, from, to, visit) {
        for (const lane of lanes) {
            for (let i = this.pieceAfter(lane, from); i < this.first[lane + 1] && this.time[i] < to; i++)
                visit(i, lane);
        }
    }

    /** Times of a piece by state. */
    sums(piece) {
        const sums = new Array(N_STATES).fill(0);
        const state = this.state[piece];

        if (state === MIX)
            return Array.from(this.mixes.subarray(this.row[piece] * N_STATES, (this.row[piece] + 1) * N_STATES));
        if (state < N_STATES)
            sums[state] = this.ns[piece];
        return sums;
    }

    /** Times by state of a thread, a row, in all. */
    totals(thread) {
        const totals = new Array(N_STATES).fill(0);

        this.visit(this.ofThread[thread], -Infinity, Infinity, (piece) =>
            this.sums(piece).forEach((ns, state) => {
                totals[state] += ns;
            }));
        return totals;
    }

    /**
     * The piece of a thread, a row, or of the critical path (-1) in the time from `from` to `to`: of those that are off the
     * CPU the one with most of it, else the one with most of it. -1: there is none.
     */
    find(thread, from, to) {
        let best = -1;
        let most = -1;

        this.visit(thread < 0 ? this.paths : this.ofThread[thread], from, Math.max(to, from + 1), (piece) => {
            const overlap = Math.min(to, this.time[piece] + this.ns[piece]) - Math.max(from, this.time[piece]);
            const isOff = thread >= 0 && (this.state[piece] === RUNNABLE || this.state[piece] === BLOCKED);
            const weight = overlap + (isOff ? to - from + 1 : 0);

            if (this.state[piece] !== NOT_COUNTED && weight > most) {
                most = weight;
                best = piece;
            }
        });
        return best;
    }

    /** The blocked piece that a wakeup ended, and with which `piece` belongs together; -1: none. */
    waitOf(piece) {
        const before = piece > 0 && this.time[piece - 1] + this.ns[piece - 1] === this.time[piece] ? piece - 1 : -1;

        if (this.state[piece] === BLOCKED)
            return piece;
        return this.state[piece] === RUNNABLE && before >= 0 && this.state[before] === BLOCKED ? before : -1;
    }

    /** The last piece of a thread, a row, before `time` in which it was off the CPU; -1: there is none. */
    lastWait(thread, time) {
        for (const lane of [...this.ofThread[thread]].reverse()) {
            const last = Math.min(this.pieceAfter(lane, time), this.first[lane + 1] - 1);

            for (let i = last; i >= this.first[lane]; i--) {
                if ((this.state[i] === BLOCKED || this.state[i] === RUNNABLE) && this.time[i] + this.ns[i] <= time)
                    return i;
            }
        }
        return -1;
    }

    /** Thread that ended a blocked piece: a row, NO_THREAD for an interrupt, or NOT_KNOWN. */
    waker(piece) {
        return threadOf(this.waits.waker[this.row[piece]]);
    }

    /** String of the interrupt that ended a blocked piece; 0: none, or not known. */
    interrupt(piece) {
        return this.waits.interrupt[this.row[piece]];
    }

    /** Thread of a step of the critical path, a row; NOT_KNOWN: several, or none. And what had its CPU. */
    step(piece, lane) {
        const row = this.firstStep[lane] + piece - this.first[lane];

        return { thread: this.steps.thread[row] - 1 < 0 ? NOT_KNOWN : this.steps.thread[row] - 1,
            instead: threadOf(this.steps.instead[row]) };
    }
}
