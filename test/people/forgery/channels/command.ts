import { decide } from '../../../../src/cli/decision-actions.ts';
import type { DecideOptions } from '../../../../src/cli/signer.ts';
import type { Attack, ForgedChannel } from '../attack.ts';
import { type Name, policyOfMallory } from '../cast.ts';
import { brokenKey, keyFile } from '../keys.ts';
import type { Scene } from '../scene.ts';
import { commanded, sessionOf } from '../session.ts';

interface Asked {
  key?: (scene: Scene) => string;
  by?: string;
  /** Says approve or reject to everything. */
  decision?: 'approve' | 'reject';
  session?: (scene: Scene) => Parameters<typeof sessionOf>[1];
  /** The whole batch. */
  batch?: true;
}

const asked =
  ({ key, by, decision = 'approve', session, batch }: Asked): Attack =>
  (scene, random) => {
    const target = scene.any(random);
    const options: DecideOptions = { yes: true, remark: 'checked', by, key: key?.(scene) };
    const id = batch === true ? target.batchId : target.reference;
    return commanded(() => decide(sessionOf(scene, session?.(scene)), decision, id, options));
  };

const with_ = (name: Name) => (scene: Scene) => keyFile(scene, name);
const selfMade = (scene: Scene) => ({ policy: policyOfMallory(scene.cast) });
const foreignStore = ({ product: { store } }: Scene) => ({ store: { ...store, id: 'of-somebody-else' } });

/** `payouts approve` and `reject`, of a payout and of a batch. */
export const COMMAND: ForgedChannel = {
  name: 'command',
  kinds: {
    'without a key': asked({}),
    'without a key, in her name': asked({ by: 'carol' }),
    'with a stranger’s key': asked({ key: with_('mallory') }),
    'with a stranger’s key, in her name': asked({ key: with_('mallory'), by: 'carol' }),
    'with bob’s key, in her name': asked({ key: with_('bob'), by: 'carol' }),
    'with bob’s key again': asked({ key: with_('bob') }),
    'with the maker’s key': asked({ key: with_('alice') }),
    'with the key of an operator': asked({ key: with_('erin') }),
    'with a key out of scope': asked({ key: with_('dave') }),
    'with a file that is no key': asked({ key: (scene) => brokenKey(scene, 'AAAA') }),
    'with a file that is not there': asked({ key: () => 'no-such.pem' }),
    'under a policy of one’s own': asked({ key: with_('mallory'), session: selfMade }),
    'under a policy of one’s own, rejecting': asked({ key: with_('mallory'), session: selfMade, decision: 'reject' }),
    'for another store': asked({ key: with_('carol'), session: foreignStore }),
    'a batch, with a stranger’s key': asked({ key: with_('mallory'), batch: true }),
    'a batch, with the maker’s key': asked({ key: with_('alice'), batch: true }),
    'a batch, with a key out of scope': asked({ key: with_('dave'), batch: true }),
    'a batch, under a policy of one’s own': asked({ key: with_('mallory'), session: selfMade, batch: true }),
  },
};
