import type { Hash } from '../audit/merkle.ts';
import type { SignedDecision } from '../domain/authority.ts';
import type { PayeeCheck } from '../domain/payee-check.ts';
import type { Json } from './json-columns.ts';

/** Tables of what people decide, and of what they look at before. */
export interface DecisionTables {
  decisions: DecisionTable;
  signedDecisions: SignedDecisionTable;
  planRows: PlanRowTable;
  payees: SeenPayee;
  payeePayments: PayeePayment;
  payeeChecks: KeptCheck;
}

export const DECISION_JSON = { planRows: { path: true } } as const;

interface SignedDecisionTable extends SignedDecision {
  takenAt: number;
  /** Of a decision that is carried out once. */
  usedAt: number | null;
}

/** A payee as the bank showed it last. */
export interface SeenPayee {
  uid: string;
  /** The bank's. */
  payeeId: string;
  digest: string;
  name: string | null;
  /** The name as it looks to people, as it is written and in small letters. */
  nameAsShown: string | null;
  nameInSmall: string | null;
  /** ISO 3166 alpha-2. */
  country: string | null;
  /** First. */
  seenAt: number;
  /** When it was first seen to be another than before; null: it never was. */
  changedAt: number | null;
}

/** A payout that was completed, and whom it paid. */
export interface PayeePayment {
  reference: string;
  uid: string;
  payeeId: string;
  /** Of the payee as it was read last before. */
  digest: string;
  amount: string;
  currency: string;
  paidAt: number;
}

/** What a provider has said of a payee, last. */
export interface KeptCheck extends Omit<PayeeCheck, 'digest'> {
  uid: string;
  /** Of a close match: the name that was asked about, and the one that the account is held under. */
  name: string | null;
  otherName: string | null;
  /** What the provider calls its answer. */
  caseId: string | null;
  /** Of an answer that did not come about. */
  why: string | null;
}

/** A row that a signed plan stands for. */
interface PlanRowTable {
  /** Digest of the plan: what is signed. */
  plan: string;
  reference: string;
  digest: string;
  leafIndex: number;
  /** Proof that the row is in it. */
  path: Json<readonly Hash[]>;
}

/** Who approved what is paid under a digest: names that were believed, where no policy asks for signatures. */
interface DecisionTable {
  reference: string;
  digest: string;
  by: string;
  at: number;
}
