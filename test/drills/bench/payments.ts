import { setTimeout as pause } from 'node:timers/promises';
import type { Bank } from '../../../src/bank/bank.ts';
import { createBank } from '../../../src/bank/client.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import { isNoMoney, stageMeaning } from '../../../src/domain/order-status.ts';
import { SANDBOX_KEY, SANDBOX_SECRET } from '../../../src/sandbox/start-sandbox.ts';

/** What is paid, in every arm alike. */
export interface Payment {
  id: string;
  uid: string;
  account_id: string;
  beneficiary_id: string;
  amount: string;
  currency: string;
}

/** What a program of the bench that pays by itself is asked for. */
export interface ProgramWork {
  payments: readonly Payment[];
  atOnce: number;
}

/** Reads an order in the arms that ask again and again: the last one finds it settled. */
export const STATUS_READS = 4;

/** The same client in every arm, so that none pays for another one. */
export const bankOf = (baseUrl: string): Bank =>
  createBank({
    baseUrl,
    apiKey: process.env.PAYOUTS_API_KEY ?? SANDBOX_KEY,
    apiSecret: process.env.PAYOUTS_API_SECRET ?? SANDBOX_SECRET,
  });

/** The calls of a payout, one each; what is paid is what the caller says, and no answer changes it. */
export function callsOver(bank: Bank) {
  return {
    async readPayee({ beneficiary_id: id }: Payment): Promise<void> {
      await bank.beneficiaries.get(id);
    },
    async readAccount({ account_id: id }: Payment): Promise<void> {
      await bank.accounts.get(id);
    },
    async readFee({ id: _, ...query }: Payment): Promise<void> {
      await bank.transactions.paymentFee(query);
    },
    async submit({ id, ...payment }: Payment): Promise<string> {
      const reference = referenceOf(payment.uid, id);
      return (await bank.transactions.payment({ ...payment, reference })).order_id;
    },
    async isSettled(orderId: string): Promise<boolean> {
      const { stage, status } = await bank.orders.get(orderId);
      const meaning = stageMeaning(stage);
      if (isNoMoney(meaning)) throw new Error(`order ${orderId} is ${status}`);
      return meaning === 'paid';
    },
  };
}

export type PaymentCalls = ReturnType<typeof callsOver>;

/** Reads until the order is settled, so often as `STATUS_READS` says at least. */
export async function untilSettled({ isSettled }: PaymentCalls, orderId: string, settleMs: number): Promise<void> {
  for (let reads = 1; ; reads += 1) {
    await pause(settleMs / STATUS_READS);
    const settled = await isSettled(orderId);
    if (settled && reads >= STATUS_READS) return;
  }
}

/** Runs `work` on all, so many at once. */
export async function eachOf<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  const lane = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, lane));
}
