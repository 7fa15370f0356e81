import { beforeEach, expect, it } from 'vitest';
import { DECIDE } from '../../../src/channels/http/operations/decision-operations.ts';
import { WAITING } from '../../../src/channels/http/operations/waiting-operations.ts';
import { cancel, control, decide, type ResolveOptions, resolve } from '../../../src/cli/decision-actions.ts';
import type { Session } from '../../../src/cli/session.ts';
import type { DecideOptions } from '../../../src/cli/signer.ts';
import { shortId } from '../../../src/domain/display.ts';
import { payoutWorkflowId } from '../../../src/domain/names.ts';
import type { Reason } from '../../../src/domain/payout-state.ts';
import { because } from '../../../src/domain/reasons.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { policyOf, signingPerson } from '../../support/people.ts';

const { reference } = claimRow(1, 'doc');

let store: Store;
let text: string;
let asked: unknown[];
let limits: number[];
let answer: { accepted: boolean; message: string; outcome?: string };
let session: Session;

beforeEach(async () => {
  store = await newStore();
  await store.claimPayout(payoutClaim('doc'));
  await store.changePayout(reference, { state: 'needs-operator', reason: because('order-not-found'), at: 3_000 });
  [asked, limits] = [[], []];
  // Only what is asked of it: an open workflow that answers one update.
  const handle = {
    describe: async () => ({ status: { name: 'RUNNING' } }),
    executeUpdate: async (_name: string, { args }: { args: unknown[] }) => {
      asked.push(...args);
      return answer;
    },
  };
  session = fakeSession({
    config: { settings: { approvalRules: [], terms: { waits: { noMoneyRecheckMs: 30_000 } } } },
    store: async () => store,
    stack: async () => ({ owner: false }),
    client: async () => ({
      workflow: { getHandle: () => handle },
      withDeadline(until: number, call: () => unknown) {
        limits.push(until - Date.now());
        return call();
      },
    }),
    output: {
      result(_document: object, shown: string) {
        text = shown;
      },
    },
  });
});

const CLOSE: ResolveOptions = {
  action: 'close-as-not-paid',
  evidence: 'letter of 12 May',
  order: undefined,
  yes: true,
  by: 'bob',
};

it('`resolve` hands on who decides and on what evidence, and prints the answer', async () => {
  answer = { accepted: true, message: 'asked; another person confirms' };
  expect(await resolve(session, 'doc', CLOSE)).toBe(0);
  expect(asked).toMatchObject([{ action: 'close-as-not-paid', by: 'bob', evidence: 'letter of 12 May' }]);
  expect(text).toContain('asked; another person confirms');
  await resolve(session, 'doc', { ...CLOSE, by: 'carol' });
  expect(asked).toMatchObject([{ by: 'bob' }, { by: 'carol' }]);
  const [, ...entries] = await store.auditEntriesOf(reference);
  expect(entries).toMatchObject([
    { actor: 'bob', action: 'asked to resolve', detail: { outcome: answer.message } },
    { actor: 'carol', action: 'asked to resolve' },
  ]);
});

it('`resolve` that is refused ends 5, like every decision that is', async () => {
  answer = { accepted: false, message: 'absence is not proven' };
  expect(await resolve(session, 'doc', CLOSE)).toBe(5);
  expect(text).toContain('refused: absence is not proven');
  const detail = { action: 'close-as-not-paid', evidence: 'letter of 12 May', outcome: 'refused', why: answer.message };
  expect((await store.auditEntriesOf(reference)).at(-1)).toMatchObject({
    actor: 'bob',
    action: 'asked to resolve',
    detail,
  });
});

it.each([
  ['cancelled', 0, / {2}cancelled$/],
  ['pending', 0, new RegExp(`  asked for: .payouts status ${shortId(reference)}. shows whether`)],
  ['too-late', 5, / {2}too late: it continues, or has ended$/],
])('`cancel` that is answered %s ends %i', async (outcome, exit, said) => {
  answer = { accepted: true, message: '', outcome };
  expect(await cancel(session, 'doc', { yes: true, by: 'bob' } as DecideOptions)).toBe(exit);
  expect(text).toMatch(said);
});

it('`reject` of an order that the bank audits says where to see what becomes of it', async () => {
  await hold(reference, because('limit-reached'));
  await store.changePayout(reference, { state: 'awaiting-bank-approval', reason: null, orderId: 'ord-1', at: 2_000 });
  answer = { accepted: true, message: '', outcome: 'passed-on' };
  expect(await decide(session, 'reject', 'doc', { yes: true, by: 'bob', remark: 'wrong payee' } as DecideOptions)).toBe(
    0,
  );
  expect(text).toContain(
    `passed on to the bank: \`payouts status ${shortId(reference)}\` shows what becomes of its order`,
  );
});

it('`cancel` of a batch on a stack of its own ends once each row that can be stopped was notified, and has acted', async () => {
  const acts: string[] = [];
  const batch = batchClaim('batch-1', ['a', 'b', 'c']);
  await store.claimBatch(batch);
  const [first, second, third] = batch.rows.map((row) => row.reference) as [string, string, string];
  await store.markReleased([first, second], 2_000);
  await store.changePayout(first, { state: 'awaiting-bank-approval', reason: null, at: 2_000 });
  await store.changePayout(second, { state: 'processing', reason: null, at: 2_000 });
  const busy = new Map([[payoutWorkflowId(first), 2]]);
  const handleOf = (workflowId: string) => ({
    startUpdate: async (name: string) => acts.push(`${name} ${workflowId}`),
    executeUpdate: async () => {
      // What the batch does by itself: rows that were not started end.
      await store.changePayout(third, { state: 'cancelled', reason: because('batch-cancelled'), at: 3_000 });
      return { control: 'cancelling' };
    },
    describe: async () => {
      const left = busy.get(workflowId) ?? 0;
      busy.set(workflowId, Math.max(0, left - 1));
      acts.push(left > 0 ? 'busy' : 'idle');
      return { status: { name: 'RUNNING' }, raw: { pendingActivities: left > 0 ? [{}] : [] } };
    },
  });
  const client = { workflow: { getHandle: handleOf, start: async () => ({}) }, withDeadline };
  const own = fakeSession({ ...session, stack: async () => ({ owner: true }), client: async () => client });
  expect(await cancel(own, 'batch-1', { yes: true, by: 'bob' } as DecideOptions)).toBe(0);
  expect(acts).toEqual([`cancel ${payoutWorkflowId(first)}`, 'busy', 'busy', 'idle']);
  expect(text).toBe('Batch batch-1 is being cancelled.');
});

it('with a policy a stopped batch goes on for its maker or an operator of all of it, by their key; anybody stops it', async () => {
  const batch = batchClaim('batch-1', ['a']);
  await store.claimBatch(batch);
  const maker = signingPerson(batch.by ?? '', ['maker']);
  const omar = signingPerson('omar', ['operator'], { uids: ['user-1'] });
  const olga = signingPerson('olga', ['operator'], { uids: ['somebody else'] });
  const policy = policyOf([maker, omar, olga]);
  const controlled: string[] = [];
  const updated = async (name: string, { args: [{ by }] }: { args: [{ by: string }] }) => {
    controlled.push(`${name} by ${by}`);
    return { control: await store.controlBatch({ batchId: 'batch-1', control: 'paused', by, at: 1 }) };
  };
  const client = { workflow: { getHandle: () => ({ executeUpdate: updated }), start: async () => ({}) }, withDeadline };
  const as = (person?: typeof maker): Session =>
    fakeSession({
      ...session,
      client: async () => client,
      config: { settings: { policy }, signingKey: { reveal: () => person?.privateKey } },
    });
  const controlOf = async () => (await store.batch('batch-1'))?.control;

  await control(as(), 'pause', 'batch-1', { by: 'whoever' });
  expect(controlled).toEqual(['pause by whoever']);
  for (const update of ['resume', 'drain']) {
    await expect(control(as(), update, 'batch-1', { by: 'omar' })).rejects.toMatchObject({ code: 'key-missing' });
    await expect(control(as(olga), update, 'batch-1', { by: undefined })).rejects.toMatchObject({
      code: 'role-missing',
    });
    await expect(control(as(olga), update, 'batch-1', { by: 'omar' })).rejects.toMatchObject({ code: 'not-your-name' });
    expect(await controlOf()).toBe('paused');
  }
  await control(as(omar), 'drain', 'batch-1', { by: undefined });
  expect(await controlOf()).toBe('draining');
  await control(as(maker), 'resume', 'batch-1', { by: undefined });
  expect(await controlOf()).toBe('running');
  // To drain what runs holds back.
  await control(as(), 'drain', 'batch-1', { by: 'whoever' });
  expect((await store.auditEntriesOf('batch-1')).map(({ actor }) => actor)).toContain('omar');
});

const withDeadline = (_at: number, call: () => Promise<unknown>): Promise<unknown> => call();

it('no command waits for ever for a worker, and `resolve` as long as a close takes', async () => {
  answer = { accepted: true, message: 'closed', outcome: 'cancelled' };
  await resolve(session, 'doc', CLOSE);
  await cancel(session, 'doc', { yes: true, by: 'bob', remark: undefined });
  expect(limits).toEqual([expect.closeTo(90_000, -4), expect.closeTo(60_000, -4)]);
});

/** Holds a row as its payout does, with what was read of it. */
async function hold(held: string, reason: Reason): Promise<void> {
  const row = await store.payout(held);
  if (row === undefined) throw new Error('no row');
  await store.recordAssessment(row, { digest: 'read', approvalsNeeded: 0 }, 2_000);
  await store.changePayout(held, { state: 'held', reason, at: 3_000 });
}

it('the held rows of a batch are notified together, and answered in their order', async () => {
  const batch = batchClaim('batch-1', ['a', 'b']);
  await store.claimBatch(batch);
  const rows = batch.rows.map((row) => row.reference);
  await store.markReleased(rows, 2_000);
  for (const row of rows) await hold(row, because('look-alike'));
  const [isSecondNotified, notify] = [Promise.withResolvers<void>(), [] as string[]];
  const handleOf = (workflowId: string) => ({
    async executeUpdate() {
      notify.push(workflowId);
      if (notify.length === 2) isSecondNotified.resolve();
      await isSecondNotified.promise;
      return { outcome: 'approved' };
    },
  });
  const client = { workflow: { getHandle: handleOf }, withDeadline };
  const own = fakeSession({ ...session, client: async () => client });
  expect(await decide(own, 'approve', 'batch-1', { yes: true, by: 'bob' } as DecideOptions)).toBe(0);
  expect(notify).toHaveLength(2);
  expect(text).toBe(rows.map((row) => `${row}  approved`).join('\n'));
});

it('decides all rows that wait, read page by page', async () => {
  const ids = Array.from({ length: 450 }, (_, n) => `row-${n}`);
  await store.claimBatch(batchClaim('many', ids));
  const references = ids.map((id, n) => claimRow(n + 1, id).reference);
  // The last one is not released, and another one waits for something else.
  await store.markReleased(references.slice(0, -1), 2_000);
  for (const [n, each] of references.entries()) {
    const reason = because(n === 7 ? 'look-alike' : 'screening-hit');
    await hold(each, reason);
  }
  const under = (after: number) =>
    session.ask(WAITING, { id: 'many', states: ['held'], kinds: ['screening-hit'], ask: false, compare: false, after });
  const { payouts, next } = await under(0);
  expect([payouts.length, next]).toEqual([199, 200]);
  const last = await under(400);
  expect([last.payouts.length, last.next]).toEqual([49, null]);
  answer = { accepted: true, message: 'approved', outcome: 'approved' };
  const options = { yes: true, by: 'bob', remark: undefined, kind: ['screening-hit'] };
  expect(await decide(session, 'approve', 'many', options)).toBe(0);
  expect(asked).toHaveLength(448);
});

it('takes no decision that does not say what it is about', async () => {
  const decision = { reference, decision: 'approve', by: 'bob', remark: undefined, signed: undefined } as const;
  answer = { accepted: true, message: 'approved', outcome: 'approved' };
  await expect(session.ask(DECIDE, { ...decision, digest: undefined })).rejects.toMatchObject({
    code: 'digest-missing',
  });
  expect(asked).toEqual([]);
  await session.ask(DECIDE, { ...decision, digest: 'of the question' });
  expect(asked).toMatchObject([{ digest: 'of the question' }]);
});
