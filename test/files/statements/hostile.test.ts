import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readStatementFile } from '../../../src/files/statements/read-statement.ts';
import { StatementSummary } from '../../../src/files/statements/statement-sink.ts';
import { newFolder } from '../../support/new-folder.ts';

const camt = (inside: string, before = ''): string =>
  `${before}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>${inside}</Stmt></BkToCstmrStmt></Document>`;
const entity = (said: string): string => `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a ${said}>]>`;
const booked = (amount: string): string => `<Ntry><Amt Ccy="USD">${amount}</Amt></Ntry>`;
const mt = (line: string): string =>
  `:20:S\r\n:25:A\r\n:28C:1/1\r\n:60F:C260101USD1,00\r\n${line}\r\n:62F:C260101USD1,00\r\n-\r\n`;

it.each([
  ['entities that grow', camt('<Id>&a;</Id>', entity('"aaaaaaaaaa"')), 'DOCTYPE'],
  ['an entity of a file', camt('<Id>&a;</Id>', entity('SYSTEM "file:///etc/passwd"')), 'DOCTYPE'],
  ['elements without an end of depth', camt('<x>'.repeat(20_000)), 'nested more than 64 levels deep'],
  ['a text of megabytes', camt(`<Id>${'a'.repeat(5_000_000)}</Id>`), 'at most 64 KiB'],
  ['an amount of a million digits', camt(booked('9'.repeat(1_000_000))), 'at most 64 KiB'],
  ['a line of megabytes', mt(`:86:${'x'.repeat(5_000_000)}`), 'at most 64 KiB'],
  ['a line of codes only', mt(`:86:${'?2'.repeat(500_000)}`), 'at most 64 KiB'],
])('a statement with %s is refused as a whole', async (_what, content, why) => {
  const folder = newFolder();
  const file = join(folder, 'statement');
  writeFileSync(file, content);
  const reading = readStatementFile(file, new StatementSummary());
  await expect(reading).rejects.toMatchObject({ finding: { message: expect.stringContaining(why) } });
});
