/** @file The page that opens recordings in a browser: the package has its parts, and the program is put in here. */
import fs from 'node:fs';
import { gzipSync } from 'node:zlib';

const MARK = '@WASM@';

/** Return the page as one file. */
export function page() {
    const read = (name) => fs.readFileSync(new URL(name, import.meta.url));
    const [head, tail] = read('page.part').toString().split(`\n${MARK}\n`);

    return `${head}\n${gzipSync(read('pdconv.wasm'), { level: 9 }).toString('base64')}\n${tail}`;
}
