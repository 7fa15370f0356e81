import { describe, expect, it } from 'vitest';
import { coverageOf, type KeptEntry, linesOf } from '../../../src/domain/statements/lines.ts';
import type { EntryDetail } from '../../../src/domain/statements/statement.ts';

const entry = (entryId: string, change: Partial<KeptEntry> = {}): KeptEntry => ({
  ...{
    entryId,
    statementId: entryId.split('.')[0] ?? '',
    kind: 'statement',
    accountId: 'acc',
    position: 1,
    minor: 1_000n,
  },
  ...{ currency: 'EUR', direction: 'debit', isReversal: false, isPending: false, bookedOn: '2026-03-02' },
  ...{ valueOn: undefined, code: undefined, bankReference: undefined, references: [], text: '', batch: undefined },
  ...{ returnReason: undefined, counterparty: undefined, chargesMinor: 0n, details: 0, line: 1 },
  ...change,
});

const detail = (part: number, minor: bigint): EntryDetail => ({
  ...{ part, minor, currency: 'EUR', direction: 'debit', references: [`E${part}`], bankReference: undefined, text: '' },
  ...{ returnReason: undefined, counterparty: undefined, chargesMinor: 0n },
});

const never = (): boolean => false;
const ids = (lines: readonly { id: string }[]): string[] => lines.map(({ id }) => id);

describe('what was booked, once', () => {
  it('a report counts until a statement covers its day', () => {
    const entries = [entry('s.1'), entry('r.1', { kind: 'report' })];
    expect(ids(linesOf(entries, new Map(), never))).toEqual(['s.1', 'r.1']);
    expect(ids(linesOf(entries, new Map(), () => true))).toEqual(['s.1']);
  });

  it('each report of a day repeats the ones before, and what is twice in one was booked twice', () => {
    const report = (id: string) => entry(id, { kind: 'report', bankReference: 'B' });
    expect(ids(linesOf([report('r.1'), report('q.1'), report('q.2')], new Map(), never))).toEqual(['q.1', 'q.2']);
  });

  it('a notification has the payments of a collective booking', () => {
    const batch = { messageId: 'M1', paymentId: undefined, count: undefined };
    const entries = [entry('s.1', { batch }), entry('n.1', { kind: 'notification', batch, details: 2 })];
    const lines = linesOf(entries, new Map([['n.1', [detail(1, 400n), detail(2, 600n)]]]), () => true);
    expect(ids(lines)).toEqual(['s.1/1', 's.1/2']);
    expect(lines.map(({ minor }) => minor)).toEqual([400n, 600n]);
  });

  it('what a collective booking holds beyond its payments is a fee', () => {
    const lines = linesOf([entry('s.1')], new Map([['s.1', [detail(1, 400n), detail(2, 590n)]]]), never);
    expect(lines.at(-1)).toMatchObject({ id: 's.1/fee', minor: 10n, isFee: true });
  });

  it('a word of the text may be an id, also one that a line break cuts', () => {
    const [line] = linesOf(
      [entry('s.1', { text: 'Rent INV-4711 8750230b-5a1c-5f50-83ca- 3c817be9009a' })],
      new Map(),
      never,
    );
    expect(line?.references).toContain('INV-4711');
    expect(line?.references).toContain('8750230b-5a1c-5f50-83ca-3c817be9009a');
  });
});

describe('a day is covered', () => {
  const statement = (from: string, to: string, opening: bigint, closing: bigint) =>
    ({ accountId: 'acc', kind: 'statement', from, to, opening, closing }) as const;

  it('between statements of which one continues the other', () => {
    const isCovered = coverageOf([
      statement('2026-03-06', '2026-03-06', 0n, 5n),
      statement('2026-03-09', '2026-03-09', 5n, 7n),
      statement('2026-03-12', '2026-03-12', 8n, 9n),
    ]);
    expect(['05', '06', '08', '09', '10', '12'].map((day) => isCovered('acc', `2026-03-${day}`))).toEqual([
      ...[false, true, true, true, false, true],
    ]);
    expect(isCovered('other', '2026-03-06')).toBe(false);
  });
});
