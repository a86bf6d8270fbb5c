#!/usr/bin/env node
/** @file The command `pdconv`. */
import fs from 'node:fs';
import { isatty } from 'node:tty';
import { NodeStream } from './node_files.js';
import { page } from './page.js';
import { argumentsOf, pathsOf } from './paths.js';
import { run, statusOfSignal } from './pdconv.js';

/** Open a standard stream; one that is closed is null. The process ends when its reader is gone, as by SIGPIPE. */
function streamOf(fd) {
    let stream = null;

    try {
        stream = new NodeStream(fd, isatty(fd));
    } catch {
        return null;
    }
    const write = stream.writeAt.bind(stream);
    stream.writeAt = (bytes) => {
        try {
            return write(bytes);
        } catch (error) {
            if (error.code === 'EPIPE') process.exit(statusOfSignal('SIGPIPE'));
            throw error;
        }
    };
    return stream;
}

function main(args) {
    if (args.length === 1 && args[0] === '--page') {
        fs.writeFileSync(1, page());
        return 0;
    }
    try {
        const words = argumentsOf(args, pathsOf(process.platform), fs.existsSync);
        return run(words, { streams: [0, 1, 2].map(streamOf) });
    } catch (error) {
        // A trap of the program, or a fault of its host: neither may be taken for an answer.
        fs.writeSync(2, `pdconv: internal error: ${error.message}\n`);
        return statusOfSignal('SIGABRT');
    }
}

process.exitCode = main(process.argv.slice(2));
