/** @file How puppeteer starts the browsers, as Debian installs them. */

export const BROWSERS = {
    // Root has no user namespace for the sandbox of Chromium.
    chromium: {
        browser: 'chrome',
        executablePath: '/usr/bin/chromium',
        args: process.getuid() ? [] : ['--no-sandbox'],
    },
    firefox: { browser: 'firefox', executablePath: '/usr/bin/firefox-esr' },
};
