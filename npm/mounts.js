/** @file Several `Files` as one: some at folders, the others below them. */
import { FileError } from './errno.js';

export class Mounts {
    /**
     * @param {import('./files').Files} files What is not below one of the folders.
     * @param {Record<string, import('./files').Files>} folders By absolute path, which `files` need not have.
     */
    constructor(files, folders) {
        this.files = files;
        this.folders = Object.entries(folders);
    }

    /** Return the files that have `path`, and the path there. */
    at(path) {
        for (const [folder, files] of this.folders)
            if (path === folder || path.startsWith(`${folder}/`)) return [files, path.slice(folder.length) || '/'];
        return [this.files, path];
    }

    stat(path, follow) {
        const [files, below] = this.at(path);

        return files.stat(below, follow);
    }

    open(path, how) {
        const [files, below] = this.at(path);

        return files.open(below, how);
    }

    list(path) {
        const [files, below] = this.at(path);

        return files.list(below);
    }

    readlink(path) {
        const [files, below] = this.at(path);

        return files.readlink(below);
    }

    unlink(path) {
        const [files, below] = this.at(path);

        files.unlink(below);
    }

    mkdir(path) {
        const [files, below] = this.at(path);

        files.mkdir(below);
    }

    rmdir(path) {
        const [files, below] = this.at(path);

        files.rmdir(below);
    }

    rename(from, to) {
        const [files, below] = this.at(from);
        const [others, target] = this.at(to);

        if (files !== others) throw new FileError('EXDEV');
        files.rename(below, target);
    }
}
