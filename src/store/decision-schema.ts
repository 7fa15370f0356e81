import type { SignedDecision } from '../domain/authority.ts';
import type { PayeeCheck } from '../domain/payee-check.ts';
import type { Hash } from './audit/merkle.ts';
import type { Json } from './engine/json-columns.ts';

/** Tables of decisions and of what people look at before deciding. */
export interface DecisionTables {
  decisions: DecisionTable;
  signedDecisions: SignedDecisionTable;
  planRows: PlanRowTable;
  payees: SeenPayee;
  payeePayments: PayeePayment;
  payeeChecks: KeptCheck;
}

interface SignedDecisionTable extends SignedDecision {
  takenAt: number;
  /** When a decision that counts once was carried out; null before. */
  usedAt: number | null;
}

/** A beneficiary as the bank last showed it. */
export interface SeenPayee {
  uid: string;
  /** Beneficiary id. */
  payeeId: string;
  digest: string;
  name: string | null;
  /** Skeletons of the name for look-alike comparison: as written, and in lower case. */
  nameAsShown: string | null;
  nameInSmall: string | null;
  /** ISO 3166 alpha-2. */
  country: string | null;
  /** When first seen. */
  seenAt: number;
  /** When a change of its details was last seen; null: never. */
  changedAt: number | null;
}

/** A completed payout and its payee. */
export interface PayeePayment {
  reference: string;
  uid: string;
  payeeId: string;
  /** Digest of the payee as last read before payment. */
  digest: string;
  amount: string;
  currency: string;
  paidAt: number;
}

/** A provider's latest verdict on a payee. */
export interface KeptCheck extends Omit<PayeeCheck, 'digest'> {
  uid: string;
  /** For a close match: the name that was checked, and the account holder's name. */
  name: string | null;
  otherName: string | null;
  /** The provider's id of its answer. */
  caseId: string | null;
  /** Why no answer came; null otherwise. */
  why: string | null;
}

interface PlanRowTable {
  /** The signed digest of the plan. */
  plan: string;
  reference: string;
  digest: string;
  leafIndex: number;
  /** Inclusion proof of the row. */
  path: Json<readonly Hash[]>;
}

/** Who approved what is paid under a digest, by unverified name: used only where no policy requires signatures. */
interface DecisionTable {
  reference: string;
  digest: string;
  by: string;
  at: number;
}
