import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import {
  type BatchPlan,
  type PlanDeps,
  planReader,
  preparePlan,
  takePlan,
} from '../../src/people/decisions/batch-plan.ts';
import { BATCH, runBatch, statesOf } from '../support/claimed-batch.ts';
import { PAYEE_FIELDS } from '../support/payee.ts';
import { NEW_PAYEE } from '../support/payout-routes.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../support/people.ts';
import { ordersUnder, type Product, quickSettings, startProduct } from '../support/product.ts';
import { until } from '../support/until.ts';

const maker = signingPerson('maker', ['maker']);
const bob = signingPerson('bob', ['approver']);
const carol = signingPerson('carol', ['approver']);

const POLICY = policyOf([maker, bob, carol], {
  approvals: [{ approvals: 2 }, { currency: 'USD', amountAtLeast: '100', alone: true, approvals: 1 }],
});

const depsOf = ({ store, bank }: Product, policy = POLICY): PlanDeps => ({
  store,
  bank,
  settings: { ...quickSettings, policy },
  now: Date.now,
});

async function signPlan(
  deps: PlanDeps,
  person: SigningPerson,
  { decision = 'approve', question = 'payout' }: Partial<Pick<BatchPlan, 'decision' | 'question'>> = {},
): Promise<BatchPlan> {
  const read = planReader(deps, { batchId: BATCH, subject: person.name });
  const plan = await preparePlan(read, { batchId: BATCH, question, decision });
  const about = { storeId: deps.store.id, question, reference: BATCH, decision, digest: plan.digest, remark: 'seen' };
  expect(await takePlan(deps, plan, signedBy(person, about))).toEqual({ taken: true });
  return plan;
}

it.concurrent('two people sign the plan of a batch once each: its rows are paid, and one above the limit asks for itself', async () => {
  await using product = await startProduct({ settings: { policy: POLICY } });
  const deps = depsOf(product);
  const handle = await runBatch(product, [{}, NEW_PAYEE, { amount: '250.00' }, {}], { control: 'paused' });
  // Nobody has read the bank for any row: what will be asked is foreseen.
  const before = await signPlan(deps, bob);
  expect(before.rows).toHaveLength(3);
  await product.store.controlBatch({ batchId: BATCH, control: 'running', by: 'maker', at: Date.now() });
  await until(async () => (await statesOf(product.store)).every((state) => state === 'awaiting-approval'));
  const after = await signPlan(deps, carol);
  expect(after.digest).toBe(before.digest);
  await until(async () => (await statesOf(product.store)).filter((state) => state === 'completed').length === 3);
  expect(await statesOf(product.store)).toEqual(['completed', 'completed', 'awaiting-approval', 'completed']);
  expect(await ordersUnder(product, referenceOf('u-1001', 'row-3'))).toEqual([]);
  await signPlan(deps, bob, { decision: 'reject' });
  expect((await handle.result()).counts).toMatchObject({ completed: 3, rejected: 1 });
});

it.concurrent('orders that the bank audits are approved by one signature too', async () => {
  const policy = policyOf([maker, bob]);
  await using product = await startProduct({ settings: { policy } });
  const handle = await runBatch(product, [{ note: 'sandbox:audit' }, { note: 'sandbox:audit' }]);
  await until(async () => (await statesOf(product.store)).every((state) => state === 'awaiting-bank-approval'));
  await signPlan(depsOf(product, policy), bob, { question: 'bank' });
  expect((await handle.result()).counts).toMatchObject({ completed: 2 });
});

it.concurrent('a row that was rejected ahead is not paid, although its reading asks nobody', async () => {
  // Named by its details it counts as new until it is read; the bank has had it for long.
  const policy = policyOf([maker, bob, carol], { approvals: [{ newPayee: true, approvals: 2 }] });
  await using product = await startProduct({ settings: { policy } });
  const deps = depsOf(product, policy);
  const { items } = await product.bank.beneficiaries.get('ben-u1001-usd-local');
  const known = { ...PAYEE_FIELDS, ...items, beneficiary_id: undefined };
  const handle = await runBatch(product, [known], { control: 'paused' });
  await signPlan(deps, bob);
  expect((await signPlan(deps, carol, { decision: 'reject' })).rows).toHaveLength(1);
  await product.store.controlBatch({ batchId: BATCH, control: 'running', by: 'maker', at: Date.now() });
  expect((await handle.result()).counts).toMatchObject({ rejected: 1 });
  expect(await ordersUnder(product, referenceOf('u-1001', 'row-1'))).toEqual([]);
});

it.concurrent('rejecting a batch rejects its held rows too', async () => {
  const policy = policyOf([maker, carol], { approvals: [{ approvals: 1 }] });
  await using product = await startProduct({ settings: { policy } });
  const handle = await runBatch(product, [{ fee_cap: '0' }]);
  await until(async () => (await statesOf(product.store))[0] === 'held');
  await signPlan(depsOf(product, policy), carol, { decision: 'reject' });
  expect((await handle.result()).counts).toMatchObject({ rejected: 1 });
});
