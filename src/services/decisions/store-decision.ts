import type { ScopeFacts, SignedDecision } from '../../domain/authority.ts';
import { auditRefusal, type VerdictDeps, whyDecisionIsVoid } from './verdict.ts';

/** Stores a signed decision before it is carried out. Returns why it does not count, which is then in the audit. */
export async function storeDecision(
  authority: VerdictDeps,
  signed: SignedDecision,
  touched?: ScopeFacts,
): Promise<string | undefined> {
  const { store, now } = authority;
  const why = await whyDecisionIsVoid(authority, signed, touched);
  if (why === undefined && (await store.takeSignedDecision(signed, now()))) return undefined;
  const refusal = why ?? 'this decision was already submitted';
  await auditRefusal(authority, signed.reference, signed, refusal);
  return refusal;
}
