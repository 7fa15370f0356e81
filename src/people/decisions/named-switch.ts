import { holdsAll, isWithin, type Policy, personOf, type Scope } from '../../domain/authority.ts';
import { currencyExponent } from '../../domain/money.ts';
import { Problem } from '../../domain/problem.ts';
import type { SwitchScope } from '../../domain/switch-scope.ts';
import { type SwitchedOff, switchText } from '../../domain/switches.ts';
import type { Store, SwitchRecord } from '../../store/store.ts';

/** Validates what can be validated: a mistyped switch matches nothing, yet people would rely on it. */
export async function namedSwitch(store: Store, scope: SwitchScope, key: string | undefined): Promise<SwitchedOff> {
  const off = checkedSwitch(scope, key);
  if (scope === 'currency' && currencyExponent(off.key) === undefined) {
    throw new Problem('usage', 'unknown-currency', `There is no currency "${off.key}".`, {
      hint: 'Use an ISO 4217 code such as EUR.',
    });
  }
  if (scope === 'batch' && (await store.batch(off.key)) === undefined) {
    throw new Problem('not-found', 'unknown-id', `There is no batch "${off.key}".`, {
      hint: 'The list of batches shows their ids.',
    });
  }
  return off;
}

/** Only the scope `everything` has no key. */
export function checkedSwitch(scope: SwitchScope, key = ''): SwitchedOff {
  if (scope === 'everything' && key !== '') {
    throw new Problem('usage', 'key-unexpected', 'With "everything" nothing else is named.', { hint: 'Leave it out.' });
  }
  if (scope !== 'everything' && key === '') {
    throw new Problem('usage', 'key-missing', `Name the ${scope} that is meant.`, {
      hint: 'For example: currency EUR.',
    });
  }
  return { scope, key };
}

/** Who lifts a switch, and what decides whether they may. */
export interface SwitchOnRequest {
  store: Store;
  /** Undefined: names are not checked. */
  policy: Policy | undefined;
  name: string;
}

/**
 * Whether somebody may switch this on again: all that the switch stops lies in their scope, or they switched it off themselves.
 * Switching off needs no scope.
 */
export async function maySwitchOn({ store, policy, name }: SwitchOnRequest, on: SwitchedOff): Promise<boolean> {
  const person = policy && personOf(policy, name);
  if (person === undefined || (await liesIn(store, person.scope, on))) return true;
  const off = (await store.switches()).find(({ scope, key }) => scope === on.scope && key === on.key);
  return off?.by === name;
}

/** Throws a `Problem` if they may not. */
export async function assertMaySwitchOn(lifting: SwitchOnRequest, on: SwitchedOff): Promise<void> {
  if (await maySwitchOn(lifting, on)) return;
  const message = `More than the scope of ${lifting.name} in the policy is stopped by ${switchText(on)}.`;
  throw new Problem('forbidden', 'outside-scope', message, {
    hint: 'The person who switched it off may switch it on, and an operator whose scope holds all that it stops.',
  });
}

const LIST_OF: Readonly<Partial<Record<SwitchScope, Exclude<keyof Scope, 'kinds'>>>> = {
  uid: 'uids',
  account: 'accounts',
  currency: 'currencies',
};

/**
 * Whether somebody is shown a switch and its reason: what they switched off themselves, and what may stop something in their
 * scope. The owner of a payee is not known here, so that a scope with limits does not show one.
 */
export async function maySeeSwitch({ store, policy, name }: SwitchOnRequest, off: SwitchRecord): Promise<boolean> {
  const scope = (policy && personOf(policy, name))?.scope ?? {};
  if (holdsAll(scope) || off.by === name || off.scope === 'everything') return true;
  if (off.scope === 'batch') return (await store.scopeFactsOfBatch(off.key)).some((row) => isWithin(scope, row));
  const list = LIST_OF[off.scope];
  return list !== undefined && (scope[list]?.includes(off.key) ?? true);
}

/** The owner of a payee is not known here: a switch on a payee lies only in a scope without limits. */
async function liesIn(store: Store, scope: Scope, off: SwitchedOff): Promise<boolean> {
  if (off.scope === 'batch') return (await store.scopeFactsOfBatch(off.key)).every((row) => isWithin(scope, row));
  const limits = Object.entries(scope).filter(([, list]) => list !== undefined);
  return limits.every(([name, list]) => name === LIST_OF[off.scope] && list.includes(off.key));
}
