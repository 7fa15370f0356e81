import { currencyExponent } from '../../domain/currency.ts';
import { Problem } from '../../domain/problem.ts';
import type { SwitchScope } from '../../domain/switch-scope.ts';
import type { SwitchedOff } from '../../domain/switches.ts';
import type { Store } from '../../store/store.ts';

/** A switch that matches nothing by a typing error would be trusted all the same: what can be checked is checked. */
export async function namedSwitch(store: Store, scope: SwitchScope, key: string | undefined): Promise<SwitchedOff> {
  const off = wellNamed(scope, key);
  if (scope === 'currency' && currencyExponent(off.key) === undefined) {
    throw new Problem('usage', 'unknown-currency', `"${off.key}" is not a currency code.`, {
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

/** Only everything has no key. */
export function wellNamed(scope: SwitchScope, key = ''): SwitchedOff {
  if (scope === 'everything' && key !== '') {
    throw new Problem('usage', 'key-unexpected', 'The scope everything takes no key.', {
      hint: 'Omit the key.',
    });
  }
  if (scope !== 'everything' && key === '') {
    throw new Problem('usage', 'key-missing', `The scope ${scope} needs a key: the id of what is meant.`, {
      hint: 'Put it after the scope, for example: currency EUR.',
    });
  }
  return { scope, key };
}

export const switchText = ({ scope, key }: SwitchedOff): string => (key === '' ? scope : `${scope} ${key}`);
