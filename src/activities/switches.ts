import type { PayoutInstruction } from '../domain/instruction.ts';
import type { SentOrder } from '../domain/sent-order.ts';
import type { SwitchScope, Touched } from '../domain/switches.ts';
import { referenceOf } from '../identity.ts';
import type { PayoutRecord } from '../store/store.ts';
import type { ActivityDeps } from './deps.ts';

type Owner = Pick<PayoutRecord, 'reference' | 'instruction'>;

/** What a payout touches: what its instruction names, and what orders sent or about to be sent for it name. */
export function touchedBy({ reference, instruction }: Owner, orders: readonly SentOrder[] = []): Touched {
  const accounts = new Set([instruction.account_id]);
  const currencies = new Set([instruction.currency]);
  const payees = new Set(instruction.beneficiary_id === undefined ? [] : [instruction.beneficiary_id]);
  for (const order of orders) {
    currencies.add(order.currency);
    if ('beneficiaryId' in order) {
      accounts.add(order.accountId);
      payees.add(order.beneficiaryId);
    } else {
      accounts.add(order.sellAccountId).add(order.buyAccountId);
      currencies.add(order.sellCurrency);
    }
  }
  return {
    reference,
    uid: instruction.uid,
    accounts: [...accounts],
    currencies: [...currencies],
    payees: [...payees],
  };
}

/** The switch that stops a payout from sending these orders; undefined when none does. Throws when it cannot be known. */
export async function switchOver(
  { store }: Pick<ActivityDeps, 'store'>,
  reference: string,
  orders: readonly SentOrder[],
): Promise<SwitchScope | undefined> {
  return store.switchOver(touchedBy(await rowOf(store, reference), orders));
}

/** The same for whatever may have been sent for a payout, its exchange included. */
export async function switchOverSent(
  { store }: Pick<ActivityDeps, 'store'>,
  reference: string,
): Promise<SwitchScope | undefined> {
  const row = await rowOf(store, reference);
  const attempts = await store.attemptsOf([reference, exchangeReference(row.instruction, row.generation)]);
  return store.switchOver(
    touchedBy(
      row,
      attempts.flatMap(({ request }) => request ?? []),
    ),
  );
}

async function rowOf(store: ActivityDeps['store'], reference: string): Promise<PayoutRecord> {
  const row = await store.payout(reference);
  if (row === undefined) throw new Error(`payout ${reference} is not in the store`);
  return row;
}

const exchangeReference = ({ uid, id }: PayoutInstruction, generation: number): string =>
  referenceOf(uid, id, 'exchange', generation);
