import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { MEMORY } from '../../src/store/engine/sqlite.ts';
import { emptyStore } from '../support/empty-store.ts';
import { batchClaim, claimRow } from './samples.ts';
import { onEveryStore } from './stores.ts';

const OURS = claimRow(1, 'a').reference;
const SECOND = { kind: 'second-order', reference: OURS, orderId: 'o-7', seenAt: 2_000 } as const;
const ALICE = { by: 'alice', reason: 'called back, see ticket 7', at: 9_000 };

onEveryStore('Incidents', (test) => {
  it('are recorded once for each kind, order and reference, and found oldest first', async () => {
    const store = await test.open();
    expect(await store.recordIncident(SECOND)).toBe('recorded');
    expect(await store.recordIncident({ ...SECOND, seenAt: 9_000 })).toBe('known');
    expect(await store.recordIncident({ ...SECOND, kind: 'end-contradicted', seenAt: 1_000 })).toBe('recorded');
    expect(await store.recordIncident({ ...SECOND, reference: 'other' })).toBe('recorded');
    expect(await store.recordIncident({ ...SECOND, orderId: 'o-8', seenAt: 3_000 })).toBe('recorded');
    const found = await store.incidentsOf([OURS, 'without']);
    expect(found).toMatchObject([
      { ...SECOND, kind: 'end-contradicted', seenAt: 1_000, acknowledged: null },
      SECOND,
      { ...SECOND, orderId: 'o-8', seenAt: 3_000 },
    ]);
    expect(await store.incidentsOf([])).toEqual([]);
    const all = await store.incidents({ open: false, limit: 10 });
    expect(new Set(all.map(({ id }) => id)).size).toBe(4);
    expect(all.every(({ id }) => /^inc-[0-9a-f]{12}$/.test(id))).toBe(true);
    expect(await store.incidents({ open: false, limit: 1 })).toMatchObject([{ orderId: 'o-8' }]);
    for (const [place, after] of all.entries()) {
      expect(await store.incidents({ open: false, limit: 10, after })).toEqual(all.slice(place + 1));
      expect(await store.incident(after.id)).toEqual(after);
    }
    expect(await store.incident('inc-000000000000')).toBeUndefined();
  });

  it('are recorded for each shown value, with both values', async () => {
    const store = await test.open();
    const changed = { ...SECOND, kind: 'order-changed' } as const;
    const of = (shown: string, field = 'transaction_amount') => ({
      ...changed,
      differs: { field, ours: '12.00', shown },
    });
    expect(await store.recordIncident(of('120.00'))).toBe('recorded');
    expect(await store.recordIncident({ ...of('120.00'), seenAt: 9_000 })).toBe('known');
    expect(await store.recordIncident({ ...of('130.00'), seenAt: 3_000 })).toBe('recorded');
    expect(await store.recordIncident({ ...of('120.00', 'fee'), seenAt: 3_000 })).toBe('recorded');
    const [first, ...rest] = await store.incidentsOf([OURS]);
    expect(first).toMatchObject(of('120.00'));
    expect(new Set([first, ...rest].map((it) => it?.id)).size).toBe(3);
    await store.acknowledgeIncident(first?.id ?? '', ALICE);
    expect(await store.recordIncident(of('120.00'))).toBe('acknowledged');
    expect(await store.recordIncident(of('140.00'))).toBe('recorded');
    expect((await store.auditEntriesOf(OURS))[0]?.detail).toMatchObject({
      differs: 'transaction_amount: sent 12.00, shown 120.00',
    });
  });

  it('are acknowledged once, with an audit entry: who was first, and why, stays', async () => {
    const store = await test.open();
    await store.recordIncident(SECOND);
    await store.recordIncident({ ...SECOND, orderId: 'o-8' });
    const [{ id = '' } = {}] = await store.incidentsOf([OURS]);
    const first = await store.acknowledgeIncident(id, ALICE);
    expect(first).toMatchObject({ isNew: true, incident: { ...SECOND, id, acknowledged: ALICE } });
    expect(await store.acknowledgeIncident(id, { ...ALICE, by: 'bob' })).toMatchObject({
      isNew: false,
      incident: { acknowledged: ALICE },
    });
    expect(await store.acknowledgeIncident('inc-000000000000', ALICE)).toBeUndefined();
    expect(await store.recordIncident(SECOND)).toBe('acknowledged');
    expect(await store.incidents({ open: true, limit: 10 })).toMatchObject([{ orderId: 'o-8' }]);
    expect((await store.auditEntriesOf(OURS)).slice(2)).toEqual([
      {
        at: 9_000,
        actor: 'alice',
        action: 'incident acknowledged',
        subject: OURS,
        detail: { incident: id, kind: 'second-order', orderId: 'o-7', reason: ALICE.reason },
      },
    ]);
  });

  it('of a second order make the bank of their user distrusted until each is acknowledged', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b1', ['a']));
    await store.recordIncident({ ...SECOND, kind: 'end-contradicted' });
    expect(await store.hasSuspectedDuplicate('user-1')).toBe(false);
    await store.recordIncident(SECOND);
    await store.recordIncident({ ...SECOND, orderId: 'o-8' });
    expect(await store.hasSuspectedDuplicate('user-1')).toBe(true);
    expect(await store.hasSuspectedDuplicate('user-2')).toBe(false);
    for (const { id, kind } of await store.incidentsOf([OURS])) {
      expect(await store.hasSuspectedDuplicate('user-1')).toBe(true);
      if (kind === 'second-order') await store.acknowledgeIncident(id, ALICE);
    }
    expect(await store.hasSuspectedDuplicate('user-1')).toBe(false);
  });
});

it('every lookup on the way to a resend goes by an index', async () => {
  const db = new DatabaseSync(MEMORY);
  db.deserialize(await emptyStore());
  const plan = (query: string): string => JSON.stringify(db.prepare(`explain query plan ${query}`).all('user-1'));
  const asked = "from payouts where uid = ? and reason_code = 'duplicate-suspected' and state = 'needs-operator'";
  expect(plan(`select reference ${asked}`)).toContain('payouts_duplicates');
  const open = "from incidents where uid = ? and kind = 'second-order' and acknowledged_at is null";
  expect(plan(`select incident_id ${open}`)).toContain('incidents_second_orders');
  db.close();
});
