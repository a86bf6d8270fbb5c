/** @file Recordings of testdata as sessions, and what pdconv itself says about them. PDCONV is the program. */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Session } from '../../../web/model/worker.js';

const PDCONV = process.env.PDCONV ?? 'build/pdconv';
export const TESTDATA = fileURLToPath(new URL('../../../testdata', import.meta.url));

/** Run pdconv with options, or with a command and its options. Filters that leave no samples are an empty output. */
export function pdconv(recording, ...options) {
    const command = options[0] === 'annotate' ? options.splice(0, 1) : [];

    try {
        return execFileSync(PDCONV, [...command, recording, '--symbol-dir', dirname(recording), '--no-cache', ...options],
            { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (error) {
        if (/: filters exclude all samples: /.test(error.stderr))
            return '';
        throw error;
    }
}

/** Open the page that pdconv writes with `options`. */
export async function openRecording(recording, ...options) {
    const session = new Session();
    const page = pdconv(recording, '-f', 'html', ...options);
    const [, base64] = /<script type="application\/octet-stream"[^>]*>([^<]*)<\/script>/.exec(page);

    await session.open({ profiles: [{ name: recording, base64 }] });
    return session;
}

/** A time of the page in seconds, as pdconv reads it. */
export function seconds(session, time, less = 0n) {
    const { base_ns: base, time_unit_ns: unit } = session.recordings.sides[0].profile.json;
    const ns = String(BigInt(base) + BigInt(time) * BigInt(unit) - less).padStart(10, '0');

    return `${ns.slice(0, -9)}.${ns.slice(-9)}`;
}
