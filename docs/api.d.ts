export type PayoutState =
  | "received"
  | "preparing"
  | "scheduled"
  | "held"
  | "awaiting-funds"
  | "awaiting-approval"
  | "converting"
  | "submitting"
  | "resolving"
  | "awaiting-bank-approval"
  | "processing"
  | "needs-operator"
  | "completed"
  | "failed"
  | "rejected"
  | "cancelled"
  | "returned";

export type IncidentKind =
  | "second-order"
  | "order-after-end"
  | "end-contradicted"
  | "order-changed"
  | "not-booked"
  | "booked-unpaid"
  | "booked-otherwise"
  | "booking-unexplained"
  | "returned";

export type Control = "running" | "paused" | "draining" | "cancelling";

export type BatchState =
  | "open"
  | "paused"
  | "cancelling"
  | "needs-operator"
  | "completed"
  | "completed-with-exceptions"
  | "cancelled";

export interface Accepted {
  /** false: the payment has ended */
  accepted: boolean;
}

export interface Batch {
  batchId: string;
  file: string;
  state: BatchState;
  control: Control;
  /** each row is in exactly one */
  counts: Counts;
  /** @format date-time */
  createdAt: string;
  /** rows that wait for people */
  attention: number;
  /** that nobody has acknowledged */
  incidents: number;
}

export interface BatchControl {
  batchId: string;
  control: Control;
}

export interface BatchReport {
  batchId: string;
  file: string;
  state: BatchState;
  control: Control;
  /** each row is in exactly one */
  counts: Counts;
  /** the maker */
  by: string | null;
  /** @format date-time */
  handedOverAt: string;
  /**
   * of the newest change
   * @format date-time
   */
  asOf: string;
  masked: boolean;
  /** why it was paused automatically */
  controlReason: string | null;
  totals: {
    currency: string;
    amount: string;
    completed: string;
  }[];
  states: {
    state: PayoutState;
    currency: string;
    payouts: number;
    amount: string;
  }[];
  accounts: (Movements & {
    accountId: string;
  })[];
  currencies: Movements[];
  exchanges: Exchanges[];
  payouts: ReportedPayout[];
  incidents: Incident[];
  /** rows that did not become payouts of it */
  refused: {
    row: number;
    line: number;
    findings: {
      column: string | null;
      rule: string;
      message: string;
    }[];
  }[];
  /** addresses, relative to that of the gateway; of the command: paths */
  reports: {
    csv: string;
    json: string;
    html: string;
    failed?: string;
    pain002?: string;
    pain002Stages?: string[];
  };
}

export interface Billing {
  email?: string;
  line1?: string;
  line2?: string;
  city?: string;
  state?: string;
  postcode?: string;
  /**
   * ISO 3166 alpha-2
   * @pattern ^[A-Z]{2}$
   */
  country?: string;
}

export interface CardDetails {
  /** 12 to 19 digits */
  number: string;
  /** 1 to 12 */
  expiry_month: string | number;
  /** two or four digits */
  expiry_year: string | number;
  /** @maxLength 4 */
  cvv?: string;
  holder_name?: string;
}

export interface CardPayment {
  merchant_request_id: string;
  state:
    | "received"
    | "awaiting-card"
    | "setting-up"
    | "awaiting-fingerprint"
    | "submitting"
    | "resolving"
    | "awaiting-cardholder"
    | "resuming"
    | "processing"
    | "needs-operator"
    | "succeeded"
    | "failed"
    | "cancelled";
  reason: Reason | null;
  /** of the acquirer */
  payment_id: string | null;
  /** likewise */
  payment_status: string | null;
  amount: string;
  currency: string;
  payment_type: "AUTH" | "DEBIT";
  /** first six digits */
  bin: string | null;
  last_four: string | null;
  /** where the cardholder's browser is sent */
  next_action: {
    type: string;
    verify_url: string;
  };
  /** of the acquirer, for the device fingerprint */
  data_collection_info: any;
  /** by POST .../again */
  can_pay_again: boolean;
  /** null for a client secret */
  workflow_id: string | null;
  /** in the Temporal UI; null for a client secret */
  url: string | null;
  /** @format date-time */
  created_at: string;
  /** @format date-time */
  ended_at: string | null;
  /** the acquirer later contradicted the end */
  contradicted: boolean;
}

/** each row is in exactly one */
export interface Counts {
  total: number;
  completed: number;
  failed: number;
  rejected: number;
  cancelled: number;
  /** completed, and all of the money came back */
  returned: number;
  needsOperator: number;
  open: number;
}

export interface CreatedCardPayment {
  card_payment: CardPayment;
  /** for its page; the previous one is void */
  client_secret: string;
  /** of an embedded sandbox */
  checkout_url: string | null;
}

export type DecisionAnswer =
  | {
      outcome: string;
      /** what was decided, and whose turn it is */
      says?: string;
    }
  | {
      refused: string;
    };

export interface DeviceInfo {
  ip?: string;
  /** BCP 47 */
  language?: string;
  screen_width?: number;
  screen_height?: number;
  user_agent?: string;
}

export interface Discrepancy {
  id: string;
  kind: string;
  says: string;
  accountId: string;
  day: string;
  ours: Money | null;
  booked: Money | null;
  isOpen: boolean;
  payout: {
    reference: string;
  };
  bookings: {
    /** for matchEntry */
    entry: string;
  }[];
}

export interface Exchanges {
  accountId: string;
  soldCurrency: string;
  boughtCurrency: string;
  exchanges: number;
  sold: string;
  bought: string;
  quoted: string;
}

export interface Finding {
  file: string;
  line: number;
  row: number | null;
  column: string | null;
  /** masked */
  value: string | null;
  rule: string;
  message: string;
  /** in an XML document */
  path?: string;
  /** rows with the same that are not listed */
  more?: number;
}

export interface Incident {
  row: number | null;
  reference: string;
  orderId: string;
  kind: IncidentKind;
  message: string;
  /** by which it is acknowledged */
  id: string;
  /** null: nobody has acknowledged it */
  acknowledged: {
    by: string;
    reason: string;
    /** @format date-time */
    at: string;
  };
}

/** One payout. Members as the columns of a file (docs/input.md); a payee has the fields that the bank asks for. */
export interface Instruction {
  id?: string;
  uid?: string;
  account_id?: string;
  amount?: string;
  currency?: string;
  beneficiary_id?: string;
  beneficiary_type?: string;
  payment_type?: string;
  note?: string;
  reason?: string;
  charge_type?: string;
  after_card_payment?: string;
  execute_on?: string;
  expires_at?: string;
  fee_cap?: string;
  max_slippage?: string;
  priority?: string;
  advice_to?: string;
  advice_language?: string;
  retry_of?: string;
  [key: string]: any;
}

export interface Money {
  amount: string;
  currency: string;
}

/** Members as columns of a file; account_id pays. */
export interface MoveInstruction {
  id?: string;
  /** of both accounts */
  uid?: string;
  account_id?: string;
  to_account_id?: string;
  /** of an exchange: what is bought */
  amount?: string;
  /** of an exchange: that of to_account_id; a transfer has that of its accounts */
  currency?: string;
  /** passed to the bank */
  note?: string;
  /** passed to the bank */
  reason?: string;
  /** date before which it is not sent */
  execute_on?: string;
  /** instant: end of the bank's audit */
  expires_at?: string;
  /** the highest fee, in its own currency */
  fee_cap?: string;
  /** how much worse the rate may get, as a fraction */
  max_slippage?: string;
  /** of max_rate */
  sell_currency?: string;
  /** the most that is sold for one unit of currency without asking people */
  max_rate?: string;
}

export interface Movements {
  currency: string;
  payouts: number;
  /** requested */
  amount: string;
  completed: string;
  /** booked, of payments and exchanges */
  fees: string;
  sold: string;
  bought: string;
  returned: string;
}

/** `after` of the next page; null: this is the last one */
export type Next = string | null;

export interface NextStep {
  /** reason code or, without one, the state */
  kind: string;
  why: string;
  /** who may act */
  who: string;
  todo: string;
  /** which do it; fill in words in capitals */
  requests: string[];
  /** what happens if nobody acts */
  byItself: string;
  /** @format date-time */
  since: string;
  /** @format date-time */
  until: string | null;
  /** when it is expected to be paid */
  arrives: string | null;
}

export interface Payout {
  /** null: handed over without a batch */
  batchId: string | null;
  /** data row of the file, from 1 */
  row: number | null;
  kind: "payout" | "transfer" | "exchange";
  uid: string;
  /** document number; with uid one payout for ever */
  id: string;
  reference: string;
  /** paying account */
  accountId: string;
  executeOn: string | null;
  amount: string;
  currency: string;
  /** once it is booked */
  fee: string | null;
  feeCurrency: string | null;
  state: PayoutState;
  reason: Reason | null;
  orderId: string | null;
  /** @format date-time */
  createdAt: string;
  /**
   * of its state
   * @format date-time
   */
  since: string;
}

export interface PayoutDetails {
  payout: Payout;
  /** null: it is completed */
  next: NextStep | null;
  orders: SentOrder[];
  returns: {
    orderId: string;
    amount: string;
    currency: string;
  }[];
  incidents: Incident[];
  /** the oldest first */
  timeline: PayoutEvent[];
}

export interface PayoutEvent {
  /** @format date-time */
  at: string;
  who: string;
  what: string;
  detail: string | null;
}

export interface PayoutPage {
  payouts: Payout[];
  /** `after` of the next page; null: this is the last one */
  next: Next;
}

export interface Payouts {
  payouts: Instruction[];
}

export interface Plan {
  plan: {
    hash: string;
    payouts: number;
    totals: any[];
  };
  findings: any[];
  warnings: any[];
}

export interface Problem {
  /** one for each code */
  type: string;
  title: string;
  status: number;
  detail: string;
  /** this request */
  instance: string;
  code: string;
  /** what to do about it; may be empty */
  hint: string;
  batchId?: string;
  /**
   * also the header x-request-id
   * @format uuid
   */
  requestId: string;
  error: {
    code: string;
    message: string;
    hint: string;
    batchId?: string;
  };
  findings: Finding[];
  /** the answer to a pain.001 that was refused */
  pain002?: string;
}

export interface Readiness {
  ready: boolean;
  parts: {
    store: "up" | "down";
    temporal: "up" | "down";
    bank: "up" | "down";
    workers?: "up" | "down";
  };
  /** parts that work but need attention */
  warnings: string[];
}

export interface Reason {
  code: string;
  message: string;
}

export interface ReportedPayout {
  /** data row, from 1 */
  row: number;
  uid: string;
  /** document number */
  id: string;
  reference: string;
  workflowId: string;
  state: PayoutState;
  orderId: string | null;
  payee: {
    name: string | null;
    /** masked */
    account: string | null;
    beneficiaryId: string | null;
  };
  accountId: string;
  /** in the currency of the payout */
  payingAccountId: string | null;
  amount: string;
  currency: string;
  /** once it is booked */
  fee: string | null;
  feeCurrency: string | null;
  exchange: {
    orderId: string | null;
    /** sold from */
    accountId: string;
    /** once it is booked */
    soldAmount: string | null;
    soldCurrency: string;
    /** once it is booked, that */
    boughtAmount: string;
    boughtCurrency: string;
    /** account */
    boughtTo: string;
    /** as the bank writes it */
    rate: string | null;
    /** sold by the quote */
    quotedAmount: string;
    fee: string | null;
    feeCurrency: string | null;
  };
  /** @format date-time */
  handedOverAt: string;
  /** requested date */
  executeOn: string | null;
  /** @format date-time */
  submittedAt: string | null;
  /** @format date-time */
  settledAt: string | null;
  /**
   * paid or not
   * @format date-time
   */
  endedAt: string | null;
  maker: string | null;
  approvals: {
    by: string;
    /** @format date-time */
    at: string;
    where: "before-submit" | "at-bank";
  }[];
  reason: Reason | null;
  /** null: it has ended */
  open: {
    why: string;
    who: string;
    /** @format date-time */
    until: string | null;
  };
  returns: {
    orderId: string;
    amount: string;
    currency: string;
    /** in the words of the bank */
    why: string | null;
  }[];
  incidents: {
    id: string;
    kind: IncidentKind;
    orderId: string;
    isAcknowledged: boolean;
  }[];
  /** in the Temporal UI */
  url: string;
}

/** one POST to the bank under a reference */
export interface SentOrder {
  kind: "payment" | "exchange" | "transfer";
  attempt: number;
  /** @format date-time */
  sentAt: string;
  /** null: no answer yet */
  outcome: string | null;
  orderId: string | null;
}

/** Statement about a question, and the signature over it (docs/production.md); required under a policy. */
export interface SignedDecision {
  id?: string;
  storeId?: string;
  question?: string;
  reference?: string;
  digest?: string;
  subject?: string;
  remark?: string;
  decision?: "approve" | "reject";
  signedAt?: number;
  expiresAt?: number;
  credential?: string;
  signature?: string;
}
