/**
 * One row of a batch: one requested payout. Field names are the file's columns and the interface's own, snake_case. Contract:
 * docs/input.md.
 */
export interface PayoutInstruction {
  /** The ERP's document number; together with `uid` it identifies the payout. */
  id: string;
  uid: string;
  /**
   * The account that pays, also in a transfer or an exchange. If its currency is not `currency`, the money is exchanged first.
   */
  account_id: string;
  /** Decimal string with at most as many decimals as ISO 4217 gives `currency`. */
  amount: string;
  currency: string;
  /** Receiving account, only of a transfer or an exchange. Not a column of any file. */
  to_account_id?: string;
  beneficiary_id?: string;
  beneficiary_type?: string;
  payment_type?: string;
  note?: string;
  reason?: string;
  charge_type?: string;
  after_card_payment?: string;
  /** ISO 8601 date before which it is not sent. */
  execute_on?: string;
  /** ISO 8601 instant: sent to the bank as `expired_at`. */
  expires_at?: string;
  /** Highest fee accepted, decimal string in the fee's own currency. */
  fee_cap?: string;
  /** Largest accepted worsening of the exchange rate, as a fraction ("0.01" is one per cent). */
  max_slippage?: string;
  /** `high` is released, and gets scarce money, before `normal` (absent). Never sent to the bank. */
  priority?: string;
  /** E-mail address to which the payee is advised of the payment once it is completed. Never sent to the bank. */
  advice_to?: string;
  /** Language of that mail (`ADVICE_LANGUAGES`); absent: that of the payee's country. */
  advice_language?: string;
  /** Reference of an earlier payout of this document that is proven unpaid; this row pays it again. */
  retry_of?: string;
  /** Not columns of any file: what the plan of a row that sells another currency has shown. */
  sell_currency?: string;
  /** The most that may be sold for one unit of `currency`, decimal string in `sell_currency`; `SELLS_NOTHING`: none is. */
  max_rate?: string;
  /** The account in `currency` that pays after the exchange; only of a payout. */
  paying_account_id?: string;
  /**
   * Reference of the exchange of its batch that buys `currency` for it: it makes none of its own, and waits for that one. Only of a
   * payout.
   */
  exchanged_by?: string;
  /** Beneficiary detail fields (interface section 2, required-details), e.g. `account_no`. */
  [beneficiaryField: string]: string | undefined;
}

/** Members of a workflow's input that are not part of the instruction. */
interface Surroundings {
  batchId?: string;
  /** The maker. */
  by?: string;
  generation?: number;
}

/** Input of the workflow type `payout`: the fields of the instruction and its surroundings. */
export interface PayoutInput extends Surroundings {
  [field: string]: string | number | undefined;
}

/** In which payees are advised. */
export const ADVICE_LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
export type AdviceLanguage = (typeof ADVICE_LANGUAGES)[number];

/** As much of RFC 5321 as people use; nothing in it steers a mail server or a header. */
export const isMailAddress = (text: string): boolean =>
  text.length <= 254 && /^[\w.+%'-]+@[\w-]+(\.[\w-]+)+$/.test(text);

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
  'advice_to',
  'advice_language',
  'retry_of',
] as const;

/** The same as a set; any other name is a beneficiary field. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(INSTRUCTION_FIELDS);

/** What a plan adds to a row that sells another currency: its maker signs it, and it does not make another payload of the row. */
export type ExchangeBound = Pick<
  PayoutInstruction,
  'sell_currency' | 'max_rate' | 'paying_account_id' | 'exchanged_by'
>;

/** `max_rate` of a row that is paid from what the account in its currency holds already. */
export const SELLS_NOTHING = '0';

/** Whether a payout from an account in another currency buys its own itself. */
export const buysForItself = ({ exchanged_by: by, max_rate: maxRate }: ExchangeBound): boolean =>
  by === undefined && maxRate !== SELLS_NOTHING;

/** A row as it was handed over, before a plan. */
export function withoutBound<Row extends ExchangeBound>(row: Row): Omit<Row, keyof ExchangeBound> {
  const { sell_currency: _currency, max_rate: _rate, paying_account_id: _account, exchanged_by: _by, ...given } = row;
  return given;
}

/** Release order of a priority: lower ranks first. */
export const priorityRank = (priority: string | undefined): number => (priority === 'high' ? 0 : 1);

/** A member missing here would be taken for a detail of the payee. */
const SURROUNDINGS = { batchId: true, by: true, generation: true } satisfies Record<keyof Surroundings, true>;

/** The non-empty beneficiary detail fields of an instruction: everything that is neither a column of our own nor of a plan. */
export function beneficiaryFields(instruction: PayoutInstruction): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(withoutBound(instruction))) {
    if (!OWN_FIELDS.has(name) && typeof value === 'string' && value !== '') fields[name] = value;
  }
  return fields;
}

const PERSONAL: readonly string[] = ['note', 'reason', 'advice_to'];
/** What books, proofs and the search for duplicates need; everything else of an instruction is about a person, or free text. */
const IMPERSONAL: ReadonlySet<string> = new Set<string>([
  ...INSTRUCTION_FIELDS.filter((name) => !PERSONAL.includes(name)),
  ...['to_account_id', 'sell_currency', 'max_rate', 'paying_account_id', 'exchanged_by'],
]);

export const withoutPersonalData = (instruction: PayoutInstruction): PayoutInstruction =>
  Object.fromEntries(Object.entries(instruction).filter(([name]) => IMPERSONAL.has(name))) as PayoutInstruction;

/** Fields in the workflow input of a claimed row: what an operator reads in the UI. The rest stays in the store. */
const CLAIMED_FIELDS: ReadonlySet<string> = new Set(['id', 'uid', 'account_id', 'amount', 'currency']);

/** Whether an instruction has no other fields than the workflow input of a claimed row. */
export const isClaimedBriefly = (instruction: PayoutInstruction): boolean =>
  Object.keys(instruction).every((name) => CLAIMED_FIELDS.has(name));

/** Title of a payout in one line: `INV-4711: 1250.00 USD`. */
export const payoutTitle = ({ id = '', amount = '', currency = '' }: PayoutInstruction | PayoutInput): string =>
  `${id}: ${amount} ${currency}`;

/** Input of the workflow type `payout` for a row: only the brief fields if a batch has claimed it. */
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
 * Splits a workflow input into the instruction (empty fields removed) and its surroundings. Anybody can start a workflow with any
 * input: a `generation` that is not an integer from 0 becomes undefined, also the string "1".
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
