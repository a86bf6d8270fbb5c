/** @file How complete the stacks are, and what is missing: shown, not hidden. */
import { h } from './dom.js';
import { ScrolledView } from './scrolled_view.js';
import { amount, counted, samplesText, shareOf, shown } from './text.js';

/** Kinds of ends: [title, what it means, class]. */
const KINDS_OF_ENDS = {
    rooted: ['Complete', 'The stack reaches the first function of its thread.', 'c-good'],
    guessed: ['Guessed', 'Some callers were found without exact information.', 'c-warn'],
    cut: ['Cut', 'The recorded stack was too short, callers are missing.', 'c-warn'],
    lost: ['Lost', 'The stack could not be followed to its root.', 'c-bad'],
    unknown: ['Unknown', 'It is not known whether callers are missing.', 'c-unknown'],
    none: ['No user stack', 'No stack of the program was recorded.', 'c-unknown'],
};

export class QualityView extends ScrolledView {
    constructor(app, stage, tools) {
        super(app, stage, tools, {
            kind: 'quality',
            title: 'Quality',
            note: 'How the stacks of the selection end, and what the recording lacks.',
        });
    }

    async refresh() {
        const { app } = this;
        const answers = await Promise.all(
            app.info.recordings.map((_, side) => app.ask('quality', { side }, `side ${side}`)),
        );
        if (answers.some((answer) => !answer) || this.closed) return;
        this.text.replaceChildren(...answers.flatMap((answer, side) => this.side(answer, side)));
    }

    side(answer, side) {
        const { app } = this;
        const recording = app.info.recordings[side];
        const sums = new Map();
        for (const end of answer.ends) sums.set(end.kind, (sums.get(end.kind) || 0) + end.weight);
        const kinds = Object.keys(KINDS_OF_ENDS).filter((kind) => sums.get(kind) > 0);
        const bar = h(
            'div',
            {
                class: 'bar',
                role: 'img',
                'aria-label': kinds
                    .map((kind) => `${KINDS_OF_ENDS[kind][0]} ${shareOf(sums.get(kind), answer.weight)}`)
                    .join(', '),
            },
            ...kinds.map((kind) =>
                h('i', {
                    class: KINDS_OF_ENDS[kind][2],
                    style: { 'flex-grow': String(sums.get(kind)) },
                    title: `${KINDS_OF_ENDS[kind][0]} ${shareOf(sums.get(kind), answer.weight)}`,
                }),
            ),
        );
        const rows = answer.ends
            .filter((end) => end.weight > 0)
            .sort((a, b) => b.weight - a.weight)
            .map((end) =>
                h(
                    'tr',
                    {},
                    h(
                        'td',
                        {},
                        h('i', { class: `dot ${(KINDS_OF_ENDS[end.kind] || KINDS_OF_ENDS.unknown)[2]}` }),
                        h('b', {}, (KINDS_OF_ENDS[end.kind] || KINDS_OF_ENDS.unknown)[0]),
                        ` ${end.text}`,
                    ),
                    h('td', { class: 'number' }, shareOf(end.weight, answer.weight)),
                    h('td', { class: 'number' }, amount(end.weight, app.unit)),
                    h('td', { class: 'number' }, samplesText(end.samples)),
                ),
            );
        return [
            h('h2', {}, `Where stacks end${this.nameOf(side)}`),
            bar,
            h(
                'table',
                {},
                h(
                    'colgroup',
                    {},
                    h('col', {}),
                    ...['90px', '110px', '130px'].map((width) => h('col', { style: { width } })),
                ),
                h('tbody', {}, ...rows),
            ),
            ...this.guesses(answer),
            ...this.facts(recording),
        ];
    }

    guesses({ guessed, weight }) {
        if (!guessed || !(guessed.weight > 0)) return [];
        const share = shareOf(guessed.weight, weight);
        const text = `Frames found by guess are in ${share} of the stacks, by weight. They have a dotted top edge.`;
        return [h('p', { class: 'note' }, text)];
    }

    /** What the recording as a whole lacks. */
    facts(recording) {
        const list = (title, items) =>
            items.length ? [h('h2', {}, title), h('ul', {}, ...items.map((text) => h('li', {}, text)))] : [];
        const { samples = 0, records = 0 } = recording.lost || {};
        const figures = `${samplesText(samples)} and ${counted(records)} records were`;
        const lost = [`${samples || records ? figures : 'Nothing was'} lost during the recording.`];
        const leftOut = (recording.left_out || []).map(
            (row) => `${samplesText(row.samples)} left out: ${shown(row.text)}`,
        );
        return [
            ...list('The whole recording', [...(recording.quality || []).map(shown), ...lost, ...leftOut]),
            ...list('What would help', (recording.advice || []).map(shown)),
        ];
    }
}
