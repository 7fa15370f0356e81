import type { Beneficiary } from '../../api/schemas/beneficiaries.ts';
import { beneficiaryFields } from '../../domain/instruction.ts';
import { approvalDigest, payloadDigest } from '../../identity.ts';
import { maskedPayee } from '../../reports/masked.ts';
import { openQuestion } from '../../services/decisions/open-question.ts';
import { signedParts } from '../../services/decisions/signed-parts.ts';
import { approvedBy, type SignedQuestion } from '../../services/decisions/verdict.ts';
import { checksShown, type ShownCheck } from '../../services/payee-checks.ts';
import type { BookedExchange, PayoutRecord, ReturnRecord } from '../../store/store.ts';
import type { PagesContext } from './pages-context.ts';

export interface PayoutShown {
  row: PayoutRecord;
  /** Undefined: it asks nothing now. */
  asked: SignedQuestion | undefined;
  approvedBy: readonly string[];
  payee: ReturnType<typeof payeeShown>;
  checks: readonly ShownCheck[];
  /** Undefined: no exchange was booked. */
  booked: BookedExchange | undefined;
  returns: readonly ReturnRecord[];
  /** Whether the digest to sign matches what is shown: the same reading of the bank, the same caps. */
  isWhatIsSigned: boolean;
}

export async function payoutShown(context: PagesContext, row: PayoutRecord): Promise<PayoutShown> {
  const { deps, policy } = context;
  const { store, pages } = deps;
  const { beneficiary_id: id } = row.instruction;
  const asked = await openQuestion(store, row);
  const payee = id === undefined ? undefined : await pages.beneficiary(id);
  const [booked] = await store.bookedExchangesOf([row.reference]);
  return {
    row,
    asked,
    approvedBy: await approvedBy(context.authority, row, asked),
    payee: payeeShown(row, payee),
    checks: await checksShown(store, row),
    booked,
    returns: await store.returnsOf([row.reference]),
    isWhatIsSigned: policy === undefined || digestShown(row, payee, pages.settings.terms) === row.assessed?.digest,
  };
}

/** The digest of what the page shows. If the reading met an obstacle, it covers only the row. */
function digestShown(
  row: PayoutRecord,
  payee: Beneficiary | undefined,
  terms: Parameters<typeof signedParts>[2],
): string {
  const { instruction, assessed } = row;
  if (assessed?.obstacle !== undefined) return payloadDigest(instruction);
  return approvalDigest(signedParts(row, { ...assessed, payee }, terms));
}

/** Name and account are masked; `isUnknown`: the bank does not show the payee that the row names. */
function payeeShown({ instruction }: PayoutRecord, atBank: Beneficiary | undefined) {
  const { beneficiary_id: id } = instruction;
  const masked = maskedPayee(id === undefined ? beneficiaryFields(instruction) : (atBank?.items ?? {}));
  return { id, ...masked, isUnknown: id !== undefined && atBank === undefined };
}
