import type { Question, SignedDecision } from '../../src/domain/authority.ts';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../src/domain/instruction.ts';
import { mainOrderKindOf, type PayoutKind } from '../../src/domain/names.ts';
import type { PayoutStateView } from '../../src/workflows/messages.ts';
import { type SigningPerson, signedBy } from './people.ts';
import { DEFAULT_INSTRUCTION, DEFAULT_MOVES, type Product } from './product.ts';

type Handle = Awaited<ReturnType<Product['start']>>;

/** What somebody has handed over, as a channel does it: with the maker's signature in the store. */
export async function handedOver(
  product: Product,
  maker: SigningPerson,
  id: string,
  { kind = 'payout', ...more }: Partial<PayoutInstruction> & { kind?: PayoutKind } = {},
): Promise<Handle> {
  const instruction = { ...(kind === 'payout' ? DEFAULT_INSTRUCTION : DEFAULT_MOVES[kind]), id, ...more };
  const reference = referenceOf(instruction.uid, id, mainOrderKindOf(kind));
  const about = { storeId: product.store.id, question: 'make', reference, digest: payloadDigest(instruction) } as const;
  await product.store.takeSignedDecision(signedBy(maker, about), Date.now());
  return product.start({ id, ...more }, { by: maker.name, kind });
}

export const viewOf = (handle: Handle): Promise<PayoutStateView> => handle.query<PayoutStateView>('state');

/** A person's signature about what is asked now. */
export async function signedFor(
  product: Product,
  handle: Handle,
  person: SigningPerson,
  more: Partial<SignedDecision> = {},
): Promise<SignedDecision> {
  const { reference, awaited } = await viewOf(handle);
  const { kind, digest } = awaited ?? { kind: 'payout', digest: '' };
  return signedBy(person, { storeId: product.store.id, question: kind as Question, reference, digest, ...more });
}

/** The update that the command sends with a decision that was signed. */
export async function decide(handle: Handle, signed: SignedDecision): Promise<string> {
  // On a busy machine a run may have its workflow task, and with it `prepare`, done twice: the claim is taken anew.
  for (let tries = 1; ; tries += 1) {
    const reported = await decideOnce(handle, signed);
    if (!reported.includes('send it again') || tries === 20) return reported;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

export async function decideOnce(handle: Handle, signed: SignedDecision): Promise<string> {
  const { id: decisionId, decision, subject: by, remark } = signed;
  const update = { decisionId, decision, by, remark, signed };
  return handle
    .executeUpdate<{ outcome: string; missing: number }, [typeof update]>('decide', { args: [update] })
    .then(({ outcome, missing }) => `${outcome} ${missing}`)
    .catch((error: { cause?: { message?: string } }) => `refused: ${error.cause?.message}`);
}
