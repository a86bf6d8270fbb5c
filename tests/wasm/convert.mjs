/**
 * @file The function convert() of the installed package: from a path, a Buffer and a File, and its errors.
 *
 * usage: node convert.mjs DIR EXPECTED: a folder with perf.data and its program, and its folded stacks
 */
import assert from 'node:assert/strict';
import { File } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { convert, PdconvError } from 'pdconv';

const [dir, expected] = process.argv.slice(2);
const bytes = readFileSync(`${dir}/perf.data`);
const options = { format: 'folded', args: ['--symbol-dir', dir] };

for (const input of [`${dir}/perf.data`, bytes, new File([bytes], 'perf.data')]) {
    assert.deepEqual(Buffer.from(await convert(input, options)), readFileSync(expected));
}
assert.equal((await convert(bytes, { ...options, format: 'pprof' }))[0], 0x1f);
await assert.rejects(convert(`${dir}/nothing`, options), (error) => {
    assert.ok(error instanceof PdconvError);
    assert.equal(error.status, 1);
    assert.match(error.message, /nothing: cannot open: No such file or directory|No such file/);
    return true;
});
