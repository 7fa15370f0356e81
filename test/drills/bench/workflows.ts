import { proxyActivities, sleep } from '@temporalio/workflow';
import type { Payment, PaymentCalls } from './payments.ts';

/** What a Temporal server and a worker cost by themselves. */
export async function empty(): Promise<void> {}

const calls = proxyActivities<PaymentCalls>({ startToCloseTimeout: '1m' });

/** The least that a payout needs of Temporal: its POST is an ordinary activity. Nothing is read, recorded or followed. */
export async function single(payment: Payment): Promise<void> {
  await calls.submit(payment);
}

/** As tutorials have it: an activity for each call, then a timer and a read until the order is settled. */
export async function textbook(payment: Payment, pauseMs: number, reads: number): Promise<void> {
  await calls.readPayee(payment);
  await calls.readAccount(payment);
  await calls.readFee(payment);
  const orderId = await calls.submit(payment);
  for (let read = 1; ; read += 1) {
    await sleep(pauseMs);
    const settled = await calls.isSettled(orderId);
    if (settled && read >= reads) return;
  }
}
