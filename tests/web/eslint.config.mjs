/** @file The style of JavaScript in this project, which the kind of tests `web` checks. */
import js from '@eslint/js';
import globals from 'globals';

export default [
    js.configs.recommended,
    {
        languageOptions: { globals: { ...globals.browser, ...globals.node } },
        linterOptions: { reportUnusedDisableDirectives: 'error' },
        rules: {
            'eqeqeq': 'error',
            'no-var': 'error',
            'prefer-const': 'error',
            'arrow-parens': 'error',
            'brace-style': 'error',
            'comma-dangle': ['error', 'always-multiline'],
            'max-len': ['error', 135],
            // Names and texts of recordings may have any character.
            'no-control-regex': 'off',
            // Taking a member out of an object by { member, ...rest } is meant.
            'no-unused-vars': ['error', { ignoreRestSiblings: true }],
            'quotes': ['error', 'single', { avoidEscape: true }],
            'semi': 'error',
        },
    },
];
