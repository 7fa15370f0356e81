import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { assess, readToSend } from '../../../src/activities/assess.ts';
import { sendOrder } from '../../../src/activities/send.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { MEMORY, nodeSqliteDialect } from '../../../src/store/engine/sqlite.ts';
import { createStore } from '../../../src/store/open.ts';
import type { PayoutRecord } from '../../../src/store/store.ts';
import { payoutClaim } from '../../store/samples.ts';
import { emptyStore } from '../../support/empty-store.ts';
import { policyOf, signedBy, signingPerson } from '../../support/people.ts';
import { sendingDeps } from '../../support/sending-deps.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const [bob, carol] = [signingPerson('bob', ['approver']), signingPerson('carol', ['approver'])];
const TWO = policyOf([signingPerson('alice', ['maker']), bob, carol], { approvals: [{ approvals: 2 }] });

it('a payout that ended unpaid is not sent once its document was paid as a later generation', async () => {
  const database = new DatabaseSync(MEMORY, { timeout: 0, enableForeignKeyConstraints: true });
  database.deserialize(await emptyStore());
  const store = await createStore(openDatabase(nodeSqliteDialect(async () => database)));
  onTestFinished(() => store.close());
  const posted: string[] = [];
  const payment = async ({ reference }: { reference: string }) => ({ order_id: `ord-${posted.push(reference)}` });
  const deps = sendingDeps({ payment }, { policy: TWO, referenceDedupe: 'verified' }, { store });
  const claimOf = ({ reference, term }: PayoutRecord) => ({ storeId: store.id, reference, term });
  const signed = async (row: PayoutRecord): Promise<void> => {
    const { digest } = await readToSend(deps, row, 'payment');
    for (const person of [bob, carol]) {
      const about = { storeId: store.id, question: 'payout', reference: row.reference, digest } as const;
      await store.takeSignedDecision(signedBy(person, about), Date.now());
    }
  };
  const send = (row: PayoutRecord) =>
    sendOrder(deps, CALLER, { claim: claimOf(row), orderKind: 'payment', attempt: 1, lastLeft: 0 });

  const claim = payoutClaim('doc', { by: 'alice', runId: CALLER.runId });
  const { record: first } = await store.claimPayout(claim);
  await signed(first);
  await store.changePayout(first.reference, { state: 'cancelled', reason: null, term: first.term, at: Date.now() });
  const reference = referenceOf(first.uid, first.documentId, 'payment', 1);
  const again = { ...claim, reference, workflowId: 'w-1', generation: 1, derivedReferences: [reference] };
  const { record: second } = await store.claimPayout(again);
  await signed(second);
  expect(await send(second)).toMatchObject({ outcome: 'accepted' });

  // Both have signed it, and nothing else says that it has ended.
  database.exec(`update payouts set state = 'preparing' where reference = '${first.reference}'`);
  expect(await send(first)).toEqual({ outcome: 'not-sent', why: 'changed' });
  expect(posted).toEqual([reference]);
  const searching = { ...deps, readList: async () => ({}) as never };
  const read = await assess(searching, CALLER, { claim: claimOf(first), exchanged: false, exchangeSent: false });
  expect(read).toMatchObject({ earlierOpen: true });
});
