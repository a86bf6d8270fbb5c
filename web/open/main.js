/**
 * @file The page that opens recordings: takes files, lets a worker run pdconv on them, and shows the page that it wrote in a frame.
 * The frame has the policy of this page as well, which allows its style and program by their hashes.
 */
import { chosenFiles, droppedFiles, recordingsOf, searchOptions } from './given.js';

/** Ends of the names of saved files. */
const SUFFIXES = { pprof: 'pb.gz', folded: 'folded', firefox: 'json.gz', speedscope: 'speedscope.json', html: 'html' };

const $ = (id) => document.getElementById(id);

/** The open files, and the paths of the recordings among them. */
const state = { given: [], wasm: null, worker: null, cancel: null, page: null, saved: 0 };

/** Unpack the program, which the page has as compressed text. */
async function unpackProgram() {
    const packed = Uint8Array.from(atob($('wasm').textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));

    return new Response(stream).arrayBuffer();
}

function theWorker() {
    if (!state.worker) {
        const url = URL.createObjectURL(new Blob([$('worker').textContent], { type: 'text/javascript' }));
        state.worker = new Worker(url);
        URL.revokeObjectURL(url);
    }
    return state.worker;
}

function endWorker() {
    state.worker?.terminate();
    state.worker = null;
}

/** Run pdconv. Resolve to { status, output, errors }. Reject with an error whose message is for people. */
async function run(args, watched, stage) {
    state.wasm ??= await unpackProgram();
    const worker = theWorker();

    showProgress(stage, 0, 0);
    return new Promise((resolve, reject) => {
        state.cancel = () => {
            endWorker();
            reject(new Error('Cancelled.'));
        };
        worker.onerror = (event) => {
            endWorker();
            reject(new Error(`The program could not be run: ${event.message}`));
        };
        worker.onmessage = ({ data }) => {
            if (data.of !== undefined) {
                showProgress(stage, data.read, data.of);
            } else if (data.fault !== undefined) {
                // Its memory is not to be used again.
                endWorker();
                reject(new Error(`The program was ended by an error: ${data.fault}`));
            } else {
                resolve(data);
            }
        };
        worker.postMessage({ wasm: state.wasm, files: state.given, args, watched });
    }).finally(() => (state.cancel = null));
}

function show(name) {
    document.body.dataset.state = name;
}

function size(bytes) {
    const units = ['B', 'kB', 'MB', 'GB'];
    let i = 0;

    for (; bytes >= 1000 && i < units.length - 1; i++) bytes /= 1000;
    return `${bytes.toFixed(i ? 1 : 0)} ${units[i]}`;
}

function showProgress(stage, read, of) {
    show('working');
    // When all was read, frames are named and the output is written, which reads other files.
    $('stage').textContent = of && read >= of ? 'Naming functions, and writing…' : stage;
    if (of) $('bar').value = read / of;
    else $('bar').removeAttribute('value');
    $('amount').textContent = of ? `${size(read)} of ${size(of)} read` : '';
}

function fail(text) {
    $('error').textContent = text;
    show('failed');
    $('error').focus();
}

function element(name, text) {
    const ret = document.createElement(name);

    ret.textContent = text;
    return ret;
}

/** Show which binaries are missing and the commands that collect them, and other warnings as pdconv words them. */
function showMissing(quality, warnings) {
    const rows = quality?.missing_binaries?.rows ?? [];
    const hints = quality?.hints?.rows ?? [];
    const place = $('missing');
    const list = document.createElement('ul');

    place.replaceChildren();
    place.hidden = rows.length === 0 && !warnings;
    if (rows.length > 0) {
        const more = quality.missing_binaries.left_out ? `, and ${quality.missing_binaries.left_out} more` : '';
        const names = `${rows.map(({ binary }) => binary).join(', ')}${more}`;
        place.append(element('p', `Binaries that are missing here: ${names}`));
        const ask = element('p', 'Run this on the machine that recorded, and open the archive together with the recording: ');
        ask.append(element('code', 'pdconv archive perf.data'), ' or ', element('code', 'perf archive'));
        place.append(ask);
    } else if (warnings) {
        for (const line of warnings.trim().split('\n')) list.append(element('li', line.replace(/^pdconv: /, '')));
        place.append(list);
    }
    for (const { text, command, kind } of hints) {
        if (rows.length === 0 || kind === 'missing_binaries') continue;
        const line = element('p', text);
        if (command) line.append(' ', element('code', command));
        place.append(line);
    }
}

/** The path of a recording as an argument, which is neither an option nor the name of a command. */
function argument(path) {
    return /^(-|\w+$)/.test(path) ? `./${path}` : path;
}

/** The arguments that convert what is selected to `format`. */
function argumentsFor(format) {
    const recording = argument($('recording').value);
    const other = $('other').value && argument($('other').value);
    const search = searchOptions(state.given);

    if (!other) return [recording, '-f', format, ...search];
    // Only `view` makes a page of two recordings.
    if (format === 'html') return ['view', recording, other, '-o', '-', ...search];
    return ['diff', recording, other, '-f', format, ...search];
}

/** Return the reason why pdconv wrote no output, in its own words. */
function refusal(errors) {
    return errors.trim() || 'pdconv failed without a message.';
}

/** Make the views of what is selected. */
async function open() {
    const watched = $('recording').value;

    $('missing').hidden = true;
    document.body.classList.toggle('comparing', Boolean($('other').value));
    try {
        const { status, output, errors } = await run(argumentsFor('html'), watched, 'Reading the recording…');
        if (status !== 0) return fail(refusal(errors));
        let quality = null;
        // The page has no list of what is missing on the outside: ask for it.
        if (!$('other').value) {
            const args = [argument(watched), '--json', ...searchOptions(state.given)];
            const report = await run(args, watched, 'Looking for what is missing…');
            if (report.status === 0) quality = JSON.parse(await report.output.text()).quality;
        }
        showMissing(quality, errors);
        showViews(output);
    } catch (error) {
        fail(error.message);
    }
}

function showViews(output) {
    if (state.page) URL.revokeObjectURL(state.page);
    state.page = URL.createObjectURL(output.slice(0, output.size, 'text/html;charset=utf-8'));
    $('views').src = state.page;
    show('done');
    $('views').focus();
}

/** Save what is selected in another format. */
async function save(format) {
    const name = $('recording').value.replace(/^.*\//, '');

    try {
        const { status, output, errors } = await run(argumentsFor(format), $('recording').value, `Writing ${format}…`);
        if (status !== 0) return fail(refusal(errors));
        const link = document.createElement('a');
        link.href = URL.createObjectURL(output);
        link.download = `${name}.${SUFFIXES[format]}`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60000);
        document.body.dataset.saved = ++state.saved;
        show('done');
    } catch (error) {
        if (state.page) show('done');
        else fail(error.message);
    }
}

function options(select, paths, first) {
    select.replaceChildren(...first.map((text) => new Option(text, '')), ...paths.map((path) => new Option(path, path)));
}

/** Open what was given. One recording is shown at once, and so is the first one of several. */
async function take(given) {
    if (given.length === 0) return;
    state.cancel?.();
    state.given = given;
    try {
        const found = await recordingsOf(given);
        // What looks like no recording is opened as well: pdconv says what it is.
        const recordings = found.length > 0 ? found : [given[0].path];
        options($('recording'), recordings, []);
        options($('other'), recordings, ['nothing']);
        $('other-label').hidden = recordings.length < 2;
        document.body.classList.add('has-recordings');
        await open();
    } catch (error) {
        fail(`The files cannot be read: ${error.message}`);
    }
}

function listen() {
    for (const id of ['files', 'folder']) {
        $(`choose-${id}`).addEventListener('click', () => $(id).click());
        $(id).addEventListener('change', async ({ target }) => {
            const given = chosenFiles(target.files);
            target.value = '';
            await take(given);
        });
    }
    for (const id of ['recording', 'other']) $(id).addEventListener('change', open);
    for (const button of document.querySelectorAll('[data-format]')) {
        button.addEventListener('click', () => save(button.dataset.format));
    }
    $('cancel').addEventListener('click', () => state.cancel?.());
    document.addEventListener('keydown', (event) => {
        if (event.key === 'Escape') state.cancel?.();
    });
    document.addEventListener('dragover', (event) => {
        event.preventDefault();
        document.body.classList.add('dragged');
    });
    document.addEventListener('dragleave', () => document.body.classList.remove('dragged'));
    document.addEventListener('drop', async (event) => {
        event.preventDefault();
        document.body.classList.remove('dragged');
        try {
            await take(await droppedFiles(event.dataTransfer));
        } catch (error) {
            fail(`The files cannot be read: ${error.message}`);
        }
    });
}

listen();
