/**
 * One row of a batch: one payout asked for. Field names are the file's columns and the interface's own, snake_case.
 * Contract: docs/input.md.
 */
export interface PayoutInstruction {
  /** The ERP's own document number; with `uid` the identity of the payout. */
  id: string;
  uid: string;
  /** Account that pays, also in a transfer or an exchange. In another currency than `currency` it means: convert first. */
  account_id: string;
  /** Decimal string, at most as many decimals as ISO 4217 gives `currency`. */
  amount: string;
  currency: string;
  /** Of a transfer or an exchange, and of nothing else: the account that receives. No column of a file. */
  to_account_id?: string;
  beneficiary_id?: string;
  beneficiary_type?: string;
  payment_type?: string;
  note?: string;
  reason?: string;
  charge_type?: string;
  after_card_payment?: string;
  /** ISO 8601 date: not submitted before it. */
  execute_on?: string;
  /** ISO 8601 instant: sent to the bank as `expired_at`. */
  expires_at?: string;
  /** Highest fee accepted, decimal string in the fee's own currency. */
  fee_cap?: string;
  /** Highest worsening of the exchange rate accepted, as a fraction ("0.01" is one per cent). */
  max_slippage?: string;
  /** `high` is released, and given money that is short, before `normal` (absent). Never sent to the bank. */
  priority?: string;
  /** Reference of the earlier payout of this document that is proven unpaid and paid again by this row. */
  retry_of?: string;
  /** Beneficiary detail fields (interface section 2, required-details), e.g. `account_no`. */
  [beneficiaryField: string]: string | undefined;
}

/** What surrounds an instruction in the input of its workflow. */
interface Surroundings {
  batchId?: string;
  /** The maker. */
  by?: string;
  generation?: number;
}

/** Input of the workflow type `payout`: the instruction's fields and who handed it over. */
export interface PayoutInput extends Surroundings {
  [field: string]: string | number | undefined;
}

/** Columns with a meaning of their own; every other column is a beneficiary field. */
export const INSTRUCTION_FIELDS = [
  'id',
  'uid',
  'account_id',
  'amount',
  'currency',
  'beneficiary_id',
  'beneficiary_type',
  'payment_type',
  'note',
  'reason',
  'charge_type',
  'after_card_payment',
  'execute_on',
  'expires_at',
  'fee_cap',
  'max_slippage',
  'priority',
  'retry_of',
] as const;

/** Release order of a priority: smaller comes first. */
export const priorityRank = (priority: string | undefined): number => (priority === 'high' ? 0 : 1);

/** The same as a set; a name that is not in it is a beneficiary field. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(INSTRUCTION_FIELDS);
/** A member that is missing here would be taken for a detail of the payee. */
const SURROUNDINGS = { batchId: true, by: true, generation: true } satisfies Record<keyof Surroundings, true>;

/** Column names treated as one field; the bank names the one it wants in required-details (interface section 2). */
export const CITY_FIELDS: readonly string[] = ['address_city', 'address_suburb'];

/** The beneficiary detail fields of an instruction: everything that is not a column of our own, blanks left out. */
export function beneficiaryFields(instruction: PayoutInstruction): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(instruction)) {
    if (!OWN_FIELDS.has(name) && typeof value === 'string' && value !== '') fields[name] = value;
  }
  return fields;
}

/** What the workflow of a claimed row is started with: what an operator reads in the UI. The rest stays in the store. */
const CLAIMED_FIELDS: ReadonlySet<string> = new Set(['id', 'uid', 'account_id', 'amount', 'currency']);

/** Whether an instruction says no more than the workflow of a claimed row is started with. */
export const isClaimedBriefly = (instruction: PayoutInstruction): boolean =>
  Object.keys(instruction).every((name) => CLAIMED_FIELDS.has(name));

/** What tells one payout from another, in one line: `INV-4711: 1250.00 USD`. */
export const payoutTitle = ({ id = '', amount = '', currency = '' }: PayoutInstruction | PayoutInput): string =>
  `${id}: ${amount} ${currency}`;

/** The input of the workflow type `payout` for a row: brief for one that a batch has claimed. */
export function payoutInput(row: {
  instruction: PayoutInstruction;
  batchId: string | null;
  by: string | null;
  generation: number;
}): Record<string, string | number> {
  const fields = Object.entries(row.instruction).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (row.batchId === null || CLAIMED_FIELDS.has(entry[0])),
  );
  return {
    ...Object.fromEntries(fields),
    ...(row.batchId === null ? {} : { batchId: row.batchId }),
    ...(row.by === null ? {} : { by: row.by }),
    ...(row.generation === 0 ? {} : { generation: row.generation }),
  };
}

/**
 * Splits a workflow input into the instruction (blank fields left out) and what surrounds it. Anybody can start a workflow with
 * anything: a `generation` that is no whole number from 0 is undefined, and "1" is none.
 */
export function splitInput(input: PayoutInput): {
  instruction: PayoutInstruction;
  by: string | undefined;
  generation: number | undefined;
} {
  const instruction: Record<string, string> = {};
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(SURROUNDINGS, name) && value !== undefined && value !== '') instruction[name] = String(value);
  }
  const { by, generation = 0 } = input;
  const isWhole = Number.isSafeInteger(generation) && generation >= 0 && !Object.is(generation, -0);
  return { instruction: instruction as PayoutInstruction, by, generation: isWhole ? generation : undefined };
}
