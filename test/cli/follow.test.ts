import { expect, it } from 'vitest';
import { followBatches, followMove } from '../../src/cli/follow-batch.ts';
import type { Session } from '../../src/cli/session.ts';
import type { PayoutRecord } from '../../src/store/store.ts';
import { batchClaim } from '../store/samples.ts';
import { openEmptyStore } from '../support/empty-store.ts';
import { fakeSession } from '../support/fake-session.ts';

const FOLLOWED = { kind: 'exchange', reference: 'ref-1', digest: 'd', until: 'at-rest' } as const;

/** A workflow that has ended well; `rows` are what the store shows, one read after the other. */
function sessionWith(payout: () => PayoutRecord | undefined): Session {
  const handle = { describe: async () => ({ status: { name: 'COMPLETED' } }), result: async () => ({}) };
  return fakeSession({
    stack: async () => ({}),
    store: async () => ({ payout: async () => payout() }),
    client: async () => ({
      workflow: { getHandle: () => handle },
      workflowService: { getSystemInfo: async () => ({}) },
    }),
    output: { progress() {} },
  });
}

it.concurrent('what has ended in Temporal and is not in the store is reported, and not waited for', async () => {
  const following = followMove(
    sessionWith(() => undefined),
    FOLLOWED,
    20_000,
  );
  await expect(following).rejects.toThrow('exchange/ref-1 has ended before, and the store does not know it');
});

it.concurrent('a row that is written while its workflow ends is followed', async () => {
  const row = { reference: 'ref-1', state: 'completed', reason: null } as PayoutRecord;
  let reads = 0;
  // Between the read and the question whether the workflow is there.
  const session = sessionWith(() => {
    reads += 1;
    return reads === 1 ? undefined : row;
  });
  expect(await followMove(session, FOLLOWED, 20_000)).toEqual({ row, end: 'at-rest' });
});

it.concurrent('without a terminal, a batch of which a switch lets nothing start is not followed for ever', async ({
  onTestFinished,
}) => {
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
  const batchId = '01890000-0000-7000-8000-000000000001';
  await store.claimBatch(batchClaim(batchId, ['A-1', 'A-2'], 1_000));
  await store.switchOff({ scope: 'everything', key: '', reason: 'a drill', by: 'bob', at: 2_000 });
  const said: string[] = [];
  const session = fakeSession({
    stack: async () => ({ owner: false }),
    store: async () => store,
    client: async () => ({
      workflow: { start: async () => ({}) },
      workflowService: { getSystemInfo: async () => ({}) },
    }),
    output: { progress: (text: string) => said.push(text) },
  });
  expect(await followBatches(session, [batchId], 20_000)).toBe('at-rest');
  expect(said[0]).toContain('2 not started yet, switched off (payouts switch list)');
});
