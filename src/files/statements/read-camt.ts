import { aboutFile, shownValue } from '../../domain/finding.ts';
import type {
  BatchBooking,
  Direction,
  EntryDetail,
  ReturnReason,
  StatementBalance,
  StatementKind,
} from '../../domain/statements/statement.ts';
import type { Grammar } from '../iso20022/grammar.ts';
import { type DocumentEvents, type Root, readDocument } from '../iso20022/read-document.ts';
import type { StructureProblem } from '../iso20022/structure.ts';
import { Fields } from '../pain001/pain001-grammar.ts';
import { type CamtMessage, camtMessageOf } from './camt-grammar.ts';
import { AMOUNT_UNFIT, minorOf, type StatementSink } from './statement-sink.ts';

const RECORDS: ReadonlySet<string> = new Set(['GrpHdr', 'Acct', 'Bal', 'TxsSummry', 'Ntry', 'Btch', 'TxDtls']);
const KINDS: Readonly<Record<CamtMessage['name'], StatementKind>> = {
  'camt.053': 'statement',
  'camt.052': 'report',
  'camt.054': 'notification',
};

/** Reads a camt.053, camt.052 or camt.054. In memory: the head of one statement, one entry, one of its details. */
export const readCamt = (bytes: AsyncIterable<Uint8Array>, sink: StatementSink): Promise<void> =>
  readDocument(bytes, RECORDS, new CamtReader(sink));

class CamtReader implements DocumentEvents {
  private readonly sink: StatementSink;
  private message: CamtMessage | undefined;
  private path: () => string = () => '';
  private partTrail = '';
  private madeOn: string | undefined;
  private head = new Fields();
  private headLine = 1;
  private isBegun = false;
  private balances: { code: string; balance: StatementBalance }[] = [];
  private balance: Fields | undefined;
  private entry: Fields | undefined;
  private entryLine = 1;
  private position = 0;
  private batch: BatchBooking | undefined;
  private detail: Fields | undefined;
  private parts = 0;

  constructor(sink: StatementSink) {
    this.sink = sink;
  }

  begin(root: Root, path: () => string): Grammar {
    this.message = camtMessageOf(root);
    this.path = path;
    this.partTrail = `Document/${this.message.message}/${this.message.part}`;
    return this.message.grammar;
  }

  problem({ line, path, rule, message, name, value }: StructureProblem): void {
    if (!this.isBegun) this.beginStatement(line);
    this.sink.finding({ ...aboutFile(line, rule, message), column: name, value: shownValue(name, value), path });
  }

  open(trail: string, line: number): void {
    if (trail === this.partTrail) {
      this.head = new Fields();
      this.headLine = line;
      this.isBegun = false;
      this.balances = [];
      this.position = 0;
      return;
    }
    const name = trail.slice(this.partTrail.length + 1);
    if (name === 'Bal') this.balance = new Fields();
    if (name === 'Ntry') {
      if (!this.isBegun) this.beginStatement(this.headLine);
      this.entry = new Fields();
      this.entryLine = line;
      this.position += 1;
      this.parts = 0;
      this.batch = undefined;
    }
    if (name === DETAIL) this.detail = new Fields();
  }

  leaf({ trail, text, attributes }: Parameters<DocumentEvents['leaf']>[0]): void {
    if (trail.endsWith('/GrpHdr/CreDtTm')) this.madeOn = text;
    const name = trail.slice(this.partTrail.length + 1);
    const [fields, path] =
      this.detail !== undefined
        ? [this.detail, name.slice(DETAIL.length + 1)]
        : this.entry !== undefined
          ? [this.entry, name.slice('Ntry/'.length)]
          : this.balance !== undefined
            ? [this.balance, name.slice('Bal/'.length)]
            : [this.head, name];
    fields.add(path, text);
    for (const [attribute, value] of Object.entries(attributes)) fields.add(`${path}/@${attribute}`, value);
  }

  close(trail: string): void {
    const name = trail.slice(this.partTrail.length + 1);
    if (name === 'Bal') this.closeBalance();
    else if (name === 'Ntry/NtryDtls/Btch') this.closeBatch();
    else if (name === DETAIL) this.closeDetail();
    else if (name === 'Ntry') this.closeEntry();
    else if (trail === this.partTrail) this.closeStatement();
  }

  private beginStatement(line: number): void {
    this.isBegun = true;
    const { head, message } = this;
    const dayOf = (name: string): string | undefined => head.one(`FrToDt/${name}`)?.slice(0, DAY);
    this.sink.begin(
      {
        kind: KINDS[message?.name ?? 'camt.053'],
        format: message?.format ?? '',
        account: head.one('Acct/Id/IBAN', 'Acct/Id/Othr/Id') ?? '',
        currency: head.one('Acct/Ccy'),
        number: head.one('Id') ?? '',
        from: dayOf('FrDtTm'),
        to: dayOf('ToDtTm'),
      },
      line,
    );
  }

  private closeStatement(): void {
    if (!this.isBegun) this.beginStatement(this.headLine);
    const find = (code: string): StatementBalance | undefined => this.balances.find((it) => it.code === code)?.balance;
    const interim = this.balances.filter(({ code }) => code === 'ITBD').map(({ balance }) => balance);
    // Pages in between have only interim balances, the first of which opens the page.
    const opening = find('OPBD') ?? find('PRCD') ?? (interim.length > 1 ? interim[0] : undefined);
    this.sink.end({ opening, closing: find('CLBD') ?? interim.at(-1) });
    this.isBegun = false;
  }

  private closeBalance(): void {
    const fields = this.balance as Fields;
    this.balance = undefined;
    const amount = amountOf(fields, 'Amt');
    if (amount === undefined) return;
    const minor = fields.one('CdtDbtInd') === 'DBIT' ? -amount.minor : amount.minor;
    this.head.add('Acct/Ccy', amount.currency);
    const on = fields.one('Dt/Dt', 'Dt/DtTm')?.slice(0, DAY) ?? '';
    this.balances.push({ code: fields.one('Tp/CdOrPrtry/Cd') ?? '', balance: { minor, on } });
  }

  private closeBatch(): void {
    const fields = this.entry as Fields;
    const at = (name: string): string | undefined => fields.one(`NtryDtls/Btch/${name}`);
    const count = Number(at('NbOfTxs') ?? Number.NaN);
    this.batch = {
      messageId: provided(at('MsgId')),
      paymentId: provided(at('PmtInfId')),
      count: Number.isSafeInteger(count) ? count : undefined,
    };
  }

  private closeDetail(): void {
    const fields = this.detail as Fields;
    this.detail = undefined;
    this.parts += 1;
    const direction = directionOf(fields) ?? directionOf(this.entry as Fields) ?? 'debit';
    const currency = this.entry?.one('Amt/@Ccy') ?? '';
    const amounts = ['Amt', 'AmtDtls/TxAmt/Amt', 'AmtDtls/InstdAmt/Amt'].map((path) => amountOf(fields, path));
    const amount = amounts.find((it) => it?.currency === currency);
    const detail: EntryDetail = {
      part: this.parts,
      minor: amount?.minor,
      currency,
      direction,
      ...aboutPayment(fields, direction, currency),
    };
    this.sink.detail(this.position, detail);
  }

  private closeEntry(): void {
    const fields = this.entry as Fields;
    this.entry = undefined;
    const line = this.entryLine;
    const amount = amountOf(fields, 'Amt');
    const direction = directionOf(fields);
    const day = fields.one('BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm');
    // A report or notification need not say it, and counts until a statement does.
    const bookedOn = (
      day ?? (this.message?.name === 'camt.053' ? undefined : (this.head.one('CreDtTm') ?? this.madeOn))
    )?.slice(0, DAY);
    const isPending = (fields.one('Sts', 'Sts/Cd', 'Sts/Prtry') ?? 'BOOK') !== 'BOOK';
    if (amount === undefined)
      this.sink.finding({ ...aboutFile(line, 'unfit-amount', AMOUNT_UNFIT), path: this.path() });
    if (bookedOn === undefined && !isPending) {
      this.sink.finding({ ...aboutFile(line, 'missing-element', NO_DAY), path: this.path() });
    }
    if (amount === undefined || direction === undefined || bookedOn === undefined) return;
    const { references, ...about } = aboutPayment(fields, direction, amount.currency);
    this.sink.entry({
      position: this.position,
      ...amount,
      direction,
      isReversal: isTrue(fields.one('RvslInd')),
      isPending,
      bookedOn,
      valueOn: fields.one('ValDt/Dt', 'ValDt/DtTm')?.slice(0, DAY),
      code: codeOf(fields),
      references: [...references, ...(provided(fields.one('NtryRef')) ?? [])].flat(),
      batch: this.batch,
      ...about,
      details: this.parts,
      line,
    });
  }
}

const DETAIL = 'Ntry/NtryDtls/TxDtls';
const DAY = 'YYYY-MM-DD'.length;
const NO_DAY = 'BookgDt is missing';

const directionOf = (fields: Fields): Direction | undefined => {
  const sign = fields.one('CdtDbtInd');
  return sign === undefined ? undefined : sign === 'CRDT' ? 'credit' : 'debit';
};

const isTrue = (text: string | undefined): boolean => text === 'true' || text === '1';

/** Undefined: there is none, or it fits in no minor units. */
function amountOf(fields: Fields, path: string): { minor: bigint; currency: string } | undefined {
  const [text, currency = ''] = [fields.one(path), fields.one(`${path}/@Ccy`)];
  const minor = text === undefined ? undefined : minorOf(text, currency);
  return minor === undefined ? undefined : { minor, currency };
}

/** Banks write words where they have no id. */
const provided = (text: string | undefined): string | undefined =>
  text === undefined || /^(?:NOT ?PROVIDED|NONREF|NOTAVAILABLE|NOT AVAILABLE)$/i.test(text) ? undefined : text;

function codeOf(fields: Fields): string | undefined {
  const domain = ['Domn/Cd', 'Domn/Fmly/Cd', 'Domn/Fmly/SubFmlyCd'].flatMap(
    (name) => fields.one(`BkTxCd/${name}`) ?? [],
  );
  return (
    [...(domain.length > 0 ? [domain.join('/')] : []), fields.one('BkTxCd/Prtry/Cd') ?? []].flat().join(' ') ||
    undefined
  );
}

const REFERENCES = [
  ...['EndToEndId', 'InstrId', 'TxId', 'UETR', 'AcctOwnrTxId', 'ClrSysRef', 'MsgId', 'PmtInfId', 'RtrId', 'Prtry/Ref'],
].map((name) => `Refs/${name}`);
const IN_REMITTANCE = ['RmtInf/Strd/CdtrRefInf/Ref', 'RmtInf/Strd/RfrdDocInf/Nb'];
const TEXTS = ['RmtInf/Ustrd', 'RmtInf/Strd/AddtlRmtInf', 'AddtlTxInf', 'AddtlNtryInf'];

/** What entries and details say alike. */
function aboutPayment(fields: Fields, direction: Direction, currency: string) {
  const party = direction === 'debit' ? 'CdtrAcct' : 'DbtrAcct';
  return {
    references: fields.all(...REFERENCES, ...IN_REMITTANCE).flatMap((text) => provided(text) ?? []),
    bankReference: provided(fields.one('AcctSvcrRef', 'Refs/AcctSvcrRef')),
    text: fields.all(...TEXTS).join(' '),
    returnReason: returnReasonOf(fields),
    counterparty: fields.one(`RltdPties/${party}/Id/IBAN`, `RltdPties/${party}/Id/Othr/Id`),
    chargesMinor: chargesOf(fields, currency),
  };
}

function returnReasonOf(fields: Fields): ReturnReason | undefined {
  const [code, own] = [fields.one('RtrInf/Rsn/Cd'), fields.one('RtrInf/Rsn/Prtry')];
  const text = [own ?? [], fields.all('RtrInf/AddtlInf')].flat().join(' ');
  if (code === undefined && text === '') return undefined;
  return { code, text: text === '' ? undefined : text };
}

/** In the currency of the amount, of which they are a part. */
function chargesOf(fields: Fields, currency: string): bigint {
  const paths = ['Chrgs/Rcrd/Amt', 'Chrgs/Amt'].filter((path) => fields.one(path) !== undefined);
  const [path] = paths;
  if (path === undefined) return amountOf(fields, 'Chrgs/TtlChrgsAndTaxAmt')?.minor ?? 0n;
  const currencies = fields.all(`${path}/@Ccy`);
  return fields
    .all(path)
    .map((text, index) => (currencies[index] === currency ? (minorOf(text, currency) ?? 0n) : 0n))
    .reduce((sum, minor) => sum + minor, 0n);
}
