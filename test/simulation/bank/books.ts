import type { AccountBooks } from '../../support/checker/observation.ts';

const DECIMALS: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 };

const decimalsOf = (currency: string): number => DECIMALS[currency] ?? 2;

/** Minor units as decimal text, with at least `places` decimals. */
export function decimalText(minor: bigint, currency: string, places = 0): string {
  const decimals = decimalsOf(currency);
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).padEnd(places, '0');
  return `${minor < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Decimal text as minor units; undefined when it is none, or has more places than its currency. */
export function minorOf(text: unknown, currency: string): bigint | undefined {
  const match = typeof text === 'string' ? /^(\d+)(?:\.(\d+))?$/.exec(text) : null;
  const fraction = match?.[2] ?? '';
  const decimals = decimalsOf(currency);
  if (match === null || fraction.length > decimals) return undefined;
  return BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`);
}

type EntryKind = AccountBooks['entries'][number]['kind'];

export interface Account {
  accountId: string;
  uid: string;
  currency: string;
  opening: bigint;
  balance: bigint;
  held: bigint;
  frozen: boolean;
  entries: { at: number; kind: EntryKind; orderId: string | null; amount: bigint }[];
}

/** Accounts in minor units: money is held for an order, and spent or given back when it ends. */
export class Books {
  private readonly byId = new Map<string, Account>();

  open(accountId: string, uid: string, currency: string, opening: bigint): void {
    const account = { accountId, uid, currency, opening, balance: opening, held: 0n, frozen: false, entries: [] };
    this.byId.set(accountId, account);
  }

  get(accountId: string): Account | undefined {
    return this.byId.get(accountId);
  }

  ofUser(uid: string): Account[] {
    return [...this.byId.values()].filter((account) => account.uid === uid);
  }

  all(): Account[] {
    return [...this.byId.values()];
  }

  /** False when there is not enough. */
  hold(accountId: string, amount: bigint): boolean {
    const account = this.byId.get(accountId);
    if (account === undefined || account.balance < amount) return false;
    account.balance -= amount;
    account.held += amount;
    return true;
  }

  giveBack(accountId: string, amount: bigint): void {
    const account = this.must(accountId);
    account.balance += amount;
    account.held -= amount;
  }

  /** What was held leaves the account for good. */
  spend(accountId: string, parts: { kind: EntryKind; amount: bigint }[], orderId: string, at: number): void {
    const account = this.must(accountId);
    for (const { kind, amount } of parts) {
      if (amount === 0n) continue;
      account.held -= amount;
      account.entries.push({ at, kind, orderId, amount: -amount });
    }
  }

  credit(accountId: string, kind: EntryKind, amount: bigint, orderId: string | null, at: number): void {
    const account = this.must(accountId);
    account.balance += amount;
    account.entries.push({ at, kind, orderId, amount });
  }

  seen(): AccountBooks[] {
    return this.all().map(({ accountId, currency, opening, balance, held, entries }) => ({
      accountId,
      currency,
      opening: decimalText(opening, currency),
      balance: decimalText(balance, currency),
      held: decimalText(held, currency),
      entries: entries.map((entry) => ({ ...entry, amount: decimalText(entry.amount, currency) })),
    }));
  }

  private must(accountId: string): Account {
    const account = this.byId.get(accountId);
    if (account === undefined) throw new Error(`no account ${accountId}`);
    return account;
  }
}
