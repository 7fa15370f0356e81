import type { Finding } from '../../domain/finding.ts';
import { aboutFile } from '../../domain/finding.ts';
import { OWN_FIELDS } from '../../domain/instruction.ts';
import { currencyExponent } from '../../domain/money.ts';
import { didYouMean } from '../../domain/nearest.ts';
import { CITY_FIELDS, USUAL_PAYEE_FIELDS } from '../../domain/payee.ts';
import type { ColumnKind } from '../table-fields.ts';
import type { RequiredDetailsOf } from './beneficiary-rules.ts';
import { REQUIRED_COLUMNS } from './field-rules.ts';
import type { ReadColumn } from './read-row.ts';

/** The columns that a file may have: ours, and the beneficiary fields that the bank requires for it. */

export interface Columns {
  /** About the header line. JSON has none, so there unknown fields are findings about rows. */
  findings: Finding[];
  /** Required columns missing in the header line: reported once, not for every row. */
  absent: ReadonlySet<string>;
  unknown: ReadonlySet<string>;
  unknownColumn(name: string): { rule: string; message: string };
  inHeader: boolean;
}

const UNKNOWN_COLUMN = {
  rule: 'unknown-column',
  message:
    'neither a column of this product nor a payee field that the bank asks for in this file; rename or delete it',
};
/** If no row gives a payee's details, none of the payee fields is known. */
const WITHOUT_PAYEE_TYPE =
  'not a column of this product; rename or delete it, or, if it is a payee field, add beneficiary_type and payment_type';
const MISSING_COLUMN = {
  rule: 'missing-column',
  message: 'this column is required and missing in the header line; add it',
};

/** What other programs call them, in letters and digits only; a name that is nearly one of ours is found by itself. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  id: ['invoice', 'invoiceno', 'invoicenumber', 'documentnumber', 'endtoendid', 'transactionid', 'paymentid'],
  account_id: ['debtoraccount', 'debtoriban', 'debitiban', 'debitaccount', 'fromaccount', 'payfrom'],
  amount: ['paymentamount', 'transactionamount', 'netpay', 'netamount', 'total', 'value', 'sum'],
  currency: ['ccy', 'paymentcurrency', 'transactioncurrency', 'currencycode'],
  execute_on: ['date', 'paymentdate', 'valuedate', 'executiondate', 'requestedexecutiondate', 'duedate'],
  note: ['reference', 'paymentreference', 'description', 'details', 'memo', 'remittanceinformation', 'message'],
  account_name: [
    'name',
    'payee',
    'payeename',
    'beneficiaryname',
    'recipient',
    'creditorname',
    'holder',
    'employeename',
  ],
  iban_no: [
    'iban',
    'payeeiban',
    'beneficiaryiban',
    'recipientiban',
    'creditoriban',
    'receiveriban',
    'creditoraccountiban',
  ],
  swift_code: ['bic', 'swift', 'bicfi', 'bankcode', 'payeebic', 'beneficiarybic', 'creditorbic', 'creditoragentbic'],
  account_no: ['accountnumber', 'bankaccount', 'bankaccountnumber', 'beneficiaryaccount', 'creditoraccount'],
  aba_routing_code: ['routing', 'routingnumber', 'routingno', 'aba'],
  sort_code: ['sortcode', 'banksortcode'],
};

const OURS_BY_NAME = new Map(
  Object.entries(ELSEWHERE).flatMap(([ours, names]) => names.map((name) => [name, ours] as const)),
);

function suggestion(name: string, names: readonly string[]): string {
  const meant = OURS_BY_NAME.get(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
  return meant === undefined ? didYouMean(name, names) : ` Did you mean ${meant}?`;
}

/**
 * A template has the fields of every payment type: without any value they may stay in a file of which only some rows are kept.
 */
const OF_TEMPLATES: ReadonlySet<string> = new Set(USUAL_PAYEE_FIELDS);

const BENEFICIARY_TYPES: ReadonlySet<string> = new Set(['personal', 'business']);

export function checkColumns({
  file,
  columns,
  pairs,
  requiredDetails,
}: {
  file: string;
  columns: readonly ReadColumn[];
  pairs: RequiredDetailsPairs;
  requiredDetails?: RequiredDetailsOf;
}): Columns {
  const known = knownFields(pairs, requiredDetails);
  const unknown = columns.filter(({ name }) => kindOf(name, pairs, known) === 'other');
  const header = columns.find(({ row }) => row === null);
  const absent = REQUIRED_COLUMNS.filter(
    (name) => header !== undefined && !columns.some((column) => column.name === name),
  );
  const names = [...OWN_FIELDS, ...(known ?? [])];
  const unknownColumn = (name: string): typeof UNKNOWN_COLUMN => ({
    rule: UNKNOWN_COLUMN.rule,
    message: `${pairs.named ? UNKNOWN_COLUMN.message : WITHOUT_PAYEE_TYPE}.${suggestion(name, names)}`.replace(
      /\.$/,
      '',
    ),
  });
  const found = (column: string, { rule, message }: typeof UNKNOWN_COLUMN): Finding => ({
    file,
    ...aboutFile(header?.line ?? 1, rule, message),
    column,
  });
  return {
    findings: [
      ...(header === undefined ? [] : unknown.map(({ name }) => found(name, unknownColumn(name)))),
      ...absent.map((name) => found(name, MISSING_COLUMN)),
    ],
    absent: new Set(absent),
    unknown: new Set(unknown.map(({ name }) => name)),
    unknownColumn,
    inHeader: header !== undefined,
  };
}

/** What a column is; one that the bank may ask for counts as its field. */
function kindOf(name: string, { filled }: RequiredDetailsPairs, known: ReadonlySet<string> | undefined): ColumnKind {
  if (OWN_FIELDS.has(name)) return 'ours';
  if (known === undefined || known.has(name)) return 'payee';
  return OF_TEMPLATES.has(name) && !filled.has(name) ? 'spare' : 'other';
}

/** The distinct pairs (currency, beneficiary type) of new beneficiaries in a file, for which required-details are queried. */
export class RequiredDetailsPairs {
  /** Whether some row has a beneficiary type, valid or not. */
  named = false;
  /** Columns in which some row has a value. */
  readonly filled = new Set<string>();
  private readonly pairs = new Map<string, { currency: string; beneficiaryType: string }>();

  add(row: Readonly<Record<string, string | undefined>>): void {
    const { currency = '', beneficiary_type: beneficiaryType = '' } = row;
    this.named ||= beneficiaryType !== '';
    for (const [name, value = ''] of Object.entries(row)) if (value.trim() !== '') this.filled.add(name);
    if (currencyExponent(currency) === undefined || !BENEFICIARY_TYPES.has(beneficiaryType)) return;
    this.pairs.set(`${currency} ${beneficiaryType}`, { currency, beneficiaryType });
  }

  list(): { currency: string; beneficiaryType: string }[] {
    return [...this.pairs.values()];
  }
}

/**
 * Fields that the bank requires for any pair of the file; `undefined` if that is unknown: a pair was not queried, or the rows
 * with a new beneficiary all have an invalid currency or beneficiary type.
 */
function knownFields(found: RequiredDetailsPairs, requiredDetails?: RequiredDetailsOf): Set<string> | undefined {
  const pairs = found.list();
  if (pairs.length === 0) return found.named ? undefined : new Set();
  const known = new Set<string>();
  for (const { currency, beneficiaryType } of pairs) {
    const entries = requiredDetails?.(currency, beneficiaryType);
    if (entries === undefined) return undefined;
    for (const { field } of entries.flatMap((entry) => entry.fields)) known.add(field);
  }
  if (CITY_FIELDS.some((name) => known.has(name))) for (const name of CITY_FIELDS) known.add(name);
  return known;
}
