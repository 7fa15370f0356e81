import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { NotSentError } from '../../../src/bank/errors.ts';
import type { Policy } from '../../../src/domain/authority.ts';
import type { IntakeRefusal } from '../../../src/files/intake/intake-refusal.ts';
import { StagedFile } from '../../../src/files/intake/staged-file.ts';
import { type Agree, assertPlan, takeUnpaid } from '../../../src/files/intake/take-file.ts';
import { csvOf, type Row } from '../../e2e/payout-files.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';
import { longestTurn } from '../../support/longest-turn.ts';
import { policyOf, signingPerson } from '../../support/people.ts';
import { pain001 } from '../pain001/sample-message.ts';
import { taken } from './taken.ts';

function file({ dir }: FaultProxy, name: string, rows: readonly Row[]): string {
  const path = join(dir, name);
  writeFileSync(path, csvOf(rows));
  return path;
}

const STOP = { invalid: 'stop' } as const;

const under = (proxy: FaultProxy, policy: Policy): FaultProxy => ({
  ...proxy,
  config: { ...proxy.config, settings: { ...proxy.config.settings, policy } },
});

it('claims and starts a file; its rows under another name are under way, and taken when the batch has ended', async () => {
  const proxy = await openFaultProxy();
  const taking = await taken(proxy, file(proxy, 'a.csv', [{ id: '1' }, { id: '2' }]));
  const again = file(proxy, 'b.csv', [{ id: '2' }, { id: '1' }]);
  if (taking.outcome !== 'claimed') throw new Error(taking.outcome);
  const { batchId } = taking;
  expect(proxy.started).toEqual([batchId]);
  expect(await taken(proxy, again)).toEqual({ outcome: 'under-way', batchId, batchIds: [batchId] });
  await proxy.end(batchId);
  await expect(taken(proxy, again)).rejects.toMatchObject({ kind: 'already-taken', batchId });
  expect(await proxy.store.batches(10)).toHaveLength(1);
});

it('finds the batch it made when it is asked again under its id, and starts it unless it has ended', async () => {
  const proxy = await openFaultProxy();
  const path = file(proxy, 'a.csv', [{ id: '1' }]);
  const claimed = { outcome: 'claimed', batchId: 'batch-1' };
  expect(await taken(proxy, path, { ...STOP, batchId: 'batch-1' })).toEqual(claimed);
  expect(await taken(proxy, path, { ...STOP, batchId: 'batch-1' })).toEqual(claimed);
  expect(proxy.started).toEqual(['batch-1', 'batch-1']);
  await proxy.end('batch-1');
  expect(await taken(proxy, path, { ...STOP, batchId: 'batch-1' })).toEqual(claimed);
  expect(proxy.started).toHaveLength(2);
});

it('refuses a file with how many findings it has, and in how many rows or lines', async () => {
  const proxy = await openFaultProxy();
  const refused = async (text: string) => {
    writeFileSync(join(proxy.dir, 'a.csv'), text);
    const { message } = (await taken(proxy, join(proxy.dir, 'a.csv')).catch((error) => error)) as Error;
    return message;
  };
  const rows = csvOf([
    { id: '1', note: 'a\rb' },
    { id: '2', note: 'a\rb' },
  ]);
  expect(await refused(rows)).toMatch(/^2 findings; /);
  expect(await refused(csvOf([{ id: '1', colour: 'red', size: 'L' }]))).toMatch(/^2 findings in 1 place; /);
});

it('says that an id is one payout only of a row that uses the id of another', async () => {
  const proxy = await openFaultProxy();
  await taken(proxy, file(proxy, 'a.csv', [{ id: '1' }]));
  const hintOf = async (row: Row): Promise<string | undefined> => {
    const refusal = (await taken(proxy, file(proxy, 'b.csv', [row])).catch((error) => error)) as IntakeRefusal;
    return refusal.hint;
  };
  expect(await hintOf({ id: '1', amount: '77.00' })).toBe('Each id is one payout permanently.');
  const reference = '01234567-89ab-5cde-8f01-23456789abcd';
  expect(await hintOf({ id: '1', retry_of: reference })).toBe('Correct or remove the rows, and run again.');
});

it('shows what the file and what the bank has against its rows in one round, and the first alone if the bank is silent', async () => {
  const proxy = await openFaultProxy();
  const path = file(proxy, 'a.csv', [
    { id: '1', amount: '1x' },
    { id: '2', account_id: 'acc-nope' },
  ]);
  const rules = async () =>
    ((await taken(proxy, path).catch((error) => error)) as IntakeRefusal).findings.map(({ rule }) => rule);
  expect(await rules()).toEqual(['not-a-decimal', 'account-not-found']);
  const down = { outcome: 'not-sent', retryable: true, operation: 'GET account' } as const;
  proxy.bank.accounts.get = () => Promise.reject(new NotSentError('no connection', down));
  expect(await rules()).toEqual(['not-a-decimal']);
});

it('owes a pain.001 an answer unless it is refused only for what our own files lack', async () => {
  const proxy = await openFaultProxy();
  const owed = async (sum: string): Promise<boolean> => {
    writeFileSync(join(proxy.dir, 'a.xml'), pain001({ header: { sum } }));
    const refusal = (await taken(proxy, join(proxy.dir, 'a.xml')).catch((error) => error)) as IntakeRefusal;
    expect(refusal.findings.map(({ rule }) => rule)).toContain('unmapped-account');
    return refusal.unanswered !== undefined;
  };
  expect(await owed('')).toBe(false);
  expect(await owed('<CtrlSum>9.99</CtrlSum>')).toBe(true);
});

it.each([
  ['payroll.aba', true],
  ['payments.ach', true],
  ['suppliers.pain.001.001.09.xml', false],
])('whose rows were all taken names the ids that may begin again: %s, %s', async (name, isNamed) => {
  const files = { PAYOUTS_MESSAGE_MAPPING: 'examples/mapping.json', PAYOUTS_PAYEE_DIRECTORY: 'examples/payees.csv' };
  const proxy = await openFaultProxy({ env: files });
  const taking = await taken(proxy, `examples/${name}`);
  if (taking.outcome !== 'claimed') throw new Error(taking.outcome);
  await proxy.end(taking.batchId);
  const { hint } = (await taken(proxy, `examples/${name}`).catch((error) => error)) as IntakeRefusal;
  expect(hint).toContain(taking.batchId);
  expect(hint?.includes('in the mapping file')).toBe(isNamed);
});

it('a full disk of ours is no fault of the file', async () => {
  const proxy = await openFaultProxy();
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' });
  const row = vi.spyOn(StagedFile.prototype, 'row').mockImplementation(() => {
    throw full;
  });
  onTestFinished(() => row.mockRestore());
  await expect(taken(proxy, file(proxy, 'a.csv', [{ id: '1' }]))).rejects.toBe(full);
});

it('several at once make one batch', async () => {
  const proxy = await openFaultProxy();
  const path = file(proxy, 'a.csv', [{ id: '1' }, { id: '2' }, { id: '3' }]);
  const takings = await Promise.all([1, 2, 3, 4].map(() => taken(proxy, path)));
  expect(takings.map(({ outcome }) => outcome).sort()).toEqual(['claimed', 'under-way', 'under-way', 'under-way']);
  expect(new Set(takings.map((taking) => 'batchId' in taking && taking.batchId)).size).toBe(1);
});

it('claims nothing while Temporal does not answer, nor for a plan', async () => {
  const proxy = await openFaultProxy();
  const path = file(proxy, 'a.csv', [{ id: '1' }]);
  proxy.temporal.down = true;
  await expect(taken(proxy, path)).rejects.toThrow('No Temporal service answers');
  const planned = await taken(proxy, path, { ...STOP, dryRun: true });
  expect(planned).toMatchObject({
    outcome: 'planned',
    document: {
      schemaVersion: 1,
      plan: {
        payouts: 1,
        store: { bank: 'sandbox', place: join(proxy.dir, 'home'), isNew: true, batches: 0, lastUsedAt: null },
      },
    },
  });
  expect(await proxy.store.batches(10)).toEqual([]);
});

it('asks the bank for the fees of 25 rows of a plan, and estimates the others by them', async () => {
  const proxy = await openFaultProxy();
  const rows = Array.from({ length: 30 }, (_, index) => ({ id: `${index + 1}` }));
  expect(await taken(proxy, file(proxy, 'a.csv', rows), { ...STOP, dryRun: true })).toMatchObject({
    document: { plan: { payouts: 30, fees: [{ currency: 'USD', quoted: 25, estimated: 5 }], feesUnknown: 0 } },
  });
});

it('knows a payee that one file names by its details and the next one by its id', async () => {
  const proxy = await openFaultProxy();
  const { items, payment_type, beneficiary_type } = await proxy.bank.beneficiaries.get('ben-u1001-usd-local');
  const details = { ...items, payment_type, beneficiary_type, beneficiary_id: '' };
  expect((await taken(proxy, file(proxy, 'a.csv', [{ id: '1', ...details }]))).outcome).toBe('claimed');
  const byId = file(proxy, 'b.csv', [{ id: '2' }, { id: '3', amount: '7.01' }]);
  expect(await taken(proxy, byId, { ...STOP, dryRun: true })).toMatchObject({
    document: { plan: { payouts: 2, lookAlikes: { count: 1, rows: [{ id: '2' }] } } },
  });
});

it('refuses an account and warns of a payee that the bank has under another user', async () => {
  const proxy = await openFaultProxy();
  const other = { account_id: 'acc-u1002-usd', beneficiary_id: 'ben-u1001-usd-local' };
  const path = file(proxy, 'a.csv', [
    { id: '1' },
    { id: '2', uid: 'u-1001', ...other },
    { id: '3', ...other, uid: 'u-1002' },
  ]);
  const planned = await taken(proxy, path, { invalid: 'skip', dryRun: true });
  if (planned.outcome !== 'planned') throw new Error(planned.outcome);
  const { findings, warnings } = planned.document;
  const shown = (of: typeof findings) => of.map(({ rule, row, column }) => [rule, row, column]);
  expect(shown(findings)).toEqual([['account-not-own', 2, 'account_id']]);
  expect(shown(warnings)).toEqual([['other-user', 3, 'beneficiary_id']]);
});

it('asks who the maker is where a policy needs to know', async () => {
  const proxy = await openFaultProxy({ approvalRules: [{ approvals: 1 }] });
  const path = file(proxy, 'a.csv', [{ id: '1' }]);
  await expect(taken(proxy, path)).rejects.toMatchObject({ code: 'maker-unknown' });
  const taking = await taken(proxy, path, { ...STOP, by: 'alice', batchId: 'b' });
  expect(taking.outcome).toBe('claimed');
  expect(await proxy.store.batch('b')).toMatchObject({ by: 'alice' });
});

it('shows a maker nothing that lies outside their scope: whether it was paid, or the bank knows it', async () => {
  const proxy = await openFaultProxy();
  const others = [{ id: '1' }, { id: '2' }];
  expect((await taken(proxy, file(proxy, 'a.csv', others))).outcome).toBe('claimed');
  const policy = policyOf([signingPerson('anna', ['maker'], { uids: ['u-1002'] })]);
  const atAnna = under(proxy, policy);
  for (const [name, rows] of [
    ['paid.csv', others],
    ['reused.csv', [{ id: '1', amount: '99.00' }]],
    ['new.csv', [{ id: '3' }]],
    ['no-account.csv', [{ id: '3', account_id: 'acc-nobody' }]],
    ['no-payee.csv', [{ id: '3', beneficiary_id: 'ben-nobody' }]],
  ] as const) {
    for (const options of [
      { ...STOP, maker: 'anna' },
      { ...STOP, maker: 'anna', dryRun: true },
    ]) {
      await expect(taken(atAnna, file(proxy, name, rows), options)).rejects.toMatchObject({
        code: 'outside-scope',
        message: 'Row 1 is outside the scope of anna in the policy.',
      });
    }
  }
});

it('claims nothing that is not agreed to; what is agreed to may be another plan by then', async () => {
  const proxy = await openFaultProxy();
  const path = file(proxy, 'a.csv', [{ id: '1' }]);
  let hash = '';
  const refusing: Agree = ({ plan }) => {
    hash = plan.hash;
    throw new Error('no');
  };
  await expect(taken(proxy, path, STOP, refusing)).rejects.toThrow('no');
  const agreed: Agree = ({ plan }) => assertPlan(plan, hash);
  const other = file(proxy, 'b.csv', [{ id: '1', amount: '99.00' }]);
  await expect(taken(proxy, other, STOP, agreed)).rejects.toMatchObject({ code: 'other-plan' });
  expect(await proxy.store.batches(10)).toEqual([]);
  expect(await taken(proxy, path, STOP, agreed)).toMatchObject({ outcome: 'claimed' });
});

it('knows of rows with an operator where somebody is present; in other channels they are taken', async () => {
  const proxy = await openFaultProxy();
  const path = file(proxy, 'a.csv', [{ id: '1' }]);
  const first = await taken(proxy, path);
  if (first.outcome !== 'claimed') throw new Error(first.outcome);
  const { batchId } = first;
  await proxy.end(batchId, 'needs-operator');
  const attended = await taken(proxy, path, { ...STOP, isAttended: true });
  expect(attended).toEqual({ outcome: 'with-operator', batchId, batchIds: [batchId] });
  await expect(taken(proxy, path)).rejects.toMatchObject({ kind: 'already-taken', batchId });
});

it('takes the unpaid rows of a batch again as a batch of their own', async () => {
  const proxy = await openFaultProxy();
  const first = await taken(proxy, file(proxy, 'a.csv', [{ id: '1' }, { id: '2' }]));
  if (first.outcome !== 'claimed') throw new Error(first.outcome);
  await proxy.end(first.batchId, 'cancelled');
  const rows = { batchId: first.batchId, rows: new Set([2]) };
  const again = await takeUnpaid(proxy, rows, { ...STOP, allowLookAlikes: true, batchId: 'again' });
  expect(again).toEqual({ outcome: 'claimed', batchId: 'again' });
  expect(await proxy.store.batch('again')).toMatchObject({ total: 1, retryOf: first.batchId });
});

it('says whose a message id is only to whom that batch may be shown', async () => {
  const files = { PAYOUTS_MESSAGE_MAPPING: 'examples/mapping.json', PAYOUTS_PAYEE_DIRECTORY: 'examples/payees.csv' };
  const proxy = await openFaultProxy({ env: files });
  const example = 'examples/suppliers.pain.001.001.09.xml';
  const taking = await taken(proxy, example);
  if (taking.outcome !== 'claimed') throw new Error(taking.outcome);
  const other = join(proxy.dir, 'other.xml');
  writeFileSync(other, readFileSync(example, 'utf8').replaceAll('</EndToEndId>', '-2</EndToEndId>'));
  const refusedTo = async (mayDisclose: boolean): Promise<string> => {
    const refusal = (await taken(proxy, other, { ...STOP, mayDiscloseOf: async () => mayDisclose }).catch(
      (error) => error,
    )) as IntakeRefusal;
    expect(refusal.findings).toMatchObject([{ rule: 'message-id-reused' }]);
    return JSON.stringify(refusal.toDocument());
  };
  expect(await refusedTo(true)).toMatch(new RegExp(`${taking.batchId} \\(suppliers`));
  expect(await refusedTo(false)).not.toMatch(new RegExp(`${taking.batchId}|suppliers`));
});

/** ms, as in the other tests of what else a process does meanwhile. */
const HELD_MAX = 100;

it('lets other work have its turn, however many rows are compared and planned', async () => {
  const proxy = await openFaultProxy();
  const path = file(
    proxy,
    'a.csv',
    Array.from({ length: 20_000 }, (_, n) => ({ id: `${n}` })),
  );
  const plan = () => taken(proxy, path, { ...STOP, dryRun: true });
  expect(await longestTurn(plan, HELD_MAX)).toBeLessThan(HELD_MAX);
});

it('reads nothing of a file of somebody who may not hand it over, in a folder either', async () => {
  const proxy = await openFaultProxy();
  const policy = policyOf([signingPerson('alice', ['maker']), signingPerson('bob', ['approver'])]);
  const path = join(proxy.dir, 'not-there.csv');
  for (const maker of ['bob', undefined]) {
    await expect(taken(under(proxy, policy), path, { ...STOP, maker })).rejects.toMatchObject({
      code: 'maker-unknown',
    });
  }
  await expect(taken(under(proxy, policy), path, { ...STOP, maker: 'alice' })).rejects.toMatchObject({
    code: 'file-unreadable',
  });
});
