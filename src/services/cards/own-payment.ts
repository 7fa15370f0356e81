import type { Store } from '../../store/store.ts';

/** Makes a payment that was only named an intent's, unless it is another's: false then. */
export async function isOwnPayment(
  { store, now }: { store: Pick<Store, 'cards'>; now: () => number },
  { merchantRequestId, paymentId }: { merchantRequestId: string; paymentId: string },
): Promise<boolean> {
  await store.cards.link(paymentId, merchantRequestId, now());
  return (await store.cards.ownerOfPayment(paymentId)) === merchantRequestId;
}

/**
 * An acquirer that takes one payment for the repetition of another answers with that of the other intent: nobody knows then what
 * became of this.
 */
export async function assertOwnPayment(...asked: Parameters<typeof isOwnPayment>): Promise<void> {
  if (!(await isOwnPayment(...asked))) throw new Error('the payment of another intent');
}
