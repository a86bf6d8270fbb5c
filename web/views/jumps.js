/** @file Arrows for jumps between the rows of a list, each row with its own part of all arrows. */

/** Largest number of lanes; jumps that would need more have no arrow. */
const LANES = 8;
const LANE_WIDTH = 7;
const HEAD = 12;
/** Height of a row, as the style sheet has it. */
const ROW_HEIGHT = 18;
const SVG = 'http://www.w3.org/2000/svg';

/** Give jumps lanes, shorter ones those closer to the text. `jump`: row that each row jumps to, or -1. */
export function placeJumps(jump) {
    const jumps = Array.from(jump, (to, from) => ({ from, to, top: Math.min(from, to), bottom: Math.max(from, to) }))
        .filter(({ from, to }) => to >= 0 && to < jump.length && to !== from)
        .sort((a, b) => a.bottom - a.top - (b.bottom - b.top) || a.top - b.top);
    const lanes = [];
    const placed = [];
    for (const one of jumps) {
        const isFree = (others) => others.every((other) => other.bottom < one.top || other.top > one.bottom);
        let lane = lanes.findIndex(isFree);
        if (lane < 0) lane = lanes.push([]) - 1;
        if (lane >= LANES) continue;
        lanes[lane].push(one);
        placed.push({ ...one, lane });
    }
    return { jumps: placed, lanes: Math.min(lanes.length, LANES) };
}

function path(d, isNear) {
    const element = document.createElementNS(SVG, 'path');
    element.setAttribute('d', d);
    if (isNear) element.setAttribute('class', 'near');
    return element;
}

function svgOf(lanes) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('width', String(lanes * LANE_WIDTH + HEAD));
    svg.setAttribute('height', String(ROW_HEIGHT));
    svg.setAttribute('aria-hidden', 'true');
    return svg;
}

/** Return the horizontal position of a lane in pixels. */
const xOfLane = (lanes, lane) => (lanes - lane) * LANE_WIDTH - 2.5;

/** Draw the arrows that pass between row `row` - 1 and row `row`. Null without arrows. */
export function drawPassing({ jumps, lanes }, row) {
    if (!lanes) return null;
    const svg = svgOf(lanes);
    for (const { top, bottom, lane } of jumps)
        if (top < row && bottom >= row) svg.append(path(`M${xOfLane(lanes, lane)} 0V${ROW_HEIGHT}`, false));
    return svg;
}

/** Draw the part of the arrows that is in row `row`. Jumps of the row `near` stand out. Null without arrows. */
export function drawJumps({ jumps, lanes }, row, near) {
    if (!lanes) return null;
    const svg = svgOf(lanes);
    const width = lanes * LANE_WIDTH + HEAD;
    const middle = ROW_HEIGHT / 2 + 0.5;
    for (const { from, to, top, bottom, lane } of jumps) {
        if (row < top || row > bottom) continue;
        const isNear = from === near || to === near;
        const x = xOfLane(lanes, lane);
        if (row > top && row < bottom) {
            svg.append(path(`M${x} 0V${ROW_HEIGHT}`, isNear));
            continue;
        }
        const end = row === top ? ROW_HEIGHT : 0;
        const turn = row === top ? middle + 4 : middle - 4;
        svg.append(path(`M${x} ${end}V${turn}Q${x} ${middle} ${x + 4} ${middle}H${width - 3}`, isNear));
        if (row === to) svg.append(path(`M${width - 7} ${middle - 3.5}l4 3.5l-4 3.5`, isNear));
    }
    return svg;
}
