/** @file Elements without markup: everything that a recording names is text. */

/**
 * Create an element. `properties`: "on…" are event listeners, `style` is an object of CSS properties (set through the
 * object
 * model, which the page's policy allows), true and false add or omit an attribute. Children are elements or texts.
 */
export function h(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
        else if (name === 'style')
            for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
        else if (value === true) element.setAttribute(name, '');
        else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

/** Return the element with this id. */
export const $ = (id) => document.getElementById(id);

/** Replace the children of an element, unless it has the same ones: moving them makes the browser lay them out again. */
export function setChildren(element, children) {
    const had = element.children;
    if (had.length !== children.length || children.some((child, i) => child !== had[i])) element.replaceChildren(...children);
}

/** Texts of the buttons of each switch, as JSON. */
const offered = new WeakMap();

/**
 * Fill an element that has role=group with buttons of which one is pressed. `items`: [[value, text, title]]. Buttons remain
 * as long as their texts do, with the `choose` that they had first.
 */
export function fillSwitch(element, items, value, choose) {
    const texts = JSON.stringify(items);
    if (offered.get(element) !== texts) {
        offered.set(element, texts);
        element.replaceChildren(
            ...items.map(([key, text, title]) =>
                h('button', { type: 'button', title, 'data-value': key, onclick: () => choose(key) }, text),
            ),
        );
    }
    items.forEach(([key], i) => element.children[i].setAttribute('aria-pressed', String(key === value)));
}

/** Works that wait for the next frame. */
const awaited = new Set();

/** Run now what waits for the next frame. */
export function drawNow() {
    const works = [...awaited];
    awaited.clear();
    for (const work of works) work();
}

/** Return a function that runs `work` at the next frame, once, however often it is called. */
export function eachFrame(work) {
    return () => {
        if (!awaited.size) requestAnimationFrame(drawNow);
        awaited.add(work);
    };
}

/** Whether the page is laid out for paper. */
export const isPaper = () => document.documentElement.classList.contains('paper');

/** Return the pixels of a canvas for each of CSS: on paper, enough for 300 dpi. */
export const pixelRatio = () => (isPaper() ? 3 : window.devicePixelRatio || 1);

/** Return a hint at what pointer and keys do, which is not printed. */
export const hint = (text) => h('span', { class: 'hint' }, text);

/** Return a promise that is kept when the next frame has been drawn. */
export function afterFrame() {
    return new Promise((resolve) => {
        requestAnimationFrame(() => setTimeout(resolve));
    });
}

/** Give a canvas a size in CSS pixels, for the resolution of the screen. Return its context, scaled to CSS pixels. */
export function sized(canvas, width, height) {
    const ratio = pixelRatio();
    const w = Math.max(1, Math.round(width * ratio));
    const hh = Math.max(1, Math.round(height * ratio));
    if (canvas.width !== w || canvas.height !== hh) {
        canvas.width = w;
        canvas.height = hh;
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.direction = 'ltr';
    return context;
}
