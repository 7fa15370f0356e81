import { expect, test } from 'vitest';
import { plainText, quotesProblem, withoutUnseen } from '../../src/domain/plain-text.ts';

test.each<[string, string | Buffer]>([
  ['a byte order mark', '\ufeffa: "b c"\nd\n'],
  ['UTF-16, as PowerShell writes', Buffer.from('\ufeffa: "b c"\r\nd\r\n', 'utf16le')],
  ['UTF-16 in the other order', Buffer.from('\ufeffa: "b c"\nd\n', 'utf16le').swap16()],
  ['UTF-16 without a mark', Buffer.from('a: "b c"\nd\n', 'utf16le')],
  ['line ends of Windows, of old Macs, and changed twice', 'a: "b c"\r\r\nd\r'],
  ['Ctrl-Z and NULs behind the end', 'a: "b c"\nd\n\x1a\0\0\r\n'],
  ['blanks that do not break', 'a:\u00a0"b\u202fc"\nd\n'],
  ['characters without width', 'a:\u200b "b\u00ad c"\n\u2060d\n\ufeff'],
  ['a page break', 'a:\f"b c"\nd\n'],
])('a configuration file is read without %s', (_, written) => {
  expect(plainText(Buffer.from(written as string))).toBe('a: "b c"\nd\n');
});

test('a value keeps its plain blanks, and those inside that do not break become plain', () => {
  expect(withoutUnseen(' a ')).toBe(' a ');
  expect(withoutUnseen('\u00a0 a\u00a0b\u200b ')).toBe('a b');
});

test('typographic quotes are named where JSON has none', () => {
  expect(quotesProblem('{“a”: 1}')).toMatch(/^it has a typographic quote.*plain text editor$/);
  expect(quotesProblem('{"a": “b”}')).toBeDefined();
  expect(quotesProblem('{"a": "“b”"}')).toBeUndefined();
});
