import type { OriginalMessage, OriginalTransaction, TransactionFacts } from '../../domain/bank-message.ts';
import { addDecimals, parseDecimal } from '../../domain/money.ts';
import type { CheckVerdict } from '../../domain/payee.ts';
import { ofType } from '../../files/iso20022/simple-types.ts';
import { asWritten, element, leaf, text, textLines } from '../xml-text.ts';
import {
  type AnswerVersion,
  type BatchAnswer,
  type GroupStatus,
  groupStatus,
  isRefused,
  type JudgedStage,
  type RefusalAnswer,
  type Superseded,
  type TransactionStatus,
  transactionStatus,
} from './status-report.ts';

/** Status reasons: codes of the external list `ExternalStatusReason1Code` (2Q2026). */

/** Requires an explanation in `AddtlInf`. */
const NARRATIVE = 'NARR';
const FILE_FORMAT = 'FF01';

/** By reason code (`domain/reasons.ts`) and by rule of a finding; a name in both means the same in both. */
export const ISO_REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // reasons of payouts
    'insufficient-funds': 'AM04',
    'funds-patience-over': 'AM04',
    'account-frozen': 'AC06',
    'account-not-found': 'AC01',
    'beneficiary-not-found': 'AC01',
    'beneficiary-changed': 'AC15',
    'beneficiary-conflict': 'BE01',
    'no-payout-account': 'AC10',
    'payee-close-match': 'RVMC',
    'payee-no-match': 'RVNM',
    'payee-not-verified': 'RVNA',
    'invalid-instruction': 'CH16',
    unsupported: 'AG01',
    'approval-rejected': 'CUST',
    'cancelled-by-request': 'CUST',
    'batch-cancelled': 'CUST',
    'closed-by-operator': 'CUST',
    'bank-rejected': 'MS03',
    'bank-cancelled': 'MS03',
    'bank-failed': 'MS03',
    'exchange-failed': 'MS03',
    // the same payment twice
    'id-reused': 'DU04',
    'duplicate-id': 'DU04',
    'already-taken': 'AM05',
    'message-id-reused': 'DU01',
    'duplicate-payment-id': 'DU02',
    // values of a row
    'bad-beneficiary-type': 'CH16',
    'bad-charge-type': 'BE19',
    'bad-date': 'DT01',
    'bad-id': 'CH16',
    'bad-time': 'DT01',
    'beneficiary-currency': 'AC11',
    'beneficiary-named-twice': 'CH17',
    'control-character': 'RR10',
    country: 'BE09',
    'not-a-decimal': 'AM12',
    'not-positive': 'AM12',
    'payment-type-not-offered': 'FF03',
    required: 'CH21',
    'too-large': 'AM02',
    'too-long': 'CH16',
    'too-many-decimals': 'CH20',
    'unknown-currency': 'AM11',
    'unknown-field': 'CH17',
    // requests of a bank message that cannot be fulfilled
    'address-lines-only': 'BE04',
    'too-many-address-lines': 'BE04',
    'agreed-rate': 'CH17',
    'ambiguous-payee': 'BE01',
    'bad-amount': 'AM12',
    'bad-bsb': 'RC01',
    'bad-routing-number': 'RC01',
    'debit-entry': 'AG01',
    'debtor-currency': 'AC10',
    'equivalent-amount': 'CH17',
    'no-beneficiary-type': 'CH21',
    'no-payment-type': 'FF03',
    'not-a-transfer': 'FF03',
    'prenote-entry': 'AG01',
    'return-entry': 'AG01',
    'unknown-transaction-code': 'FF03',
    'unmapped-account': 'AC02',
    'unmapped-clearing-system': 'RC01',
    'unsupported-entry-class': 'FF05',
    'withholding-tax': 'RR06',
    // totals of a file
    'unbalanced-debit': 'AM10',
    'wrong-control-sum': 'AM10',
    'wrong-transaction-count': 'AM18',
  }),
);

/** If the bank's rule for a beneficiary field is broken, the field says more than the rule. */
const BY_FIELD: readonly (readonly [field: RegExp, code: string])[] = [
  [/^(account_no|iban_no)$/, 'AC03'],
  [/^(swift_code|aba_routing_code|sort_code|bsb|bank_code|branch_code)$/, 'RC01'],
  [/^address_/, 'BE04'],
  [/^(account_name|first_name|last_name|company_name)$/, 'BE22'],
  [/^mobile$/, 'BE18'],
];
const RULES_OF_THE_BANK: ReadonlySet<string> = new Set(['required', 'regex']);

/** Results of Verification of Payee: codes of `ExternalPaymentTransactionStatus1Code`. */
const VERIFICATION_CODES: Readonly<Partial<Record<CheckVerdict, string>>> = {
  match: 'RCVC',
  'close-match': 'RVMC',
  'no-match': 'RVNM',
  'not-available': 'RVNA',
};
const VERIFICATIONS: ReadonlySet<string | undefined> = new Set(Object.values(VERIFICATION_CODES));

/** The element for a code: one of another list than that of reasons is proprietary. */
const elementOfCode = (code: string | undefined): 'Cd' | 'Prtry' => (VERIFICATIONS.has(code) ? 'Prtry' : 'Cd');

export const reasonCodeOf = (reason: string): string => ISO_REASONS.get(reason) ?? NARRATIVE;

export function findingCodeOf({ rule, column }: { rule: string; column: string | null }): string {
  const field =
    RULES_OF_THE_BANK.has(rule) && column !== null ? BY_FIELD.find(([name]) => name.test(column)) : undefined;
  return field?.[1] ?? ISO_REASONS.get(rule) ?? NARRATIVE;
}

export function fileCodeOf(rule: string): string {
  return ISO_REASONS.get(rule) ?? FILE_FORMAT;
}

/** `StsRsnInf`: a code of the external list, and an explanation in lines, which contain no values of a row. */

/** The most reasons for a file or row; a final one says how many more there are. */
const REASONS_MAX = 100;

const UNPAID_WITH_OTHERS = 'the file was refused because of other transactions';

/** Why a transaction is refused or waits; also an order id that is too long for `AcctSvcrRef` (35). */
function transactionReason(facts: TransactionFacts, status: TransactionStatus): string {
  if (isRefused(facts)) {
    if (facts.findings.length === 0) return statusReason('NARR', UNPAID_WITH_OTHERS);
    return listed(facts.findings, (finding) =>
      statusReason(findingCodeOf(finding), `${finding.column ?? 'row'}: ${finding.rule}: ${finding.message}`),
    );
  }
  const { reason, orderId, verification } = facts;
  const isReported = reason !== null && (status === 'RJCT' || status === 'PDNG');
  const code = isReported ? reasonCodeOf(reason.code) : undefined;
  const reported = isReported ? statusReason(code, `${reason.code}: ${reason.message}`) : '';
  const verified = verification === undefined ? undefined : VERIFICATION_CODES[verification];
  // Added to any other reason, unless it is the same.
  const payee =
    verified === undefined || verified === code ? '' : statusReason(verified, `payee verification: ${verification}`);
  const order = orderId !== null && asWritten(orderId) === undefined ? statusReason(undefined, `order ${orderId}`) : '';
  return reported + payee + order;
}

/** Which answer this one supersedes: a pain.002 has no element for that. */
const supersession = ({ version, messageId }: Superseded): string =>
  statusReason(undefined, `version ${version} of this answer: supersedes ${messageId}; lists the changes since`);

/** Why a file is refused: first what is wrong with the whole file, then its rows. */
function fileRefusal(findings: RefusalAnswer['findings']): string {
  const about = (whole: boolean) => findings.filter(({ row }) => (row === null) === whole);
  return listed([...about(true), ...about(false)], (finding) => {
    const code = finding.row === null ? fileCodeOf(finding.rule) : findingCodeOf(finding);
    return statusReason(code, `line ${finding.line}: ${finding.rule}: ${finding.message}`);
  });
}

function listed<T>(items: readonly T[], reported: (item: T) => string): string {
  const more = items.length - REASONS_MAX;
  const rest = more > 0 ? statusReason('NARR', `${more} more findings are not listed; correct these first`) : '';
  return items.slice(0, REASONS_MAX).map(reported).join('') + rest;
}

const statusReason = (code: string | undefined, story: string): string =>
  element(
    'StsRsnInf',
    element('Rsn', leaf(elementOfCode(code), code)),
    ...textLines(story).map((line) => leaf('AddtlInf', line)),
  );

/** For a required id if the file has none that the schema allows. */
const NOT_PROVIDED = 'NOTPROVIDED';

/**
 * Elements of the original file, repeated as written. A value that the schema of the answer does not allow is left out, or is
 * NOTPROVIDED if it is required: an invalid answer would not be read at all.
 */
function elementsOf(message: OriginalMessage | null, version: AnswerVersion) {
  return {
    /** For `OrgnlGrpInfAndSts`. */
    head: [
      leaf('OrgnlMsgId', asWritten(message?.messageId) ?? NOT_PROVIDED),
      leaf('OrgnlMsgNmId', message?.format ?? NOT_PROVIDED),
      leaf('OrgnlCreDtTm', ofType('DateTime', message?.createdAt)),
      leaf('OrgnlNbOfTxs', ofType('NumericText', message?.transactions)),
      leaf('OrgnlCtrlSum', ofType('Decimal', message?.controlSum)),
    ].join(''),

    /** For `OrgnlPmtInfAndSts`, by index of the block. */
    payment(position: number): string {
      const { paymentId, transactions, controlSum } = message?.payments[position] ?? {};
      return [
        leaf('OrgnlPmtInfId', asWritten(paymentId) ?? NOT_PROVIDED),
        leaf('OrgnlNbOfTxs', ofType('NumericText', transactions)),
        leaf('OrgnlCtrlSum', ofType('Decimal', controlSum)),
      ].join('');
    },

    /** For `TxInfAndSts`: `ids` precede the status, `reference` comes last. */
    transaction({ instructionId, endToEndId, uetr, amount, currency, requestedExecution }: OriginalTransaction) {
      const date = leaf(version === 'pain.002.001.10' ? 'Dt' : 'ReqdExctnDt', ofType('Date', requestedExecution));
      return {
        ids: [
          leaf('OrgnlInstrId', asWritten(instructionId)),
          leaf('OrgnlEndToEndId', asWritten(endToEndId)),
          version === 'pain.002.001.10' ? leaf('OrgnlUETR', ofType('Uuid', uetr)) : '',
        ].join(''),
        reference: element(
          'OrgnlTxRef',
          instructedAmount(amount, currency),
          version === 'pain.002.001.10' ? element('ReqdExctnDt', date) : date,
        ),
      };
    },
  };
}

type OriginalElements = ReturnType<typeof elementsOf>;

function instructedAmount(amount: string, currency: string): string {
  const value = ofType('Amount', amount);
  if (value === undefined || ofType('Currency', currency) === undefined) return '';
  return element('Amt', `<InstdAmt Ccy="${currency}">${text(value)}</InstdAmt>`);
}

const CLOSING = '</CstmrPmtStsRpt>\n</Document>\n';

/**
 * The answer to a file that was taken, in pieces: one transaction at a time, however large the file. Throws a `RangeError` for an
 * invalid message id, or if transactions are not in the order of the file.
 */
export async function* pain002(answer: BatchAnswer): AsyncGenerator<string> {
  const version = versionOf(answer);
  const original = elementsOf(answer.message, version);
  yield opening(answer, version);
  const { stage } = answer;
  if (stage === 'received') {
    yield `${element('OrgnlGrpInfAndSts', original.head, leaf('GrpSts', 'ACTC'))}\n${CLOSING}`;
    return;
  }
  const counted = await count(answer, stage);
  const { supersedes } = answer;
  const reported = leaf('GrpSts', counted.all.status()) + (supersedes === undefined ? '' : supersession(supersedes));
  yield `${element('OrgnlGrpInfAndSts', original.head, reported, counted.all.perStatus())}\n`;
  let open: number | undefined;
  let position = 0;
  for await (const facts of answer.transactions()) {
    const { payment } = facts.original;
    const status = counted.statuses[position];
    if (status === undefined) throw new RangeError('the second pass has more transactions than the first');
    const isListed = supersedes?.changed.has(position) ?? true;
    position += 1;
    if (!isListed) continue;
    if (payment !== open) {
      const tally = counted.payments[payment] ?? new StatusTally();
      yield `${open === undefined ? '' : PAYMENT_END}<OrgnlPmtInfAndSts>${original.payment(payment)}`;
      yield `${leaf('PmtInfSts', tally.status())}${tally.perStatus()}\n`;
      open = payment;
    }
    yield `${transactionElement(facts, { stage, status, original })}\n`;
  }
  if (position < counted.statuses.length) throw new RangeError('the second pass has fewer transactions than the first');
  yield `${open === undefined ? '' : PAYMENT_END}${CLOSING}`;
}

const PAYMENT_END = '</OrgnlPmtInfAndSts>\n';

export function refusalPain002(answer: RefusalAnswer): string {
  const version = versionOf(answer);
  const head = elementsOf(answer.message, version).head;
  const group = element('OrgnlGrpInfAndSts', head, leaf('GrpSts', 'RJCT'), fileRefusal(answer.findings));
  return `${opening(answer, version)}${group}\n${CLOSING}`;
}

const versionOf = ({
  version,
  message,
}: {
  version?: AnswerVersion | undefined;
  message: OriginalMessage | null;
}): AnswerVersion => version ?? (message?.format === 'pain.001.001.03' ? 'pain.002.001.03' : 'pain.002.001.10');

function opening({ messageId, createdAt }: BatchAnswer | RefusalAnswer, version: AnswerVersion): string {
  if (asWritten(messageId) === undefined) throw new RangeError('the id of an answer has 1 to 35 characters');
  const head = element('GrpHdr', leaf('MsgId', messageId), leaf('CreDtTm', new Date(createdAt).toISOString()));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${version}">\n<CstmrPmtStsRpt>\n${head}\n`;
}

interface Counted {
  /** Of every transaction, in order. */
  statuses: TransactionStatus[];
  all: StatusTally;
  payments: StatusTally[];
}

async function count(answer: BatchAnswer, stage: JudgedStage): Promise<Counted> {
  const all = new StatusTally();
  const payments = answer.message.payments.map(() => new StatusTally());
  const statuses: TransactionStatus[] = [];
  let open = 0;
  for await (const facts of answer.transactions()) {
    const { payment, amount } = facts.original;
    const tally = payments[payment];
    if (tally === undefined || payment < open) throw new RangeError('transactions come in the order of their payments');
    open = payment;
    const status = transactionStatus(facts, stage);
    statuses.push(status);
    all.add(status, amount);
    tally.add(status, amount);
  }
  return { statuses, all, payments };
}

interface Tally {
  transactions: number;
  /** Sum over all currencies, like a control sum; `undefined` after an amount that is not a plain decimal. */
  sum: string | undefined;
}

/** Number and sum of transactions by status, for the file or a payment block. */
class StatusTally {
  private readonly byStatus = new Map<TransactionStatus, Tally>();

  add(status: TransactionStatus, amount: string): void {
    const { transactions, sum } = this.byStatus.get(status) ?? { transactions: 0, sum: '0' };
    const isPlain = sum !== undefined && parseDecimal(amount) !== undefined;
    this.byStatus.set(status, { transactions: transactions + 1, sum: isPlain ? addDecimals(sum, amount) : undefined });
  }

  status(): GroupStatus {
    return groupStatus(this.byStatus.keys());
  }

  /** Sorted by status. */
  perStatus(): string {
    return [...this.byStatus]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([status, { transactions, sum }]) =>
        element(
          'NbOfTxsPerSts',
          leaf('DtldNbOfTxs', `${transactions}`),
          leaf('DtldSts', status),
          leaf('DtldCtrlSum', ofType('Decimal', sum)),
        ),
      )
      .join('');
  }
}

/** The reason is given only if the status is still the one that was counted. */
function transactionElement(
  facts: TransactionFacts,
  { stage, status, original }: { stage: JudgedStage; status: TransactionStatus; original: OriginalElements },
): string {
  const { ids, reference } = original.transaction(facts.original);
  const reported = transactionStatus(facts, stage) === status ? transactionReason(facts, status) : '';
  const orderId = isRefused(facts) ? null : facts.orderId;
  return element(
    'TxInfAndSts',
    ids,
    leaf('TxSts', status),
    reported,
    leaf('AcctSvcrRef', asWritten(orderId ?? undefined)),
    reference,
  );
}
