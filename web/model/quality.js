/**
 * @file How far the stacks of a selection can be trusted.
 */
import { FRAME_GUESSED } from './profile.js';

/** For each node of `tree` whether any frame from the root to it was found by guess. */
function guessedPaths(tree) {
    const guessed = new Uint8Array(tree.n);

    for (let i = 1; i < tree.n; i++)
        guessed[i] = guessed[tree.parent[i]] | (tree.flags[i] & FRAME_GUESSED ? 1 : 0);
    return guessed;
}

/** Answer the question `quality`: see worker.js. */
export function answerQuality(selection, { side = 0 } = {}) {
    const { profile, samples, leaves } = selection.recordings.sides[side];
    const list = selection.samples(side);
    const guessedNodes = guessedPaths(selection.recordings.tree);
    const ends = [{ text: '', kind: 'none' }, ...profile.json.ends];
    /* Numbers and weights by sample.end, and after them those of guessed stacks and of no stack. */
    const guessed = ends.length;
    const noStack = guessed + 1;
    const counts = new Float64Array(noStack + 1);
    const weights = new Float64Array(noStack + 1);
    const others = leaves.map((node) => node ? guessedNodes[node] && guessed : noStack);
    const add = (row, sample) => {
        counts[row] += samples.count[sample];
        weights[row] += samples.weight[sample];
    };

    for (let i = 0; i < list.length; i++) {
        const other = others[samples.leaf[list[i]]];

        add(samples.end[list[i]], list[i]);
        if (other)
            add(other, list[i]);
    }
    const sumsOf = (row) => ({ samples: counts[row], weight: weights[row] });
    return {
        ends: ends.map(({ text, kind }, row) => ({ text, kind, ...sumsOf(row) })).filter((end) => end.samples),
        samples: counts.subarray(0, guessed).reduce((sum, count) => sum + count, 0),
        weight: weights.subarray(0, guessed).reduce((sum, weight) => sum + weight, 0),
        guessed: sumsOf(guessed), no_stack: sumsOf(noStack),
    };
}
