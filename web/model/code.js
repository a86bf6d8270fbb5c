/**
 * @file Instructions and source text that a page has of its hottest functions.
 */

/** Lines of source text that are shown before and after those of a function. */
const MARGIN = 2;

/** Elements of `values` added up: where the rows of each element begin, and where the last ones end. */
export function rowStarts(values) {
    const starts = new Uint32Array(values.length + 1);

    for (let i = 0; i < values.length; i++)
        starts[i + 1] = starts[i] + values[i];
    return starts;
}

/** Texts of the lines of one source file that the page has. */
class SourceFile {
    constructor(profile, row, first, end) {
        this.profile = profile;
        this.note = profile.text(profile.sources.note[row]);
        this.numbers = profile.lines.number.subarray(first, end);
        this.texts = profile.lines.text.subarray(first, end);
    }

    /** Numbers of the lines from `first` to `last`, both included. */
    between(first, last) {
        return this.numbers.filter((number) => number >= first && number <= last);
    }

    /** The text of a line; null if the page does not have it. */
    textOf(line) {
        const at = this.numbers.indexOf(line);

        return at < 0 ? null : this.profile.text(this.texts[at]);
    }
}

/** Source files of a profile by path. */
export function sourceFiles(profile) {
    const starts = rowStarts(profile.sources.rows);

    return new Map(Array.from(profile.sources.path, (path, row) =>
        [profile.text(path), new SourceFile(profile, row, starts[row], starts[row + 1])]));
}

/** Lines of each source file whose text the page has: Map of paths to Sets. */
function linesWithText({ profile }) {
    return new Map(Array.from(sourceFiles(profile), ([path, { numbers }]) => [path, new Set(numbers)]));
}

/**
 * Find the functions of which the page has code: the text of an instruction, or of the source line of a frame or an
 * instruction. Addresses without text are not enough.
 * @returns {Set<number>} Numbers of functions.
 */
export function functionsWithCode(side, numbers) {
    const { profile, profile: { functions, frames, places, instructions } } = side;
    const lines = linesWithText(side);
    const found = new Set();
    const hasText = (row, line) => lines.get(profile.text(functions.file[row]))?.has(line);
    const addPlace = (place) => {
        for (let i = place; i; i = places.caller[i - 1])
            found.add(numbers[places.function[i - 1]]);
    };

    instructions.text.forEach((text, i) => {
        if (profile.text(text))
            addPlace(instructions.place[i]);
    });
    for (const { function: rows, line } of [frames, places]) {
        rows.forEach((row, i) => {
            if (hasText(row, line[i]))
                found.add(numbers[row]);
        });
    }
    return found;
}

/** The innermost place of `fn` in the chain of calls of each place, plus 1; 0 if the chain does not have it. */
function placesOf(side, numbers, fn) {
    const { places } = side.profile;
    const found = new Uint32Array(places.function.length);

    for (let i = 0; i < found.length; i++)
        found[i] = numbers[places.function[i]] === fn ? i + 1 : places.caller[i] && found[places.caller[i] - 1];
    return found;
}

/**
 * Lines of a function in a recording, whether they are selected or not: Map of paths to [first, last]. The first one is that
 * of the declaration if it precedes the code.
 */
export function linesOf(side, numbers, fn) {
    const { profile } = side;
    const { functions, frames, places } = profile;
    const spans = new Map();
    const add = (row, line) => {
        if (numbers[row] !== fn || !line)
            return;
        const path = profile.text(functions.file[row]);
        const [first, last] = spans.get(path) ?? [line, line];

        spans.set(path, [Math.min(first, line), Math.max(last, line)]);
    };

    frames.function.forEach((row, frame) => add(row, frames.line[frame]));
    places.function.forEach((row, place) => add(row, places.line[place]));
    functions.line.forEach((line, row) => {
        const span = numbers[row] === fn && spans.get(profile.text(functions.file[row]));

        if (span && line && line < span[0])
            span[0] = line;
    });
    for (const [path, [first, last]] of spans)
        spans.set(path, [first - MARGIN, last + MARGIN]);
    return spans;
}

/** Weights and numbers of the samples at each instruction. */
function weighInstructions(selection, index) {
    const { samples, profile: { nodes, frames, instructions } } = selection.recordings.sides[index];
    const self = new Float64Array(instructions.text.length);
    const count = new Float64Array(instructions.text.length);

    for (const sample of selection.samples(index)) {
        const node = samples.node[sample];
        const at = node && frames.instruction[nodes.frame[node - 1]];

        if (!at)
            continue;
        self[at - 1] += samples.weight[sample];
        count[at - 1] += samples.count[sample];
    }
    return { self, count };
}

/** Functions whose code has instructions of `places`, those with most weight there first. */
function listCodes(profile, starts, places, self) {
    const codes = [];

    for (let code = 0; code + 1 < starts.length; code++) {
        let isHere = false;
        let weight = 0;

        for (let i = starts[code]; i < starts[code + 1]; i++) {
            const place = profile.instructions.place[i];

            if (!place || !places[place - 1])
                continue;
            isHere = true;
            weight += self[i];
        }
        if (isHere)
            codes.push({ code, weight });
    }
    return codes.sort((a, b) => b.weight - a.weight || a.code - b.code);
}

/** Rows of the instructions from `first` up to `end`, as the page shows them. */
function describeRows({ profile }, numbers, places, first, end, start) {
    const { instructions, places: { function: fns, line }, functions } = profile;
    const rows = Array.from({ length: end - first }, (_, i) => first + i);
    const paths = new Map([['', 0]]);
    const fileOf = (place) => {
        const path = place ? profile.text(functions.file[fns[place - 1]]) : '';

        if (!paths.has(path))
            paths.set(path, paths.size);
        return paths.get(path);
    };
    const placeOf = (row) => instructions.place[row];
    const linkOf = (row) => placeOf(row) && places[placeOf(row) - 1];
    const lineOf = (place) => place ? line[place - 1] : 0;
    const described = {
        address: rows.map((row) => (start + BigInt(instructions.offset[row])).toString(16)),
        text: rows.map((row) => profile.text(instructions.text[row])),
        gap: Uint32Array.from(rows, (row) => instructions.gap[row]),
        jump: Int32Array.from(rows, (row) => instructions.jump[row] - 1),
        function: Uint32Array.from(rows, (row) => placeOf(row) ? numbers[fns[placeOf(row) - 1]] : 0),
        line: Uint32Array.from(rows, (row) => lineOf(placeOf(row))),
        file: Uint32Array.from(rows, (row) => fileOf(placeOf(row))),
        own_line: Uint32Array.from(rows, (row) => lineOf(linkOf(row))),
        own_file: Uint32Array.from(rows, (row) => fileOf(linkOf(row))),
    };
    return { ...described, files: [...paths.keys()] };
}

/** Answer the question `instructions`: see worker.js. */
export function answerInstructions(selection, { function: fn, code: wanted = -1, side: index = 0 }) {
    const side = selection.recordings.sides[index];
    const { profile } = side;
    const numbers = selection.recordings.functions.ofRows[index];
    const starts = rowStarts(profile.codes.rows);
    const places = placesOf(side, numbers, fn);
    const { self, count } = weighInstructions(selection, index);
    const codes = listCodes(profile, starts, places, self);
    const chosen = codes.find(({ code }) => code === wanted) ?? codes[0];
    const embedded = profile.json.embedded ?? null;

    if (!chosen)
        return { embedded, codes: [], code: -1 };
    const { code } = chosen;
    const [first, end] = [starts[code], starts[code + 1]];
    return {
        embedded, code,
        codes: codes.map((each) => ({ ...each, function: numbers[profile.codes.function[each.code]] })),
        functions: Uint32Array.from(codes, (each) => numbers[profile.codes.function[each.code]]),
        note: profile.text(profile.codes.note[code]), length: profile.codes.length[code],
        ...describeRows(side, numbers, places, first, end, BigInt(`0x${profile.text(profile.codes.start[code])}`)),
        self: self.slice(first, end), count: count.slice(first, end),
    };
}
