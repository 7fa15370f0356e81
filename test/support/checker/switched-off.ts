import type { Facts, ReferenceFacts, Violation } from './facts.ts';
import type { ReceivedPost, SwitchSpell } from './observation.ts';

/** I18: no order is sent by a sender that began while a switch that is about it was off. */
export function switchedOff(facts: Facts): Violation[] {
  return facts.payouts.flatMap(({ instruction, payment, exchange }) =>
    [payment, exchange].flatMap((reference) => sentWhileOff(facts, instruction.uid, reference)),
  );
}

function sentWhileOff({ switches }: Facts, uid: string, { reference, posts, attempts }: ReferenceFacts): Violation[] {
  // A switch is thrown in the first home, and a copy may have been made before.
  const own = posts.filter(({ home = 0 }) => home === 0);
  return own.flatMap((post): Violation[] => {
    const began = Math.max(
      ...attempts.filter(({ recordedAt }) => recordedAt <= post.receivedAt).map(({ recordedAt }) => recordedAt),
    );
    const off = switches.find(
      ({ from, to, ...it }) =>
        from !== null && from < began && post.receivedAt < (to ?? Number.POSITIVE_INFINITY) && isAbout(it, uid, post),
    );
    if (off === undefined) return [];
    return [{ invariant: 'I18', reference, message: `sent while ${off.scope} was switched off` }];
  });
}

function isAbout({ scope, key }: Pick<SwitchSpell, 'scope' | 'key'>, uid: string, { body }: ReceivedPost): boolean {
  switch (scope) {
    case 'everything':
      return true;
    case 'uid':
      return key === uid;
    case 'account':
      return [body?.account_id, body?.sell_account, body?.buy_account].includes(key);
    case 'currency':
      return body?.currency === key;
    case 'payee':
      return body?.beneficiary_id === key;
  }
}
