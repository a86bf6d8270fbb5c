/** @file The page's side of the worker. Questions and answers: web/model/worker.js. */

/** Descriptions of the functions that answers have named, by number. */
const descriptions = [];
const NO_FUNCTION = { name: '[unknown]', binary: '', file: '', line: 0, kind: 4, mark: true };

/** Return the description of a function: { name, binary, file, line, kind, mark }. */
export const functionOf = (id) => descriptions[id] || NO_FUNCTION;

export const isKnown = (id) => id in descriptions;

/**
 * Start the worker from the text of this program. Return ask(question, arguments, slot): a promise of the answer, null
 * if a newer
 * question of the same kind and slot replaced this one. The promise fails with an Error with the text for people.
 */
export function startWorker() {
    const program = new Blob([document.getElementById('program').textContent], { type: 'text/javascript' });
    const url = URL.createObjectURL(program);
    const worker = new Worker(url);
    const waiting = new Map();
    let last = 0;
    worker.onmessage = ({ data }) => {
        const { resolve, reject, newest, key, number } = waiting.get(data.id);
        waiting.delete(data.id);
        for (const f of data.functions || []) descriptions[f.id] = f;
        if (data.error !== undefined) reject(new Error(data.error));
        else resolve(data.superseded || newest.get(key) !== number ? null : data.answer);
    };
    worker.onerror = (event) => {
        for (const { reject } of waiting.values()) reject(new Error(event.message || 'the worker did not start'));
        waiting.clear();
    };
    const newest = new Map();
    return (question, args = {}, slot = '') =>
        new Promise((resolve, reject) => {
            const id = ++last;
            const key = `${question} ${slot}`;
            newest.set(key, id);
            waiting.set(id, { resolve, reject, newest, key, number: id });
            worker.postMessage({ id, question, slot, arguments: args });
        });
}
