import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cardWorkflowId } from '../../src/domain/names.ts';
import { refusedPayloads } from '../../src/platform/refused-payloads.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { batchClaim, payoutClaim } from '../store/samples.ts';

const HOUR_MS = 3_600_000;

let store: Store;
let lines: string[];
let now: number;
beforeEach(async () => {
  store = await openStore('file::memory:');
  lines = [];
  now = 1_000;
});
afterEach(() => store.close());

const opened = () => refusedPayloads(store, pino({ level: 'warn' }, { write: (line) => lines.push(line) }), () => now);
const at = (workflowId: string) => ({ namespace: 'default', workflowId });
const subjects = async (): Promise<string[]> => {
  const found: string[] = [];
  for await (const page of store.auditLog({ from: 0, to: 10_000 })) {
    found.push(...page.filter(({ action }) => action === 'payload refused').map(({ subject }) => subject));
  }
  return found;
};

describe('A refused payload', () => {
  it('is an entry about the payout, batch or card payment whose workflow it was sent to', async () => {
    const { reference, workflowId } = payoutClaim('a');
    await store.claimPayout(payoutClaim('a'));
    await store.claimBatch(batchClaim('batch-1', ['b']));
    const card = { merchantRequestId: 'mr-1', workflowId: cardWorkflowId('mr-1'), amount: '1.00', currency: 'USD' };
    await store.cards.claim({ ...card, paymentType: 'DEBIT', digest: 'd', by: null, at: 1 });
    const refused = opened();
    for (const id of [workflowId, 'payout-batch/batch-1', cardWorkflowId('mr-1'), 'payout/pages', 'flood/1']) {
      refused('clear', at(id));
    }
    await expect.poll(subjects).toHaveLength(5);
    expect((await subjects()).sort()).toEqual([reference, 'batch-1', 'mr-1', 'payout/pages', 'flood/1'].sort());
    const [entry] = await store
      .auditEntriesOf(reference)
      .then((found) => found.filter(({ actor }) => actor === 'codec'));
    expect(entry).toMatchObject({ action: 'payload refused', detail: { why: 'clear', workflow: workflowId } });
  });

  it('is said once an hour for each workflow', async () => {
    const refused = opened();
    for (let n = 0; n < 3; n += 1) refused('clear', at('flood/1'));
    expect(lines).toHaveLength(1);
    now += HOUR_MS;
    refused('clear', at('flood/1'));
    expect(lines).toHaveLength(2);
  });
});

it('A flood of workflows of somebody else ends in one entry that says so, and hides nothing of a payout', async () => {
  const { reference, workflowId } = payoutClaim('a');
  await store.claimPayout(payoutClaim('a'));
  const refused = opened();
  for (let n = 0; n < 300; n += 1) refused('clear', at(`flood/${n}`));
  await expect.poll(subjects).toHaveLength(101);
  const [last] = await store.auditEntriesOf('codec');
  expect(last?.detail).toEqual({ why: '100 in an hour: further ones are only in the log' });
  expect(lines).toHaveLength(300);
  refused('clear', at(workflowId));
  await expect.poll(async () => (await subjects()).includes(reference)).toBe(true);
  now += HOUR_MS;
  refused('clear', at('flood/1'));
  await expect.poll(subjects).toHaveLength(103);
});
