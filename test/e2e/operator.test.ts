import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { stackOfFile } from '../support/command.ts';
import { TEST_CLUSTER } from '../support/test-cluster.ts';
import { until } from '../support/until.ts';
import { paymentsIn } from './books.ts';
import { batchOf, errorOf } from './documents.ts';
import { csvOf, IN_AUDIT, payable, type Row } from './payout-files.ts';

/** One stack that `dev` keeps up; every test has payouts of its own. */
const home = stackOfFile();

const referenceFor = (id: string): string => referenceOf('u-1001', id);
const workflowIdFor = (id: string): string => `payout/${referenceFor(id)}`;
const ordersOf = (id: string) => paymentsIn(home.path).filter(({ reference }) => reference === referenceFor(id));

describe('a stack that `dev` keeps up', () => {
  it('describes itself', () => {
    if (TEST_CLUSTER === undefined) expect(home.stack()?.namespace).toBe('default');
    const { uiUrl, apiUrl, gatewayUrl } = home.stack() ?? {};
    for (const url of [apiUrl, gatewayUrl, ...(TEST_CLUSTER === undefined ? [uiUrl] : [])])
      expect(new URL(url ?? '').hostname).toBe('127.0.0.1');
  });

  it('is joined by other commands, which leave it up', async () => {
    const before = home.stack();
    const ended = await home.payouts('run', home.file('joined.csv', csvOf([{ id: 'JOIN-1' }])), '--yes', '--json');
    expect(ended.code).toBe(0);
    const accounts = await home.payouts('accounts', 'u-1001', '--json');
    expect(accounts.code).toBe(0);
    expect(JSON.parse(accounts.stdout).accounts).toHaveLength(8);
    expect(home.stack()).toEqual(before);
  });

  it('is the only one of its home', async () => {
    const ended = await home.payouts('dev', '--json');
    expect(ended.code).toBe(2);
    expect(errorOf(ended).error.code).toBe('stack-already-up');
  });

  it('pays what `run --detach` hands over, to be watched to its end', async () => {
    const detached = await home.payouts(
      'run',
      home.file('detached.csv', csvOf([{ id: 'DETACH-1' }])),
      '--yes',
      '--detach',
      '--json',
    );
    expect(detached.code).toBe(0);
    const watched = await home.payouts('watch', batchOf(detached).batchId, '--json');
    expect(watched.code).toBe(0);
    expect(batchOf(watched)).toMatchObject({ state: 'completed', counts: { completed: 1 } });
  });

  it('is found in order by `doctor`', async () => {
    const { code, stdout } = await home.payouts('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; verdict: string }[] };
    expect(checks.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(['Temporal', 'bank', 'store', 'references']));
    expect(code).toBe(0);
  });
});

describe('a batch with rows that wait for people', () => {
  it('is open at --timeout, says who must act, and goes on by `approve`, `reject` and `cancel`', async () => {
    const rows: Row[] = [
      { id: 'WAIT-1', ...IN_AUDIT },
      { id: 'WAIT-2', ...IN_AUDIT },
      { id: 'WAIT-3', ...IN_AUDIT },
      { id: 'WAIT-4' },
    ];
    const file = home.file('waiting.csv', csvOf(rows));
    await home.payouts('run', file, '--yes', '--detach', '--json');
    for (const { id, note } of rows) await untilListed(id, note ? 'awaiting-bank-approval' : 'completed');
    const open = await home.payouts('run', file, '--yes', '--timeout', '1s', '--json');
    expect(open.code).toBe(6);
    const { batchId, payouts, state, counts } = batchOf(open);
    expect(state).toBe('open');
    expect(counts).toMatchObject({ total: 4, completed: 1, open: 3 });
    expect(payouts.slice(0, 3)).toMatchObject(
      Array(3).fill({ state: 'awaiting-bank-approval', reason: { code: 'bank-approval-required' } }),
    );

    const left = await home.payouts('run', file, '--yes');
    expect(left.code).toBe(6);
    expect(left.stderr).toMatch(/All rows of this file are already known; following/);
    expect(left.stdout).toMatch(/^3 payouts waiting for the bank's audit \[bank-approval-required\]/m);
    expect(left.stdout).toContain('--kind bank-approval-required');
    const waiting = await home.payouts('inbox', '--json');
    expect(
      JSON.parse(waiting.stdout)
        .payouts.map(({ id }: { id: string }) => id)
        .sort(),
    ).toEqual([...['WAIT-1', 'WAIT-2', 'WAIT-3']]);

    expect((await home.payouts('approve', 'WAIT-1', '--yes', '--by', 'alice', '--json')).code).toBe(0);
    const bare = await home.payouts('reject', 'WAIT-2', '--yes', '--json');
    expect(bare.code).toBe(2);
    const rejected = await home.payouts('reject', 'WAIT-2', '--yes', '--by', 'alice', '--remark', 'wrong payee');
    expect(rejected.code).toBe(0);
    const cancelled = await home.payouts('cancel', workflowIdFor('WAIT-3'), '--yes', '--by', 'alice', '--json');
    expect(cancelled.code).toBe(0);
    expect(JSON.parse(cancelled.stdout).decisions).toMatchObject([
      { outcome: expect.stringMatching(/^(cancelled|pending)$/) },
    ]);

    const ended = await home.payouts('watch', 'latest', '--json');
    expect(ended.code).toBe(5);
    expect(batchOf(ended)).toMatchObject({
      batchId,
      state: 'completed-with-exceptions',
      counts: { completed: 2, rejected: 1, cancelled: 1, open: 0 },
      payouts: [
        { id: 'WAIT-1', state: 'completed', reason: null },
        { id: 'WAIT-2', state: 'rejected', reason: { code: 'approval-rejected' } },
        { id: 'WAIT-3', state: 'cancelled', reason: { code: 'cancelled-by-request' } },
        { id: 'WAIT-4', state: 'completed', reason: null },
      ],
    });
    expect(ordersOf('WAIT-1')).toHaveLength(1);
  });

  it('needs --yes where there is no terminal to ask for a decision on', async () => {
    const file = home.file('asked.csv', csvOf([{ id: 'ASKED-1', ...IN_AUDIT }]));
    const detached = batchOf(await home.payouts('run', file, '--yes', '--detach', '--json'));
    await untilListed('ASKED-1', 'awaiting-bank-approval');
    for (const args of [['approve'], ['reject', '--remark', 'no'], ['cancel']]) {
      const [command = '', ...more] = args;
      const ended = await home.payouts(command, 'ASKED-1', ...more, '--json');
      expect(ended.code).toBe(2);
      expect(errorOf(ended).error.code).toBe('confirmation-needed');
    }
    const cancelled = await home.payouts('cancel', detached.batchId, '--yes', '--json');
    expect(cancelled.code).toBe(0);
    const ended = await home.payouts('watch', detached.batchId, '--json');
    expect(ended.code).toBe(5);
    expect(batchOf(ended)).toMatchObject({ state: 'cancelled', counts: { cancelled: 1 } });
  });

  it('has nothing to decide once it has ended', async () => {
    const file = home.file('ended.csv', csvOf([{ id: 'ENDED-1' }]));
    expect((await home.payouts('run', file, '--yes')).code).toBe(0);
    const ended = await home.payouts('approve', 'ENDED-1', '--yes', '--json');
    expect(ended.code).toBe(2);
    expect(errorOf(ended).error.code).toBe('nothing-awaited');
  });
});

describe('a file with rows that break a rule', () => {
  it('is paid without them by --invalid skip', async () => {
    const file = home.file(
      'partly.csv',
      csvOf([{ id: 'SKIP-1' }, { id: 'SKIP-2', amount: '1.234' }, { id: 'SKIP-3' }]),
    );
    const ended = await home.payouts('run', file, '--yes', '--invalid', 'skip', '--json');
    expect(ended.code).toBe(0);
    expect(batchOf(ended).payouts.map(({ row, id, state }) => [row, id, state])).toEqual([
      [1, 'SKIP-1', 'completed'],
      [3, 'SKIP-3', 'completed'],
    ]);
    expect(ordersOf('SKIP-2')).toEqual([]);

    const more = home.file('more.csv', csvOf([{ id: 'SKIP-1' }, { id: 'SKIP-4' }]));
    const onlyNew = await home.payouts('run', more, '--yes', '--invalid', 'skip', '--json');
    expect(onlyNew.code).toBe(0);
    expect(batchOf(onlyNew).payouts.map(({ id }) => id)).toEqual(['SKIP-4']);
    expect(ordersOf('SKIP-1')).toHaveLength(1);
  });

  it('names accounts and beneficiaries that the bank does not know', async () => {
    const rows: Row[] = [
      { id: 'GHOST-1', account_id: 'acc-ghost' },
      { id: 'GHOST-2', beneficiary_id: 'ben-ghost' },
    ];
    const ended = await home.payouts('run', home.file('ghosts.csv', csvOf(rows)), '--yes', '--json');
    expect(ended.code).toBe(3);
    expect(errorOf(ended).findings).toMatchObject([
      { line: 2, row: 1, column: 'account_id', value: 'acc-ghost', rule: 'account-not-found' },
      { line: 3, row: 2, column: 'beneficiary_id', value: 'ben-ghost', rule: 'beneficiary-not-found' },
    ]);
    expect(ordersOf('GHOST-1')).toEqual([]);
  });

  it('ends 5 and gives the reason when the bank fails a payout', async () => {
    const file = home.file('failing.csv', csvOf([{ id: 'FAIL-1', note: 'sandbox:fail' }]));
    const ended = await home.payouts('run', file, '--yes', '--json');
    expect(ended.code).toBe(5);
    expect(batchOf(ended)).toMatchObject({
      state: 'completed-with-exceptions',
      payouts: [{ state: 'failed', reason: { code: 'bank-failed' } }],
    });
  });
});

describe('a payout of the temporal CLI alone', () => {
  it('is found by its state and approved by a signal', async () => {
    expect((await start({ id: 'CLI-1', ...IN_AUDIT })).code).toBe(0);
    await untilListed('CLI-1', 'awaiting-bank-approval');
    const signalled = await home.temporal(
      ...['workflow', 'signal', '--workflow-id', workflowIdFor('CLI-1'), '--name', 'approve'],
      ...['--input', JSON.stringify({ by: 'alice' })],
    );
    expect(signalled.code).toBe(0);
    expect(await resultOf('CLI-1')).toMatchObject({ state: 'completed', reference: referenceFor('CLI-1') });
    expect(ordersOf('CLI-1')).toMatchObject([{ status: 'COMPLETED' }]);
    const status = await home.payouts('status', 'CLI-1', '--json');
    expect(JSON.parse(status.stdout).payout).toMatchObject({ state: 'completed', batchId: null });
  });

  it('is approved by an update, which a list filter then no longer finds as waiting', async () => {
    expect((await start({ id: 'CLI-2', ...IN_AUDIT })).code).toBe(0);
    await untilListed('CLI-2', 'awaiting-bank-approval');
    const updated = await home.temporal(
      ...['workflow', 'update', 'execute', '--workflow-id', workflowIdFor('CLI-2'), '--name', 'decide'],
      ...['--input', JSON.stringify({ decisionId: 'd-1', decision: 'approve', by: 'alice' })],
    );
    expect(updated.stderr).toBe('');
    expect(updated.code).toBe(0);
    expect(await resultOf('CLI-2')).toMatchObject({ state: 'completed' });
    await untilListed('CLI-2', 'completed');
    expect(await listed('awaiting-bank-approval')).not.toContain(workflowIdFor('CLI-2'));
  });

  it('is refused with the id it must have when it was started under another one', async () => {
    const wrong = await start({ id: 'CLI-3' }, 'payout/something-else');
    expect(wrong.code).toBe(0);
    const ended = await home.temporal('workflow', 'result', '--workflow-id', 'payout/something-else');
    expect(ended.code).not.toBe(0);
    // The command decodes failures, and prints them as text without what was decoded.
    const shown = await home.temporal('workflow', 'show', '--workflow-id', 'payout/something-else', '--output', 'json');
    const [, message = ''] = /"encodedAttributes":\s*\{[^}]*\}?,?\s*"data":\s*"([^"]+)"/s.exec(shown.stdout) ?? [];
    expect(Buffer.from(message, 'base64').toString()).toContain(workflowIdFor('CLI-3'));
    expect(ordersOf('CLI-3')).toEqual([]);
  });

  it('takes the claim of its document like a row of a file', async () => {
    expect((await start({ id: 'CLI-4' })).code).toBe(0);
    expect(await resultOf('CLI-4')).toMatchObject({ state: 'completed' });
    const file = home.file('same.csv', csvOf([{ id: 'CLI-4' }]));
    expect((await home.payouts('run', file, '--yes', '--json')).code).toBe(8);
    const changed = home.file('changed.csv', csvOf([{ id: 'CLI-4', amount: '13.00' }]));
    expect((await home.payouts('run', changed, '--yes', '--json')).code).toBe(3);
    expect(ordersOf('CLI-4')).toHaveLength(1);
  });

  const start = (row: Row, workflowId = workflowIdFor(row.id)) =>
    home.temporal(
      ...['workflow', 'start', '--type', 'payout', '--task-queue', 'payouts', '--workflow-id', workflowId],
      ...['--input', JSON.stringify(payable(row))],
    );

  async function resultOf(id: string): Promise<unknown> {
    const ended = await home.temporal('workflow', 'result', '--workflow-id', workflowIdFor(id), '--output', 'json');
    expect(ended.code).toBe(0);
    return JSON.parse(ended.stdout).result;
  }
});

/** Workflow ids that a list filter on `PayoutState` shows. */
async function listed(state: string): Promise<string[]> {
  const query = `PayoutState="${state}"`;
  const { stdout } = await home.temporal('workflow', 'list', '--query', query, '--output', 'json');
  const found = JSON.parse(stdout || '[]') as { execution: { workflowId: string } }[];
  return found.map(({ execution }) => execution.workflowId);
}

const untilListed = (id: string, state: string): Promise<void> =>
  until(async () => (await listed(state)).includes(workflowIdFor(id)));
