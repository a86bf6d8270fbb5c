/**
 * @file Functions of all recordings of a page. Functions of the same name in binaries of the same file name are one, as
 * in the reports of pdconv, so that copies of a program are added up and the recordings of a difference can be merged.
 */
import { KIND_NONE } from './profile.js';

/** Name of the frame that pdconv puts above generated code at the beginning of a stack. */
const CALLERS_LOST = '[callers lost]';

/** Last part of a path. */
export function baseName(path) {
    return path.slice(path.lastIndexOf('/') + 1);
}

/** Return the number of `key` in `numbers`, a Map; a new key gets the next one. */
function numberOf(numbers, key) {
    let number = numbers.get(key);

    if (number === undefined) {
        number = numbers.size;
        numbers.set(key, number);
    }
    return number;
}

/**
 * The functions. Next to those of the recordings there is one for each binary, which stands for consecutive functions
 * of it.
 */
export class FunctionTable {
    /** @param {Profile[]} profiles Sides, one or two. */
    constructor(profiles) {
        /** Names of binaries as recorded, and their kinds, by number. */
        this.binaryNames = [];
        this.binaryKinds = [];
        this.binaryNumbers = new Map();
        /** Where a function was first seen: its side and its row there. */
        this.sides = [];
        this.rows = [];
        /** Binary of each function: its number + 1, 0 for none. */
        this.binaries = [];
        this.numbers = new Map();
        this.profiles = profiles;
        /** By side: number of each row of the profile's functions. */
        this.ofRows = profiles.map((profile, side) => this.addProfile(profile, side));
        /** Number of functions of the recordings. Numbers from here on stand for binaries, in their order. */
        this.nRecorded = this.rows.length;
        /** Function that stands for lost callers; -1: there is none. */
        this.callersLost = this.numbers.get(`${CALLERS_LOST}\0`) ?? -1;
        /** Number of functions of all sorts. */
        this.n = this.nRecorded + this.binaryNames.length;
        /** Whether a function stands for missing frames, by number. Set by whoever reads the frames. */
        this.isMark = new Uint8Array(this.n);
        this.ranks = null;
    }

    addProfile(profile, side) {
        const binaries = Array.from(profile.binaries.name, (id, row) => this.addBinary(profile, row));
        const { name, binary } = profile.functions;
        const numbers = new Uint32Array(name.length);

        for (let row = 0; row < name.length; row++) {
            const inBinary = binary[row] ? binaries[binary[row] - 1] + 1 : 0;
            const file = inBinary ? baseName(this.binaryNames[inBinary - 1]) : '';
            const number = numberOf(this.numbers, `${profile.text(name[row])}\0${file}`);

            numbers[row] = number;
            if (number < this.rows.length)
                continue;
            this.sides.push(side);
            this.rows.push(row);
            this.binaries.push(inBinary);
        }
        return numbers;
    }

    addBinary(profile, row) {
        const name = profile.text(profile.binaries.name[row]);
        const number = numberOf(this.binaryNumbers, name);

        if (number === this.binaryNames.length) {
            this.binaryNames.push(name);
            this.binaryKinds.push(profile.binaries.kind[row]);
        }
        return number;
    }

    /** Number of the function that stands for `binary`, a number. */
    ofBinary(binary) {
        return this.nRecorded + binary;
    }

    /** Whether a function waits on behalf of its caller: it is of the kernel, the C library and so on. */
    isOutside(number) {
        return this.isRecorded(number) && this.profiles[this.sides[number]].functions.outside[this.rows[number]] !== 0;
    }

    isRecorded(number) {
        return number < this.nRecorded;
    }

    /** Whether a function stands for its binary. */
    isBinary(number) {
        return number >= this.nRecorded;
    }

    /** Binary of a function: its number + 1, 0 for none. */
    binaryOf(number) {
        return this.isRecorded(number) ? this.binaries[number] : number - this.nRecorded + 1;
    }

    binaryName(number) {
        const binary = this.binaryOf(number);

        return binary ? this.binaryNames[binary - 1] : '';
    }

    kind(number) {
        const binary = this.binaryOf(number);

        return binary ? this.binaryKinds[binary - 1] : KIND_NONE;
    }

    name(number) {
        if (this.isRecorded(number)) {
            const profile = this.profiles[this.sides[number]];

            return profile.text(profile.functions.name[this.rows[number]]);
        }
        return `[${baseName(this.binaryName(number))}]`;
    }

    file(number) {
        if (!this.isRecorded(number))
            return '';
        const profile = this.profiles[this.sides[number]];
        return profile.text(profile.functions.file[this.rows[number]]);
    }

    line(number) {
        return this.isRecorded(number) ? this.profiles[this.sides[number]].functions.line[this.rows[number]] : 0;
    }

    /**
     * Whether frames of the function may be in functions that are not told apart: frames without a name, and closures.
     */
    isUnnamed(number) {
        const name = this.name(number);

        return name.startsWith('[') && name.endsWith(']') || name === 'operator()';
    }

    /** What a page shows of a function. */
    describe(number) {
        return {
            id: number, name: this.name(number), binary: this.binaryName(number), file: this.file(number),
            line: this.line(number), kind: this.kind(number), mark: this.isMark[number] !== 0,
        };
    }

    /** Position of each function in the order of names and then binaries. */
    nameRanks() {
        if (this.ranks)
            return this.ranks;
        const names = Array.from({ length: this.n }, (_, number) => this.name(number));
        const order = Uint32Array.from(names.keys()).sort((a, b) =>
            names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : a - b);

        this.ranks = new Uint32Array(this.n);
        order.forEach((number, rank) => {
            this.ranks[number] = rank;
        });
        return this.ranks;
    }
}
