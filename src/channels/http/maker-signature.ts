import type { SignedDecision } from '../../domain/authority.ts';
import { Problem } from '../../domain/problem.ts';
import type { TakeOptions } from '../../files/intake/read.ts';
import { type VerdictDeps, whyDecisionIsVoid } from '../../people/decisions/verdict.ts';
import type { Caller } from './callers.ts';

/**
 * The id of the batch that a maker has signed the rows of. Throws a `Problem` if the signature is not theirs, or if the batch is
 * somebody else's.
 */
export async function batchSigned(authority: VerdictDeps, caller: Caller, signed: SignedDecision): Promise<string> {
  const { reference, subject } = signed;
  const made = await authority.store.batch(reference);
  const isTheirs = subject === caller.name && (made === undefined || made.by === subject);
  const why = isTheirs ? await whyDecisionIsVoid(authority, signed) : 'it is not in your name';
  if (why === undefined) return reference;
  throw new Problem('forbidden', 'decision-refused', `The signature does not count: ${why}.`);
}

/** For taking rows that their maker has signed, or is about to sign once the plan is known. */
export function signedIntake(
  willSign: boolean,
  signed: SignedDecision | undefined,
): Pick<TakeOptions, 'sign' | 'willSign'> {
  if (signed === undefined) return { willSign };
  const sign: TakeOptions['sign'] = ({ storeId, reference, digest }) => {
    if (signed.storeId === storeId && signed.reference === reference && signed.digest === digest) return signed;
    throw new Problem('conflict', 'signed-something-else', 'What was signed is not what would be paid now.', {
      hint: 'Run the command again.',
    });
  };
  return { sign };
}
