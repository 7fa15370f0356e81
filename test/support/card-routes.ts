import type { CardPaymentResult } from '../../src/workflows/card-payment.ts';
import type { CardPaymentHandle, CardProduct } from './card-product.ts';

/** One way through the life of a card payment: the same list is tested and recorded for replay. */
export interface CardRoute {
  name: string;
  env?: Readonly<Record<string, string>>;
  travel(product: CardProduct, id: string): Promise<CardPaymentHandle>;
  ends: Partial<CardPaymentResult>;
  /** Code of the reason, where the end has one. */
  because?: string;
  /** Payments at the acquirer that took money. */
  captured: number;
}

const SHORT_DEADLINE = { PAYOUTS_CARD_DEADLINE: '60s' };

export const CARD_ROUTES: readonly CardRoute[] = [
  { name: 'frictionless', travel: (p, id) => p.ask({ id }), ends: { state: 'succeeded' }, captured: 1 },
  {
    name: 'authorisation',
    travel: (p, id) => p.ask({ id, payment_type: 'AUTH' }),
    ends: { state: 'succeeded' },
    captured: 1,
  },
  {
    name: 'declined',
    travel: (p, id) => p.ask({ id, card: 'decline' }),
    ends: { state: 'failed' },
    because: 'card-declined',
    captured: 0,
  },
  {
    name: 'declined-after-a-lost-answer',
    travel: async (p, id) => {
      const fault = { operation: 'cards.create', match: { reference: id }, times: 1, kind: 'drop-after' };
      await p.sandboxTest('POST', 'faults', fault);
      return p.ask({ id, card: 'decline' });
    },
    ends: { state: 'failed' },
    because: 'card-declined',
    captured: 0,
  },
  {
    name: 'refused-at-setup',
    env: {},
    travel: (p, id) => refusedAt(p, 'cards.setUp', id),
    ends: { state: 'failed' },
    because: 'refused-by-acquirer',
    captured: 0,
  },
  {
    name: 'refused-at-create',
    env: {},
    travel: (p, id) => refusedAt(p, 'cards.create', id),
    ends: { state: 'failed' },
    because: 'refused-by-acquirer',
    captured: 0,
  },
  {
    name: 'failed-by-webhook',
    travel: (p, id) => p.ask({ id, card: 'fail-later' }),
    ends: { state: 'failed' },
    because: 'card-declined',
    captured: 0,
  },
  {
    name: 'challenge',
    travel: async (p, id) => {
      const handle = await p.ask({ id, card: 'challenge' });
      await p.answerChallenge(id, 'confirm');
      return handle;
    },
    ends: { state: 'succeeded' },
    captured: 1,
  },
  {
    name: 'challenge-cancelled',
    travel: async (p, id) => {
      const handle = await p.ask({ id, card: 'challenge' });
      await p.answerChallenge(id, 'cancel');
      return handle;
    },
    ends: { state: 'failed' },
    because: 'card-declined',
    captured: 0,
  },
  {
    name: 'challenge-told-by-the-browser-alone',
    travel: async (p, id) => {
      const handle = await p.ask({ id, card: 'challenge-unannounced' });
      await p.answerChallenge(id, 'confirm');
      await p.call('POST', `/v1/card-payments/${id}/returned`, {});
      return handle;
    },
    ends: { state: 'succeeded' },
    captured: 1,
  },
  {
    name: 'challenge-abandoned',
    env: SHORT_DEADLINE,
    travel: (p, id) => p.ask({ id, card: 'challenge' }),
    ends: { state: 'failed' },
    because: 'challenge-abandoned',
    captured: 0,
  },
  {
    name: 'declined-without-set-up',
    travel: (p, id) => p.ask({ id, card: 'needs-set-up', three_ds: 'skip' }),
    ends: { state: 'succeeded' },
    captured: 1,
  },
  {
    name: 'without-set-up',
    travel: (p, id) => p.ask({ id, three_ds: 'skip' }),
    ends: { state: 'succeeded' },
    captured: 1,
  },
  {
    name: 'webhook-missed',
    travel: (p, id) => p.ask({ id, card: 'no-webhook' }),
    ends: { state: 'succeeded' },
    captured: 1,
  },
  {
    name: 'webhook-before-the-answer',
    travel: (p, id) => p.ask({ id, card: 'webhook-first' }),
    ends: { state: 'succeeded' },
    captured: 1,
  },
  {
    name: 'no-card-given',
    env: SHORT_DEADLINE,
    travel: (p, id) => p.ask({ id, card: null }),
    ends: { state: 'failed' },
    because: 'card-not-given',
    captured: 0,
  },
];

/** The acquirer refuses the first such request of any payment as invalid. */
async function refusedAt(product: CardProduct, operation: string, id: string): Promise<CardPaymentHandle> {
  await product.sandboxTest('POST', 'faults', { operation, times: 1, kind: 'code', code: 2002, commit: false });
  return product.ask({ id });
}
