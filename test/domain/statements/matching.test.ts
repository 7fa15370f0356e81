import { describe, expect, it } from 'vitest';
import type { BookedLine, MovementKind, OurMovement, OurRecord } from '../../../src/domain/statements/booked.ts';
import { reconcile } from '../../../src/domain/statements/matching.ts';

const DAY = '2026-03-02';
const referenceOf = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;

function recordOf(n: number, change: Partial<OurRecord> & { moves?: [MovementKind, bigint][] } = {}): OurRecord {
  const reference = referenceOf(n);
  const { moves = [['payment', -10_000n]], ...rest } = change;
  const movements = moves.map(
    ([kind, minor], index): OurMovement => ({
      ...{ id: `${n}-${index}`, kind, reference, accountId: 'eur', currency: 'EUR', on: DAY },
      ...{ minor: minor < 0n ? -minor : minor, direction: minor < 0n ? 'debit' : 'credit' },
    }),
  );
  return {
    ...{ reference, documentId: `INV-${n}`, state: 'paid', endedOn: DAY, names: [], payeeAccount: undefined },
    asked: { accountId: 'eur', currency: 'EUR', minor: 10_000n },
    batch: { batchId: undefined, messageId: undefined, paymentId: undefined },
    ...{ movements, ...rest },
  };
}

let serial = 0;
function lineOf(minor: bigint, of: number | undefined, change: Partial<BookedLine> = {}): BookedLine {
  const id = `line-${++serial}`;
  return {
    ...{ id, orderId: id, accountId: 'eur', currency: 'EUR', minor: minor < 0n ? -minor : minor, on: DAY },
    ...{ direction: minor < 0n ? 'debit' : 'credit', isReversal: false, isReturn: false, isFee: false },
    ...{ references: of === undefined ? [] : [referenceOf(of)], batch: undefined, returnReason: undefined },
    ...{ counterparty: undefined, chargesMinor: 0n, ...change },
  };
}

function found(records: readonly OurRecord[], lines: readonly BookedLine[]) {
  const { discrepancies, matches, returns } = reconcile({ records, lines, isCovered: () => true });
  const kinds = discrepancies.map(({ kind, ours, booked }) => `${kind} ${ours ?? '-'} ${booked ?? '-'}`).sort();
  return { kinds, matched: matches.map(({ kind, minor }) => `${kind} ${minor}`).sort(), returns: returns.length };
}

const withFee: { moves: [MovementKind, bigint][] } = {
  moves: [
    ['payment', -10_000n],
    ['fee', -50n],
  ],
};
const fee = { isFee: true };
const reversal = { isReversal: true };

describe('what an exchange or a transfer brings', () => {
  it.each<[MovementKind, bigint[], string[]]>([
    ['exchange', [9_999n], ['other-amount 10000 9999']],
    ['transfer', [9_999n], ['other-amount 10000 9999']],
    ['transfer', [4_000n, 6_000n], []],
  ])('%s of 100.00, booked as %s, is no return', (kind, booked, expected) => {
    const record = recordOf(1, { moves: [[kind, 10_000n]] });
    const lines = booked.map((minor) => lineOf(minor, 1));
    const matched = booked.map((minor) => `${kind} ${minor}`);
    expect(found([record], lines)).toEqual({ kinds: expected, matched, returns: 0 });
  });

  it('comes back as a return if the bank says so', () => {
    const record = recordOf(1, { moves: [['transfer', 10_000n]] });
    const { kinds, returns } = found([record], [lineOf(9_500n, 1, { isReturn: true })]);
    expect([kinds, returns]).toEqual([['not-booked 10000 -'], 1]);
  });

  it.each<MovementKind>(['exchange', 'transfer'])(
    '%s stays what it is, booked with another amount or twice',
    (kind) => {
      const record = recordOf(1, { moves: [[kind, -10_000n]] });
      expect(found([record], [lineOf(-10_001n, 1)]).matched).toEqual([`${kind} -10001`]);
      expect(found([record], [lineOf(-10_000n, 1), lineOf(-10_000n, 1)])).toMatchObject({
        kinds: ['booked-twice 10000 20000'],
        matched: [`${kind} -10000`, `${kind} -10000`],
      });
    },
  );
});

describe('a payment booked with its fee, without a reference', () => {
  it('is found among payments of the same amount', () => {
    const records = [1, 2, 3].map((n) => recordOf(n, withFee));
    const lines = [1, 2].map(() => lineOf(-10_050n, undefined));
    expect(found(records, lines).kinds).toEqual(['not-booked 10000 -']);
  });

  it('is of the payee whose account the bank shows', () => {
    const records = ['A', 'B'].map((payeeAccount, n) => recordOf(n, { ...withFee, payeeAccount }));
    const input = { records, lines: [lineOf(-10_050n, undefined, { counterparty: 'B' })], isCovered: () => true };
    expect(reconcile(input).matches.map(({ reference }) => reference)).toEqual([referenceOf(1), referenceOf(1)]);
  });
});

describe('fees', () => {
  it.each([2, 3])(
    'collected are those of %i payments, whether or not a payment that was not booked cost one',
    (count) => {
      const records = [1, 2, 3].map((n) => recordOf(n, withFee));
      const lines = [lineOf(-10_000n, 1), lineOf(-10_000n, 2), lineOf(-50n * BigInt(count), undefined, fee)];
      expect(found(records, lines).kinds).toEqual(['not-booked 10000 -']);
    },
  );

  it('collected before all payments of the day are booked are explained, and checked once they are due', () => {
    const records = [1, 2, 3, 4].map((n) => recordOf(n, withFee));
    const lines = (collected: bigint) => [lineOf(-10_000n, 1), lineOf(-10_000n, 2), lineOf(-collected, undefined, fee)];
    const kindsOf = (collected: bigint, covered: string) => {
      const isCovered = (_account: string, day: string): boolean => day <= covered;
      return reconcile({ records, lines: lines(collected), isCovered }).discrepancies.map(({ kind }) => kind);
    };
    expect(kindsOf(150n, DAY)).toEqual([]);
    expect(kindsOf(150n, '2026-03-09')).toEqual(['unexplained-debit', 'not-booked', 'not-booked']);
    expect(kindsOf(140n, DAY)).toEqual(['unexplained-debit']);
  });

  it('of a payment that was not to be booked are no difference of their own', () => {
    const failed = recordOf(1, { state: 'unpaid', moves: [] });
    const charged = lineOf(-50n, 1, fee);
    expect(found([failed], [lineOf(-10_000n, 1), charged]).kinds).toEqual(['booked-not-paid - 10000']);
    expect(found([failed], [charged]).kinds).toEqual(['other-fee 0 50']);
    const [paid, twice] = [recordOf(1, withFee), [1, 1].flatMap(() => [lineOf(-10_000n, 1), lineOf(-50n, 1, fee)])];
    expect(found([paid], twice).kinds).toEqual(['booked-twice 10000 20000']);
    const dear = lineOf(-200n, 1, fee);
    expect(found([paid], [...twice, dear]).kinds).toEqual(['booked-twice 10000 20000', 'other-fee 50 300']);
  });

  it('booked back with their payment are one difference', () => {
    const lines = [lineOf(-10_000n, 1), lineOf(-50n, 1, fee), lineOf(10_000n, 1, reversal)];
    const whole = [...lines, lineOf(50n, 1, { ...fee, ...reversal })];
    expect(found([recordOf(1, withFee)], whole).kinds).toEqual(['booking-undone 10000 10000']);
  });
});

describe('a payout that ended unpaid, booked and booked back', () => {
  const failed = recordOf(1, { state: 'unpaid', moves: [] });

  it.each([
    ['undone', reversal],
    ['returned', { isReturn: true }],
  ])('%s: the books agree', (_how, change) => {
    const expected = { kinds: [], matched: ['payment -10000', 'return 10000'], returns: 0 };
    expect(found([failed], [lineOf(-10_000n, 1), lineOf(10_000n, 1, change)])).toEqual(expected);
  });

  it('in part: it is a difference', () => {
    const { kinds } = found([failed], [lineOf(-10_000n, 1), lineOf(9_000n, 1, { isReturn: true })]);
    expect(kinds).toEqual(['booked-not-paid - 10000']);
  });
});

describe('a file that the bank has booked as one', () => {
  const batch = { batchId: 'bat-1', messageId: 'MSG-2026-03', paymentId: undefined };
  const FILE = { references: ['MSG-2026-03'], batch: { messageId: 'MSG-2026-03', paymentId: undefined, count: 4 } };
  const rows = [10_000n, 20_000n, 40_000n, 80_000n];
  const filed = (minors: readonly bigint[] = rows, feeOf?: bigint) =>
    minors.map((minor, n) =>
      recordOf(n + 1, {
        ...{ batch, asked: { accountId: 'eur', currency: 'EUR', minor } },
        moves: [['payment', -minor], ...(feeOf === undefined ? [] : [['fee', -feeOf] as [MovementKind, bigint]])],
      }),
    );
  const judged = (records: readonly OurRecord[], lines: readonly BookedLine[]) => {
    const { discrepancies, matches } = reconcile({ records, lines, isCovered: () => true });
    return {
      found: discrepancies.map(({ kind, ours, booked, candidates, batchId }) => ({
        kind,
        ours,
        booked,
        candidates,
        batchId,
      })),
      paid: matches.reduce((sum, { minor }) => sum + minor, 0n),
      matched: new Set(matches.flatMap(({ reference }) => reference ?? [])).size,
    };
  };
  const short = (booked: bigint, candidates: readonly number[], ours = 150_000n) => [
    { kind: 'other-sum', ours, booked, candidates: candidates.map(referenceOf), batchId: 'bat-1' },
  ];

  it.each<[string, bigint, number[], number]>([
    ['without one row', 130_000n, [2], 3],
    ['without two rows', 100_000n, [1, 3], 2],
    ['with a sum that no rows explain', 149_999n, [], 0],
    ['with more than was instructed', 150_001n, [], 0],
  ])('%s is one difference, with both sums', (_how, booked, missing, matched) => {
    const expected = { found: short(booked, missing), paid: -booked, matched };
    expect(judged(filed(), [lineOf(-booked, undefined, FILE)])).toEqual(expected);
  });

  it('says of no row that it is missing if it may be another', () => {
    const equal = filed([10_000n, 10_000n, 20_000n]);
    expect(judged(equal, [lineOf(-30_000n, undefined, FILE)]).found).toEqual(short(30_000n, [], 40_000n));
    const pairs = filed([10_000n, 20_000n, 30_000n, 40_000n]);
    expect(judged(pairs, [lineOf(-50_000n, undefined, FILE)]).found).toEqual(short(50_000n, [], 100_000n));
  });

  it('lacks a row with its fee, which the fees of the day lack too', () => {
    const records = filed(rows, 50n);
    expect(judged(records, [lineOf(-130_150n, undefined, FILE)]).found).toEqual(short(130_150n, [2]));
    const apart = [lineOf(-130_000n, undefined, FILE), lineOf(-150n, undefined, fee)];
    expect(judged(records, apart).found).toEqual(short(130_000n, [2]));
  });

  it('in several bookings adds up, and takes no payment of another file', () => {
    const other = recordOf(9, { moves: [['payment', -70_000n]] });
    const parts = [70_000n, 80_000n].map((minor) => lineOf(-minor, undefined, FILE));
    const { found: differences, paid, matched } = judged([...filed(), other], parts);
    expect(differences).toMatchObject([{ kind: 'not-booked', ours: 70_000n }]);
    expect([paid, matched]).toEqual([-150_000n, 4]);
  });

  it('twice is one difference with what was booked in all', () => {
    const twice = [150_000n, 150_000n].map((minor) => lineOf(-minor, undefined, FILE));
    expect(judged(filed(), twice).found).toEqual(short(300_000n, []));
  });
});
