import { expect, it } from 'vitest';
import type { Session } from '../../../src/cli/session.ts';
import { listSwitches, switchOff, switchOn } from '../../../src/cli/switch-actions.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { endsWith } from '../../support/ends-with.ts';
import { fakeSession } from '../../support/fake-session.ts';

const OPTIONS = { reason: 'fraud suspected', by: 'alice', yes: true };

/** A session that has a store and an output and nothing else: more is not needed. */
async function onStore(work: (session: Session, printed: unknown[], store: Store) => Promise<void>): Promise<void> {
  const store = await newStore();
  const printed: unknown[] = [];
  const output = { result: (document: unknown) => void printed.push(document) };
  await work(fakeSession({ config: { settings: {} }, store: async () => store, output }), printed, store);
}

it('switches off and on by the store alone, and lists who did and why', () =>
  onStore(async (session, printed, store) => {
    await store.claimBatch(batchClaim('b-1', ['a', 'b']));
    expect(await switchOff(session, 'currency', 'USD', OPTIONS)).toBeUndefined();
    expect(await switchOff(session, 'currency', 'USD', OPTIONS)).toBeUndefined();
    expect(printed).toMatchObject([
      { switch: { scope: 'currency', key: 'USD', off: true }, changed: true, openPayouts: 2 },
      { changed: false },
    ]);
    await listSwitches(session);
    expect(printed.at(-1)).toMatchObject({
      switches: [{ scope: 'currency', key: 'USD', by: 'alice', reason: 'fraud suspected' }],
    });
    await switchOn(session, 'currency', 'USD', OPTIONS);
    await listSwitches(session);
    expect(printed.at(-1)).toEqual({ switches: [] });
    expect((await store.auditEntriesOf('currency USD')).map(({ action }) => action)).toEqual([
      'switch off',
      'switch on',
    ]);
  }));

it.each([
  ['a currency that does not exist', 'currency', 'EURO', 'unknown-currency'],
  ['a batch that does not exist', 'batch', 'b-9', 'unknown-id'],
  ['no key where one is needed', 'uid', undefined, 'key-missing'],
  ['a key where there is none', 'everything', 'EUR', 'key-unexpected'],
] as const)('refuses %s: it would be trusted and stop nothing', (_what, scope, key, code) =>
  onStore(async (session, _printed, store) => {
    await expect(switchOff(session, scope, key, OPTIONS)).rejects.toMatchObject({ kind: endsWith(2), code });
    expect(await store.switches()).toEqual([]);
  }),
);

it('takes nobody at their word where the store has been used under a policy that is not set', () =>
  onStore(async (session, _printed, store) => {
    await store.recordPolicy({ hash: 'a'.repeat(64), by: 'worker', at: 1 });
    await expect(switchOff(session, 'uid', 'u-1', OPTIONS)).rejects.toThrow('PAYOUTS_POLICY: is not set');
    expect(await store.switches()).toEqual([]);
  }));

it('says that what is switched on was not off', () =>
  onStore(async (session) => {
    await expect(switchOn(session, 'uid', 'u-1', OPTIONS)).rejects.toMatchObject({
      kind: endsWith(2),
      code: 'not-off',
    });
  }));
