import { expect, it } from 'vitest';
import { CODE_RULES } from '../../../src/bank/errors.ts';
import { read, sourceFiles } from './sources.ts';

/** The client, and the sandbox, which plays the bank. */
const KNOW_CODES = /^src\/(bank|sandbox)\//;
/** 2009 is an edition of ISO 20022 there, too. */
const OF_NO_BANK = /^src\/files\//;
/** A number by itself: no part of a date, of a name or of an address such as 2001:db8::/32. */
const CODE = new RegExp(`(?<![\\w.:@/-])(${Object.keys(CODE_RULES).join('|')})(?![\\w@/-]|:\\w)`);

const linesWithCodes = (text: string): string[] => text.split('\n').filter((line) => CODE.test(line));

it('codes of the envelope are named in src/bank and src/sandbox alone', () => {
  const others = sourceFiles().filter((file) => !KNOW_CODES.test(file) && !OF_NO_BANK.test(file));
  expect(others.flatMap((file) => linesWithCodes(read(file)).map((line) => `${file}: ${line.trim()}`))).toEqual([]);
});

it('a code in a condition, a table or a comment is found', () => {
  const lines = ['if (error.code === 2005) {', "  2004: 'AC01',", '/** The bank said so (2003): never again. */'];
  expect(linesWithCodes(lines.join('\n'))).toEqual(lines);
});
