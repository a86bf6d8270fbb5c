/** @file Names, numbers and times as the page shows them. */
import assert from 'node:assert';
import { test } from 'node:test';
import { amount, changeText, escaped, forms, moment, shareOf, shortPath, shown } from '../../../web/views/text.js';

test('characters that hide or reorder text are visible escapes', () => {
    assert.equal(escaped('a\u202eb\u0000\u001b[31m'), 'a\\u202eb\\x00\\x1b[31m');
    assert.equal(escaped('\ud800 \u200b\ufeff\u2028'), '\\ud800 \\u200b\\ufeff\\u2028');
    assert.equal(escaped('</script> \u05d0 日本 😀'), '</script> \u05d0 日本 😀');
});

test('a very long name is cut where it is shown', () => {
    assert.equal(shown('x'.repeat(65536)).length, 601);
    assert.ok(shown('x'.repeat(65536)).endsWith('x…'));
});

test('a name loses its parameters, then its template arguments, then its namespaces', () => {
    assert.deepEqual(forms('main'), ['main']);
    assert.deepEqual(forms('std::vector<std::pair<int, char>>::push_back(std::pair<int, char> const&)'), [
        'std::vector<std::pair<int, char>>::push_back(std::pair<int, char> const&)',
        'std::vector<std::pair<int, char>>::push_back(…)',
        'std::vector<…>::push_back(…)',
        '…push_back(…)',
    ]);
    assert.deepEqual(forms('<alloc::vec::Vec<T> as Clone>::clone').slice(1), ['<…>::clone', '…clone']);
    assert.deepEqual(forms('ns::(anonymous namespace)::f<int>(int)').slice(2), ['ns::(…)::f<…>(…)', '…f<…>(…)']);
    assert.deepEqual(forms('ns::operator<(A const&, A const&)').slice(1), ['ns::operator<(…)', '…operator<(…)']);
    assert.deepEqual(forms('ns::T::operator()(int) const').slice(1), [
        'ns::T::operator()(…) const',
        '…operator()(…) const',
    ]);
    assert.deepEqual(forms('f<(a->b)>'), ['f<(a->b)>', 'f<…>']);
    assert.deepEqual(forms('a::b::{{closure}}'), ['a::b::{{closure}}', '…b::{{closure}}']);
    assert.deepEqual(forms('main.(*Server).serve'), ['main.(*Server).serve']);
    assert.deepEqual(forms('unclosed<a, b'), ['unclosed<a, b']);
});

test('weights have three digits and a unit', () => {
    assert.equal(amount(0, 'ns'), '0 ns');
    assert.equal(amount(999999999, 'ns'), '1.00 s');
    assert.equal(amount(12345678901, 'ns'), '12.3 s');
    assert.equal(amount(700e9, 'ns'), '11.7 min');
    assert.equal(amount(86400e9, 'ns'), '24 h');
    assert.equal(amount(1536, 'bytes'), '1.50 KiB');
    assert.equal(amount(9999, ''), '9,999');
    assert.equal(amount(1234567, ''), '1.23 M');
    assert.equal(amount(5, 'pages'), '5 pages');
});

test('shares never round a part to nothing or to everything', () => {
    assert.equal(shareOf(0, 10), '0 %');
    assert.equal(shareOf(10, 10), '100 %');
    assert.equal(shareOf(999999, 1000000), '> 99.9 %');
    assert.equal(shareOf(1, 1000000), '< 0.01 %');
    assert.equal(shareOf(205, 1000), '20.5 %');
    assert.equal(shareOf(0, 0), '0 %');
});

test('changes name what vanished and what is new', () => {
    assert.equal(changeText(0, 5), 'new');
    assert.equal(changeText(5, 0), 'gone');
    assert.equal(changeText(5, 5), '±0 %');
    assert.equal(changeText(100, 150), '+50.0 %');
    assert.equal(changeText(100, 50), '−50.0 %');
    assert.equal(changeText(1, 170), '× 170');
});

test('moments have the decimals that a step needs', () => {
    assert.equal(moment(0, 1e8), '0.0 s');
    assert.equal(moment(123456789, 1e6), '0.123 s');
    assert.equal(moment(61.5e9, 1e8), '1:01.5');
    assert.equal(moment(3600e9 + 62e9, 1e9), '1:01:02');
});

test('a path is shown by its last part', () => {
    assert.equal(shortPath('/usr/lib/libc.so.6'), 'libc.so.6');
    assert.equal(shortPath('[kernel.kallsyms]'), '[kernel.kallsyms]');
});
