/**
 * @file Outputs without their compression: compressors of the same data differ.
 */
import { gunzipSync, inflateSync } from 'node:zlib';

/** The profiles of a page. */
const PROFILE = /(<script type="application\/octet-stream"[^>]*>)([^<]*)(<\/script>)/g;

/** The contents of a gzip file, or of a page with its profiles, or @p bytes as they are. */
export function unpacked(bytes) {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes);
    if (!bytes.subarray(0, 9).equals(Buffer.from('<!doctype'))) return bytes;
    return Buffer.from(bytes.toString('latin1').replace(PROFILE, (_, begin, base64, end) =>
        begin + inflateSync(Buffer.from(base64, 'base64')).toString('latin1') + end), 'latin1');
}
