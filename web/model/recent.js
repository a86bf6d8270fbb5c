/** @file The last results of long computations: people go back and forth between selections. */

export class Recent {
    /** @param {number} limit Number of results that are kept. */
    constructor(limit) {
        this.limit = limit;
        this.results = new Map();
    }

    /** Return the result for `key` (a text), which `make()` makes unless it is kept. */
    get(key, make) {
        const result = this.results.has(key) ? this.results.get(key) : make();

        /* The first key of the map is the one that was not asked for the longest. */
        this.results.delete(key);
        this.results.set(key, result);
        if (this.results.size > this.limit)
            this.results.delete(this.results.keys().next().value);
        return result;
    }
}
