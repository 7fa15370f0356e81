import { refusalOfStatement } from '../../domain/authority.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import { payloadDigest } from '../../identity.ts';
import { isSigned } from '../../signing/ed25519.ts';
import type { Authority } from './verdict.ts';

/** Whether the policy lets somebody start it by hand: whom it names as the maker has signed just this. True without a policy. */
export async function isMade(
  { store, settings: { policy }, now }: Authority,
  { reference, instruction, by }: { reference: string; instruction: PayoutInstruction; by: string | undefined },
): Promise<boolean> {
  if (policy === undefined) return true;
  const { uid, account_id: accountId, currency } = instruction;
  const context = { storeId: store.id, now: now(), touches: { uid, accountId, currency } };
  const made = await store.signedDecisionsOf({ reference, question: 'make', digest: payloadDigest(instruction) });
  return made.some(
    (signed) =>
      signed.subject === by && isSigned(policy, signed) && refusalOfStatement(policy, signed, context) === undefined,
  );
}
