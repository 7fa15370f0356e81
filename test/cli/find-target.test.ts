import { beforeEach, describe, expect, it } from 'vitest';
import { batchIdOf, findTarget, type Target } from '../../src/channels/find-target.ts';
import type { Store } from '../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from '../store/samples.ts';
import { newStore } from '../support/empty-store.ts';

const [EARLY, LATE] = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002'];
let store: Store;

beforeEach(async () => {
  store = await newStore();
  await store.claimBatch(batchClaim(EARLY, ['INV-1', 'INV-10'], 1_000));
  await store.claimBatch(batchClaim(LATE, ['PAY-7'], 2_000));
});

const shown = (target: Target): string => (target.kind === 'batch' ? target.batch.batchId : target.payout.documentId);
const found = async (id: string): Promise<string> => shown(await findTarget(store, id));
const { reference } = claimRow(1, 'PAY-7');

describe('an ID', () => {
  it.each([
    ['a batch id', EARLY, EARLY],
    ['the workflow id of a batch', `payout-batch/${EARLY}`, EARLY],
    ['a reference', reference, 'PAY-7'],
    ['a workflow id', `payout/${reference}`, 'PAY-7'],
    ['a document id', 'PAY-7', 'PAY-7'],
    ['what begins a reference', reference.slice(0, 13), 'PAY-7'],
    ['what begins a workflow id', `payout/${reference.slice(0, 8)}`, 'PAY-7'],
    ['what begins a document id', 'PAY-', 'PAY-7'],
    ['the newest batch', 'latest', LATE],
  ])('is %s', async (_what, id, expected) => {
    expect(await found(id)).toBe(expected);
  });

  it('is the document that is called so, not one that begins so', async () => {
    expect(await found('INV-1')).toBe('INV-1');
  });

  it('that begins several is refused with all of them, exit code 2', async () => {
    const error = await findTarget(store, '0189').catch((it: unknown) => it);
    expect(error).toMatchObject({ kind: 'usage', code: 'ambiguous-id' });
    expect((error as Error).message).toContain(EARLY);
    expect((error as Error).message).toContain(LATE);
    await expect(findTarget(store, 'INV-')).rejects.toMatchObject({ code: 'ambiguous-id' });
  });

  it('of another user with the same document is refused with both', async () => {
    const other = claimRow(1, 'PAY-7', { uid: 'user-2' });
    await store.claimPayout({ ...payoutClaim('PAY-7'), ...other, generation: 0 });
    await expect(findTarget(store, 'PAY-7')).rejects.toMatchObject({
      code: 'ambiguous-id',
      message: expect.stringMatching(/PAY-7 of user-1.*PAY-7 of user-2|PAY-7 of user-2.*PAY-7 of user-1/),
    });
  });

  it.each(['INV', 'unknown', '', '%', 'pay-'])('%j names nothing', async (id) => {
    await expect(findTarget(store, id)).rejects.toMatchObject({ code: 'unknown-id' });
  });

  it('of a payout means its batch where a batch is asked for', async () => {
    expect(batchIdOf(await findTarget(store, 'PAY-'), 'PAY-')).toBe(LATE);
  });
});
