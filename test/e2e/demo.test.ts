import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PeriodReport } from '../../src/reports/statements/period-report.ts';
import { type CommandHome, type Ended, openCommandHome } from '../support/command.ts';
import { bookedOrders, ledgerIn, paymentsIn } from './books.ts';
import { type BatchDocument, batchOf, errorOf, listOf } from './documents.ts';
import { csvOf, payable } from './payout-files.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/payouts.csv', import.meta.url));

/** One home in which `demo` has run; every test below only reads, or hands over what is refused. */
let home: CommandHome;
let first: Ended;
let batch: BatchDocument;
let ordersAfter: ReturnType<typeof bookedOrders>;

beforeAll(async () => {
  home = openCommandHome({});
  first = await home.start('demo', '--json').ended;
  batch = batchOf(first);
  ordersAfter = bookedOrders(home.path);
});

afterAll(() => home.close());

describe('the demo', () => {
  it('pays every row of the example, each with one order at the bank, and writes its reports', () => {
    expect(first.code).toBe(0);
    expect(batch).toMatchObject({ state: 'completed', file: 'payouts.csv', counts: { total: 12, completed: 12 } });
    const payments = paymentsIn(home.path);
    expect(payments.map(({ reference }) => reference).sort()).toEqual(
      batch.payouts.map(({ reference }) => reference).sort(),
    );
    expect(new Set(payments.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));
    for (const path of Object.values(batch.reports).flat()) expect(existsSync(path)).toBe(true);
    expect(JSON.parse(readFileSync(batch.reports.json, 'utf8'))).toEqual(batch);
  });

  it('names the order, the booked fee and the place in the Temporal UI of every row', () => {
    const byReference = new Map(paymentsIn(home.path).map((order) => [order.reference, order.order_id]));
    for (const payout of batch.payouts) {
      expect(payout).toMatchObject({ state: 'completed', reason: null, orderId: byReference.get(payout.reference) });
      expect(payout.fee).not.toBeNull();
      expect(decodeURIComponent(payout.url)).toContain(payout.workflowId);
    }
  });

  it('leaves no stack behind', () => {
    expect(home.stack()).toBeUndefined();
    expect(existsSync(join(home.path, 'temporal.pid'))).toBe(false);
  });

  it('adds up to the ledger of the bank on every account, by its order list', async () => {
    for (const uid of ['u-1001', 'u-1002']) {
      const taken = await home.payouts('statement', '--orders', uid, '--json');
      expect(JSON.parse(taken.stdout)).toMatchObject({ discrepancies: [] });
    }
    const shown = await home.payouts('period', 'show', '2026-01-01..2100-01-01', '--json');
    expect(shown.code).toBe(0);
    const { accounts }: PeriodReport = JSON.parse(shown.stdout);
    const kept = accounts.filter(({ closing }) => closing !== null);
    const minor = (text: string | null): bigint => BigInt((text ?? '').replace('.', ''));
    expect(new Map(kept.map(({ accountId, closing }) => [accountId, minor(closing)]))).toEqual(ledgerIn(home.path));
    for (const { opening, lines, closing } of kept) {
      expect(Object.values(lines).reduce((sum, amount) => sum + minor(amount), minor(opening))).toBe(minor(closing));
      expect([lines.unexplainedIn, lines.unexplainedOut].every((amount) => minor(amount) === 0n)).toBe(true);
    }
    const sum = (line: 'sold' | 'bought' | 'fees'): bigint => kept.reduce((all, it) => all + minor(it.lines[line]), 0n);
    expect([sum('sold') < 0n, sum('bought') > 0n, sum('fees') < 0n]).toEqual([true, true, true]);
    expect(kept.reduce((all, { lines }) => all + minor(lines.paid), 0n)).toBe(
      -paymentsIn(home.path).reduce((all, { amount }) => all + BigInt(amount), 0n),
    );
  });

  it('pays nothing more the second time, shows the report it has and ends 0', async () => {
    const again = await home.payouts('demo', '--json');
    expect(again.code).toBe(0);
    expect(batchOf(again)).toEqual(batch);
    expect(bookedOrders(home.path)).toEqual(ordersAfter);
  });
});

describe('a file whose rows are all known', () => {
  const lines = readFileSync(EXAMPLE, 'utf8').trimEnd().split('\n');
  const reordered = [...lines.slice(0, 1), ...lines.slice(1).reverse()].join('\r\n');
  const json = JSON.stringify(lines.slice(1).map((line) => recordOf(lines[0] ?? '', line)));
  const versions: [string, string, string][] = [
    ['as it is', 'payouts.csv', lines.join('\n')],
    ['under another name', 'march.csv', lines.join('\n')],
    ['in another order with CRLF and a byte order mark', 'payouts.csv', `\uFEFF${reordered}\r\n`],
    ['as JSON', 'payouts.json', json],
  ];

  it.each(versions)('ends 8 with the batch that took it: %s', async (_how, name, contents) => {
    const ended = await home.payouts('run', home.file(name, contents), '--yes', '--json');
    expect(ended.code).toBe(8);
    expect(errorOf(ended).error).toMatchObject({ code: 'already-taken', batchId: batch.batchId });
    expect(bookedOrders(home.path)).toEqual(ordersAfter);
  });
});

describe('a file with ids that were used before', () => {
  it('is refused as a whole when an id comes with another payload, through `validate` and through `run`', async () => {
    const changed = readFileSync(EXAMPLE, 'utf8').replace(',2450.00,', ',2450.01,');
    const file = home.file('changed.csv', changed);
    for (const args of [
      ['validate', file],
      ['run', file, '--yes'],
      ['run', file, '--yes', '--invalid', 'skip'],
    ]) {
      const ended = await home.payouts(...args, '--json');
      expect(ended.code).toBe(3);
      expect(errorOf(ended).findings).toMatchObject([
        { file: 'changed.csv', line: 2, row: 1, column: 'id', value: 'SAL-2026-03-001', rule: 'id-reused' },
      ]);
    }
    expect(bookedOrders(home.path)).toEqual(ordersAfter);
  });

  it('names the earlier batch on the known rows and sends nothing, new rows included', async () => {
    const known = recordOf(...firstTwoLines());
    const file = home.file('more.csv', csvOf([{ ...known, id: known.id ?? '' }, payable({ id: 'NEW-1' })]));
    const ended = await home.payouts('run', file, '--yes', '--json');
    expect(ended.code).toBe(3);
    const { findings } = errorOf(ended);
    expect(findings).toMatchObject([{ line: 2, row: 1, column: 'id', rule: 'already-taken' }]);
    expect(findings[0]?.message).toContain(batch.batchId);
    expect(bookedOrders(home.path)).toEqual(ordersAfter);
  });
});

describe('showing a batch that has ended', () => {
  it('lists it', async () => {
    const ended = await home.payouts('list', '--json');
    expect(ended.code).toBe(0);
    const { batchId, file, state, counts } = batch;
    expect(listOf(ended).batches).toMatchObject([{ batchId, file, state, counts }]);
  });

  it.each(['status', 'report'])('shows the same document with `%s`', async (command) => {
    const ended = await home.payouts(command, batch.batchId, '--json');
    expect(ended.code).toBe(0);
    expect(batchOf(ended)).toEqual(batch);
  });

  it.each(['reference', 'workflowId', 'orderId', 'id'] as const)('finds a payout by its %s', async (key) => {
    const payout = batch.payouts[0];
    const ended = await home.payouts('status', payout?.[key] ?? '', '--json');
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout).payout).toMatchObject({ reference: payout?.reference, state: 'completed' });
  });

  it('prints the reference that the batch used', async () => {
    const { uid, id, reference, workflowId } = batch.payouts[0] ?? {};
    const ended = await home.payouts('reference', uid ?? '', id ?? '', '--json');
    expect(JSON.parse(ended.stdout)).toEqual({ schemaVersion: 1, reference, workflowId });
  });

  it.each([
    ['status', 'nobody-knows'],
    ['report', 'nobody-knows'],
    ['watch', 'nobody-knows'],
    ['approve', 'nobody-knows', '--yes'],
    ['cancel', 'nobody-knows', '--yes'],
  ])('answers 2 to `%s` of an id that nobody knows', async (...args) => {
    const ended = await home.payouts(...args, '--json');
    expect(ended.code).toBe(2);
    expect(errorOf(ended).error.code).toBe('unknown-id');
  });
});

function firstTwoLines(): [string, string] {
  const [header = '', line = ''] = readFileSync(EXAMPLE, 'utf8').split('\n');
  return [header, line];
}

/** A record of the example; its first lines hold no quotes. Blank columns are left out. */
function recordOf(header: string, line: string): Record<string, string> {
  const cells = [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const entries = header.split(',').map((name, at): [string, string] => [name, cells[at] ?? '']);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}
