import { expect, it } from 'vitest';
import type { Scope } from '../../../src/domain/authority.ts';
import type { SwitchScope } from '../../../src/domain/switch-scope.ts';
import { assertMaySwitchOn } from '../../../src/people/decisions/named-switch.ts';
import { batchClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { policyOf, signingPerson } from '../../support/people.ts';

/** Whether `olga`, with this scope, may lift a switch that `by` has thrown. */
async function mayLift(scope: Scope, switched: SwitchScope, key: string, by = 'carol'): Promise<boolean> {
  const store = await newStore();
  await store.claimBatch(batchClaim('b-1', ['a', 'b']));
  await store.switchOff({ scope: switched, key, reason: 'fraud suspected', by, at: 1 });
  const policy = policyOf([signingPerson('olga', ['operator'], scope), signingPerson('carol', ['operator'])]);
  const lifted = assertMaySwitchOn({ store, policy, name: 'olga' }, { scope: switched, key });
  return lifted.then(
    () => true,
    ({ code }) => {
      expect(code).toBe('outside-scope');
      return false;
    },
  );
}

it.each<[Scope, SwitchScope, string]>([
  [{}, 'everything', ''],
  [{}, 'payee', 'ben-1'],
  [{ uids: ['u-1'] }, 'uid', 'u-1'],
  [{ accounts: ['acc-1'] }, 'account', 'acc-1'],
  [{ currencies: ['EUR', 'USD'] }, 'currency', 'USD'],
  [{ uids: ['user-1'] }, 'batch', 'b-1'],
])('an operator of %j lifts a switch on %s %s', async (scope, switched, key) => {
  expect(await mayLift(scope, switched, key)).toBe(true);
});

it.each<[Scope, SwitchScope, string]>([
  [{ uids: ['u-1'] }, 'everything', ''],
  [{ uids: ['u-1'] }, 'uid', 'u-2'],
  [{ uids: ['u-1'], currencies: ['EUR'] }, 'uid', 'u-1'],
  [{ kinds: ['payout'] }, 'currency', 'USD'],
  [{ uids: ['u-1'] }, 'payee', 'ben-1'],
  [{ uids: ['u-2'] }, 'batch', 'b-1'],
])('an operator of %j does not lift one on %s %s, unless they have thrown it', async (scope, switched, key) => {
  expect(await mayLift(scope, switched, key)).toBe(false);
  expect(await mayLift(scope, switched, key, 'olga')).toBe(true);
});
