import { createHash, type Hash } from 'node:crypto';
import { aboutFile, type Found } from '../../domain/finding.ts';
import { currencyExponent, formatMinor } from '../../domain/money.ts';
import {
  type EntryDetail,
  type StatementBalances,
  type StatementEntry,
  type StatementHead,
  signed,
} from '../../domain/statements/statement.ts';
import { schemaDecimal } from '../iso20022/simple-types.ts';

/** Receives what a reader of statements reads, as it reads; the details of an entry come before it. */
export interface StatementSink {
  begin(head: StatementHead, line: number): void;
  detail(position: number, detail: EntryDetail): void;
  entry(entry: StatementEntry): void;
  end(balances: StatementBalances): void;
  /** Within a statement: about it, and it is refused. */
  finding(finding: Found): void;
}

/** A statement of a file, without its entries. */
export interface ReadStatement {
  head: StatementHead;
  balances: StatementBalances;
  entries: number;
  /** SHA-256 of everything that was read of it. */
  digest: string;
  line: number;
  findings: Found[];
}

/** Reads a file for the first time: what its statements say of themselves, and whether they add up. */
export class StatementSummary implements StatementSink {
  readonly statements: ReadStatement[] = [];
  private hash: Hash = createHash('sha256');
  private sum = 0n;

  begin(head: StatementHead, line: number): void {
    this.hash = createHash('sha256').update(JSON.stringify(head));
    this.sum = 0n;
    const balances = { opening: undefined, closing: undefined };
    this.statements.push({ head: { ...head }, balances, entries: 0, digest: '', line, findings: [] });
  }

  detail(position: number, detail: EntryDetail): void {
    this.hash.update(asText([position, detail]));
  }

  entry(entry: StatementEntry): void {
    const current = this.current();
    const { line, ...facts } = entry;
    this.hash.update(asText(facts));
    current.entries += 1;
    const { bookedOn, currency, isPending } = entry;
    current.head.from ??= bookedOn;
    if (bookedOn < current.head.from) current.head.from = bookedOn;
    if (current.head.to === undefined || bookedOn > current.head.to) current.head.to = bookedOn;
    current.head.currency ??= currency;
    if (current.head.currency !== currency) this.finding(aboutFile(line, 'other-currency', OTHER_CURRENCY));
    if (!isPending) this.sum += signed(entry);
  }

  end(balances: StatementBalances): void {
    const current = this.current();
    const { opening, closing } = balances;
    this.hash.update(asText([opening, closing]));
    current.balances = balances;
    current.digest = this.hash.digest('hex');
    const { head, line } = current;
    head.from ??= opening?.on ?? closing?.on;
    head.to ??= closing?.on ?? opening?.on;
    if (head.kind !== 'statement') return;
    if (closing === undefined) this.finding(aboutFile(line, 'no-balance', NO_BALANCE));
    else if (opening !== undefined && opening.minor + this.sum !== closing.minor) {
      const currency = head.currency ?? '';
      const [from, moved, to] = [opening.minor, this.sum, closing.minor].map((minor) => formatMinor(minor, currency));
      const message = `the opening balance ${from} and the entries ${moved} make ${formatMinor(opening.minor + this.sum, currency)}, but the closing balance is ${to}; ask the bank for it again`;
      this.finding(aboutFile(line, 'balances-differ', message));
    }
  }

  finding(finding: Found): void {
    this.current().findings.push(finding);
  }

  private current(): ReadStatement {
    const current = this.statements.at(-1);
    if (current === undefined) throw new Error('nothing was begun');
    return current;
  }
}

const OTHER_CURRENCY = 'the entry is in another currency than its account';
const NO_BALANCE = 'the statement has no closing balance, so nobody can see whether it is complete';

const asText = (value: unknown): string =>
  JSON.stringify(value, (_name, it: unknown) => (typeof it === 'bigint' ? `${it}` : it));

/** Minor units of an amount as ISO 20022 writes it; undefined: it has more decimals than its currency, or none is known. */
export function minorOf(text: string, currency: string): bigint | undefined {
  const value = schemaDecimal(text);
  const exponent = currencyExponent(currency);
  if (value === undefined || exponent === undefined) return undefined;
  const { digits, scale } = value;
  if (scale <= exponent) return digits * 10n ** BigInt(exponent - scale);
  const beyond = 10n ** BigInt(scale - exponent);
  return digits % beyond === 0n ? digits / beyond : undefined;
}

export const AMOUNT_UNFIT = 'the amount has more decimals than its currency, or the currency is not one of ISO 4217';
