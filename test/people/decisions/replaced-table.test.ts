import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { readToSend } from '../../../src/activities/assess.ts';
import { sendOrder } from '../../../src/activities/send.ts';
import type { Policy } from '../../../src/domain/authority.ts';
import { payloadDigest } from '../../../src/domain/identity.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { MEMORY, nodeSqliteDialect } from '../../../src/store/engine/sqlite.ts';
import { createStore } from '../../../src/store/open.ts';
import { payoutClaim } from '../../store/samples.ts';
import { emptyStore } from '../../support/empty-store.ts';
import { policyOf, signedBy, signingPerson } from '../../support/people.ts';
import { sendingDeps } from '../../support/sending-deps.ts';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const alice = signingPerson('alice', ['maker']);
const [bob, carol] = [signingPerson('bob', ['approver']), signingPerson('carol', ['approver'])];
const everybodySigns = (policy: Policy): Policy => ({
  ...policy,
  people: policy.people.map(({ unsigned: _, ...person }) => person),
});
const PEOPLE = [alice, bob, carol];

/** A column that says, each time it is read, one thing or the other. */
const either = (column: string, value: string): string =>
  `case when random() % 2 = 0 then '${value}' else ${column} end as ${column}`;

it.each([
  ['two people have to approve', everybodySigns(policyOf(PEOPLE, { approvals: [{ approvals: 2 }] })), 'payout'],
  ['only its maker has to sign', everybodySigns(policyOf(PEOPLE, { approvals: [] })), 'make'],
] as const)('what people signed about something else does not count when %s', async (_what, policy, question) => {
  const database = new DatabaseSync(MEMORY, { timeout: 0, enableForeignKeyConstraints: true });
  database.deserialize(await emptyStore());
  const store = await createStore(openDatabase(nodeSqliteDialect(async () => database)));
  onTestFinished(() => store.close());
  const posted: object[] = [];
  const payment = async (body: object) => {
    posted.push(body);
    return { order_id: 'ord-1' };
  };
  const deps = sendingDeps({ payment }, { policy, referenceDedupe: 'assumed' }, { store });
  for (const person of PEOPLE) {
    const asked = person === alice ? 'make' : 'payout';
    const about = { storeId: store.id, question: asked, reference: 'of another', digest: 'of another' } as const;
    await store.takeSignedDecision(signedBy(person, about), Date.now());
  }
  const { record } = await store.claimPayout(payoutClaim('doc', { by: 'alice', runId: CALLER.runId }));
  const { digest: paid } = await readToSend(deps, record, 'payment');
  const digest = question === 'make' ? payloadDigest(record.instruction) : paid;
  // It is found under one reference and digest, and read with others. So many rows that some of them do both.
  database.exec(`
    alter table signed_decisions rename to what_they_signed;
    create view signed_decisions as
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
      select id, store_id, question, decision, ${either('reference', record.reference)}, ${either('digest', digest)},
        subject, remark, signed_at, expires_at, credential, signature, taken_at, used_at
      from what_they_signed, n`);
  const claim = { storeId: store.id, reference: record.reference, term: record.term };
  const sent = await sendOrder(deps, CALLER, { claim, orderKind: 'payment', attempt: 1, lastLeft: 0 });
  expect(posted).toEqual([]);
  expect(sent).toEqual({ outcome: 'not-sent', why: 'changed' });
});
