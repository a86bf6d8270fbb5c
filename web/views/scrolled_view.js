/** @file A view that is a text with tables: keys scroll it, and nothing in it is a function. */
import { h } from './dom.js';
import { shown } from './text.js';

/** Pixels by which an arrow key scrolls. */
const STEP = 60;

export class ScrolledView {
    /** `kind`: class of the element; `title`: its name for people who do not see it; `note`: what the view shows. */
    constructor(app, stage, tools, { kind, title, note }) {
        this.app = app;
        this.text = h('div', {});
        this.element = h('div', { class: `document ${kind}`, tabindex: '0', 'aria-label': title }, this.text);
        tools.replaceChildren(h('span', { class: 'grow note' }, note));
        stage.replaceChildren(this.element);
    }

    /** Return what is added to the title of a part about one of two recordings. */
    nameOf(side) {
        const { app } = this;
        return app.isDifference ? `: ${['before', 'after'][side]}, ${shown(app.info.recordings[side].name)}` : '';
    }

    get function() {
        return -1;
    }

    act(action) {
        const steps = { down: STEP, up: -STEP };
        if (!steps[action]) return false;
        this.element.scrollTop += steps[action];
        return true;
    }

    redraw() {}

    focus() {
        this.element.focus({ preventScroll: true });
    }

    close() {
        this.closed = true;
    }
}
