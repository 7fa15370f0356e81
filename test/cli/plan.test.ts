import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planText, rowsText } from '../../src/cli/plan-text.ts';
import { KNOWN_BY_RULE } from '../../src/domain/business-days.ts';
import type { OrdersElsewhere } from '../../src/files/intake/orders-elsewhere.ts';
import { countedLater, type Outlook } from '../../src/files/intake/outlook.ts';
import { type Plan, planOf } from '../../src/files/intake/plan.ts';
import type { ClaimRow } from '../../src/store/store.ts';
import { claimRowsOf } from '../files/intake/rows.ts';
import { batchClaim, claimRow } from '../store/samples.ts';
import { newStore } from '../support/empty-store.ts';

const DAYS = { today: '2026-03-30', calendar: undefined };

const NONE_ALIKE = { lookAlikes: { count: 0, rows: [] }, elsewhere: null, alikes: { count: 0, held: 0, groups: [] } };

const planned = (rows: readonly ClaimRow[]): Promise<Plan> => planOf('may.csv', rows, NONE_ALIKE, DAYS);

const NO_MORE = { approvals: { beforeSend: [], atBank: [], moreByPayee: 0 }, later: [] };

describe('the plan', () => {
  it('sums by currency, in order of the codes, each at the scale of its currency', async () => {
    const rows = claimRowsOf(
      { id: 'a', amount: '10.5' },
      { id: 'b', amount: '7' },
      { id: 'c', amount: '1000', currency: 'JPY' },
      { id: 'd', amount: '0.125', currency: 'KWD' },
    );
    expect(await planned(rows)).toMatchObject({
      file: 'may.csv',
      payouts: 4,
      newBeneficiaries: 0,
      totals: [
        { currency: 'JPY', count: 1, amount: '1000' },
        { currency: 'KWD', count: 1, amount: '0.125' },
        { currency: 'USD', count: 2, amount: '17.50' },
      ],
    });
  });

  it('is exact where a float is not', async () => {
    const rows = claimRowsOf(
      { id: 'a', amount: '0.10' },
      { id: 'b', amount: '0.20' },
      { id: 'c', amount: '90071992547409.93' },
    );
    expect((await planned(rows)).totals).toEqual([{ currency: 'USD', count: 3, amount: '90071992547410.23' }]);
  });

  it('counts the rows whose payee is named by details', async () => {
    const plan = await planned(claimRowsOf({ id: 'a' }, { id: 'b', beneficiary_id: undefined }));
    expect(plan.newBeneficiaries).toBe(1);
    expect(planText(plan)).toMatch(
      /^may\.csv: 2 payouts, 1 to payees given by their details\n {2}USD +25\.00 {2}in 2 payouts\nplan [0-9a-f]{64}$/,
    );
  });

  it.each([
    [{ bank: 'sandbox', place: '/srv/.payouts' }, 'store: /srv/.payouts (sandbox), new'],
    [{}, 'store: /srv/bank-1a2b (https://bank.example), NEW: it knows of no earlier payout'],
    [
      { isNew: false, batches: 3, lastUsedAt: '2026-11-27T18:02:11.000Z', place: join(homedir(), 'bank-1a2b') },
      'store: ~/bank-1a2b (https://bank.example), 3 batches, last used 2026-11-27 18:02 UTC',
    ],
    [
      { isNew: false, batches: 1, otherHome: '/srv/my files/.payouts' },
      'store: /srv/bank-1a2b (https://bank.example), 1 batch\n' +
        "  not used: the store of this bank in /srv/my files/.payouts; with PAYOUTS_HOME='/srv/my files/.payouts' it is",
    ],
  ])('names the store and its bank: %o', async (change, text) => {
    const none = { batches: 0, lastUsedAt: null, otherHome: null };
    const store = { place: '/srv/bank-1a2b', bank: 'https://bank.example', isNew: true, ...none, ...change };
    expect(planText({ ...(await planned(claimRowsOf({ id: 'a' }))), store })).toContain(`\n${text}\nplan `);
  });

  it('has one hash for the same rows in any order, and another when a row changes or is held', async () => {
    const rows = claimRowsOf({ id: 'a' }, { id: 'b', amount: '3.00' });
    const inOrder = (given: readonly ClaimRow[]) => given.toSorted((a, b) => (a.reference < b.reference ? -1 : 1));
    const { hash } = await planned(inOrder(rows));
    expect((await planned(inOrder(claimRowsOf({ id: 'b', amount: '3' }, { id: 'a' })))).hash).toBe(hash);
    expect((await planned(inOrder(claimRowsOf({ id: 'a' }, { id: 'b', amount: '3.01' })))).hash).not.toBe(hash);
    expect((await planned(inOrder(rows.map((row) => ({ ...row, lookAlikeOf: 'r' }))))).hash).not.toBe(hash);
  });

  it('counts the rows of each execution date, those in the past as sent at once', async () => {
    const rows = claimRowsOf(
      { id: 'a' },
      { id: 'b', execute_on: '2026-03-31' },
      { id: 'c', execute_on: '2026-03-31' },
      { id: 'd', execute_on: '2026-03-29' },
    );
    expect((await planned(rows)).executionDates).toEqual([
      { date: null, count: 2 },
      { date: '2026-03-31', count: 2 },
    ]);
    expect(planText(await planned(rows))).toContain('sent: 2 at once, 2 on 2026-03-31');
  });

  it('says who will be asked, and nothing of it where nobody will be', async () => {
    const plan = await planned(claimRowsOf({ id: 'a' }));
    const outlook = (approvals: Outlook['approvals']) =>
      planText(plan, { balances: [], fees: [], feesUnknown: 1, inBase: null, compared: [], approvals, later: [] });
    const one = { people: 1, payouts: 1 };
    const text = outlook({ beforeSend: [one, { people: 2, payouts: 3 }], atBank: [one], moreByPayee: 4 });
    expect(text).toContain('\nto be approved before sending: 1 payout by one person, 3 payouts by 2 people\n');
    expect(text).toContain('\naudited by the bank, to be approved then: 1 payout by one person\n');
    expect(text).toContain('\nmore approvals if the payee is new or has changed: 4 payouts\n');
    expect(outlook({ beforeSend: [], atBank: [], moreByPayee: 0 })).not.toMatch(/approv|audit/);
  });

  it('says what it costs: fees quoted and estimated, exchanges, what is short, and all in one currency', async () => {
    const rate = { buyCurrency: 'EUR', buyAmount: '415.00', sellAmount: '450.73', rate: '0.9207' };
    const account = { accountId: 'a', currency: 'USD', balance: '9.00', needs: '450.73', after: '-441.73' };
    const plan = await planned(claimRowsOf({ id: 'a' }));
    const text = (fees: Outlook['fees'], inBase: Outlook['inBase'] = null) =>
      planText(plan, {
        balances: [{ ...account, exchanges: [rate] }],
        fees,
        feesUnknown: 2,
        inBase,
        compared: [],
        ...NO_MORE,
      });
    expect(text([])).toContain('\nExchange: 415.00 EUR, with fees in EUR, for 450.73 USD at 0.9207 now.\n');
    expect(text([])).toContain('\nFees of 2 payouts are not known and not included: ');
    expect(text([])).toContain('\na is 441.73 USD short: payouts that it does not cover wait for money');
    const fees = { currency: 'USD', amount: '1000.00', quoted: 25, estimated: 975 };
    expect(text([fees])).toContain(
      '\nFees now: about 1,000.00 USD for 1,000 payouts (25 quoted, 975 estimated).\nFees of 2 other payouts are',
    );
    expect(text([{ ...fees, quoted: 3, estimated: 0 }])).toContain('\nFees now: 1,000.00 USD for 3 payouts.\n');
    expect(text([], { currency: 'EUR', amount: '415.00', without: ['9 JPY'] })).toContain(
      '\nIn all about 415.00 EUR, fees included, at the rates that the bank quotes now, without 9 JPY, for which the bank',
    );
  });

  it('says which payouts count for a later day than the one on which they are sent', async () => {
    const cutOffs = [{ currency: 'EUR', at: '15:30', zone: 'Europe/Berlin' }];
    const rows = claimRowsOf(
      { id: 'a', currency: 'EUR' },
      { id: 'b', currency: 'EUR' },
      { id: 'c', currency: 'EUR', execute_on: '2026-12-07' },
      { id: 'd', currency: 'USD' },
    );
    const laterAt = async (now: string) => countedLater(rows, { ...KNOWN_BY_RULE, cutOffs }, Date.parse(now));
    const plan = await planned(rows);
    const textAt = async (now: string) =>
      planText(plan, {
        balances: [],
        fees: [],
        feesUnknown: 0,
        inBase: null,
        compared: [],
        ...NO_MORE,
        later: await laterAt(now),
      });
    expect(await laterAt('2026-12-03T14:29:00Z')).toEqual([]);
    expect(await textAt('2026-12-03T14:31:00Z')).toContain(
      '\nToo late today for EUR (cut-off 15:30 Europe/Berlin): 2 payouts count for 2026-12-04.\n',
    );
    const sunday = await textAt('2026-12-06T10:00:00Z');
    expect(sunday).toContain('\nNo business day for EUR, USD: 3 payouts count for 2026-12-07.\n');
  });

  it('names rows of one file that are alike', async () => {
    const rows = [
      { row: 1, id: 'INV-1' },
      { row: 4, id: 'INV-2' },
    ];
    const alikes = { count: 2, held: 0, groups: [{ rows, amount: '640.00', currency: 'EUR', count: 2 }] };
    const plan = { ...(await planned(claimRowsOf({ id: 'INV-1' }, { id: 'INV-2' }))), alikes };
    expect(planText(plan)).toContain(
      '\n2 rows are alike: INV-1, INV-2 (same payee, 640.00 EUR).\nEach of them is paid',
    );
    expect(planText({ ...plan, alikes: { ...alikes, held: 1 } })).toContain(
      '\n1 of them is held until somebody approves',
    );
  });

  it('lists its first rows with payees in full for who confirms it', async () => {
    const [claim] = claimRowsOf({ id: 'INV-1', note: 'May' });
    if (claim === undefined) throw new Error('no claim');
    const payee = { account_name: 'Maria Canary', iban_no: 'DE89370400440532013000' };
    const listed = [{ row: 1, instruction: claim.instruction, payee }];
    const text = rowsText({ ...(await planned([claim])), payouts: 3, listed });
    expect(text).toMatch(/INV-1.*12\.50 USD.*Maria Canary, DE89370400440532013000.*May/s);
    expect(text).toContain('and 2 more');
  });

  it('shows what a row looks like, its payee masked', async () => {
    const store = await newStore();
    const payee = { beneficiary_id: undefined, account_name: 'Maria Canary', account_no: '000123456789' };
    const earlier = batchClaim('batch-1', []);
    await store.claimBatch({ ...earlier, rows: [claimRow(1, 'INV-5', payee)] });
    const { reference } = claimRow(1, 'INV-5');
    const alike = { row: 2, id: 'INV-9', like: reference, days: 1 };
    const plan = await planOf(
      'may.csv',
      claimRowsOf({ id: 'INV-9' }),
      { ...NONE_ALIKE, lookAlikes: { count: 1, rows: [alike] } },
      DAYS,
    );
    const text = planText(plan, undefined, await store.payoutsOf([reference]));
    expect(text).toContain(
      `row 2 INV-9: same payee, amount and currency as ${reference} (INV-5 in batch batch-1: 10.50 USD to M*** ***6789, received), a day ago`,
    );
    expect(text).not.toContain('Canary');
  });

  it('shows what another system has paid from the accounts, and the rows that this may be', async () => {
    const listed = [
      { orderId: 'ord-9', accountId: 'acc-1', amount: '10.50', currency: 'USD', createdAt: null, row: 1, id: 'INV-9' },
    ];
    const totals = [{ currency: 'USD', count: 3, amount: '1030.50' }];
    const elsewhere = { count: 3, totals, from: '2026-03-01T08:00:00.000Z', to: '2026-03-02T08:00:00.000Z' };
    const textOf = async (found: Pick<OrdersElsewhere, 'alike' | 'isHeld' | 'listed'> & Partial<OrdersElsewhere>) =>
      planText(
        await planOf(
          'may.csv',
          claimRowsOf({ id: 'INV-9' }),
          { ...NONE_ALIKE, elsewhere: { ...elsewhere, maybe: [], ...found } },
          DAYS,
        ),
      );
    const held = await textOf({ alike: 1, isHeld: true, listed });
    expect(held).toContain(
      'The bank shows 3 payments from these accounts (1,030.50 USD, made 2026-03-01 to 2026-03-02) that this store has not sent.',
    );
    expect(held).toContain('held until somebody approves (--allow-look-alikes pays them): INV-9 (ord-9).');
    expect(await textOf({ alike: 1, isHeld: false, listed })).toContain('is paid all the same: INV-9 (ord-9).');
    expect(await textOf({ alike: 0, isHeld: false, listed: [] })).not.toContain('account and amount');
    const one = { accountId: 'acc-1', amount: '1000.00', currency: 'USD', payments: 1 };
    const ids = Array.from({ length: 11 }, (_, n) => `P-${n}`);
    const maybe = [{ ...one, rows: 12, ids }];
    expect(await textOf({ alike: 0, isHeld: false, listed: [], maybe })).toContain(
      '1 payment of 1,000.00 USD from acc-1 may have paid 1 of 12 rows with that account and amount: P-0, P-1, P-2, P-3, P-4, P-5, P-6, P-7, P-8, P-9 and others. None of these rows is held for it.',
    );
  });

  it('shows no names, accounts or ids', async () => {
    const text = planText(await planned(claimRowsOf({ id: 'DOC-1', note: 'for Maria' })));
    expect(text).not.toMatch(/DOC-1|Maria|acc-|ben-/);
  });
});
