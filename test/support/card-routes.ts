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

const CAPTURED = { ends: { state: 'succeeded' }, captured: 1 } as const satisfies Partial<CardRoute>;
const failedFor = (because: string) =>
  ({ ends: { state: 'failed' }, because, captured: 0 }) as const satisfies Partial<CardRoute>;

export const CARD_ROUTES: readonly CardRoute[] = [
  { name: 'frictionless', travel: (p, id) => p.ask({ id }), ...CAPTURED },
  { name: 'authorisation', travel: (p, id) => p.ask({ id, payment_type: 'AUTH' }), ...CAPTURED },
  { name: 'declined', travel: (p, id) => p.ask({ id, card: 'decline' }), ...failedFor('card-declined') },
  {
    name: 'declined-after-a-lost-answer',
    travel: async (p, id) => {
      const fault = { operation: 'cards.create', match: { reference: id }, times: 1, kind: 'drop-after' };
      await p.sandboxTest('POST', 'faults', fault);
      return p.ask({ id, card: 'decline' });
    },
    ...failedFor('card-declined'),
  },
  {
    name: 'refused-at-setup',
    env: {},
    travel: (p, id) => refusedAt(p, 'cards.setUp', id),
    ...failedFor('refused-by-acquirer'),
  },
  {
    name: 'refused-at-create',
    env: {},
    travel: (p, id) => refusedAt(p, 'cards.create', id),
    ...failedFor('refused-by-acquirer'),
  },
  { name: 'failed-by-webhook', travel: (p, id) => p.ask({ id, card: 'fail-later' }), ...failedFor('card-declined') },
  { name: 'challenge', travel: (p, id) => challenged(p, id, 'confirm'), ...CAPTURED },
  { name: 'challenge-cancelled', travel: (p, id) => challenged(p, id, 'cancel'), ...failedFor('card-declined') },
  {
    name: 'challenge-told-by-the-browser-alone',
    travel: async (p, id) => {
      const handle = await p.ask({ id, card: 'challenge-unannounced' });
      await p.answerChallenge(id, 'confirm');
      await p.call('POST', `/v1/card-payments/${id}/returned`, {});
      return handle;
    },
    ...CAPTURED,
  },
  {
    name: 'challenge-abandoned',
    env: SHORT_DEADLINE,
    travel: (p, id) => p.ask({ id, card: 'challenge' }),
    ...failedFor('challenge-abandoned'),
  },
  {
    name: 'declined-without-set-up',
    travel: (p, id) => p.ask({ id, card: 'needs-set-up', three_ds: 'skip' }),
    ...CAPTURED,
  },
  { name: 'without-set-up', travel: (p, id) => p.ask({ id, three_ds: 'skip' }), ...CAPTURED },
  { name: 'webhook-missed', travel: (p, id) => p.ask({ id, card: 'no-webhook' }), ...CAPTURED },
  { name: 'webhook-before-the-answer', travel: (p, id) => p.ask({ id, card: 'webhook-first' }), ...CAPTURED },
  {
    name: 'no-card-given',
    env: SHORT_DEADLINE,
    travel: (p, id) => p.ask({ id, card: null }),
    ...failedFor('card-not-given'),
  },
];

async function challenged(product: CardProduct, id: string, answer: 'confirm' | 'cancel'): Promise<CardPaymentHandle> {
  const handle = await product.ask({ id, card: 'challenge' });
  await product.answerChallenge(id, answer);
  return handle;
}

/** The acquirer refuses the first such request of any payment as invalid. */
async function refusedAt(product: CardProduct, operation: string, id: string): Promise<CardPaymentHandle> {
  await product.sandboxTest('POST', 'faults', { operation, times: 1, kind: 'code', code: 2002, commit: false });
  return product.ask({ id });
}
