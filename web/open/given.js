/** @file What a person dropped or chose: files with relative paths, and which of them are recordings and archives. */

/** First bytes of recordings: perf.data in either byte order. */
const MAGIC = ['PERFILE2', '2ELIFREP', 'PERFFILE'];
const ARCHIVE = /\.tar(\.(zst|gz|bz2|xz))?$/;

/** All entries of a folder: one call gives at most 100. */
async function entriesOf(folder) {
    const reader = folder.createReader();
    const ret = [];

    for (;;) {
        const some = await new Promise((take, fail) => reader.readEntries(take, fail));
        if (some.length === 0) return ret;
        ret.push(...some);
    }
}

async function addEntry(entry, ret) {
    if (entry.isDirectory) {
        for (const child of await entriesOf(entry)) await addEntry(child, ret);
    } else {
        const file = await new Promise((take, fail) => entry.file(take, fail));
        ret.push({ path: entry.fullPath.replace(/^\//, ''), file });
    }
}

/** Return the files of what was dropped, those in folders as well. */
export async function droppedFiles(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const ret = [];

    if (entries.length === 0) return chosenFiles(transfer.files);
    for (const entry of entries) await addEntry(entry, ret);
    return ret;
}

/** Return the files of an input element. */
export function chosenFiles(list) {
    return [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** The folder of a path, or ''. */
function folderOf(path) {
    return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Return the paths of recordings, in the order of their names. A recording that is a directory has its header in a file. */
export async function recordingsOf(given) {
    const found = [];

    for (const { path, file } of given) {
        const start = await file.slice(0, 8).text();
        if (!MAGIC.includes(start)) continue;
        const isDirectory = /(^|\/)data$/.test(path) && given.some((other) => other.path === `${path}.0`);
        found.push(isDirectory && folderOf(path) ? folderOf(path) : path);
    }
    return found.sort();
}

/** Options that let the program look for binaries in all that was given. */
export function searchOptions(given) {
    const folders = new Set(given.map(({ path }) => `/${folderOf(path)}`));
    const archives = given.filter(({ path }) => ARCHIVE.test(path)).map(({ path }) => `/${path}`);
    const places = [...folders, ...archives];

    return ['--no-own-paths', '--no-cache', ...places.flatMap((place) => ['--symbol-dir', place])];
}
