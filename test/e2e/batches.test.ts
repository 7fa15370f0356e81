import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { QUICK, stackOfFile } from '../support/command.ts';
import { until } from '../support/until.ts';
import { paymentsIn } from './books.ts';
import { batchOf, errorOf } from './documents.ts';
import { csvOf, jsonOf, type Row } from './payout-files.ts';

/** One stack that `dev` keeps up, with the guard against look-alikes as it is by default. */
const home = stackOfFile({ ...QUICK, PAYOUTS_LOOK_ALIKE_DAYS: '3' });

const referenceFor = (id: string, generation = 0): string => referenceOf('u-1001', id, 'payment', generation);
const ordersOf = (id: string, generation = 0) =>
  paymentsIn(home.path).filter(({ reference }) => reference === referenceFor(id, generation));

describe.concurrent('a plan', () => {
  it('has a hash, stops there with --dry-run, and is paid only as it was agreed to', async () => {
    const file = home.file(
      'plan.csv',
      csvOf([
        { id: 'PLAN-1', amount: '31.01' },
        { id: 'PLAN-2', amount: '31.02' },
      ]),
    );
    const dry = await home.payouts('run', file, '--dry-run', '--json');
    expect(dry.code).toBe(0);
    const { plan } = JSON.parse(dry.stdout);
    expect(plan).toMatchObject({
      payouts: 2,
      totals: [{ currency: 'USD', count: 2, amount: '62.03' }],
      balances: [{ accountId: 'acc-u1001-usd', currency: 'USD', exchanges: [] }],
      fees: [{ currency: 'USD', quoted: 2, estimated: 0 }],
      feesUnknown: 0,
    });
    expect(ordersOf('PLAN-1')).toEqual([]);

    const changed = home.file('plan-changed.csv', csvOf([{ id: 'PLAN-1', amount: '31.01' }]));
    const refused = await home.payouts('run', changed, '--yes', '--plan', plan.hash, '--json');
    expect(refused.code).toBe(3);
    expect(errorOf(refused).error.code).toBe('other-plan');
    expect(ordersOf('PLAN-1')).toEqual([]);

    const reordered = home.file(
      'plan.json',
      jsonOf([
        { id: 'PLAN-2', amount: '31.02' },
        { id: 'PLAN-1', amount: '31.01' },
      ]),
    );
    const paid = await home.payouts('run', reordered, '--yes', '--plan', plan.hash, '--json');
    expect(paid.code).toBe(0);
    expect(ordersOf('PLAN-1')).toHaveLength(1);
  });
});

describe.concurrent('a payout that looks like one of the last days', () => {
  it('is held until somebody approves it, and never dropped', async () => {
    const amount = '41.00';
    const first = await home.payouts(
      'run',
      home.file('alike-1.csv', csvOf([{ id: 'ALIKE-1', amount }])),
      '--yes',
      '--json',
    );
    expect(first.code).toBe(0);
    const file = home.file(
      'alike-2.csv',
      csvOf([
        { id: 'ALIKE-2', amount },
        { id: 'OTHER-2', amount: '41.01' },
      ]),
    );
    const { batchId } = batchOf(await home.payouts('run', file, '--yes', '--detach', '--json'));
    await until(async () => {
      const { payouts } = batchOf(await home.payouts('status', batchId, '--json'));
      return payouts[0]?.state === 'held' && payouts[0].reason?.code === 'look-alike';
    });
    expect(ordersOf('ALIKE-2')).toEqual([]);
    expect((await home.payouts('approve', 'ALIKE-2', '--yes', '--by', 'bob')).code).toBe(0);
    const watched = await home.payouts('watch', batchId, '--json');
    expect(watched.code).toBe(0);
    expect(ordersOf('ALIKE-2')).toHaveLength(1);
  });

  it('is paid at once when it is said to be meant', async () => {
    const amount = '42.00';
    for (const id of ['MEANT-1', 'MEANT-2']) {
      const file = home.file(`${id}.csv`, csvOf([{ id, amount }]));
      expect((await home.payouts('run', file, '--yes', '--allow-look-alikes', '--json')).code).toBe(0);
    }
    expect(ordersOf('MEANT-2')).toHaveLength(1);
  });
});

describe.concurrent('rows that are proven unpaid', () => {
  it('are in failed.csv, which pays them once more under new references when it is handed in', async () => {
    const rows: Row[] = [
      { id: 'FAIL-1', amount: '51.00', note: 'sandbox:fail' },
      { id: 'FINE-1', amount: '51.01' },
    ];
    const failed = await home.payouts('run', home.file('fail.csv', csvOf(rows)), '--yes', '--json');
    expect(failed.code).toBe(5);
    const { reports, batchId } = batchOf(failed);
    const path = reports.failed ?? '';
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lines = parse<Record<string, string>>(readFileSync(path), { columns: true, bom: true });
    expect(lines).toMatchObject([{ id: 'FAIL-1', amount: '51.00', retry_of: referenceFor('FAIL-1') }]);

    const mended = home.file('failed.csv', readFileSync(path, 'utf8').replace('sandbox:fail', 'mended'));
    const again = await home.payouts('run', mended, '--yes', '--json');
    expect(again.code).toBe(0);
    expect(batchOf(again).payouts).toMatchObject([
      { id: 'FAIL-1', reference: referenceFor('FAIL-1', 1), state: 'completed' },
    ]);
    expect(ordersOf('FAIL-1', 1)).toHaveLength(1);

    const third = await home.payouts('run', mended, '--yes', '--json');
    expect(third.code).toBe(8);
    expect(errorOf(third).error.batchId).toBe(batchOf(again).batchId);
    const retried = await home.payouts('retry', batchId, '--yes', '--json');
    expect(errorOf(retried).error).toMatchObject({ code: 'already-taken', batchId: batchOf(again).batchId });
  });

  it('are paid again by `retry`, and a completed row never is', async () => {
    const rows: Row[] = [
      { id: 'FAIL-2', amount: '52.00', note: 'sandbox:fail' },
      { id: 'FINE-2', amount: '52.01' },
    ];
    const { batchId } = batchOf(await home.payouts('run', home.file('fail-2.csv', csvOf(rows)), '--yes', '--json'));
    const completed = await home.payouts('retry', batchId, '--rows', '2', '--yes', '--json');
    expect(completed.code).toBe(3);
    expect(errorOf(completed).findings).toMatchObject([{ row: 2, rule: 'retry-not-proven' }]);
    const again = await home.payouts('retry', batchId, '--yes', '--json');
    expect(batchOf(again).payouts).toMatchObject([{ row: 1, id: 'FAIL-2', reference: referenceFor('FAIL-2', 1) }]);
    expect(ordersOf('FINE-2', 1)).toEqual([]);
  });
});

describe('a bank message', () => {
  const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const context = ['--mapping', example('mapping.json'), '--payees', example('payees.csv')];
  const runMessage = (name: string, ...more: string[]) =>
    home.payouts('run', example(name), ...context, '--yes', '--json', ...more);

  it.each(['payroll.pain.001.001.03.xml', 'suppliers.pain.001.001.09.xml'])(
    '%s is paid, and answered for every transaction at every stage',
    async (name) => {
      const paid = await runMessage(name);
      expect(paid.code).toBe(0);
      const { reports, counts, batchId } = batchOf(paid);
      expect(reports.pain002Stages).toHaveLength(4);
      const answer = readFileSync(reports.pain002 ?? '', 'utf8');
      expect(answer.match(/<TxSts>ACSC<\/TxSts>/g)).toHaveLength(counts.total);
      expect(answer).toContain('<GrpSts>ACSC</GrpSts>');
      const again = await runMessage(name);
      expect(again.code).toBe(8);
      expect(errorOf(again).error.batchId).toBe(batchId);
    },
  );

  it.each(['payroll.aba', 'payments.ach'])('%s is paid', async (name) => {
    expect((await runMessage(name, '--allow-look-alikes')).code).toBe(0);
  });

  it('is refused as a whole with an answer when its sum is wrong, and nothing of it is sent', async () => {
    const text = readFileSync(example('suppliers.pain.001.001.09.xml'), 'utf8');
    const broken = text.replace(/<MsgId>.*?</, '<MsgId>BROKEN-1<').replace(/<CtrlSum>\d/, '<CtrlSum>9');
    const file = home.file('broken.xml', broken.replaceAll('<EndToEndId>', '<EndToEndId>B'));
    const refused = await home.payouts('run', file, ...context, '--yes', '--json');
    expect(refused.code).toBe(3);
    const { findings, reports } = errorOf(refused);
    expect(findings[0]).toMatchObject({
      rule: 'wrong-control-sum',
      row: null,
      path: expect.stringContaining('/CtrlSum'),
    });
    expect(readFileSync(reports?.pain002 ?? '', 'utf8')).toContain('<GrpSts>RJCT</GrpSts>');
  });
});

it('the same file three times at once is one batch', async () => {
  const file = home.file(
    'thrice.csv',
    csvOf(Array.from({ length: 20 }, (_, n) => ({ id: `THRICE-${n}`, amount: `61.${10 + n}` }))),
  );
  const runs = await Promise.all([1, 2, 3].map(() => home.payouts('run', file, '--yes', '--json')));
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(new Set(runs.map((run) => batchOf(run).batchId)).size).toBe(1);
  expect(paymentsIn(home.path).filter(({ reference }) => reference === referenceFor('THRICE-7'))).toHaveLength(1);
});
