/** Name of an output format, as `pdconv --help` lists them. */
export type Format =
    | 'report' | 'pprof' | 'otlp' | 'otlp-json' | 'folded' | 'script' | 'html' | 'firefox' | 'perfetto' | 'speedscope' | 'callgrind'
    | 'perfdata';

export interface ConvertOptions {
    /** Default: report. */
    format?: Format;
    /** More arguments, such as ['--symbol-dir', 'build']. */
    args?: string[];
    /** Default: process.env. */
    env?: Record<string, string | undefined>;
    /** Folder that relative paths begin in. Default: process.cwd(). */
    cwd?: string;
    /** Gets what the program wrote to standard error although it succeeded: warnings. */
    onMessage?: (text: string) => void;
}

/** The program ended with an error. Its message is the one of the program. */
export class PdconvError extends Error {
    /** The exit status. */
    status: number;
}

/**
 * Convert a recording.
 *
 * @param input The path of a perf.data, its URL, its bytes (a Buffer is a Uint8Array), or a Blob or File, which is read into memory.
 *     Only recordings at a path can be larger than memory.
 * @returns The bytes of the output.
 */
export function convert(input: string | URL | Uint8Array | Blob, options?: ConvertOptions): Promise<Uint8Array>;

export interface RunOptions {
    env?: Record<string, string | undefined>;
    cwd?: string;
    /** Standard input, output and error; a stream that is missing is empty. See files.d.ts. */
    streams?: (import('./files').Handle | null | undefined)[];
}

/** Run the program with these arguments. Returns its exit status. It blocks until the program has ended. */
export function run(args: string[], options?: RunOptions): number;

/** The page that opens recordings in a browser, as one file of HTML. */
export function page(): string;
