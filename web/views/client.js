/** @file The page's side of the worker. Questions and answers: web/model/worker.js. */

/** Descriptions of the functions that answers have named, by number. */
const descriptions = [];
const NO_FUNCTION = { name: '[unknown]', binary: '', file: '', line: 0, kind: 4, mark: true };

/** Return the description of a function: { name, binary, file, line, kind, mark }. */
export const functionOf = (id) => descriptions[id] || NO_FUNCTION;

export const isKnown = (id) => id in descriptions;

/** Longest time for which one regular expression is matched, in ms. */
const MATCHING_TIME = 3000;

/** A regular expression that took too long. */
export class SlowPattern extends Error {
    constructor(regex) {
        super(`the pattern /${regex}/ was stopped after ${MATCHING_TIME / 1000} s`);
        this.regex = regex;
    }
}

/**
 * The worker, as the page sees it. It is started again if it does not come back from a regular expression, which nothing
 * else can stop.
 */
export class Client {
    /** `profiles`: arguments of the question `open`. */
    constructor(profiles) {
        const program = new Blob([document.getElementById('program').textContent], { type: 'text/javascript' });
        this.url = URL.createObjectURL(program);
        this.profiles = profiles;
        /** Questions without an answer, in the order in which they are answered. */
        this.waiting = new Map();
        this.newest = new Map();
        this.last = 0;
        this.timer = 0;
    }

    /** Start the worker. Return a promise of the answer to `open`. */
    start() {
        this.worker = new Worker(this.url);
        this.worker.onmessage = ({ data }) => ('matching' in data ? this.watch(data.matching) : this.receive(data));
        this.worker.onerror = (event) => {
            const error = new Error(event.message || 'the worker did not start');
            for (const { reject } of this.takeWaiting()) reject(error);
        };
        return this.ask('open', { profiles: this.profiles });
    }

    takeWaiting() {
        const waiting = [...this.waiting.values()];
        this.waiting.clear();
        return waiting;
    }

    receive({ id, answer, error, functions, superseded }) {
        const { resolve, reject, key } = this.waiting.get(id);
        this.waiting.delete(id);
        for (const f of functions || []) descriptions[f.id] = f;
        if (error !== undefined) reject(new Error(error));
        else resolve(superseded || this.newest.get(key) !== id ? null : answer);
    }

    /** Begin to wait for the end of matching `regex`; null: it has ended. */
    watch(regex) {
        clearTimeout(this.timer);
        if (regex !== null) this.timer = setTimeout(() => this.restart(regex), MATCHING_TIME);
    }

    /** Start the worker again. The question with the pattern fails; those behind it have no answer, as if replaced. */
    restart(regex) {
        const [asked, ...others] = this.takeWaiting();
        this.worker.terminate();
        this.start();
        asked?.reject(new SlowPattern(regex));
        for (const { resolve } of others) resolve(null);
    }

    /**
     * Ask the worker. Return a promise of the answer, null if a newer question of the same kind and slot replaced this
     * one. The promise fails with an Error with the text for people.
     */
    ask(question, args = {}, slot = '') {
        return new Promise((resolve, reject) => {
            const id = ++this.last;
            const key = `${question} ${slot}`;
            this.newest.set(key, id);
            this.waiting.set(id, { resolve, reject, key });
            this.worker.postMessage({ id, question, slot, arguments: args });
        });
    }
}
