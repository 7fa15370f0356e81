import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { payoutWorkflowId } from '../../src/domain/names.ts';
import { executionsOver } from '../../src/platform/temporal/workflow-executions.ts';
import type { PayoutStateView } from '../../src/workflows/messages.ts';
import type { PayoutResult } from '../../src/workflows/payout.ts';
import { alterAnswers } from '../support/altered-answers.ts';
import { type CardProduct, startCardProduct } from '../support/card-product.ts';
import { DEFAULT_INSTRUCTION } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until } from '../support/until.ts';

/** A payout that names a card payment leaves only when that payment has taken the money. */

let product: CardProduct;
beforeAll(async () => {
  product = await startCardProduct();
});
afterAll(() => product[Symbol.asyncDispose]());

async function payoutAfter(cardPayment: string, id = cardPayment, { client, store } = product) {
  const instruction = { ...DEFAULT_INSTRUCTION, id: `after-${id}`, after_card_payment: cardPayment };
  const reference = referenceOf(instruction.uid, instruction.id);
  await executionsOver(client).startPayout({
    workflowId: payoutWorkflowId(reference),
    reference,
    input: instruction as never,
    summary: 'a test payout',
  });
  const handle = client.workflow.getHandle<() => Promise<PayoutResult>>(payoutWorkflowId(reference));
  const isHeld = async (): Promise<boolean> => {
    const { state, reason } = await handle.query<PayoutStateView>('state');
    return state === 'held' && reason?.code === 'card-payment-open';
  };
  const ordersSent = async (): Promise<number> => (await store.attempts(reference)).length;
  return { handle, isHeld, ordersSent };
}

describe.concurrent('a payout after a card payment', () => {
  it('is held until the money is taken, then paid', async () => {
    const { handle, isHeld, ordersSent } = await payoutAfter('collected');
    await until(isHeld);
    const card = await product.ask({ id: 'collected', card: 'challenge', currency: 'USD' });
    await product.untilState('collected', 'awaiting-cardholder');
    expect(await isHeld()).toBe(true);
    // Nobody lets it through: an approval is of no account.
    await handle.signal('approve', { by: 'ann' });
    await until(isHeld);
    expect(await ordersSent()).toBe(0);
    const { searchAttributes } = await handle.describe();
    expect(searchAttributes.PayoutNeedsAttention).toEqual([false]);
    await product.answerChallenge('collected', 'confirm');
    expect(await card.result()).toMatchObject({ state: 'succeeded' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'after-a-card-payment');
  });

  it('fails when none was taken', async () => {
    const { handle, isHeld, ordersSent } = await payoutAfter('not-collected');
    await until(isHeld);
    await product.ask({ id: 'not-collected', card: 'decline' });
    expect(await handle.result()).toMatchObject({ state: 'failed', reason: { code: 'card-payment-unpaid' } });
    expect(await ordersSent()).toBe(0);
    await recordHistory(handle, 'payout', 'after-a-card-payment-that-failed');
  });

  it('is paid at once when the money was taken before', async () => {
    const card = await product.ask({ id: 'collected-before', currency: 'USD' });
    await card.result();
    const { handle } = await payoutAfter('collected-before');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('is held where the money was only reserved, or is too little, until somebody says of each that it is meant', async () => {
    const card = await product.ask({ id: 'reserved', payment_type: 'AUTH', amount: '1.00', currency: 'USD' });
    await card.result();
    const { handle, ordersSent } = await payoutAfter('reserved');
    const heldBy = async (code: string): Promise<boolean> => {
      const { state, reason } = await handle.query<PayoutStateView>('state');
      return state === 'held' && reason?.code === code;
    };
    await until(() => heldBy('card-payment-not-captured'));
    await handle.signal('approve', { by: 'ann' });
    await until(() => heldBy('card-payment-too-small'));
    expect(await ordersSent()).toBe(0);
    await handle.signal('approve', { by: 'ann' });
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'after-a-card-payment-that-covers-it-not');
  });

  it('is held where the money is enough for one payout and a second one names it, until somebody decides', async () => {
    const first = await payoutAfter('shared', 'first');
    const second = await payoutAfter('shared', 'second');
    await until(first.isHeld);
    await until(second.isHeld);
    const card = await product.ask({ id: 'shared', amount: '20.00', currency: 'USD' });
    await card.result();
    const reasonOf = async ({ handle }: typeof first) => (await handle.query<PayoutStateView>('state')).reason?.code;
    for (const held of [first, second]) await until(async () => (await reasonOf(held)) === 'card-payment-too-small');
    expect([await first.ordersSent(), await second.ordersSent()]).toEqual([0, 0]);
    await first.handle.signal('reject', { by: 'ann', remark: 'the second is meant' });
    expect(await first.handle.result()).toMatchObject({ state: 'rejected' });
    await second.handle.signal('approve', { by: 'ann' });
    expect(await second.handle.result()).toMatchObject({ state: 'completed' });
  });

  it.each([
    ['less than was asked for', { amount: '4.99' }, '4.99 USD'],
    ['another currency', { currency: 'HKD' }, '49.90 HKD'],
  ])('is held where people adopted a payment that took %s', async (_, taken, sum) => {
    const alter = (_method: string, answer: Record<string, unknown>) =>
      'payment_id' in answer ? { ...answer, ...taken } : answer;
    await using product = await startCardProduct({}, (url) => alterAnswers(url, alter));
    const id = 'adopted-with-another-sum';
    const card = await product.ask({ id, card: 'no-webhook', currency: 'USD' });
    const { payment_id: paymentId } = await product.untilState(id, 'needs-operator');
    await until(async () => {
      const adopt = { action: 'adopt-payment', by: 'olga', evidence: 'shown by the acquirer', paymentId } as const;
      await card.executeUpdate<unknown, [typeof adopt]>('resolve', { args: [adopt] }).catch(() => undefined);
      return (await product.store.cards.get(id))?.state === 'succeeded';
    });
    const { handle, ordersSent } = await payoutAfter(id, id, product);
    await until(async () => {
      const { reason } = await handle.query<PayoutStateView>('state');
      return reason?.code === 'card-payment-too-small' && reason.message.includes(sum);
    });
    expect(await ordersSent()).toBe(0);
  });

  it('has a card payment whose workflow was closed without an end started again, and is then paid', async () => {
    let isShown = false;
    const keepBack = (_method: string, answer: Record<string, unknown>) =>
      !isShown && 'payment_id' in answer ? { ...answer, payment_status: 'PROCESSING' } : answer;
    await using product = await startCardProduct({}, (url) => alterAnswers(url, keepBack));
    const id = 'closed-without-an-end';
    const card = await product.ask({ id, card: 'no-webhook', currency: 'USD' });
    await product.untilState(id, 'processing');
    await card.terminate('a test');
    isShown = true;
    const { handle } = await payoutAfter(id, id, product);
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('is held where the money was given back after the copy of a restored store, until people confirm the end', async () => {
    let isBack = false;
    const giveBack = (_method: string, answer: Record<string, unknown>) =>
      isBack && 'payment_id' in answer ? { ...answer, payment_status: 'REFUNDED' } : answer;
    await using product = await startCardProduct({}, (url) => alterAnswers(url, giveBack));
    const id = 'given-back-after-the-copy';
    await (await product.ask({ id, currency: 'USD' })).result();
    isBack = true;
    await product.store.recordRestore({ at: Date.now(), from: 0, by: 'olga', detail: {} });
    const { handle, ordersSent } = await payoutAfter(id, id, product);
    const reasonOf = async () => (await handle.query<PayoutStateView>('state')).reason?.code;
    await until(async () => (await reasonOf()) === 'card-payment-contradicted');
    expect(await ordersSent()).toBe(0);
    await product.store.cards.confirmEnd(id, { by: 'olga', evidence: 'collected again', at: Date.now() });
    await executionsOver(product.client).readAgain(handle.workflowId);
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it('can be rejected while it waits', async () => {
    const { handle, isHeld } = await payoutAfter('never-collected');
    await until(isHeld);
    await handle.signal('reject', { by: 'ann', remark: 'withdrawn' });
    expect(await handle.result()).toMatchObject({ state: 'rejected' });
  });
});
