import { ACCOUNT_FIELDS } from '../../domain/payee.ts';
import { isEnd, isUnpaid } from '../../domain/payout-state.ts';
import type { MovementKind, OurMovement, OurRecord } from '../../domain/statements/booked.ts';
import { isoDate } from '../../domain/time.ts';
import { accountKey } from '../../files/messages/account-key.ts';
import { minorOf } from '../../files/statements/statement-sink.ts';
import { orderReference } from '../../store/claimed-row.ts';
import type { BatchRecord, PayoutRecord, Store } from '../../store/store.ts';
import { type Movement, movedBy } from '../movements.ts';
import { moneyFactsOf } from '../report-source.ts';

/** What our records say that moved, to be compared with statements. */
export class OurSide {
  private readonly store: Store;
  private readonly batches = new Map<string, BatchRecord | undefined>();

  constructor(store: Store) {
    this.store = store;
  }

  async recordsOf(payouts: readonly PayoutRecord[]): Promise<OurRecord[]> {
    const records: OurRecord[] = [];
    for (const [payout, { attempts, booked, ...facts }] of await moneyFactsOf(this.store, payouts)) {
      const sent = { attempts: attempts.payment, exchangeAttempts: attempts.exchange };
      // What an incident leaves in doubt is just what is to be compared.
      const { movements } = movedBy({ ...facts, ...sent, payout, exchange: booked, incidents: [] });
      const orders = [...sent.attempts, ...sent.exchangeAttempts].map(({ orderId }) => orderId);
      const own = movements.filter(
        (it) => payout.kind !== 'exchange' || (it.kind !== 'payment' && !it.id.endsWith('-F')),
      );
      const posted = own.flatMap((movement) => postedBy(payout, movement));
      records.push({
        ...(await this.about(payout, [...orders, booked?.orderId ?? null])),
        movements: [...posted, ...assumed(payout, posted), ...arrival(payout)],
      });
    }
    return records;
  }

  private async about(payout: PayoutRecord, orders: readonly (string | null)[]): Promise<Omit<OurRecord, 'movements'>> {
    const { reference, documentId, state, endedAt, original, orderId, batchId, instruction, amount, currency } = {
      ...payout,
      ...payout.instruction,
    };
    const { endToEndId, uetr, instructionId } = original ?? {};
    const ids = [orderReference(payout, 'exchange'), orderId, ...orders, endToEndId, uetr, instructionId];
    const message = batchId === null ? undefined : (await this.batchOf(batchId))?.message;
    const payee = ACCOUNT_FIELDS.map((field) => instruction[field]).find((it) => it !== undefined && it !== '');
    return {
      ...{ reference, documentId },
      state: isUnpaid(state) ? 'unpaid' : isEnd(state) ? 'paid' : state === 'needs-operator' ? 'waits' : 'open',
      endedOn: endedAt === null ? undefined : isoDate(endedAt),
      names: [...new Set(ids.flatMap((id) => id ?? []))].filter((id) => id !== reference),
      asked: { accountId: instruction.account_id, currency, minor: minorOf(amount, currency) ?? 0n },
      batch: {
        batchId: batchId ?? undefined,
        messageId: message?.messageId,
        paymentId: original === null ? undefined : message?.payments[original.payment]?.paymentId,
      },
      payeeAccount: payee === undefined ? undefined : accountKey(payee).toUpperCase(),
    };
  }

  private async batchOf(batchId: string): Promise<BatchRecord | undefined> {
    if (!this.batches.has(batchId)) this.batches.set(batchId, await this.store.batch(batchId));
    return this.batches.get(batchId);
  }
}

function postedBy({ reference, kind }: PayoutRecord, movement: Movement): OurMovement[] {
  const movedAs: MovementKind = movement.kind === 'payment' && kind === 'transfer' ? 'transfer' : movement.kind;
  return movement.postings.map(({ accountId, currency, amount, direction }, index) => ({
    id: index === 0 ? movement.id : `${movement.id}${index}`,
    ...{ kind: movedAs, reference, accountId, currency, direction },
    minor: minorOf(amount, currency) ?? 0n,
    on: isoDate(movement.at),
    ...(movement.kind === 'return' && movement.orderId !== null && { orderId: movement.orderId }),
  }));
}

/** For a completed payout whose order nobody read: what was asked for, and the fee. */
function assumed(payout: PayoutRecord, posted: readonly OurMovement[]): OurMovement[] {
  const { state, kind, reference, instruction, endedAt, updatedAt, fee, feeCurrency } = payout;
  const { account_id: accountId, currency, amount } = instruction;
  const isKnown = kind === 'exchange' || posted.some((it) => it.kind === 'payment' || it.kind === 'transfer');
  if (isKnown || !isEnd(state) || isUnpaid(state)) return [];
  const id = reference.replaceAll('-', '');
  const left = { reference, accountId, currency, direction: 'debit', on: isoDate(endedAt ?? updatedAt) } as const;
  const feeMinor = feeCurrency === currency ? (minorOf(fee ?? '0', currency) ?? 0n) : 0n;
  return [
    {
      id: `${id}-P`,
      kind: kind === 'transfer' ? 'transfer' : 'payment',
      ...left,
      minor: minorOf(amount, currency) ?? 0n,
    },
    ...(feeMinor > 0n ? [{ id: `${id}-F`, kind: 'fee', ...left, minor: feeMinor } as const] : []),
  ];
}

/** The other side of a transfer, on its own account. */
function arrival({ kind, state, reference, instruction, endedAt, updatedAt }: PayoutRecord): OurMovement[] {
  const { to_account_id: accountId, currency, amount } = instruction;
  if (kind !== 'transfer' || accountId === undefined || !isEnd(state) || isUnpaid(state)) return [];
  const [minor, on] = [minorOf(amount, currency) ?? 0n, isoDate(endedAt ?? updatedAt)];
  const id = `${reference.replaceAll('-', '')}-A`;
  return [{ id, kind: 'transfer', reference, accountId, currency, direction: 'credit', minor, on }];
}

/** A card payment is settled on an account of its currency; which one, nobody says. */
export function cardRecord(
  { merchantRequestId: reference, paymentId, amount, currency, endedAt }: CardMoney,
  accountId: string,
): OurRecord {
  const minor = minorOf(amount, currency) ?? 0n;
  const on = isoDate(endedAt ?? 0);
  return {
    ...{ reference, documentId: reference, state: 'paid', endedOn: on, names: paymentId === null ? [] : [paymentId] },
    ...{ asked: { accountId, currency, minor }, payeeAccount: undefined },
    batch: { batchId: undefined, messageId: undefined, paymentId: undefined },
    movements: [
      { id: `card-${reference}`, kind: 'card', reference, accountId, currency, direction: 'credit', minor, on },
    ],
  };
}

type CardMoney = Awaited<ReturnType<Store['cardsSucceededSince']>>[number];
