import { scopeFactsOf } from '../../domain/authority.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import type { PayoutKind } from '../../domain/names.ts';
import { payloadDigest } from '../../identity.ts';
import { type VerdictDeps, whyDecisionIsVoid } from './verdict.ts';

/** Whether a payout may be started by hand: its named maker has signed exactly this instruction. True without a policy. */
export async function isSignedByMaker(
  authority: VerdictDeps,
  {
    kind,
    reference,
    instruction,
    by,
  }: { kind: PayoutKind; reference: string; instruction: PayoutInstruction; by: string | undefined },
): Promise<boolean> {
  const { store, settings } = authority;
  if (settings.policy === undefined) return true;
  const touched = scopeFactsOf(kind, instruction);
  const made = await store.signedDecisionsOf({ reference, question: 'make', digest: payloadDigest(instruction) });
  for (const signed of made) {
    if (signed.subject === by && (await whyDecisionIsVoid(authority, signed, touched)) === undefined) return true;
  }
  return false;
}
