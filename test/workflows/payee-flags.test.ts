import { expect, it } from 'vitest';
import { payloadDigest, referenceOf } from '../../src/domain/identity.ts';
import { until } from '../support/payout-routes.ts';
import { policyOf, signedBy, signingPerson } from '../support/people.ts';
import { DEFAULT_INSTRUCTION, type Product, startProduct } from '../support/product.ts';

const alice = signingPerson('alice', ['maker']);
const bob = signingPerson('bob', ['approver']);

async function handOver(product: Product, id: string, amount = '12.50') {
  const instruction = { ...DEFAULT_INSTRUCTION, id, amount };
  const about = { reference: referenceOf(instruction.uid, id), digest: payloadDigest(instruction) };
  const made = signedBy(alice, { storeId: product.store.id, question: 'make', ...about });
  await product.store.takeSignedDecision(made, Date.now());
  return product.start({ id, amount }, { by: 'alice' });
}

async function changePayee(product: Product): Promise<void> {
  const { id, uid, items } = await product.bank.beneficiaries.get(DEFAULT_INSTRUCTION.beneficiary_id ?? '');
  await product.bankCall('PUT', `/v1/banking/beneficiaries/${id}`, { uid, ...items, account_no: '00009999' });
}

it.concurrent('a payee that is changed at the bank after it was paid asks for approval, and the question says why', async () => {
  const policy = policyOf([alice, bob], { approvals: [{ changedPayee: true, approvals: 1 }] });
  await using product = await startProduct({ settings: { policy } });
  const first = await handOver(product, 'before');
  expect(await first.result()).toMatchObject({ state: 'completed' });
  const row = await product.store.payout(referenceOf('u-1001', 'before'));
  expect(row?.assessed?.flags).toEqual(['first-to-country']);

  await changePayee(product);
  const second = await handOver(product, 'after', '37.51');
  const { awaited } = await until(second, 'awaiting-approval');
  expect(awaited?.flags).toEqual(['changed-payee', 'above-usual']);
  await second.terminate('test');
});

it.concurrent('a payee that is changed while people are asked voids what they said, and the next question says so', async (context) => {
  const policy = policyOf([alice, bob], { approvals: [{ approvals: 1 }] });
  await using product = await startProduct({ settings: { policy } });
  const handle = await handOver(product, 'meanwhile');
  const { awaited: asked, reference } = await until(handle, 'awaiting-approval');
  await changePayee(product);
  const { digest = '' } = asked ?? {};
  const signed = signedBy(bob, { storeId: product.store.id, question: 'payout', reference, digest });
  const update = { decisionId: signed.id, decision: 'approve', by: 'bob', signed };
  await handle.executeUpdate('decide', { args: [update] });
  await context.expect
    .poll(async () => (await handle.query<{ awaited: { flags: string[] } | null }>('state')).awaited?.flags)
    .toEqual(['changed-payee', 'first-to-country', 'payee-differs']);
  await handle.terminate('test');
});
