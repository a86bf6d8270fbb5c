/**
 * @file All tests of the page in one browser, which BROWSER names: chromium or firefox. A quick run (QUICK=1) opens every view
 * in both browsers, and selects in Chromium.
 */
import './isolation.mjs';

const { BROWSER, QUICK } = process.env;
const MODULES = ['selection', 'graphs', 'source', 'keyboard', 'hostile', 'view', 'slow', 'losses', 'quality', 'ledger', 'waits',
    'appearance', 'print'];
const QUICK_MODULES = BROWSER === 'chromium' ? ['selection', 'quality', 'ledger', 'waits'] : [];

for (const module of QUICK ? QUICK_MODULES : MODULES) {
    await import(`./${module}.mjs`);
}
