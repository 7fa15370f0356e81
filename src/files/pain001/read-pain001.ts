import type { OriginalMessage, OriginalPayment } from '../../domain/bank-message.ts';
import { aboutFile, type Finding, printable, shownValue } from '../../domain/finding.ts';
import { formatDecimal } from '../../domain/money.ts';
import type { RowSink } from '../input.ts';
import type { Grammar } from '../iso20022/grammar.ts';
import { type DocumentEvents, type Root, readDocument } from '../iso20022/read-document.ts';
import { schemaDecimal } from '../iso20022/simple-types.ts';
import type { StructureProblem } from '../iso20022/structure.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { instructionOf } from '../messages/message-instruction.ts';
import { withoutField } from '../not-carried.ts';
import { missedInTransaction, missedOf } from './pain001-fields.ts';
import { Fields, grammarOf, type Pain001Version, versionOf } from './pain001-grammar.ts';
import { creditTransferOf, debtorAccountOf, type PaymentBlock, type Transaction } from './transaction.ts';

/** What a transaction asks for and the bank's API cannot do: reported instead of paying it differently. */
export type Refusal = Required<Pick<Finding, 'column' | 'value' | 'rule' | 'message' | 'path'>>;

/** Charge bearers that mean shared charges: SLEV follows the rules of the scheme, and those share. */
const SHARED: ReadonlySet<string> = new Set(['SHAR', 'SLEV']);

/** `SHA`, the only kind the bank offers, if the message asks for shared charges. */
function chargeTypeOf(transaction: Transaction): 'SHA' | undefined {
  return SHARED.has(chargeBearerOf(transaction) ?? '') ? 'SHA' : undefined;
}

const chargeBearerOf = ({ fields, payment }: Transaction): string | undefined =>
  fields.one('ChrgBr') ?? payment.fields.one('ChrgBr');

function refusalsOf(transaction: Transaction, instruction: Readonly<Record<string, string>>): Refusal[] {
  const { fields, payment, path } = transaction;
  const refusals: Refusal[] = [];
  const method = payment.fields.one('PmtMtd');
  if (method === 'CHK') {
    refusals.push({ column: null, value: method ?? null, ...NOT_A_TRANSFER, path: `${payment.path}/PmtMtd` });
  }
  const charges = chargeBearerOf(transaction);
  if (charges !== undefined && !SHARED.has(charges)) {
    const at = fields.one('ChrgBr') === undefined ? payment.path : path;
    refusals.push({ column: 'charge_type', value: charges, ...NOT_SHARED, path: `${at}/ChrgBr` });
  }
  if (fields.has('Amt/EqvtAmt')) {
    refusals.push({ column: 'amount', value: instruction.amount ?? null, ...EQUIVALENT, path: `${path}/Amt/EqvtAmt` });
  }
  const contract = fields.one('XchgRateInf/CtrctId') !== undefined || fields.one('XchgRateInf/RateTp') === 'AGRD';
  if (contract) refusals.push({ column: null, value: null, ...AGREED_RATE, path: `${path}/XchgRateInf` });
  return refusals.map((refusal) => ({ ...refusal, value: refusal.value === null ? null : printable(refusal.value) }));
}

const NOT_A_TRANSFER = {
  rule: 'not-a-transfer',
  message:
    'only credit transfers are paid (PmtMtd TRF, or TRA without its advice); use another bank service for cheques',
};
const NOT_SHARED = {
  rule: 'bad-charge-type',
  message: 'only shared charges are available; write SHAR or SLEV, or leave ChrgBr out',
};
const EQUIVALENT = {
  rule: 'equivalent-amount',
  message:
    "an amount in the debtor's currency (EqvtAmt) is not supported; write InstdAmt in the currency that the payee receives",
};
const AGREED_RATE = {
  rule: 'agreed-rate',
  message:
    'an agreed exchange rate cannot be passed on to the bank; pay from an account in the currency of the amount, or leave XchgRateInf out',
};

/** A number that the message states about itself. */
interface Stated {
  name: 'NbOfTxs' | 'CtrlSum';
  shown: string;
  line: number;
  path: string;
}

interface WrongTotal extends Stated {
  rule: 'wrong-transaction-count' | 'wrong-control-sum';
  message: string;
}

/** As many decimals as a control sum may have. */
const SCALE = 17;

/** Number of transactions and sum of their amounts, across all currencies, against what the message states. */
export class ControlTotals {
  private count = 0;
  private sum = 0n;
  private readonly stated: Stated[] = [];

  state(stated: Stated): void {
    this.stated.push(stated);
  }

  /** An amount that is not a decimal is reported elsewhere. */
  add(amount: string): void {
    this.count += 1;
    this.sum += scaled(amount) ?? 0n;
  }

  /** Compared exactly: `100` equals `100.00`, but no other sum. A text that is not a number is reported elsewhere. */
  wrong(): WrongTotal[] {
    const count = `NbOfTxs differs from the ${this.count} transactions in the message; the file may be incomplete`;
    const sum = `CtrlSum differs from the sum of the amounts, ${shown(this.sum)}; an amount or the sum may have been changed`;
    const found = {
      NbOfTxs: { total: scaled(`${this.count}`), rule: 'wrong-transaction-count', message: count },
      CtrlSum: { total: this.sum, rule: 'wrong-control-sum', message: sum },
    } as const;
    return this.stated.flatMap((stated) => {
      const { total, ...wrong } = found[stated.name];
      return [undefined, total].includes(scaled(stated.shown)) ? [] : [{ ...stated, ...wrong }];
    });
  }
}

function scaled(text: string): bigint | undefined {
  const value = schemaDecimal(text);
  if (value === undefined || value.scale > SCALE) return undefined;
  return value.digits * 10n ** BigInt(SCALE - value.scale);
}

const shown = (sum: bigint): string => formatDecimal({ digits: sum, scale: SCALE }).replace(/\.?0+$/, '') || '0';

const MESSAGE = 'Document/CstmrCdtTrfInitn';
const HEADER = `${MESSAGE}/GrpHdr`;
const PAYMENT = `${MESSAGE}/PmtInf`;
const TRANSACTION = `${PAYMENT}/CdtTrfTxInf`;
const SUPPLEMENT = 'SplmtryData';
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
  private headerLine = 1;
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
    return grammarOf(this.version);
  }

  envelope({ name, line }: { name: string; line: number }): void {
    this.missed(name, line, `/${name}`);
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
    if (trail === HEADER) this.headerLine = line;
    if (trail === PAYMENT) {
      const original = { paymentId: '' };
      const index = this.message?.payments.push(original) ?? 0;
      const totals = new ControlTotals();
      const counted = { original, totals, transactions: 0, isSound: true };
      this.payment = { index: index - 1, path: this.path(), fields: new Fields(), ...counted };
      this.problemsBefore = this.problems;
    }
    if (trail === TRANSACTION && this.payment !== undefined) this.begun(this.payment, line);
    // It may hold elements of any kind, which are not read.
    if (trail === `${TRANSACTION}/${SUPPLEMENT}`) this.transaction?.fields.add(SUPPLEMENT, '');
    if (trail === `${MESSAGE}/${SUPPLEMENT}`) this.missed(SUPPLEMENT, line, this.path());
  }

  leaf({ trail, text, attributes, line }: Parameters<DocumentEvents['leaf']>[0]): void {
    if (trail.startsWith(`${MESSAGE}/${SUPPLEMENT}/`)) return;
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
    for (const { name } of missedOf('GrpHdr', { own: this.header, transaction: this.header })) {
      this.missed(name, this.headerLine, `${this.path()}/${name}`);
    }
  }

  /** A field of the message that the bank's API has no place for. */
  private missed(name: string, line: number, path: string): void {
    const { rule, message } = withoutField(name);
    this.sink.warning({ ...aboutFile(line, rule, message), path });
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
      payment.original.account = debtorAccountOf(payment);
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
    const { instruction, spare, broken, rule } = instructionOf(transfer, this.context);
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
    const missed = missedInTransaction(transaction, { rule, isById: instruction.beneficiary_id !== undefined });
    for (const { name, fix } of missed) {
      this.sink.warning({ line, row, path, column: null, value: null, ...withoutField(name, fix) });
    }
    const unsound = found.length > 0 ? { unsound: true as const } : {};
    const { original, reference } = transfer;
    this.sink.row({ row, line, instruction, original, reference, path, spare, ...unsound });
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
