/**
 * @file Patterns that people give for functions: see "Selection" in worker.js.
 */

/** Limit of the time to match all functions with one pattern, in ms. */
const MATCHING_LIMIT = 2500;

/**
 * Compile a pattern.
 * @param {{text?: string, exact?: boolean, regex?: string}} pattern
 * @returns {{isExact: boolean, matches: function(string): boolean}} isExact: only names of functions are compared.
 * @throws {Error} The regular expression is invalid, or there is none.
 */
function compilePattern(pattern) {
    if (typeof pattern?.regex === 'string') {
        try {
            const regex = new RegExp(pattern.regex);

            return { isExact: false, matches: (text) => regex.test(text) };
        } catch (error) {
            throw new Error(`invalid pattern '${pattern.regex}': ${error.message}`);
        }
    }
    if (typeof pattern?.text !== 'string')
        throw new Error('a pattern has neither a text nor a regular expression');
    if (pattern.exact)
        return { isExact: true, matches: (text) => text === pattern.text };
    const wanted = pattern.text.toLowerCase();
    return { isExact: false, matches: (text) => text.toLowerCase().includes(wanted) };
}

/** Like `matches`, but remembers answers, and matches nothing in an empty text, as pdconv does. */
function remembering(matches) {
    const known = new Map([['', false]]);

    return (text) => {
        let answer = known.get(text);

        if (answer === undefined) {
            answer = matches(text);
            known.set(text, answer);
        }
        return answer;
    };
}

/**
 * Find the functions that a pattern matches by their names, the paths of their source files or of their binaries.
 * @param {FunctionTable} functions
 * @param {object} pattern See compilePattern().
 * @returns {Uint8Array} 1 for each function that matches, by number.
 * @throws {Error} The pattern is invalid or too slow.
 */
export function matchFunctions(functions, pattern) {
    const { isExact, matches } = compilePattern(pattern);
    const matchesPath = remembering(matches);
    const found = new Uint8Array(functions.n);
    const begun = performance.now();

    for (let number = 0; number < functions.n; number++) {
        const name = functions.name(number);

        found[number] = name !== '' && matches(name) ||
            !isExact && (matchesPath(functions.file(number)) || matchesPath(functions.binaryName(number)));
        if (performance.now() - begun > MATCHING_LIMIT)
            throw new Error(`the pattern '${pattern.regex ?? pattern.text}' takes too long`);
    }
    return found;
}
