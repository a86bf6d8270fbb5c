/**
 * @file Containers: what a page holds of a recording. A container is JSON followed by columns of numbers or bytes;
 * doc/design/html.md describes it.
 */

/** "PDW1", little endian. */
const CONTAINER_MAGIC = 0x31574450;
const CONTAINER_VERSION = 5;

/**
 * Types of columns whose values are not Uint32. A value that its type cannot hold is an error.
 */
const COLUMN_TYPES = {
    'sample.time': Float64Array,
    'sample.weight': Float64Array,
    'mark.time': Float64Array,
    'lane.begin': Float64Array,
    'piece.ns': Float64Array,
    'mix.ns': Float64Array,
    'instruction.offset': Float64Array,
};

/** Value of each character of base64 by its code; 64: it is none. */
function base64Values() {
    const values = new Uint8Array(128).fill(64);
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

    for (let i = 0; i < 64; i++)
        values[characters.charCodeAt(i)] = i;
    return values;
}

/** Decode base64 without the browser's help: see decodeBase64(). */
export function decodeBase64Slowly(text) {
    const values = base64Values();
    const bytes = new Uint8Array(Math.ceil(text.length * 3 / 4));
    let n = 0;
    let bits = 0;
    let nBits = 0;

    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        const value = code < 128 ? values[code] : 64;

        if (value === 64) {
            if (code === 0x3d)
                break;
            if (code <= 0x20)
                continue;
            throw new Error(`the profile is not base64: character ${i} has code ${code}`);
        }
        bits = (bits << 6 | value) & 0xffff;
        nBits += 6;
        if (nBits >= 8) {
            nBits -= 8;
            bytes[n++] = bits >> nBits & 0xff;
        }
    }
    return bytes.subarray(0, n);
}

/**
 * Decode base64. White space is skipped.
 * @param {string} text
 * @returns {Uint8Array}
 * @throws {Error} The text has another character.
 */
export function decodeBase64(text) {
    try {
        if (Uint8Array.fromBase64)
            return Uint8Array.fromBase64(text);
    } catch {
        /* The other decoder knows what is wrong. */
    }
    return decodeBase64Slowly(text);
}

/**
 * Decompress bytes in the format of zlib.
 * @param {Uint8Array} bytes
 * @returns {Promise<Uint8Array>}
 * @throws {Error} The data is damaged or truncated.
 */
export async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));

    try {
        return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch (error) {
        throw new Error(`cannot decompress the profile: ${error.message}`);
    }
}

/**
 * Read the next varint of `bytes`. Values above 2^53 lose their lowest bits.
 * @param {{bytes: Uint8Array, at: number, end: number}} cursor Moved after the value.
 */
function readLongVarint(cursor) {
    let value = 0;
    let factor = 1;
    let byte;

    do {
        if (cursor.at >= cursor.end || factor > 2 ** 63)
            throw new Error('the profile is damaged: a number does not end');
        byte = cursor.bytes[cursor.at++];
        value += (byte & 127) * factor;
        factor *= 128;
    } while (byte > 127);
    return value;
}

/** Fill `out` with the varints of the cursor. */
function readVarints(cursor, out) {
    const { bytes, end } = cursor;
    const n = out.length;
    let { at } = cursor;

    for (let i = 0; i < n; i++) {
        /* Nearly all numbers have four bytes at most. Together they fit into any column. */
        if (at + 4 <= end) {
            let byte = bytes[at++];
            let value = byte & 127;

            for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
                byte = bytes[at++];
                value |= (byte & 127) << shift;
            }
            if (byte < 128) {
                out[i] = value;
                continue;
            }
            at -= 4;
        }
        cursor.at = at;
        const value = readLongVarint(cursor);
        at = cursor.at;
        out[i] = value;
        if (out[i] !== value)
            throw new Error(`the profile is damaged: ${value} is out of range`);
    }
    cursor.at = at;
}

/**
 * Read the next difference. The sign is the lowest bit of the varint, so differences up to 2^53 are exact.
 */
function readLongDifference(cursor) {
    const first = cursor.at < cursor.end ? cursor.bytes[cursor.at++] : 0;
    const low = first >> 1 & 63;
    const magnitude = first > 127 ? low + 64 * readLongVarint(cursor) : low;

    return first & 1 ? -1 - magnitude : magnitude;
}

/** Fill `out` with the running sums of the differences of the cursor. */
function readDifferences(cursor, out) {
    const { bytes, end } = cursor;
    const n = out.length;
    let value = 0;

    for (let i = 0; i < n; i++) {
        const at = cursor.at;
        const byte = at < end ? bytes[at] : 128;

        if (byte < 128) {
            value += byte & 1 ? -1 - (byte >> 1) : byte >> 1;
            cursor.at++;
        } else {
            if (at >= end)
                throw new Error('the profile is damaged: a column ends early');
            value += readLongDifference(cursor);
        }
        out[i] = value;
        if (out[i] !== value)
            throw new Error(`the profile is damaged: ${value} is out of range`);
    }
}

/** Fill `out` with varints of one byte each, from `at` on. Return whether all of them are. */
function readBytes(bytes, at, out) {
    const values = bytes.subarray(at, at + out.length);

    for (let i = 0; i < values.length; i++) {
        if (values[i] > 127)
            return false;
    }
    out.set(values);
    return true;
}

/** Decode one column of JSON.columns, whose bytes begin at `at`. */
function decodeColumn(bytes, at, column) {
    if (column.kind === 'bytes')
        return bytes.subarray(at, at + column.size);
    /* A value takes a byte at least. */
    if (column.n > column.size)
        throw new Error(`the profile is damaged: column ${column.name} is too short`);
    const Type = COLUMN_TYPES[column.name] ?? Uint32Array;
    const out = new Type(column.n);
    const cursor = { bytes, at, end: at + column.size };

    if (column.kind === 'varint' && column.n === column.size && readBytes(bytes, at, out))
        return out;

    if (column.kind === 'varint')
        readVarints(cursor, out);
    else if (column.kind === 'delta')
        readDifferences(cursor, out);
    else
        throw new Error(`column ${column.name} is of an unknown kind '${column.kind}'`);
    if (cursor.at !== cursor.end)
        throw new Error(`the profile is damaged: column ${column.name} is too long`);
    return out;
}

/**
 * Decode a container.
 * @param {Uint8Array} bytes The decompressed container. Columns of the kind "bytes" are views of it.
 * @returns {{json: object, columns: Object<string, Uint8Array|Uint32Array|Float64Array>}} The JSON, and the columns by
 * name.
 * @throws {Error} It is damaged or of another version.
 */
export function decodeContainer(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

    if (bytes.length < 8 || view.getUint32(0, true) !== CONTAINER_MAGIC)
        throw new Error('this is not a profile of pdconv');
    let at = 8 + view.getUint32(4, true);
    if (at > bytes.length)
        throw new Error('the profile is truncated');
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(8, at)));
    if (json.version !== CONTAINER_VERSION)
        throw new Error(`the profile has version ${json.version}; this page reads version ${CONTAINER_VERSION}`);
    const columns = {};
    for (const column of json.columns) {
        if (at + column.size > bytes.length)
            throw new Error('the profile is truncated');
        columns[column.name] = decodeColumn(bytes, at, column);
        at += column.size;
    }
    return { json, columns };
}
