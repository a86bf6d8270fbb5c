/** @file All tests of the page in one browser, which BROWSER names: chromium or firefox. */
import './isolation.mjs';
import './selection.mjs';
import './graphs.mjs';
import './source.mjs';
import './keyboard.mjs';
import './hostile.mjs';
import './view.mjs';
import './slow.mjs';
import './losses.mjs';
import './quality.mjs';
import './appearance.mjs';
import './print.mjs';
