/**
 * What the checker receives about one run, of any origin: the simulation, or a run of the real stack. Plain JSON. Money is
 * decimal text, times are epoch milliseconds of one clock (the runner's). What a runner cannot see stays empty or null;
 * the rule that needs it is then not checked.
 */
export interface Observation {
  settings: ObservedSettings;
  accepted: AcceptedInstruction[];
  /** Every order the bank has, foreign ones included. */
  orders: BankOrder[];
  /** Every write the bank received, in the order of receipt, with any outcome. */
  posts: ReceivedPost[];
  beneficiaries: BankBeneficiary[];
  /** Fees of payments over time, oldest first; empty: not known. */
  fees: FeeFrom[];
  accounts: AccountBooks[];
  /** Send attempts as the product recorded them. */
  attempts: RecordedAttempt[];
  /** Senders that were given a task, whether or not they came to a record. */
  senders: SeenSender[];
  /** One per accepted instruction, as reported at the end. */
  rows: ReportedRow[];
  /** States a row was seen in, oldest first; repetitions may be left out. */
  statesSeen: StateSeen[];
  /** Returned by workflows of payouts, oldest first. */
  results: WorkflowResult[];
  /** Runs that did not end by themselves: a payout may ask people why. */
  interruptions: Interruption[];
  decisions: PeopleDecision[];
  /** The product's audit log. */
  audits: AuditSeen[];
  /** Orders that the product noted as asked for by nobody, or as second ones. */
  notedOrders: string[];
  /** Requests the bank received, by minute, without the further pages of a list; empty: not counted. */
  traffic: TrafficMinute[];
  /** When what was switched off, oldest first. */
  switches: SwitchSpell[];
  /** When the store was replaced by an older copy of itself, oldest first. */
  restores: number[];
  /** Those of them with which Temporal went back to the same moment; absent: none. */
  rollbacks?: number[];
  /** When a further home, from 1 on, was taken into use: a copy of the first one, or a new one; absent: there is one home. */
  homes?: { home: number; from: number }[];
  /** When what the bank shows was last compared with what has ended; absent: it was not, at the end of the run. */
  comparedAt?: number;
  /** What became of activities that executions of somebody else have scheduled. */
  foreignCalls: ForeignCall[];
  calm: CalmPhase;
}

/** `done`: it was neither refused nor answered with "not sent". */
export interface ForeignCall {
  at: number;
  /** The payout that it names. */
  reference: string;
  name: string;
  done: boolean;
}

/** A kill switch from the moment in which it was off for certain (null: never) to the one in which it was asked on again. */
export interface SwitchSpell {
  scope: 'everything' | 'uid' | 'account' | 'currency' | 'payee';
  key: string;
  from: number | null;
  to: number | null;
}

interface ObservedSettings {
  referenceDedupe: 'assumed' | 'verified' | 'none';
  /** What the status CLOSED was configured to mean. */
  closedMeans: 'unclear' | 'paid' | 'failed';
  /** Proof window: late commit and list lag, as configured for the run (scaled). */
  lateCommitMs: number;
  listLagMs: number;
  approvalRules: ObservedApprovalRule[];
  /** Longest time between the record of an attempt and its receipt; null: not checked (paused machines). */
  sendDelayMaxMs: number | null;
  /** False: the clocks are too far apart for a list to prove that an order is not there. */
  provesAbsence: boolean;
  /** Least time between the two reads that prove "no money"; absent: a bank that changes its mind later is not distinguished. */
  noMoneyRecheckMs?: number;
  /** The bank shows every reference otherwise than it was sent, always in the same way. */
  isSpellingSame?: boolean;
  /** How far behind the statuses of the list are; absent: not at all. */
  statusLagMs?: number;
  /** How old a read of the bank's list may be when something is sent that follows from it; absent: not at all. */
  readAgeMs?: number;
}

export interface ObservedApprovalRule {
  currency?: string;
  amountAtLeast?: string;
  newPayee?: boolean;
  approvals: number;
}

export interface AcceptedInstruction {
  /** A document that is an exchange itself; absent: a payout. */
  kind?: 'exchange';
  uid: string;
  id: string;
  generation: number;
  accountId: string;
  amount: string;
  currency: string;
  /** Absent: the payee is named by its fields. */
  beneficiaryId?: string;
  /** Who handed it over; null: nobody is named. */
  maker: string | null;
  /** Reference of the exchange of its batch that buys for it. */
  boughtBy?: string;
  /** When it was last asked for, of a generation above 0. */
  askedAt?: number;
}

export interface BankOrder {
  orderId: string;
  /** `client_order_id`; null for an order without one. */
  reference: string | null;
  /** The reference as it was sent, where the runner knows it. */
  askedAs?: string | null;
  /** The order that the bank repaired by making this one. */
  reissues?: string;
  /** It had another id before, and was open then. */
  isRenumbered?: true;
  /** What its record shows since then otherwise than it was. */
  drift?: { at: number; field: string };
  type: 'PAYMENT' | 'FX' | 'TRANSFER' | 'REFUND';
  direct: 'IN' | 'OUT';
  uid: string;
  /** Account debited (of an exchange: the one sold), or credited by a refund. */
  accountId: string;
  /** Of an exchange: what is bought. */
  currency: string;
  amount: string;
  fee: string;
  feeCurrency: string;
  createdAt: number;
  /** When every list of the bank shows it; later than `createdAt` by the list's lag. */
  listedAt: number;
  /** Oldest first; the last one is the status at the end of the run. */
  statuses: { at: number; status: string }[];
  /** Money left the account for good (for a refund: came in) by the end of the run. */
  moneyMoved: boolean;
}

export interface ReceivedPost {
  route: 'payment' | 'fx' | 'transfer' | 'beneficiary' | 'approve' | 'reject';
  /** Order id in the path of a decision; null otherwise. */
  orderId: string | null;
  receivedAt: number;
  /** The parsed body; null when it was no JSON object. */
  body: Record<string, unknown> | null;
  /** When the bank did what was asked; null: it never did. */
  committedAt: number | null;
  /** Order or beneficiary it made or, for a bank that recognises a reference, the one it named. */
  madeId: string | null;
  /** What was answered, delivered or not; null: nothing whole. `code`: of the envelope, null when there was none. */
  answered: { httpStatus: number; code: number | null } | null;
  /** The home whose worker sent it; absent: the first. */
  home?: number;
  /** It came in for another customer of the bank. */
  isElsewhere?: boolean;
}

export interface BankBeneficiary {
  id: string;
  uid: string;
  createdAt: number;
  /** Details over time, oldest first. */
  versions: { from: number; items: Record<string, string> }[];
}

export interface FeeFrom {
  from: number;
  fee: string;
  feeCurrency: string;
  /** Currency of the payments it is for. */
  currency: string;
}

export interface AccountBooks {
  accountId: string;
  currency: string;
  /** Balance and held amount together. */
  opening: string;
  balance: string;
  held: string;
  /** Signed; everything that moved money for good or holds it now. */
  entries: {
    at: number;
    kind: 'payment' | 'fee' | 'sold' | 'bought' | 'refund' | 'deposit';
    orderId: string | null;
    amount: string;
  }[];
}

export interface RecordedAttempt {
  reference: string;
  attempt: number;
  recordedAt: number;
  /** By the clock of its sender, before it was recorded: from then on it lives. Absent: when it was recorded. */
  sentAt?: number;
  outcome: string | null;
  /** When the outcome was recorded; absent: not known. */
  outcomeAt?: number;
  orderId: string | null;
  /** The home that recorded it; absent: the first. */
  home?: number;
}

export interface SeenSender {
  /** When it was given the task. */
  at: number;
  /** When it began with it; null: never. */
  begunAt: number | null;
  reference: string;
}

export interface ReportedRow {
  reference: string;
  uid: string;
  id: string;
  generation: number;
  state: string;
  reasonCode: string | null;
  orderId: string | null;
  amount: string;
  currency: string;
  fee: string | null;
  feeCurrency: string | null;
  /** When it came into its end; null while it has none. */
  endedAt: number | null;
  returns: { orderId: string; amount: string; currency: string }[];
}

export interface StateSeen {
  at: number;
  reference: string;
  state: string;
}

export interface WorkflowResult {
  at: number;
  reference: string;
  /** Null: the workflow failed, which only a misuse may do. */
  state: string | null;
  orderId: string | null;
  failure: string | null;
}

export interface Interruption {
  at: number;
  reference: string;
  kind: 'reset' | 'terminated';
  /** The row was with an operator then: a new run asks people before it sends anything. */
  whileParked: boolean;
}

/** One thing a person did. */
export interface PeopleDecision {
  at: number;
  reference: string;
  by: string;
  action: 'approve' | 'reject' | 'cancel' | 'keep-looking' | 'adopt-order' | 'resend' | 'close-as-not-paid';
  /** What was asked of people at that moment, and when this very question (by its digest) was first asked; null: nothing. */
  question: { kind: 'payout' | 'bank' | 'hold'; askedAt: number } | null;
  /** The question was still open, or answered by this, when it had come for certain; absent: not known. */
  wasInTime?: boolean;
  /** What the payout answered to an update that said it; absent: it was refused, or said by a signal. */
  reported?: string;
}

export interface AuditSeen {
  at: number;
  actor: string;
  action: string;
  /** Order id named in the detail; null when there is none. */
  orderId: string | null;
}

export interface TrafficMinute {
  /** Epoch minute. */
  minute: number;
  requests: number;
}

interface CalmPhase {
  /** When faults stopped. */
  from: number;
  /** When the run was cut off or everything had ended. */
  until: number;
  /** Longest time allowed between the two. */
  boundMs: number;
  /** Whether every row had an end, or was with an operator and stayed so, before the bound. */
  settled: boolean;
}
