import { readFileSync } from 'node:fs';
import { bare, skeletonBy } from '../../src/people/payee-flags.ts';

/**
 * The table of letters that look alike, made from data of the Unicode Consortium that lies beside this file, unchanged:
 * `confusables.txt` is https://www.unicode.org/Public/17.0.0/security/confusables.txt (UTS #39), `latin-letters.txt` the code
 * points and names of https://www.unicode.org/Public/17.0.0/ucd/UnicodeData.txt that begin with LATIN.
 */
const own = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/**
 * Digits and letters that UTS #39 keeps apart, since its prototypes are single glyphs of one font: a person reads `al1ce` as
 * `alice`. The table of UTS #39 has 0 for O and 1 for l already.
 */
const ALSO: readonly (readonly [string, string])[] = [
  ['i', 'l'],
  ['2', 'z'],
  ['5', 's'],
  ['6', 'b'],
  ['8', 'b'],
  ['9', 'g'],
  ['ĸ', 'k'],
  ['ß', 'b'],
];

/** A letter with a hook, stroke, tail and so on, a small capital, or another form of one basic letter. */
const FORM_OF_A_LETTER =
  /^LATIN (CAPITAL LETTER|SMALL LETTER|LETTER SMALL CAPITAL) (?:(?:AFRICAN|BARRED|BROKEN|DOTLESS|INSULAR|SCRIPT|VISIGOTHIC) )?([A-Z])(?: BAR)?(?: WITH .+)?$/;

const hex = (text: string): string => String.fromCodePoint(...text.split(' ').map((code) => Number.parseInt(code, 16)));
const toHex = (text: string): string =>
  [...text].map((letter) => letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')).join(' ');

function confusables(): { version: string; table: Map<string, string> } {
  const text = own('confusables.txt');
  const rows = text.matchAll(/^([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA/gm);
  const version = /^# Version: (\S+)$/m.exec(text)?.[1];
  if (version === undefined) throw new Error('confusables.txt names no version');
  return { version, table: new Map(rows.map(([, from = '', to = '']) => [hex(from), hex(to)])) };
}

function* formsOfLetters(): Generator<readonly [string, string]> {
  for (const line of own('latin-letters.txt').trim().split('\n')) {
    const [code = '', name = ''] = line.split(';');
    const [, size, letter] = FORM_OF_A_LETTER.exec(name) ?? [];
    if (letter !== undefined) yield [hex(code), size === 'CAPITAL LETTER' ? letter : letter.toLowerCase()];
  }
}

/** Lines `letters it stands for;letters that look like it`, as hexadecimal code points. */
export function lookAlikeLetters(): string {
  const { version, table } = confusables();
  const reduced = (text: string): string => skeletonBy(table, text);
  for (const [form, letter] of [...ALSO, ...formsOfLetters()]) {
    const [seen, wanted] = [reduced(form), reduced(letter)];
    const isFree = [...seen].length === 1 && (seen === form || !/[\x21-\x7e]/.test(seen));
    if (isFree && seen !== wanted) table.set(seen, wanted);
  }
  const alike = Map.groupBy(table.keys(), reduced);
  const lines = [...alike].map(([prototype, letters]) => {
    const others = letters.filter((letter) => bare(letter) !== prototype);
    return others.length === 0 ? [] : [`${toHex(prototype)};${others.map(toHex).sort().join(' ')}`];
  });
  return [
    `# Unicode ${version}: made by \`npm run look-alikes\` from confusables.txt (UTS #39) and the names of Latin letters`,
    ...lines.flat().sort(),
    '',
  ].join('\n');
}
