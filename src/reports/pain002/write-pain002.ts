import type { OriginalMessage, TransactionFacts } from '../../domain/bank-message.ts';
import { addDecimals, parseDecimal } from '../../domain/money.ts';
import { ofType } from '../../files/iso20022/simple-types.ts';
import { asWritten, element, leaf } from '../xml-text.ts';
import { elementsOf, type OriginalElements } from './original-elements.ts';
import { fileRefusal, supersession, transactionReason } from './reason-elements.ts';
import {
  type AnswerVersion,
  type BatchAnswer,
  isRefused,
  type JudgedStage,
  type RefusalAnswer,
} from './status-report.ts';
import { type GroupStatus, groupStatus, type TransactionStatus, transactionStatus } from './transaction-status.ts';

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
  const told = leaf('GrpSts', counted.all.status()) + (supersedes === undefined ? '' : supersession(supersedes));
  yield `${element('OrgnlGrpInfAndSts', original.head, told, counted.all.perStatus())}\n`;
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

const versionOf = ({ version, message }: { version?: AnswerVersion; message: OriginalMessage | null }): AnswerVersion =>
  version ?? (message?.format === 'pain.001.001.09' ? 'pain.002.001.10' : 'pain.002.001.03');

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
  const told = transactionStatus(facts, stage) === status ? transactionReason(facts, status) : '';
  const orderId = isRefused(facts) ? null : facts.orderId;
  return element(
    'TxInfAndSts',
    ids,
    leaf('TxSts', status),
    told,
    leaf('AcctSvcrRef', asWritten(orderId ?? undefined)),
    reference,
  );
}
