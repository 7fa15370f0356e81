import { describe, expect, it } from 'vitest';
import { lookAlikeLetters } from '../../scripts/unicode/look-alike-letters.ts';
import { areLookAlikes, mixesAlphabets } from '../../src/people/payee-flags.ts';
import { read } from '../docs/architecture/sources.ts';

const [, version, ...rows] =
  /^# Version: (\S+)$([\s\S]*)/m
    .exec(read('scripts/unicode/confusables.txt'))
    ?.flatMap((text, index) => (index < 2 ? [text] : (text.match(/^[0-9A-F]+ ;\t[0-9A-F ]+/gm) ?? []))) ?? [];
const letters = (codes = ''): string =>
  String.fromCodePoint(
    ...codes
      .trim()
      .split(' ')
      .map((code) => Number.parseInt(code, 16)),
  );

describe('the table of letters that look alike', () => {
  it('is the one that its script makes of the data of Unicode', () => {
    expect(read('src/people/look-alike-letters.txt')).toBe(lookAlikeLetters());
    expect(lookAlikeLetters()).toMatch(new RegExp(`^# Unicode ${version}:`));
  });

  it('takes every two for the same that UTS #39 takes for the same', () => {
    const table = new Map(rows.map((row) => row.split(';').map(letters) as [string, string]));
    const skeleton = (text: string): string =>
      [...text.normalize('NFD')]
        .map((letter) => table.get(letter) ?? letter)
        .join('')
        .normalize('NFD');
    const alike = [...table].filter(([one, other]) => skeleton(one) === skeleton(other));
    expect([rows.length, alike.length]).toEqual([6565, 6530]);
    expect(alike.filter(([one, other]) => !areLookAlikes(`x${one}x`, `x${other}x`))).toEqual([]);
  });
});

it.each([
  ...[
    'аӏісе',
    'аlice',
    'al1ce',
    'a1ice',
    'aIice',
    'ΑLICE',
    'ALICE',
    'ａｌｉｃｅ',
    '𝐚lice',
    'ⓐlice',
    'ɑlice',
    'ᴀʟɪᴄᴇ',
    'аlісе',
  ].map((name) => [name, 'alice']),
  ...['оskar', 'oѕkar', 'oskаr', 'оsкar', '0skar', 'o5kar', 'oꜱkar', 'øskar', 'oſkar'.replace('ſ', 'ꮪ')].map((name) => [
    name,
    'oskar',
  ]),
  ...['nᴇd', 'ɴed', 'ηed', 'пed'.replace('п', 'ո'), 'ned\u0301'].map((name) => [name, 'ned']),
  ...['ƫom', 'тom', 'ᴛᴏᴍ', 'tоm', 't0m', 'torn', 'ţom'].map((name) => [name, 'tom']),
  ...['b0b', '8ob', '6ob', 'ɓob', 'вob', 'ʙob', 'bоb'].map((name) => [name, 'bob']),
  ['мary', 'mary'],
  ['нans', 'hans'],
  ['кarl', 'karl'],
  ['Ιan', 'ian'],
  ['łukasz', 'lukasz'],
  ['9ina', 'gina'],
  ['josé', 'jose'],
])('%s looks like %s', (name, other) => {
  expect(name).not.toBe(other);
  expect(areLookAlikes(name ?? '', other ?? '')).toBe(true);
});

it.each([
  ['bob', 'rob'],
  ['alice', 'alina'],
  ['dan', 'ian'],
  ['tom', 'tim'],
  ['bob smith', 'bob smyth'],
  ['ben', 'beth'],
  ['clerk 3', 'clerk 4'],
  ['Анна', 'Инна'],
  ['田中', '山中'],
])('%s does not look like %s', (name, other) => expect(areLookAlikes(name, other)).toBe(false));

it.each(['oскar', 'Αlice', 'Иvan', 'αнна', 'tiм', 'tomთ'])('%s mixes alphabets', (name) =>
  expect(mixesAlphabets(name)).toBe(true),
);

it.each(['oskar', 'Łukasz', 'Анна 2', 'Ελένη', '田中 Taro', 'ネストさん', '김 Min', "O'Neil", 'თამარ', 'ａｌｉｃｅ'])(
  '%s does not mix alphabets',
  (name) => expect(mixesAlphabets(name)).toBe(false),
);
