/**
 * @file Makes the picture of the README: a page with a range of time selected and the card of a function.
 *
 * usage: BUILD=build node tests/web/picture.mjs PAGE.html PICTURE.png
 *
 * `make demo` writes the page (demo/page.html). The tests of kind `web` install the client of the browser in $BUILD/web.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BROWSERS } from './browser/browsers.mjs';

const SIZE = { width: 1360, height: 800, deviceScaleFactor: 1 };
/** Lanes of threads, of which the second to the fourth tenth of a second are selected. */
const STATE = 'top=thread&time=100000-400000';
/** Where the pointer is, in CSS pixels: on a frame in the middle of the flame graph. */
const POINTER = [470, 682];

const [page, picture] = process.argv.slice(2);
const puppeteer = createRequire(`${resolve(process.env.BUILD ?? 'build')}/web/`)('puppeteer-core');
const browser = await puppeteer.launch(BROWSERS.chromium);
const tab = await browser.newPage();

await tab.setViewport(SIZE);
await tab.goto(`${pathToFileURL(resolve(page))}#${STATE}`);
await tab.waitForSelector('body:not(.loading)');
await tab.waitForNetworkIdle();
await tab.mouse.move(...POINTER);
await tab.screenshot({ path: picture });
await browser.close();
