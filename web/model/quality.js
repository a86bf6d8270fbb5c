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
    const unknown = { text: '', kind: 'none', samples: 0, weight: 0 };
    const ends = [unknown, ...profile.json.ends.map(({ text, kind }) => ({ text, kind, samples: 0, weight: 0 }))];
    const all = { samples: 0, weight: 0 };
    const guessed = { samples: 0, weight: 0 };
    const noStack = { samples: 0, weight: 0 };

    for (const sample of list) {
        const sums = [all, ends[samples.end[sample]]];
        const node = leaves[samples.leaf[sample]];

        if (!node)
            sums.push(noStack);
        else if (guessedNodes[node])
            sums.push(guessed);
        for (const sum of sums) {
            sum.samples += samples.count[sample];
            sum.weight += samples.weight[sample];
        }
    }
    return { ends: ends.filter(end => end.samples), ...all, guessed, no_stack: noStack };
}
