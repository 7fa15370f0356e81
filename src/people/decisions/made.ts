import { may, personOf, type ScopeFacts, scopeFactsOf } from '../../domain/authority.ts';
import { payloadDigest, referenceOf } from '../../domain/identity.ts';
import { mainLegOf } from '../../domain/names.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { isRowOfPlan } from '../signing/plan.ts';
import { type VerdictDeps, whyDecisionIsVoid } from './verdict.ts';

/** What the policy in force says of a row's maker, whatever the store says of what was allowed when it was claimed. */

/** Whether the maker may hand this row over by the policy in force; true without one. */
export const isMakerAllowed = (
  { settings: { policy } }: Pick<VerdictDeps, 'settings'>,
  { by }: Pick<PayoutRecord, 'by'>,
  touched: ScopeFacts,
): boolean => policy === undefined || may(personOf(policy, by), 'make', touched);

/**
 * Whether its named maker has signed exactly this row, by itself or with its batch, or the policy takes rows in that name
 * unsigned. Otherwise whoever writes to the store may have made or changed it. True without a policy.
 */
export async function isMade(authority: VerdictDeps, row: PayoutRecord, touched: ScopeFacts): Promise<boolean> {
  const { policy } = authority.settings;
  if (policy === undefined) return true;
  if (!isOneDocument(row)) return false;
  if (personOf(policy, row.by)?.unsigned === true) return isMakerAllowed(authority, row, touched);
  const { store } = authority;
  const { reference, batchId, instruction, by } = row;
  const about = { reference, question: 'make', digest: payloadDigest(instruction) } as const;
  const planned = batchId === null ? [] : await store.plannedDecisionsOf({ ...about, batchId });
  const ofThisRow = planned.filter(
    ({ digest, rowDigest, inclusion }) =>
      rowDigest === about.digest && isRowOfPlan(digest, { reference, digest: rowDigest }, inclusion),
  );
  for (const signed of [...(await store.signedDecisionsOf(about)), ...ofThisRow]) {
    if (signed.subject !== by || signed.decision !== 'approve') continue;
    if ((await whyDecisionIsVoid(authority, signed, touched, { isTaken: true })) === undefined) return true;
  }
  return false;
}

/**
 * Whether the row is the document under whose reference it is found, with texts and nothing else: its signatures are about that
 * reference, and its orders go out under it. A blank text is refused: its signatures leave it out, but a cap would be none.
 */
export function isOneDocument({ reference, kind, uid, documentId, generation, instruction }: PayoutRecord): boolean {
  const isOf = instruction.uid === uid && instruction.id === documentId;
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const areTexts = Object.values(instruction).every((value) => value === undefined || isText(value));
  return isOf && areTexts && reference === referenceOf(uid, documentId, mainLegOf(kind), generation);
}

/** Whether a payout may be started by hand: its named maker has just signed exactly this instruction. True without a policy. */
export async function isSignedByMaker(
  authority: VerdictDeps,
  { kind, reference, instruction, by }: Pick<PayoutRecord, 'kind' | 'reference' | 'instruction'> & { by?: string },
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
