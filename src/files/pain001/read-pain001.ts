import type { OriginalMessage, OriginalPayment } from '../../domain/bank-message.ts';
import { aboutFile, shownValue } from '../../domain/finding.ts';
import type { RowSink } from '../input.ts';
import type { Grammar } from '../iso20022/grammar.ts';
import { type DocumentEvents, type Root, readDocument } from '../iso20022/read-document.ts';
import type { StructureProblem } from '../iso20022/structure.ts';
import { instructionOf } from '../messages/instruction.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { ControlTotals } from './control-totals.ts';
import { Fields } from './fields.ts';
import { GRAMMARS, type Pain001Version, versionOf } from './grammar.ts';
import { notCarried, withoutField } from './not-carried.ts';
import { chargeTypeOf, refusalsOf } from './refusals.ts';
import { creditTransferOf, type PaymentBlock, type Transaction } from './transaction.ts';

const MESSAGE = 'Document/CstmrCdtTrfInitn';
const HEADER = `${MESSAGE}/GrpHdr`;
const PAYMENT = `${MESSAGE}/PmtInf`;
const TRANSACTION = `${PAYMENT}/CdtTrfTxInf`;
const RECORDS: ReadonlySet<string> = new Set(['GrpHdr', 'PmtInf', 'CdtTrfTxInf']);

/**
 * Reads a pain.001 (.03, .09) into payouts. Violations of the message's grammar, wrong totals and repeated payment ids are
 * findings about the file (no row), of which then nothing may be paid. What cannot be paid as requested is a finding about its
 * row. In memory: one transaction, the head of its payment block, and the ids of the blocks.
 */
export async function readPain001(
  bytes: AsyncIterable<Uint8Array>,
  sink: RowSink,
  context: MessageContext,
): Promise<void> {
  const reader = new Pain001Reader(sink, context);
  try {
    await readDocument(bytes, RECORDS, reader);
  } finally {
    reader.announce();
  }
}

interface CurrentPayment extends PaymentBlock {
  original: OriginalPayment;
  totals: ControlTotals;
  transactions: number;
  /** What precedes its transactions follows the grammar. */
  isSound: boolean;
}

class Pain001Reader implements DocumentEvents {
  private readonly sink: RowSink;
  private readonly context: MessageContext;
  private version: Pain001Version = 'pain.001.001.03';
  private path: () => string = () => '';
  private readonly header = new Fields();
  private readonly totals = new ControlTotals();
  private message: OriginalMessage | undefined;
  private readonly paymentIds = new Set<string>();
  private readonly columns = new Set<string>();
  private payment: CurrentPayment | undefined;
  private transaction: Transaction | undefined;
  private rows = 0;
  private problems = 0;
  private problemsBefore = 0;

  constructor(sink: RowSink, context: MessageContext) {
    this.sink = sink;
    this.context = context;
  }

  begin(root: Root, path: () => string): Grammar {
    this.version = versionOf(root);
    this.path = path;
    return GRAMMARS[this.version];
  }

  /** Reports what is known of the message; nothing before its header was read. */
  announce(): void {
    if (this.message !== undefined) this.sink.message(this.message);
  }

  problem({ name, value, ...problem }: StructureProblem): void {
    this.problems += 1;
    this.fileFinding({ ...problem, name, shown: shownValue(name, value) });
  }

  open(trail: string, line: number): void {
    if (trail === PAYMENT) {
      const original = { paymentId: '' };
      const index = this.message?.payments.push(original) ?? 0;
      const totals = new ControlTotals();
      const counted = { original, totals, transactions: 0, isSound: true };
      this.payment = { index: index - 1, path: this.path(), fields: new Fields(), ...counted };
      this.problemsBefore = this.problems;
    }
    if (trail === TRANSACTION && this.payment !== undefined) this.begun(this.payment, line);
  }

  leaf({ trail, text, attributes, line }: Parameters<DocumentEvents['leaf']>[0]): void {
    if (this.transaction !== undefined) {
      const name = trail.slice(TRANSACTION.length + 1);
      this.transaction.fields.add(name, text);
      for (const [attribute, value] of Object.entries(attributes)) {
        this.transaction.fields.add(`${name}/@${attribute}`, value);
      }
      return;
    }
    const part = this.payment ?? { fields: this.header, totals: this.totals };
    const name = trail.slice((this.payment === undefined ? HEADER : PAYMENT).length + 1);
    part.fields.add(name, text);
    if (name === 'NbOfTxs' || name === 'CtrlSum') part.totals.state({ name, shown: text, line, path: this.path() });
    if (name === 'PmtInfId') this.checkPaymentId(text, line);
    // Only AUTH asks for no approval at the bank.
    if (name.startsWith('Authstn/') && text !== 'AUTH') {
      const { rule, message } = withoutField('Authstn');
      this.sink.warning({ ...aboutFile(line, rule, message), path: this.path() });
    }
  }

  close(trail: string): void {
    if (trail === TRANSACTION) this.finishTransaction();
    if (trail === PAYMENT) this.finishPayment();
    if (trail === HEADER) this.finishHeader();
    if (trail === MESSAGE) this.checkTotals(this.totals);
  }

  private finishHeader(): void {
    this.message = {
      format: this.version,
      messageId: this.header.raw('MsgId') ?? '',
      createdAt: this.header.raw('CreDtTm') ?? '',
      transactions: this.header.raw('NbOfTxs') ?? '',
      controlSum: this.header.raw('CtrlSum'),
      payments: [],
    };
    this.announce();
  }

  private checkPaymentId(paymentId: string, line: number): void {
    if (this.paymentIds.has(paymentId)) {
      const message = 'an earlier payment block has the same PmtInfId; give each block an id of its own';
      const finding = { rule: 'duplicate-payment-id', message, name: 'PmtInfId', line, path: this.path() };
      this.fileFinding({ ...finding, shown: shownValue('PmtInfId', paymentId) });
    }
    this.paymentIds.add(paymentId);
  }

  private begun(payment: CurrentPayment, line: number): void {
    if (payment.transactions === 0) {
      payment.original.paymentId = payment.fields.raw('PmtInfId') ?? '';
      payment.original.transactions = payment.fields.raw('NbOfTxs');
      payment.original.controlSum = payment.fields.raw('CtrlSum');
      payment.isSound = this.problems === this.problemsBefore;
    }
    this.rows += 1;
    payment.transactions += 1;
    this.problemsBefore = this.problems;
    this.transaction = {
      row: this.rows,
      line,
      path: this.path(),
      messageId: this.message?.messageId ?? '',
      payment,
      position: payment.transactions,
      fields: new Fields(),
    };
  }

  private finishTransaction(): void {
    const transaction = this.transaction as Transaction;
    this.transaction = undefined;
    const transfer = creditTransferOf(transaction, this.context.mapping.identity);
    this.totals.add(transfer.amount);
    this.payment?.totals.add(transfer.amount);
    // The file is refused anyway, and what this transaction or its block lacks has been reported.
    if (this.problems > this.problemsBefore || !this.payment?.isSound) return;
    const { row, line, path } = transaction;
    const { instruction, spare, broken } = instructionOf(transfer, this.context);
    const chargeType = chargeTypeOf(transaction);
    if (chargeType !== undefined) instruction.charge_type = chargeType;
    const found = [...refusalsOf(transaction, instruction), ...broken];
    for (const finding of found) this.sink.finding({ line, row, path, value: null, ...finding });
    for (const name of Object.keys(instruction)) {
      // A spare field is not a column: the bank need not know it.
      if (this.columns.has(name) || spare.includes(name)) continue;
      this.columns.add(name);
      this.sink.column({ name, line, row });
    }
    const left = notCarried(transaction, {
      rules: this.context.mapping.paymentTypes,
      isById: instruction.beneficiary_id !== undefined,
    });
    if (left !== undefined) this.sink.warning({ line, row, path, column: null, value: null, ...left });
    const unsound = found.length > 0 ? { unsound: true as const } : {};
    this.sink.row({ row, line, instruction, original: transfer.original, path, spare, ...unsound });
  }

  private finishPayment(): void {
    this.checkTotals((this.payment as CurrentPayment).totals);
    this.payment = undefined;
  }

  private checkTotals(totals: ControlTotals): void {
    for (const wrong of totals.wrong()) this.fileFinding(wrong);
  }

  private fileFinding({ shown, ...problem }: Omit<StructureProblem, 'value'> & { shown: string | null }): void {
    const { line, path, rule, message, name } = problem;
    this.sink.finding({ ...aboutFile(line, rule, message), column: name, value: shown, path });
  }
}
