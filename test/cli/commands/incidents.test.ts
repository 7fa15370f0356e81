import { beforeEach, expect, it } from 'vitest';
import { acknowledge, listIncidents } from '../../../src/cli/inbox-actions.ts';
import type { Session } from '../../../src/cli/session.ts';
import { resolveDigest } from '../../../src/domain/authority.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim, claimRow } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { policyOf, signingPerson } from '../../support/people.ts';

let store: Store;
let printed: { document: object; text: string };
let session: Session;

beforeEach(async () => {
  store = await newStore();
  for (const orderId of ['o-1', 'o-2']) {
    await store.recordIncident({ reference: 'ref', orderId, kind: 'second-order', seenAt: 1_000 });
  }
  session = fakeSession({
    config: { settings: {} },
    store: async () => store,
    output: {
      result(document: object, text: string) {
        printed = { document, text };
      },
    },
  });
});

const idOf = async (orderId: string): Promise<string> =>
  (await store.incidentsOf(['ref'])).find((it) => it.orderId === orderId)?.id ?? '';

const say = (id: string, change: { by?: string; reason?: string } = {}) =>
  acknowledge(session, id, { by: 'alice', reason: 'called back', yes: true, ...change });

it('lists incidents with the ids that acknowledge them, and who has seen to each', async () => {
  await listIncidents(session, { open: true });
  expect(printed.text).toContain(await idOf('o-1'));
  expect(await say(await idOf('o-1'))).toBeUndefined();
  expect(printed.document).toMatchObject({
    changed: true,
    incident: { orderId: 'o-1', acknowledged: { by: 'alice', reason: 'called back' } },
  });

  await listIncidents(session, { open: true });
  expect(printed.document).toMatchObject({ incidents: [{ orderId: 'o-2', acknowledged: null }] });
  await listIncidents(session, { open: false });
  expect(printed.text).toContain('alice: called back');
  await say(await idOf('o-2'));
  await listIncidents(session, { open: true });
  expect(printed.text).toBe('There are no open incidents.');
});

it('keeps who was first', async () => {
  const id = await idOf('o-1');
  await say(id);
  await say(id, { by: 'bob', reason: 'mine' });
  expect(printed.text).toBe(`${id} was already acknowledged by alice: called back`);
  expect(printed.document).toMatchObject({ changed: false });
});

it('refuses an id that there is not, and an acknowledgement without a name or a reason', async () => {
  await expect(say('inc-1')).rejects.toMatchObject({ code: 'unknown-id' });
  const id = await idOf('o-1');
  await expect(say(id, { reason: ' ' })).rejects.toMatchObject({ code: 'reason-missing' });
  await expect(say(id, { by: '' })).rejects.toMatchObject({ code: 'reason-missing' });
  expect(await store.incidents({ open: true, limit: 5 })).toHaveLength(2);
});

it('lets an operator acknowledge only what the policy has put into their scope, and keeps no signature of others', async () => {
  await store.claimBatch(batchClaim('b-1', ['a']));
  const { reference, instruction } = claimRow(1, 'a');
  await store.recordIncident({ reference, orderId: 'o-3', kind: 'second-order', seenAt: 1_000 });
  const [{ id = '' } = {}] = await store.incidentsOf([reference]);
  const ofNobody = await idOf('o-1');
  const olga = signingPerson('olga', ['operator'], { uids: ['somebody else'] });
  const omar = signingPerson('omar', ['operator'], { uids: [instruction.uid] });
  const oda = signingPerson('oda', ['operator']);
  const as = ({ privateKey }: typeof olga) => {
    const settings = { policy: policyOf([olga, omar, oda]) };
    session = fakeSession({ ...session, config: { settings, signingKey: { reveal: () => privateKey } } });
  };
  const acknowledged = (incident: string) =>
    acknowledge(session, incident, { by: undefined, reason: 'seen', yes: true });
  const signedFor = (incident: string) =>
    store.signedDecisionsOf({
      reference: incident,
      question: 'resolve',
      digest: resolveDigest('acknowledge', incident),
    });

  as(olga);
  await expect(acknowledged(id)).rejects.toMatchObject({ kind: 'forbidden', code: 'outside-scope' });
  expect(await signedFor(id)).toEqual([]);
  as(omar);
  await expect(acknowledged(ofNobody)).rejects.toMatchObject({ code: 'outside-scope' });
  await acknowledged(id);
  expect(printed.document).toMatchObject({ changed: true, incident: { acknowledged: { by: 'omar' } } });
  expect(await signedFor(id)).toMatchObject([{ subject: 'omar' }]);
  as(oda);
  await acknowledged(ofNobody);
  expect(printed.document).toMatchObject({ changed: true, incident: { acknowledged: { by: 'oda' } } });
});
