import type { Bank } from '../api/bank.ts';
import type { Policy } from '../domain/authority.ts';
import type { BusinessCalendar } from '../domain/business-days.ts';
import type { CardTerms } from '../domain/card-terms.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { ApprovalRule, Terms } from '../domain/policy.ts';
import type { Store } from '../store/store.ts';
import type { Executions } from './executions.ts';

/** What the worker is set to; durations in ms, our own waits already scaled. */
export interface WorkerSettings {
  /** What a payout obeys whose row says nothing else. */
  terms: Terms;
  /** Where no policy is set: names are believed. */
  approvalRules: readonly ApprovalRule[];
  /** Who may move money; decisions count when they are signed. Absent: a trial, in which names are believed. */
  policy?: Policy | undefined;
  /** A transfer may go to an account of another user that the key sees. */
  transferAcrossUsers: boolean;
  /** Days on which nothing is due; absent: every day is a business day. */
  calendar: BusinessCalendar | undefined;
  /** How far the bank's clock may be off; widens every list window. Never scaled. */
  clockSkewMs: number;
  /** First pause between sweeps of the order watch. */
  sweepMs: number;
  sweepMaxMs: number;
  /** Orders open for longer are looked up one by one. */
  sweepWindowMs: number;
  /** Records asked for per page. */
  pageSize: number;
  /** Payouts of one batch between release and the acceptance of their order. */
  window: number;
  /** Payouts with an order open at the bank, over all batches: at this many none is released. */
  openOrders: number;
  /** Pause between two looks of a batch at its rows. */
  batchPulseMs: number;
  /** A released row without news for this long has its workflow described. */
  quietRowMs: number;
  /** How often a running batch looks for rows whose workflow is gone, and for watches that are missing. */
  quietCheckMs: number;
  /** How long after its last change a payout is compared with the bank's orders. Never scaled. */
  reconcileDays: number;
  /** Pause between two passes of the reconciliation. */
  reconcileEveryMs: number;
  cardTerms: CardTerms;
}

export interface ActivityDeps {
  bank: Bank;
  store: Store;
  executions: Executions;
  settings: WorkerSettings;
  now: () => number;
  /** Rules of an instruction (`src/rules`), injected because activities do not import readers. Empty: no finding. */
  checkInstruction(instruction: PayoutInstruction, kind: PayoutKind): readonly { rule: string; message: string }[];
  /** Throws when the store belongs to another bank or namespace than this worker (checked before every POST). */
  assertIdentity(): Promise<void>;
}
