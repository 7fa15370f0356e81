import { laterDay } from '../time.ts';
import type {
  AttributedReturn,
  BookedLine,
  Discrepancy,
  DiscrepancyKind,
  Match,
  MatchedBy,
  OurMovement,
  OurRecord,
  Reconciled,
  ToReconcile,
} from './booked.ts';
import {
  BOOKED_WITHIN_DAYS,
  CANDIDATES_MAX,
  DOCUMENT_LENGTH,
  daysBetween,
  FilePayments,
  feesSoFar,
  fold,
  MayComeBack,
  partPaid,
  RecordNames,
  rowsOfNearFile,
  sum,
  sumsOf,
} from './booked-as-one.ts';

/**
 * Which booking of a bank belongs to which movement of ours, and where the two differ. Pure: nothing here changes the outcome of a
 * payout; a finding is for people.
 */

export function reconcile(input: ToReconcile): Reconciled {
  const matching = new Matching(input);
  matching.byHand();
  matching.byName();
  matching.byBatch();
  matching.byDocument();
  matching.judge();
  matching.byAmount();
  matching.judgeFiles();
  matching.bySum();
  matching.rest();
  return matching.result();
}

class Matching {
  private readonly input: ToReconcile;
  private readonly names: RecordNames;
  private readonly byReference: ReadonlyMap<string, OurRecord>;
  private readonly open: Set<BookedLine>;
  /** Movements without a booking. */
  private readonly unbooked = new Map<string, OurMovement>();
  /** Lines that name a record, before they are judged together. */
  private readonly named = new Map<OurRecord, { line: BookedLine; by: MatchedBy }[]>();
  private readonly matches: Match[] = [];
  private readonly discrepancies: Discrepancy[] = [];
  private readonly returns: AttributedReturn[] = [];
  /** Payments of the file that a line names without being their sum. */
  private readonly inFile = new Map<BookedLine, readonly OurMovement[]>();
  /** Lines about which people have decided. */
  private readonly said: ReadonlySet<string>;
  private readonly lineOrders: ReadonlySet<string>;
  /** Records of which it was said that a payment should not have been booked, or not in its currency: its fee is no other difference. */
  private readonly surplus = new Set<string>();
  /** Records about whose payment something was already said. */
  private readonly judged = new Set<string>();

  private readonly batchOf = (it: OurMovement) => this.byReference.get(it.reference)?.batch;

  constructor(input: ToReconcile) {
    this.input = input;
    this.byReference = new Map(input.records.map((record) => [record.reference, record]));
    this.names = new RecordNames(input.records);
    for (const { movements } of input.records) for (const it of movements) this.unbooked.set(it.id, it);
    this.open = new Set(input.lines);
    this.lineOrders = new Set(input.lines.map(({ orderId }) => orderId));
    this.said = new Set(input.byHand?.map(({ lineId }) => lineId));
  }

  result(): Reconciled {
    return { matches: this.matches, discrepancies: this.discrepancies, returns: this.returns };
  }

  byHand(): void {
    const decided = new Map(this.input.byHand?.map((it) => [it.lineId, it]));
    for (const line of this.input.lines) {
      const decision = decided.get(line.id);
      if (decision === undefined) continue;
      const record = this.byReference.get(decision.reference ?? '');
      if (record === undefined) {
        this.open.delete(line);
        this.match(line, { movementId: undefined, reference: decision.reference, kind: 'other', by: 'person' });
      } else this.name(record, line, 'person');
    }
  }

  byName(): void {
    for (const line of [...this.open]) {
      const found = new Set(line.references.flatMap((text) => this.names.find(text) ?? []));
      const [record, another] = found;
      if (record !== undefined && another === undefined) this.name(record, line, 'reference');
      else if (another !== undefined) this.takeNamed(line, found);
    }
  }

  /** One booking that names several payments and is their sum. */
  private takeNamed(line: BookedLine, records: ReadonlySet<OurRecord>): void {
    const payments = [...records].flatMap(({ movements }) =>
      movements.filter((it) => it.kind !== 'fee' && this.unbooked.has(it.id) && isSamePlace(it, line)),
    );
    if (payments.length > 0) this.takeAll(line, payments, 'reference');
  }

  /** One booking for a whole file: by the ids of the file, else by its sum and number of payments. */
  byBatch(): void {
    const paid = [...this.unbooked.values()].filter((it) => it.kind === 'payment' && !this.isNamed(it.reference));
    const files = new FilePayments(paid, (reference) => this.byReference.get(reference)?.batch);
    for (const line of [...this.open]) {
      if (line.direction === 'credit') continue;
      const here = (some: readonly OurMovement[]): OurMovement[] =>
        some.filter((it) => this.unbooked.has(it.id) && isSamePlace(it, line));
      const named = files.named(line).filter((it) => isSamePlace(it, line));
      const ofFile = here(named);
      if (ofFile.length > 0 && this.takeAll(line, ofFile, 'batch')) continue;
      const only = named.length === 1 ? this.byReference.get(named[0]?.reference ?? '') : undefined;
      if (only !== undefined) this.name(only, line, 'batch');
      else if (named.length > 0 && !line.isFee) this.inFile.set(line, named);
      if (only !== undefined) continue;
      const { count } = line.batch ?? {};
      if (count === undefined || count < 2) continue;
      const fitting = files
        .all()
        .map(here)
        .filter((some) => some.length === count && sum(some) === line.minor);
      if (fitting.length === 1) this.takeAll(line, fitting[0] ?? [], 'sum');
    }
  }

  /** A file that the bank has booked with another sum, or in several bookings: one finding with both sides, or none. */
  judgeFiles(): void {
    const open = [...this.inFile].filter(([line]) => this.open.has(line));
    for (const some of Map.groupBy(open, ([, [payment]]) => payment?.id).values()) {
      this.judgeFile(
        some.map(([line]) => line),
        [...new Set(some.flatMap(([, payments]) => payments))],
      );
    }
  }

  private judgeFile(lines: readonly BookedLine[], payments: readonly OurMovement[]): void {
    const [first] = lines;
    if (first === undefined) return;
    const left = payments.filter(({ id }) => this.unbooked.has(id));
    const booked = sum(lines);
    const { paid, missing } = partPaid(left, (it) => this.feesOf(it.reference, first), booked);
    for (const line of lines) this.open.delete(line);
    this.share(lines, paid);
    if (paid.length > 0 && missing.length === 0) return;
    // Of what is missing, the fee is perhaps booked with those of a day.
    for (const { reference } of missing) this.judged.add(reference);
    if (paid.length === 0) {
      for (const line of lines) this.match(line, { ...OF_NO_PAYOUT, by: 'batch' });
      for (const { id } of left) this.unbooked.delete(id);
    }
    const { accountId, currency, on } = first;
    this.discrepancies.push({
      ...{ kind: 'other-sum', reference: undefined, lineIds: lines.map(({ id }) => id), accountId, currency, on },
      ...{ ours: sum(payments), ourCurrency: currency, booked: sum(payments) - sum(left) + booked },
      candidates: missing.map(({ reference }) => reference),
      batchId: this.byReference.get(payments[0]?.reference ?? '')?.batch.batchId,
    });
  }

  /** Lines that are together the sum of these movements: each in turn, as far as it goes. */
  private share(lines: readonly BookedLine[], movements: readonly OurMovement[]): void {
    const rest = lines.map((line) => ({ line, minor: line.minor }));
    for (const movement of movements) {
      for (let due = movement.minor; due > 0n; ) {
        const [next] = rest;
        if (next === undefined) return;
        const part = due < next.minor ? due : next.minor;
        this.take(next.line, movement, 'batch', part);
        due -= part;
        next.minor -= part;
        if (next.minor === 0n) rest.shift();
      }
    }
  }

  private isNamed(reference: string): boolean {
    const record = this.byReference.get(reference);
    return record !== undefined && this.named.has(record);
  }

  /** With their fees, or without: whichever adds up. */
  private takeAll(line: BookedLine, payments: readonly OurMovement[], by: MatchedBy): boolean {
    const fees = payments.flatMap(({ reference }) => this.feesOf(reference, line));
    const taken = [payments, [...payments, ...fees]].find((some) => sum(some) === line.minor);
    if (taken === undefined) return false;
    this.open.delete(line);
    for (const movement of taken) this.take(line, movement, by, movement.minor);
    return true;
  }

  private feesOf(reference: string, line: Parameters<typeof isSamePlace>[1]): OurMovement[] {
    const movements = this.byReference.get(reference)?.movements ?? [];
    return movements.filter((it) => it.kind === 'fee' && this.unbooked.has(it.id) && isSamePlace(it, line));
  }

  /** A document number alone may be anybody's: amount and account must be the same too. */
  byDocument(): void {
    const byDocument = Map.groupBy(this.input.records, ({ documentId }) => fold(documentId));
    for (const line of [...this.open]) {
      const found = new Set(
        line.references
          .filter((text) => fold(text).length >= DOCUMENT_LENGTH)
          .flatMap((text) => byDocument.get(fold(text)) ?? []),
      );
      const fitting = [...found].filter(({ asked, state }) =>
        line.direction === 'debit'
          ? asked.accountId === line.accountId && asked.currency === line.currency && asked.minor === line.minor
          : state === 'paid' && line.isReturn && asked.currency === line.currency && line.minor <= asked.minor,
      );
      const unpaidOnly = fitting.every(({ state }) => state === 'unpaid');
      const [record, another] = unpaidOnly ? fitting : fitting.filter(({ state }) => state !== 'unpaid');
      if (record !== undefined && another === undefined) this.name(record, line, 'document');
    }
  }

  private name(record: OurRecord, line: BookedLine, by: MatchedBy): void {
    this.open.delete(line);
    const lines = this.named.get(record);
    if (lines === undefined) this.named.set(record, [{ line, by }]);
    else lines.push({ line, by });
  }

  private take(line: BookedLine, movement: OurMovement, by: MatchedBy, minor = line.minor): void {
    this.unbooked.delete(movement.id);
    const { id: movementId, reference, kind } = movement;
    this.match(line, { movementId, reference, kind, by }, minor);
  }

  private match(line: BookedLine, it: Omit<Match, 'lineId' | 'minor'>, minor = line.minor): void {
    this.matches.push({ lineId: line.id, ...it, minor: line.direction === 'credit' ? minor : -minor });
  }

  private matched(line: BookedLine, record: OurRecord, kind: Match['kind'], by: MatchedBy): void {
    this.match(line, { movementId: undefined, reference: record.reference, kind, by });
  }

  /** All lines of one record together: several bookings may be one payment, or one may be there twice. */
  judge(): void {
    for (const [record, lines] of this.named) {
      const rest = this.exact(record, lines);
      const fees = rest.filter(({ line }) => line.direction === 'debit' && line.isFee);
      const debits = rest.filter(({ line }) => line.direction === 'debit' && !line.isFee);
      const credits = rest.filter(({ line }) => line.direction === 'credit');
      if (isBookedBack(record, debits, credits)) {
        for (const { line, by } of [...debits, ...credits]) {
          this.matched(line, record, line.direction === 'debit' ? 'payment' : 'return', by);
        }
      } else {
        this.judgeDebits(record, debits);
        this.judgeCredits(record, this.judgeArrival(record, credits));
      }
      this.judgeFees(record, fees);
    }
  }

  /** Takes what is exactly a movement of the record; returns the others, in order of their days. */
  private exact(record: OurRecord, lines: readonly Named[]): Named[] {
    const inOrder = lines.toSorted((a, b) => (a.line.on < b.line.on ? -1 : a.line.on > b.line.on ? 1 : 0));
    const left = record.movements.filter(({ id }) => this.unbooked.has(id));
    return inOrder.filter(({ line, by }) => {
      const isIt = (it: OurMovement): boolean =>
        isSamePlace(it, line) && it.minor === line.minor && !line.isReversal && this.mayBeReturn(it, line);
      const alike = left.findIndex((it) => (it.kind === 'fee') === line.isFee && isIt(it));
      const at = alike < 0 ? left.findIndex(isIt) : alike;
      const [movement] = at < 0 ? [] : left.splice(at, 1);
      if (movement === undefined) return true;
      this.take(line, movement, by);
      return false;
    });
  }

  /** A return that was recorded for one booking is no other booking. */
  private mayBeReturn({ orderId }: OurMovement, line: BookedLine): boolean {
    return orderId === undefined || orderId === line.orderId || !this.lineOrders.has(orderId);
  }

  private judgeDebits(record: OurRecord, debits: readonly Named[]): void {
    const kind = record.movements.find(isPaidOut)?.kind ?? 'payment';
    for (const { line, by } of debits) this.matched(line, record, kind, by);
    const lines = debits.map(({ line }) => line);
    const [first] = lines;
    if (first === undefined || record.state === 'open') return;
    const booked = sum(lines);
    if (record.state !== 'paid') {
      const { state, endedOn } = record;
      const isLate = state === 'unpaid' && endedOn !== undefined && lines.every(({ on }) => on > endedOn);
      this.say(isLate ? 'late-booking' : 'booked-not-paid', record, lines, undefined, booked);
      this.surplus.add(record.reference);
      return;
    }
    const main = record.movements.find((it) => isPaidOut(it) && this.unbooked.delete(it.id));
    if (main === undefined) this.judgeSurplus(record, lines);
    else this.judgePayment(record, main, lines);
  }

  /** The bookings that name a payment, none of which is exactly it. */
  private judgePayment(record: OurRecord, main: OurMovement, lines: readonly BookedLine[]): void {
    const [first] = lines;
    if (first === undefined) return;
    const booked = sum(lines);
    const fees = this.feesOf(record.reference, first);
    const fee = sum(fees);
    const surplus = booked - main.minor;
    const isOther = first.currency !== main.currency;
    const isWithFee = !isOther && (surplus === first.chargesMinor || (fee > 0n && surplus <= FEE_TIMES * fee));
    if (surplus > 0n && isWithFee) for (const { id } of fees) this.unbooked.delete(id);
    if (isOther) this.surplus.add(record.reference);
    if (isOther) this.say('other-currency', record, lines, main.minor, booked);
    else if (first.accountId === main.accountId && (surplus === 0n || (fee > 0n && surplus === fee))) {
      if (surplus === fee) this.splitFees(first, fees);
    } else if (surplus > 0n && isWithFee) this.say('other-fee', record, lines, fee, surplus);
    else {
      const isDoubled = lines.length > 1 && lines.every(({ minor }) => minor === first.minor);
      const kind = isDoubled ? 'booked-twice' : surplus === 0n ? 'other-account' : 'other-amount';
      this.say(kind, record, lines, main.minor, booked);
    }
  }

  /** Of a booking for a payment with its fees: what of it is the fees. */
  private splitFees(line: BookedLine, fees: readonly OurMovement[]): void {
    const whole = this.matches.findLast(({ lineId }) => lineId === line.id);
    if (whole === undefined) return;
    for (const fee of fees) {
      whole.minor += fee.minor;
      this.take(line, fee, whole.by, fee.minor);
    }
  }

  /** The payment was booked as it should be, and these lines come on top. */
  private judgeSurplus(record: OurRecord, lines: readonly BookedLine[]): void {
    const ours = record.movements.find(isPaidOut)?.minor;
    const whole = lines.filter(({ minor }) => ours === undefined || minor * 2n > ours);
    const small = lines.filter((line) => !whole.includes(line));
    if (whole.length > 0) {
      this.say('booked-twice', record, whole, ours, (ours ?? 0n) + sum(whole));
      this.surplus.add(record.reference);
    }
    const fees = small.map((line) => ({ line, by: 'reference' as const }));
    if (small.length > 0) this.judgeFees(record, fees, true);
  }

  private judgeFees(record: OurRecord, fees: readonly Named[], isMatched = false): void {
    const [first] = fees;
    if (first === undefined) return;
    if (!isMatched) for (const { line, by } of fees) this.matched(line, record, 'fee', by);
    const lines = fees.map(({ line }) => line);
    const own = record.movements.filter(({ kind }) => kind === 'fee');
    const all = own.filter(({ currency }) => currency === first.line.currency);
    const due = all.filter((it) => this.unbooked.has(it.id));
    const already = sum(all) - sum(due);
    for (const fee of all.length === 0 ? own : due) this.unbooked.delete(fee.id);
    const isOfSurplus = this.surplus.has(record.reference) && sum(lines) <= sum(all.length > 0 ? all : lines);
    if (sum(lines) === sum(due) || isOfSurplus || record.state === 'open') return;
    this.say('other-fee', record, lines, sum(all), already + sum(lines));
  }

  /** What an exchange has bought, or a transfer brings, in another amount or in parts: no return. Returns the other credits. */
  private judgeArrival(record: OurRecord, credits: readonly Named[]): readonly Named[] {
    const main = record.movements.find(
      (it) => it.direction === 'credit' && it.kind !== 'return' && this.unbooked.has(it.id),
    );
    if (main === undefined) return credits;
    const isIt = ({ line }: Named): boolean => isSamePlace(main, line) && !line.isReturn && !line.isReversal;
    const arrived = credits.filter(isIt);
    if (arrived.length === 0) return credits;
    this.unbooked.delete(main.id);
    for (const { line, by } of arrived) this.matched(line, record, main.kind, by);
    const lines = arrived.map(({ line }) => line);
    const booked = sum(lines);
    if (booked !== main.minor) this.say('other-amount', record, lines, main.minor, booked, main.currency);
    return credits.filter((it) => !arrived.includes(it));
  }

  private judgeCredits(record: OurRecord, credits: readonly Named[]): void {
    for (const { line, by } of credits) this.matched(line, record, 'return', by);
    const lines = credits.map(({ line }) => line);
    const undone = lines.filter(({ isReversal, isReturn }) => isReversal && !isReturn);
    if (undone.length > 0 && record.state === 'paid') {
      // With its fee, if the bank has booked that back too.
      const payments = undone.filter(({ isFee }) => !isFee);
      this.say('booking-undone', record, undone, record.asked.minor, sum(payments.length > 0 ? payments : undone));
    }
    for (const line of lines) if (!undone.includes(line)) this.returned(record, line);
  }

  private returned({ reference, movements }: OurRecord, line: BookedLine): void {
    const { id, orderId, minor, currency, on, returnReason: reason } = line;
    const shownBy = orderId === id ? 'statement' : 'orders';
    const known = movements.find(
      (it) =>
        it.kind === 'return' &&
        it.currency === currency &&
        it.minor === minor &&
        this.unbooked.has(it.id) &&
        this.mayBeReturn(it, line),
    );
    if (known !== undefined) this.unbooked.delete(known.id);
    else this.returns.push({ orderId, shownBy, reference, minor, currency, on, reason });
  }

  private say(
    kind: DiscrepancyKind,
    record: OurRecord,
    lines: readonly BookedLine[],
    ours: bigint | undefined,
    booked: bigint | undefined,
    ourCurrency = kind === 'other-fee' ? lines[0]?.currency : undefined,
  ): void {
    this.judged.add(record.reference);
    if (lines.length > 0 && lines.every(({ id }) => this.said.has(id))) return;
    const [{ accountId, currency, on } = { ...record.asked, on: record.endedOn ?? '' }] = lines;
    const lineIds = lines.map(({ id }) => id);
    const { reference, asked } = record;
    this.discrepancies.push({
      ...{
        kind,
        reference,
        lineIds,
        accountId,
        currency,
        ours,
        ourCurrency: ourCurrency ?? asked.currency,
      },
      ...{ booked, on, candidates: [] },
    });
  }

  /** What names nothing of ours, by account, direction, amount and day; where it helps, by the payee's account. */
  byAmount(): void {
    const free = Map.groupBy(oldestFirst(this.unbooked.values()), placeOf);
    for (const line of inOrderOfDays(this.open)) {
      const chosen = this.fittest(free.get(placeOf(line)), line);
      if (chosen === undefined) continue;
      this.open.delete(line);
      this.take(line, chosen, 'amount');
    }
    const withFee = Map.groupBy(
      oldestFirst(this.unbooked.values()).filter((it) => it.kind !== 'fee' && this.feesOf(it.reference, it).length > 0),
      (it) => placeOf({ ...it, minor: it.minor + sum(this.feesOf(it.reference, it)) }),
    );
    for (const line of inOrderOfDays(this.open)) {
      const chosen = this.fittest(withFee.get(placeOf(line)), line);
      if (chosen !== undefined) this.takeAll(line, [chosen], 'amount');
    }
  }

  /** Of movements of one amount, in order: that of the payee whose account the line shows, else the first. */
  private fittest(some: OurMovement[] = [], line: BookedLine): OurMovement | undefined {
    while (some[0] !== undefined && !this.unbooked.has(some[0].id)) some.shift();
    const isFit = (it: OurMovement): boolean => this.unbooked.has(it.id) && this.mayBe(it, line);
    const known = line.counterparty === undefined ? undefined : some.find((it) => this.isPaidTo(it, line) && isFit(it));
    return known ?? some.find(isFit);
  }

  private mayBe(movement: OurMovement, line: BookedLine): boolean {
    if (this.inFile.get(line)?.includes(movement) === false) return false;
    if (this.judged.has(movement.reference) || (line.isFee && movement.kind !== 'fee')) return false;
    const isBack = line.isReturn || line.isReversal;
    if ((movement.kind === 'return') !== isBack || !this.mayBeReturn(movement, line)) return false;
    const away = daysBetween(movement.on, line.on);
    if (away < (isBack ? -BOOKED_WITHIN_DAYS : -1) || away > BOOKED_WITHIN_DAYS) return false;
    const payee = this.byReference.get(movement.reference)?.payeeAccount;
    return movement.kind !== 'payment' || payee === undefined || line.counterparty === undefined
      ? true
      : payee === line.counterparty;
  }

  private isPaidTo({ reference }: OurMovement, { counterparty }: BookedLine): boolean {
    return counterparty !== undefined && this.byReference.get(reference)?.payeeAccount === counterparty;
  }

  /** One booking of several: a payment with its fee, the fees of a day or a month, the payments of a file, the cards of a day. */
  bySum(): void {
    for (const line of inOrderOfDays(this.open)) {
      if (line.isReturn || line.isReversal) continue;
      const near = [...this.unbooked.values()].filter(
        (it) => isSamePlace(it, line) && it.kind !== 'return' && daysBetween(it.on, line.on) >= -1,
      );
      const fitting = sumsOf(near, line, this.batchOf).filter((some) => some.length > 0 && sum(some) === line.minor);
      const distinct = new Map(fitting.map((some) => [idsOf(some), some]));
      const soFar = line.isFee && distinct.size === 0 ? feesSoFar(near, line, (it) => !this.isDue(it)) : [];
      const [only = soFar] = distinct.values();
      if (only.length === 0 || distinct.size > 1) continue;
      this.open.delete(line);
      for (const movement of only) this.take(line, movement, 'sum', movement.minor);
    }
  }

  /** What is left on either side. */
  rest(): void {
    const awaited = new MayComeBack(this.input.records, this.returns);
    // An order of the bank's list is one thing, with its fee.
    const ofOne = Map.groupBy(inOrderOfDays(this.open), ({ orderId, direction }) => `${direction} ${orderId}`);
    for (const lines of ofOne.values()) this.unexplained(lines, awaited);
    const byAmount = this.takenByAmount();
    const missing = Map.groupBy(
      [...this.unbooked.values()].filter((it) => it.kind !== 'fee' && it.kind !== 'card' && this.isDue(it)),
      ({ reference, kind }) => `${reference} ${kind}`,
    );
    for (const [first] of missing.values()) {
      if (first === undefined || this.judged.has(first.reference)) continue;
      const { reference, accountId, currency, minor: ours, on } = first;
      const equal = byAmount.get(placeOf(first)) ?? [];
      this.discrepancies.push({
        ...{ kind: 'not-booked', reference, lineIds: [], accountId, currency, ours },
        ...{ ourCurrency: currency, booked: undefined, on },
        candidates: equal,
      });
    }
  }

  /** References whose booking names none of them, by place and amount: another one that was paid alike may be booked instead. */
  private takenByAmount(): ReadonlyMap<string, string[]> {
    const ids = new Set(this.matches.filter(({ by }) => by === 'amount').map(({ movementId }) => movementId));
    const taken = this.input.records.flatMap(({ movements }) => movements).filter(({ id }) => ids.has(id));
    const groups = [...Map.groupBy(taken, placeOf)];
    return new Map(
      groups.map(([place, some]) => [place, some.slice(0, CANDIDATES_MAX).map(({ reference }) => reference)]),
    );
  }

  private isDue({ accountId, on }: OurMovement): boolean {
    for (let day = 0; day <= BOOKED_WITHIN_DAYS; day += 1) {
      if (!this.input.isCovered(accountId, laterDay(on, day))) return false;
    }
    return true;
  }

  private unexplained(lines: readonly BookedLine[], awaited: MayComeBack): void {
    const [line] = lines;
    if (line === undefined) return;
    const { accountId, currency, on, direction } = line;
    const here = [...this.unbooked.values()].filter((it) => isSamePlace(it, line));
    const back = direction === 'credit' && (line.isReturn || line.isReversal);
    const kind = back ? 'unattributed-return' : direction === 'debit' ? 'unexplained-debit' : 'unexplained-credit';
    this.discrepancies.push({
      ...{ kind, reference: undefined, lineIds: lines.map(({ id }) => id), accountId, currency, ours: undefined },
      ...{ ourCurrency: currency, booked: sum(lines), on },
      candidates: direction === 'credit' ? awaited.candidates(line) : rowsOfNearFile(line, here, this.batchOf),
    });
  }
}

interface Named {
  line: BookedLine;
  by: MatchedBy;
}

/** A booking for a file of which it is not known what it paid. */
const OF_NO_PAYOUT = { movementId: undefined, reference: undefined, kind: 'payment' } as const;

/** A surplus up to so many times the expected fee is a higher fee, and above it another amount. */
const FEE_TIMES = 10n;
const isSamePlace = (a: OurMovement, b: Pick<BookedLine, 'accountId' | 'currency' | 'direction'>): boolean =>
  a.accountId === b.accountId && a.currency === b.currency && a.direction === b.direction;

const idsOf = (some: readonly OurMovement[]): string => JSON.stringify(some.map(({ id }) => id).sort());

const placeOf = ({ accountId, currency, direction, minor }: OurMovement | BookedLine): string =>
  `${accountId} ${currency} ${direction} ${minor}`;

/** The bank has booked a payment that it did not make, and booked it back. */
function isBookedBack({ state }: OurRecord, debits: readonly Named[], credits: readonly Named[]): boolean {
  const [debited, credited] = [debits, credits].map((some) => some.map(({ line }) => line));
  const [first] = debited ?? [];
  if (state !== 'unpaid' || first === undefined || debited === undefined || credited === undefined) return false;
  const isHere = (it: BookedLine): boolean => it.accountId === first.accountId && it.currency === first.currency;
  return [...debited, ...credited].every(isHere) && sum(debited) === sum(credited);
}

/** What a payout, an exchange or a transfer takes from its account. */
const isPaidOut = ({ direction, kind }: OurMovement): boolean => direction === 'debit' && kind !== 'fee';

/** Fees last. */
const oldestFirst = (some: Iterable<OurMovement>): OurMovement[] =>
  [...some].sort(
    (a, b) => Number(a.kind === 'fee') - Number(b.kind === 'fee') || (a.on < b.on ? -1 : a.on > b.on ? 1 : 0),
  );

const inOrderOfDays = (lines: Iterable<BookedLine>): BookedLine[] =>
  [...lines].sort((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : a.id < b.id ? -1 : 1));
