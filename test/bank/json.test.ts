import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonRefused, parseJson, readJsonOnce } from '../../src/bank/json.ts';
import { longestTurn } from '../support/longest-turn.ts';

test('a decimal sent as a number keeps every digit as text', () => {
  expect(parseJson('{"a":1234567890123456.78,"b":0.1000000000000000000001,"c":9007199254740993}')).toEqual({
    a: '1234567890123456.78',
    b: '0.1000000000000000000001',
    c: '9007199254740993',
  });
});

test('safe integers stay numbers', () => {
  expect(parseJson('[0,-5,1767225600000]')).toEqual([0, -5, 1767225600000]);
});

test('any JSON made of texts, integers, lists and objects reads back as itself', () => {
  const integers = fc.integer();
  const texts = fc.string({ unit: 'binary' });
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      integers,
      texts,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(texts, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(JSON.stringify(parseJson(JSON.stringify(value)))).toBe(JSON.stringify(value));
    }),
  );
});

test.each([
  ['text that is no JSON', '<html>'],
  ['half a document', '{"code":0,'],
  ['an unfinished string', '{"code":"\\'],
  ['nothing', ''],
  ['a member named twice', '{"code":0,"data":{},"code":2010}'],
  ['a member named twice, once escaped', '{"code":0,"c\\u006fde":2010}'],
  ['nesting deeper than 32 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
  ['nesting that would overflow the stack', '['.repeat(500_000)],
])('refuses %s without quoting it', (_what, text) => {
  expect(() => parseJson(text)).toThrow(JsonRefused);
  expect(() => parseJson(text)).toThrow(/^(not JSON|a member is named twice|nested too deeply)$/);
});

test('reads 32 levels', () => {
  expect(() => parseJson(`${'['.repeat(32)}${']'.repeat(32)}`)).not.toThrow();
});

test('a request keeps its numbers, and names a member once as an answer does', () => {
  expect(readJsonOnce('{"a":1.5,"b":[{"a":"x"}]}')).toEqual({ a: 1.5, b: [{ a: 'x' }] });
  expect(() => readJsonOnce('{"a":1,"a":1}')).toThrow('a member is named twice');
});

test.each([['['], ['[],'], ['"'], ['\\'], ['\\"'], ['"a":1,'], ['1'], ['{"a":'], [':'], [' '], ['\u{1f600}']])(
  '64 KiB of %s hold up nobody, begun in any way',
  async (token) => {
    const run = token.repeat(64 * 1024);
    for (const start of ['', '[', '{', '{"a":"', '["']) {
      const text = (start + run).slice(0, 64 * 1024);
      const read = () => {
        try {
          parseJson(text);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonRefused);
        }
      };
      expect(await longestTurn(read, 100)).toBeLessThan(100);
    }
  },
);
