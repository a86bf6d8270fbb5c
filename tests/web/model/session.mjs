/** @file Sessions of profiles made for tests. */
import { Session } from '../../../web/model/worker.js';
import { encodeProfile } from '../profiles.mjs';

/** Width at which no box is too narrow. */
export const WIDE = { width: 1e15 };

/** Open a session with one recording for each of `parts`: see encodeProfile(). */
export async function openParts(...parts) {
    const session = new Session();

    await session.open({ profiles: parts.map((each) => ({ name: 'perf.data', bytes: encodeProfile(each) })) });
    return session;
}
