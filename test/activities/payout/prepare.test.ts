import { expect, it } from 'vitest';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { listReader } from '../../../src/activities/lists.ts';
import { type Prepared, prepare } from '../../../src/activities/payout.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import { payoutWorkflowId } from '../../../src/domain/names.ts';
import { openFaultProxy } from '../../support/fault-proxy.ts';
import { NEW_PAYEE } from '../../support/payout-routes.ts';
import { DEFAULT_PAYMENT, quickSettings } from '../../support/product.ts';

const INPUT = { ...DEFAULT_PAYMENT, id: 'forgotten', ...NEW_PAYEE };

/** What `prepare` finds after an older copy was put in the place of the store. */
async function preparedInAnOlderCopy(more: { account_id?: string }): Promise<Prepared> {
  const { bank, store } = await openFaultProxy();
  const at = Date.now() + 60_000;
  await store.recordRestore({ at, from: at - 3_600_000, by: 'olga', detail: {} });
  const reads = { bank, store, settings: quickSettings, now: Date.now };
  const deps = {
    ...reads,
    readList: listReader(reads),
    checkInstruction: () => [],
    assertIdentity: async () => {},
  } as unknown as ActivityDeps;
  const input = { ...INPUT, ...more };
  const workflowId = payoutWorkflowId(referenceOf(input.uid, input.id));
  return prepare(deps, { workflowId, runId: 'run-1', activityId: '1' }, { input });
}

it('an exchange may have been forgotten while its payee is not known, and no exchange is planned', async () => {
  const prepared = await preparedInAnOlderCopy({ account_id: 'acc-u1001-eur' });
  if (prepared.kind !== 'ready') throw new Error('it has no end');
  expect(prepared.assessment).toMatchObject({ beneficiary: { known: false } });
  expect(prepared.assessment.exchange).toBeUndefined();
  expect(prepared.exchange).toMatchObject({ isForgotten: true, submission: { tainted: true } });
  expect(prepared.payment).toMatchObject({ isForgotten: true, submission: { tainted: true } });
});

it('a payout from an account in its own currency has forgotten no exchange', async () => {
  const prepared = await preparedInAnOlderCopy({});
  if (prepared.kind !== 'ready') throw new Error('it has no end');
  expect(prepared.exchange).toEqual({ reference: expect.any(String) });
  expect(prepared.payment).toMatchObject({ isForgotten: true, submission: { tainted: true } });
});
