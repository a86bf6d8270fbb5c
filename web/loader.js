/*
 * Starts the program of the page, which is compressed: it is put into an element, and runs because the page's policy has
 * its hash. The element has the text for those who want to read it, and for the worker.
 */
(async () => {
    'use strict';

    try {
        const packed = atob(document.getElementById('packed').textContent);
        const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
        const program = document.createElement('script');
        program.id = 'program';
        program.textContent = await new Response(stream).text();
        document.body.append(program);
    } catch (error) {
        document.getElementById('loading').textContent = `This page cannot be shown: ${error.message}`;
    }
})();
