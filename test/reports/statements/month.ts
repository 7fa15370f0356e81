import { type Order, order } from '../../../src/bank/schemas/orders.ts';
import { formatMinor } from '../../../src/domain/money.ts';
import type { DiscrepancyKind } from '../../../src/domain/statements/booked.ts';
import type { ClaimRow, Store } from '../../../src/store/store.ts';
import { claimRow } from '../../store/samples.ts';

/** A month of payouts, what a bank booked for them, and what is wrong with it: planted, so that each must be found once. */

export const ACCOUNTS = { 'acc-eur': 'EUR', 'acc-eur-2': 'EUR', 'acc-usd': 'USD' } as const;
type Account = keyof typeof ACCOUNTS;

/** One booking, before it is written in a format. */
export interface Booking {
  account: Account;
  /** ISO 8601 day. */
  on: string;
  /** Minor units; below zero: it left the account. */
  minor: bigint;
  code: 'payment' | 'fee' | 'return' | 'undone' | 'deposit';
  bankReference: string;
  /** In the field for it. */
  endToEnd?: string;
  text?: string;
  batch?: { id: string; count: number };
  reason?: string;
}

interface Payout {
  row: ClaimRow;
  batchId: string;
  on: string;
  minor: bigint;
  state: 'completed' | 'failed' | 'cancelled';
  orderId: string;
  fee: bigint;
}

export interface Month {
  payouts: Payout[];
  bookings: Booking[];
  orders: Order[];
  planted: { kind: DiscrepancyKind; reference: string | null }[];
  returns: { reference: string; amount: string }[];
}

/** Mulberry32: the same month for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const DAYS = ['02', '03', '04', '05', '06', '09', '10', '11', '12', '13', '16', '17', '18', '19', '20'];
const dayOf = (index: number): string => `2026-03-${DAYS[index % DAYS.length]}`;
const later = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
const uuidAsSent = (reference: string): string => reference.replaceAll('-', '');

export function monthOf(seed: number, count = 90): Month {
  const random = randomOf(seed);
  const pick = <T>(...of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const month: Month = { payouts: [], bookings: [], orders: [], planted: [], returns: [] };
  let serial = 0;
  const bankReference = (): string => `BK${seed}X${++serial}`;
  const unique = (): bigint => 700_000n + BigInt(++serial) * 101n;
  const equal = (): bigint => pick(10_000n, 25_000n, 99_900n);
  const pay = (change: Partial<Payout> = {}): Payout => {
    const id = `INV-${seed}-${month.payouts.length + 1000}`;
    const on = change.on ?? dayOf(Math.floor(random() * DAYS.length));
    const minor = change.minor ?? equal();
    const row = claimRow(month.payouts.length + 1, id, {
      account_id: 'acc-eur',
      currency: 'EUR',
      amount: formatMinor(minor, 'EUR'),
    });
    const payout: Payout = {
      row,
      batchId: `b${on}`,
      on,
      minor,
      state: 'completed',
      orderId: `ord${seed}n${month.payouts.length}`,
      fee: 0n,
      ...change,
    };
    month.payouts.push(payout);
    return payout;
  };
  const book = (payout: Payout, change: Partial<Booking> = {}): Booking => {
    const booking: Booking = {
      ...{ account: 'acc-eur', on: later(payout.on, pick(0, 0, 1)), minor: -payout.minor, code: 'payment' },
      ...{ bankReference: bankReference(), endToEnd: uuidAsSent(payout.row.reference) },
      ...change,
    };
    month.bookings.push(booking);
    return booking;
  };
  const plant = (kind: DiscrepancyKind, payout?: Payout): void => {
    month.planted.push({ kind, reference: payout?.row.reference ?? null });
  };
  const list = (payout: Payout | undefined, change: Record<string, unknown> = {}): void => {
    const amount = payout === undefined ? '0' : formatMinor(payout.minor, 'EUR');
    month.orders.push(
      order.parse({
        ...{ order_id: payout?.orderId ?? `foreign${++serial}`, client_order_id: payout?.row.reference },
        ...{ type: 'PAYMENT', direct: 'OUT', status: 'COMPLETED', transaction_account: 'acc-eur' },
        ...{ transaction_currency: 'EUR', transaction_amount: amount, created_at: Date.parse(payout?.on ?? dayOf(3)) },
        ...(payout !== undefined && payout.fee > 0n && { fee: formatMinor(payout.fee, 'EUR'), fee_currency: 'EUR' }),
        ...change,
      }),
    );
  };
  rightOnes({ month, count, random, pick, pay, book, list, unique });
  const back = { ...{ code: 'return' as const, reason: 'AC04' } };
  const returned = (amount: (minor: bigint) => bigint, account: Account = 'acc-eur'): void => {
    const payout = pay();
    book(payout);
    list(payout);
    const minor = amount(payout.minor);
    book(payout, { on: later(payout.on, pick(2, 5, 8)), minor, account, ...back });
    list(payout, {
      ...{ order_id: `${payout.orderId}r`, type: 'REFUND', direct: 'IN', transaction_account: account },
      ...{ transaction_amount: formatMinor(minor, 'EUR') },
    });
    month.returns.push({ reference: payout.row.reference, amount: formatMinor(minor, 'EUR') });
  };
  for (let n = 0; n < 3; n += 1) returned((minor) => minor);
  returned((minor) => minor / 2n);
  returned((minor) => minor - 500n);
  returned((minor) => minor, 'acc-eur-2');
  wrongOnes({ month, pay, book, list, plant, unique, bankReference });
  return month;
}

type Tools = {
  month: Month;
  pay(change?: Partial<Payout>): Payout;
  book(payout: Payout, change?: Partial<Booking>): Booking;
  list(payout: Payout | undefined, change?: Record<string, unknown>): void;
  unique(): bigint;
};

function rightOnes(tools: Tools & { count: number; random(): number; pick<T>(...of: readonly T[]): T }): void {
  const { month, count, pick, pay, book, list, unique } = tools;
  let collected = 0n;
  for (let n = 0; n < count; n += 1) {
    const form = pick('end-to-end', 'end-to-end', 'order', 'document', 'amount', 'split', 'with-fee', 'fee', 'monthly');
    const fee = form === 'with-fee' || form === 'fee' || form === 'monthly' ? 150n : 0n;
    const payout = pay({ fee, ...(form === 'amount' && { minor: unique() }) });
    list(payout);
    const { minor, orderId, row } = payout;
    if (form === 'order') book(payout, { endToEnd: orderId });
    else if (form === 'document')
      book(payout, { endToEnd: undefined, text: `Rechnung ${row.instruction.id} vom Februar` });
    else if (form === 'amount') book(payout, { endToEnd: undefined, text: 'Überweisung' });
    else if (form === 'split') for (const part of [minor / 3n, minor - minor / 3n]) book(payout, { minor: -part });
    else if (form === 'with-fee') book(payout, { minor: -(minor + fee) });
    else book(payout);
    if (form === 'fee') book(payout, { minor: -fee, code: 'fee' });
    if (form === 'monthly') collected += fee;
  }
  for (const on of ['2026-03-23', '2026-03-24']) {
    const some = [1, 2, 3, 4].map(() => pay({ on, batchId: `file${on}` }));
    for (const payout of some) list(payout);
    const [first] = some;
    const whole = { minor: -some.reduce((sum, { minor }) => sum + minor, 0n), endToEnd: undefined };
    if (first !== undefined)
      book(first, { ...whole, batch: { id: on.endsWith('23') ? `file${on}` : 'LUMP', count: 4 } });
  }
  const [last] = month.payouts;
  if (collected > 0n && last !== undefined) {
    book(last, { on: '2026-03-31', minor: -collected, code: 'fee', endToEnd: undefined, text: 'Entgelte März' });
  }
}

function wrongOnes({
  month,
  pay,
  book,
  list,
  plant,
  unique,
  bankReference,
}: Tools & {
  plant(kind: DiscrepancyKind, payout?: Payout): void;
  bankReference(): string;
}): void {
  plant('not-booked', pay());
  const failed = pay({ state: 'failed' });
  book(failed, { on: failed.on });
  list(failed);
  plant('booked-not-paid', failed);
  const cancelled = pay({ state: 'cancelled' });
  book(cancelled, { on: later(cancelled.on, 3) });
  list(cancelled, { created_at: Date.parse(later(cancelled.on, 3)) });
  plant('late-booking', cancelled);
  const more = pay();
  book(more, { minor: -(more.minor * 2n + 7n) });
  list(more, { transaction_amount: formatMinor(more.minor * 2n + 7n, 'EUR') });
  plant('other-amount', more);
  const foreign = pay({ fee: 150n });
  book(foreign, { account: 'acc-usd' });
  book(foreign, { account: 'acc-usd', minor: -150n, code: 'fee' });
  list(foreign, { transaction_account: 'acc-usd', transaction_currency: 'USD', fee_currency: 'USD' });
  plant('other-currency', foreign);
  const elsewhere = pay();
  book(elsewhere, { account: 'acc-eur-2' });
  list(elsewhere, { transaction_account: 'acc-eur-2' });
  plant('other-account', elsewhere);
  const dear = pay({ fee: 150n });
  book(dear);
  book(dear, { minor: -900n, code: 'fee' });
  list(dear, { fee: '9.00' });
  plant('other-fee', dear);
  const twice = pay();
  book(twice);
  book(twice, { on: later(twice.on, 1) });
  list(twice);
  list(twice, { order_id: `${twice.orderId}again` });
  plant('booked-twice', twice);
  const undone = pay();
  book(undone);
  book(undone, { on: later(undone.on, 2), minor: undone.minor, code: 'undone' });
  list(undone, { status: 'FAILED' });
  plant('booking-undone', undone);
  const nobody = pay();
  book(nobody);
  list(nobody);
  const alone = { endToEnd: undefined, text: 'Rückgabe' };
  book(nobody, { on: later(nobody.on, 4), minor: nobody.minor, code: 'return', reason: 'AC01', ...alone });
  list(undefined, {
    ...{ type: 'REFUND', direct: 'IN', transaction_amount: formatMinor(nobody.minor, 'EUR') },
    created_at: Date.parse(later(nobody.on, 4)),
  });
  plant('unattributed-return');
  const [debit, credit] = [unique(), unique()];
  const on = '2026-03-12';
  const strange = { account: 'acc-eur', on, bankReference: bankReference() } as const;
  month.bookings.push({ ...strange, minor: -debit, code: 'payment', text: 'Leasing' });
  list(undefined, { transaction_amount: formatMinor(debit, 'EUR'), fee: '1.50', fee_currency: 'EUR' });
  plant('unexplained-debit');
  month.bookings.push({
    ...strange,
    bankReference: bankReference(),
    minor: credit,
    code: 'deposit',
    text: 'Einzahlung',
  });
  list(undefined, { direct: 'IN', transaction_amount: formatMinor(credit, 'EUR') });
  plant('unexplained-credit');
}

/** Claims the payouts of a month, and ends each as it did. */
export async function storeMonth(store: Store, { payouts }: Month): Promise<void> {
  for (const [batchId, some] of Map.groupBy(payouts, (it) => it.batchId)) {
    const rows = some.map(({ row }, index) => ({ ...row, row: index + 1 }));
    const at = Date.parse(`${some[0]?.on}T08:00:00Z`);
    await store.claimBatch({ batchId, file: `${batchId}.csv`, sha256: batchId, by: 'maker', rows, at });
  }
  for (const { row, state, orderId, fee, on } of payouts) {
    const at = Date.parse(`${on}T10:00:00Z`);
    const paid = { orderId, amount: row.instruction.amount, currency: 'EUR', accountId: 'acc-eur' };
    const money = { orderId, paid, fee: formatMinor(fee, 'EUR'), feeCurrency: 'EUR' };
    await store.changePayout(row.reference, { state, ...money, at });
  }
}

const sum = (bookings: readonly Booking[]): bigint => bookings.reduce((total, { minor }) => total + minor, 0n);

/** Statements by account and day, or one for all days, with balances that continue each other, up to the end of the month. */
function* statements(bookings: readonly Booking[], isOne = false) {
  for (const [account, currency] of Object.entries(ACCOUNTS)) {
    let opening = 5_000_000_000n;
    const own = bookings.filter((it) => it.account === account);
    const days = [...new Set([...own.map(({ on }) => on), '2026-03-01', '2026-04-10'])].sort();
    if (isOne) {
      const [on = '', to = on] = [days[0], days.at(-1)];
      yield { account, currency, on, to, number: 'all', opening, closing: opening + sum(own), booked: own };
      continue;
    }
    for (const [index, on] of days.entries()) {
      const booked = own.filter((it) => it.on === on);
      const closing = opening + sum(booked);
      yield { account, currency, on, to: on, number: `${index + 1}`, opening, closing, booked };
      opening = closing;
    }
  }
}

const SUB_FAMILIES = { payment: 'ESCT', fee: 'CHRG', return: 'RRTN', undone: 'ESCT', deposit: 'ESCT' } as const;

/** @param isOne one statement an account instead of one a day */
export function camt053(bookings: readonly Booking[], version = '08', isOne = false): string {
  const amount = (minor: bigint, currency: string): string =>
    `<Amt Ccy="${currency}">${formatMinor(minor < 0n ? -minor : minor, currency)}</Amt><CdtDbtInd>${minor < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
  const balance = (code: string, minor: bigint, currency: string, on: string): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amount(minor, currency)}<Dt><Dt>${on}</Dt></Dt></Bal>`;
  const status = version === '08' ? '<Sts><Cd>BOOK</Cd></Sts>' : '<Sts>BOOK</Sts>';
  const entry = (it: Booking, currency: string): string => {
    const code = `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>${SUB_FAMILIES[it.code]}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
    const batch = it.batch && `<Btch><PmtInfId>${it.batch.id}</PmtInfId><NbOfTxs>${it.batch.count}</NbOfTxs></Btch>`;
    const refs = `<Refs><EndToEndId>${it.endToEnd ?? 'NOTPROVIDED'}</EndToEndId></Refs>`;
    const own = version === '08' ? amount(it.minor, currency) : '';
    const text = it.text === undefined ? '' : `<RmtInf><Ustrd>${it.text}</Ustrd></RmtInf>`;
    const why = it.reason === undefined ? '' : `<RtrInf><Rsn><Cd>${it.reason}</Cd></Rsn></RtrInf>`;
    const details = it.batch === undefined ? `<TxDtls>${refs}${own}${text}${why}</TxDtls>` : '';
    return `<Ntry>${amount(it.minor, currency)}<RvslInd>${it.code === 'undone'}</RvslInd>${status}<BookgDt><Dt>${it.on}</Dt></BookgDt><AcctSvcrRef>${it.bankReference}</AcctSvcrRef>${code}<NtryDtls>${batch ?? ''}${details}</NtryDtls></Ntry>\n`;
  };
  const parts = [...statements(bookings, isOne)].map(
    ({ account, currency, on, to, number, opening, closing, booked }) =>
      `<Stmt><Id>${account}-${number}</Id><CreDtTm>${on}T20:00:00</CreDtTm><Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>${currency}</Ccy></Acct>${balance('OPBD', opening, currency, on)}${balance('CLBD', closing, currency, to)}${booked.map((it) => entry(it, currency)).join('')}</Stmt>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt><GrpHdr><MsgId>m</MsgId><CreDtTm>2026-04-01T00:00:00</CreDtTm></GrpHdr>${parts.join('\n')}</BkToCstmrStmt></Document>`;
}

const TYPES = { payment: 'NTRF', fee: 'NCHG', return: 'NRTI', undone: 'NTRF', deposit: 'NTRF' } as const;

export function mt940(bookings: readonly Booking[]): string {
  const day = (on: string): string => on.slice(2).replaceAll('-', '');
  const amount = (minor: bigint, currency: string): string =>
    formatMinor(minor < 0n ? -minor : minor, currency).replace('.', ',');
  const balance = (tag: string, minor: bigint, currency: string, on: string): string =>
    `:${tag}:${minor < 0n ? 'D' : 'C'}${day(on)}${currency}${amount(minor, currency)}`;
  const entry = (it: Booking, currency: string): string[] => {
    const mark = it.code === 'undone' ? 'RD' : it.minor < 0n ? 'D' : 'C';
    const line = `:61:${day(it.on)}${it.on.slice(5).replace('-', '')}${mark}${amount(it.minor, currency)}${TYPES[it.code]}NONREF//${it.bankReference}`;
    const code = it.batch !== undefined ? '191' : it.code === 'return' ? '159' : it.code === 'fee' ? '805' : '166';
    const purpose = [
      it.endToEnd && `EREF+${it.endToEnd}`,
      it.batch && `KREF+${it.batch.id}`,
      `SVWZ+${[it.text, it.reason].filter((part) => part !== undefined).join(' ')}`,
    ].filter((part) => part !== undefined);
    // Each begins a field of its own, and a text of 27 characters continues in the next one.
    const fields = purpose.flatMap((text) => text.match(/.{1,27}/g) ?? []);
    const whole = `${code}?00BUCHUNG${fields.map((text, index) => `?${20 + index}${text}`).join('')}`;
    return [line, `:86:${whole.match(/.{1,65}/g)?.join('\r\n')}`];
  };
  return [...statements(bookings)]
    .flatMap(({ account, currency, on, number, opening, closing, booked }) => [
      ...['', `:20:STARTUMS`, `:25:${account}`, `:28C:${number}/1`, balance('60F', opening, currency, on)],
      ...booked.flatMap((it) => entry(it, currency)),
      ...[balance('62F', closing, currency, on), '-'],
    ])
    .join('\r\n');
}
