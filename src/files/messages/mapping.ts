import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { shownValue } from '../../domain/finding.ts';
import { OWN_FIELDS } from '../../domain/instruction.ts';
import { currencyExponent } from '../../domain/money.ts';
import { plainText } from '../../domain/plain-text.ts';
import { Problem } from '../../domain/problem.ts';
import { type NextTurn, turns, whyUnreadable } from '../input.ts';
import { JsonCursor, JsonSyntaxError } from '../json/read-json.ts';

/** The mapping file: how accounts, networks and ids of bank messages translate to ours. */
export interface MessageMapping extends Omit<z.output<typeof MAPPING_FILE>, 'accounts' | 'clearingFields'> {
  /** Key: `accountKey` of the debtor's account. */
  accounts: ReadonlyMap<string, z.output<typeof ACCOUNT>>;
  clearingFields: ReadonlyMap<string, string>;
}

export type PaymentTypeRule = MessageMapping['paymentTypes'][number];
export type Identity = MessageMapping['identity'];

const CLEARING_FIELDS: Readonly<Record<string, string>> = { USABA: 'aba_routing_code', AUBSB: 'bsb' };

/** Limit for parsing in one go. */
const MAPPING_CHARACTERS_MAX = 1024 * 1024;

/** Of one refusal: people who fix ten fix the others with them. */
const PROBLEMS_SHOWN = 10;

const NOT_A_FIELD = 'a column of this product, not a payee field of the bank';

const text = z.string().trim().min(1);
/** Written otherwise it would match nothing. */
const currency = text.refine((code) => currencyExponent(code) !== undefined, 'not an ISO 4217 code in capitals');
const ACCOUNT = z.strictObject({
  uid: text,
  account_id: text,
  /** If given, a message with another currency for this account is refused. */
  currency: currency.optional(),
});
export const MAPPING_FILE = z.strictObject({
  /** Each value is an `ACCOUNT`, validated later in turns, since there can be very many. */
  accounts: z.record(text, z.unknown()).default({}),
  /** The first match counts, before the built-in rules of `payment-type.ts`. */
  paymentTypes: z
    .array(
      /** A missing member matches everything. */
      z.strictObject({
        serviceLevel: text.optional(),
        localInstrument: text.optional(),
        currency: currency.optional(),
        clearingSystem: text.optional(),
        paymentType: text,
      }),
    )
    .default([]),
  /** Beneficiary field for the member id, by clearing system (ISO 20022 external code). */
  clearingFields: z
    .record(
      text,
      text.refine((field) => !OWN_FIELDS.has(field), NOT_A_FIELD),
    )
    .default({}),
  /** For payees whose type neither the message nor the directory gives. */
  beneficiaryType: z.enum(['personal', 'business']).optional(),
  /** Which id of the message becomes the document id. `position` numbers the transactions of a payment block. */
  identity: z.enum(['end-to-end-id', 'instruction-id', 'position']).default('end-to-end-id'),
});

export const EMPTY_MAPPING: MessageMapping = {
  accounts: new Map(),
  paymentTypes: [],
  clearingFields: new Map(Object.entries(CLEARING_FIELDS)),
  identity: 'end-to-end-id',
};

/** Without a path: a mapping without accounts. Throws `ContextFileError`. */
export async function loadMessageMapping(path?: string): Promise<MessageMapping> {
  if (path === undefined) return EMPTY_MAPPING;
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new ContextFileError(path, whyUnreadable(error), 'Name an existing mapping file.');
  });
  const content = plainText(bytes);
  if (content.length > MAPPING_CHARACTERS_MAX) {
    throw new ContextFileError(
      path,
      'larger than 1 MiB',
      'A mapping file has one entry per account; remove everything else.',
    );
  }
  const next = turns();
  const json = parsed(path, content);
  await next();
  const result = MAPPING_FILE.safeParse(json);
  if (!result.success) throw refusal(path, problemsOf(result.error));
  const { accounts, clearingFields, ...file } = result.data;
  return {
    ...file,
    accounts: await accountsOf(path, accounts, next),
    clearingFields: new Map(Object.entries({ ...CLEARING_FIELDS, ...clearingFields })),
  };
}

function parsed(path: string, content: string): unknown {
  const cursor = new JsonCursor(content);
  try {
    // Which of two accounts is meant for a debtor is never guessed.
    cursor.skip(true);
    if (cursor.peek() !== '') throw cursor.unexpected('the end of the file');
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const line = content.slice(0, error.offset).split('\n').length;
    throw new ContextFileError(path, `not valid JSON on line ${line}: ${error.message}`, 'Correct it there.');
  }
  return JSON.parse(content);
}

/** Key: `accountKey`. */
async function accountsOf(path: string, given: Record<string, unknown>, next: NextTurn) {
  const accounts = new Map<string, z.output<typeof ACCOUNT>>();
  const problems: string[] = [];
  for (const [account, ours] of Object.entries(given)) {
    await next();
    const result = ACCOUNT.safeParse(ours);
    const key = accountKey(account);
    if (!result.success) problems.push(...problemsOf(result.error, ['accounts', account]));
    else if (accounts.has(key)) problems.push(`${placeOf(['accounts', account])} appears twice: keep one of the two`);
    else accounts.set(key, result.data);
    if (problems.length >= PROBLEMS_SHOWN) break;
  }
  if (problems.length > 0) throw refusal(path, problems);
  return accounts;
}

const refusal = (path: string, problems: readonly string[]): ContextFileError =>
  new ContextFileError(path, problems.slice(0, PROBLEMS_SHOWN).join('; '), 'docs/input.md describes the mapping file.');

const problemsOf = (error: z.ZodError, under: readonly string[] = []): string[] =>
  error.issues.map((issue) => `${placeOf([...under, ...issue.path])}: ${problemOf(issue)}`);

/** What is wrong; digits in a misplaced key are masked, since it can be an account number. */
function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const keys = issue.keys.map((key) => `"${/\d/.test(key) ? shownValue('account', key) : key}"`);
  return `the key ${keys.join(', ')} is not allowed here`;
}

/** `paymentTypes[0].paymentType`; keys of `accounts` are account numbers and are masked. */
function placeOf(path: readonly PropertyKey[]): string {
  const steps = path.map((step, index) => {
    if (path[0] === 'accounts' && index === 1) return `["${shownValue('account', String(step))}"]`;
    return typeof step === 'number' ? `[${step}]` : `.${String(step)}`;
  });
  return steps.join('').replace(/^\./, '') || 'the file';
}

const IBAN = /^[A-Za-z]{2}\d{2}[A-Za-z0-9]{1,30}$/;
const MAIN_OFFICE = /^(.{8})XXX$/;

/** Key for comparing accounts: without blanks, and an IBAN in upper case. */
export function accountKey(account: string): string {
  const compact = account.replace(/\s+/g, '');
  return IBAN.test(compact) ? compact.toUpperCase() : compact;
}

/** Key for comparing banks, by BIC or clearing member: a BIC of eight characters equals the one with `XXX`, the main office. */
export function bankKey(bank: string): string {
  return bank.replace(/\s+/g, '').toUpperCase().replace(MAIN_OFFICE, '$1');
}

/** An unusable mapping file or payee directory (exit code 2). The text contains no account number and no name. */
export class ContextFileError extends Problem {
  /** @param file path as given */
  constructor(file: string, problem: string, hint: string) {
    super('set-up', 'context-file', `${file}: ${problem}.`, { hint });
  }
}
