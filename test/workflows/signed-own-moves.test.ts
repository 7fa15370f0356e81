import { describe, expect, it } from 'vitest';
import type { SignedDecision } from '../../src/domain/authority.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import { mainOrderKindOf } from '../../src/domain/names.ts';
import { decide, handedOver, signedFor, viewOf } from '../support/deciding.ts';
import { until } from '../support/payout-routes.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../support/people.ts';
import { DEFAULT_MOVES, ordersUnder, type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { beingAStranger } from '../support/stranger.ts';

const alice = signingPerson('alice', ['maker', 'approver']);
const bob = signingPerson('bob', ['approver']);
const carol = signingPerson('carol', ['approver', 'operator']);
const dave = signingPerson('dave', ['approver'], { kinds: ['payout'] });
const mallory = signingPerson('mallory', ['approver']);
const PEOPLE = [alice, bob, carol, dave];

/** Two people before it is sent, and two again at the bank. */
const POLICY = policyOf(PEOPLE, {
  approvals: [
    { kinds: ['payout'], approvals: 1 },
    { kinds: ['transfer', 'exchange'], approvals: 2, where: 'both' },
  ],
});

/** The product, in whose bank the user of a transfer has a second account. */
async function productWith(options: Parameters<typeof startProduct>[0]): Promise<Product> {
  const product = await startProduct(options);
  const account = { uid: 'u-1001', currency: 'USD', account_id: 'acc-u1001-usd-2', balance: '1.00' };
  await product.sandboxTest('POST', 'accounts', account);
  return product;
}

describe.each(['transfer', 'exchange'] as const)('one %s where a policy asks for signatures', (kind) => {
  const reference = referenceOf('u-1001', 'r', mainOrderKindOf(kind));
  const operation = kind === 'transfer' ? 'transactions.transfer' : 'transactions.fx';

  it.concurrent('is sent once two people other than its maker have signed for just that', async () => {
    await using product = await productWith({ settings: { policy: POLICY } });
    const handle = await handedOver(product, alice, 'r', { kind });
    await until(handle, 'awaiting-approval');
    const signed = (person: SigningPerson, more: Partial<SignedDecision> = {}) =>
      signedFor(product, handle, person, more);
    for (const by of ['bob', 'carol']) await handle.signal('approve', { by });
    await handle.executeUpdate('decide', { args: [{ decisionId: 'raw', decision: 'approve', by: 'carol' }] });
    for (const [decision, why] of [
      [await signed(alice), 'the maker may not approve'],
      [await signed(dave), 'it is outside the scope that the policy gives this person'],
      [{ ...(await signed(mallory)), subject: 'bob' }, 'the signature is not that of the person it names'],
      [await signed(bob, { digest: 'another' }), 'the digest is not the one in force'],
      [await signed(bob, { reference: referenceOf('u-1001', 'r') }), 'it is about something else'],
      [await signed(bob, { signedAt: Date.now() - 9_000, expiresAt: Date.now() - 1_000 }), 'it has expired'],
    ] as const) {
      expect(await decide(handle, decision)).toBe(`refused: ${why}`);
    }
    expect(await decide(handle, await signed(bob))).toBe('counted 1');
    expect(await decide(handle, await signed(bob))).toBe('refused: this person has approved already');
    expect((await viewOf(handle)).awaited).toMatchObject({ needed: 2, approvedBy: ['bob'] });
    expect(await ordersUnder(product, reference)).toEqual([]);
    expect(await decide(handle, await signed(carol))).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await ordersUnder(product, reference)).toHaveLength(1);
    expect((await product.store.payout(reference))?.assessed).toMatchObject({
      policyHash: POLICY.hash,
      approvalsNeeded: 2,
    });
  });

  it.concurrent('is approved at the bank by two signatures about just its order', async () => {
    const policy = policyOf(PEOPLE, { approvals: [{ kinds: [kind], approvals: 2, where: 'at-bank' }] });
    await using product = await productWith({ settings: { policy } });
    const handle = await handedOver(product, alice, 'r', { kind, note: 'sandbox:audit' });
    const { awaited } = await until(handle, 'awaiting-bank-approval');
    for (const by of ['bob', 'carol']) await handle.signal('approve', { by });
    const digest = awaited?.digest.split('/')[0] ?? '';
    const ofPayout = signedBy(bob, { storeId: product.store.id, question: 'payout', reference, digest });
    expect(await decide(handle, ofPayout)).toBe('refused: it is about something else');
    expect(await decide(handle, await signedFor(product, handle, bob))).toBe('counted 1');
    expect(await viewOf(handle)).toMatchObject({ state: 'awaiting-bank-approval' });
    expect(await decide(handle, await signedFor(product, handle, carol))).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });

  it.concurrent('is resolved by an operator who has signed how', async () => {
    await using product = await productWith({
      settings: { policy: policyOf(PEOPLE) },
      terms: { referenceDedupe: 'none' },
    });
    await product.sandboxTest('POST', 'faults', { operation, kind: 'drop-before' });
    const handle = await handedOver(product, alice, 'r', { kind });
    await until(handle, 'needs-operator');
    const close = (by: string, decisionId?: string): Promise<{ accepted: boolean; message: string }> =>
      handle.executeUpdate<{ accepted: boolean; message: string }, [object]>('resolve', {
        args: [{ action: 'close-as-not-paid', by, evidence: 'statement of today', decisionId }],
      });
    expect(await close('carol')).toMatchObject({ accepted: false });
    const about = { storeId: product.store.id, question: 'resolve', digest: 'close-as-not-paid/', reference } as const;
    const [byBob, byCarol] = [signedBy(bob, about), signedBy(carol, about)];
    for (const signed of [byBob, byCarol]) await product.store.takeSignedDecision(signed, Date.now());
    expect(await close('bob', byBob.id)).toEqual({ accepted: false, message: 'this needs the role "operator"' });
    expect(await close('carol', byCarol.id)).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'failed' });
  });

  it.concurrent('is started by nobody in the name of a maker', async () => {
    await using product = await productWith({ settings: { policy: policyOf(PEOPLE) } });
    const handle = await product.start({ id: 'r' }, { by: 'alice', kind });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'MakerNotProven' } });
    expect(await product.store.payout(reference)).toBeUndefined();
  });

  it.concurrent("is not sent by a stranger's workflow that takes its place", async () => {
    await using product = await productWith({ settings: { policy: POLICY } });
    const handle = await handedOver(product, alice, 'r', { kind });
    await until(handle, 'awaiting-approval');
    await handle.terminate('a stranger');
    const answers = await beingAStranger(product, () =>
      product.client.workflow.execute<(given: unknown, kind: string) => Promise<string[]>>('roguePayout', {
        workflowId: handle.workflowId,
        taskQueue: 'rogue',
        args: [{ ...DEFAULT_MOVES[kind], id: 'r', by: 'alice' }, kind],
      }),
    );
    expect(answers).toEqual([
      '{"outcome":"not-sent","why":"changed"}',
      '{"outcome":"not-sent","why":"changed"}',
      '{"outcome":"not-signed"}',
    ]);
    expect(await ordersUnder(product, reference)).toEqual([]);
  });
});

it("a fee above its cap is not sent by a stranger's workflow before somebody has signed for it", async () => {
  await using product = await productWith({ settings: { policy: policyOf(PEOPLE) } });
  await product.sandboxTest('PUT', 'profile', { transferFeeMinor: 100 });
  const handle = await handedOver(product, alice, 'r', { kind: 'transfer', fee_cap: '0.01' });
  const { awaited } = await until(handle, 'held');
  expect(awaited?.digest).toMatch(/fee-above-cap/);
  await handle.terminate('a stranger');
  const instruction = { ...DEFAULT_MOVES.transfer, id: 'r', fee_cap: '0.01', by: 'alice' };
  const answers = await beingAStranger(product, () =>
    product.client.workflow.execute<(given: unknown, kind: string) => Promise<string[]>>('roguePayout', {
      workflowId: handle.workflowId,
      taskQueue: 'rogue',
      args: [instruction, 'transfer'],
    }),
  );
  expect(answers.slice(0, 2)).toEqual(Array(2).fill('{"outcome":"not-sent","why":"changed"}'));
  expect(await ordersUnder(product, referenceOf('u-1001', 'r', 'transfer'))).toEqual([]);
});

it('an exchange that got dearer than was approved is held, and what is let through is approved anew', async () => {
  const policy = policyOf(PEOPLE, { approvals: [{ kinds: ['exchange'], approvals: 1 }] });
  await using product = await productWith({ settings: { policy } });
  const handle = await handedOver(product, alice, 'r', { kind: 'exchange' });
  const { awaited: first } = await until(handle, 'awaiting-approval');
  await product.sandboxTest('PUT', 'profile', { quoteDriftBasisPoints: 300 });
  expect(await decide(handle, await signedFor(product, handle, bob))).toBe('approved 0');
  const { awaited: held } = await until(handle, 'held');
  expect(held?.kind).toBe('hold');
  await handle.signal('approve', { by: 'bob' });
  expect(await decide(handle, await signedFor(product, handle, bob))).toBe('approved 0');
  const { awaited: again } = await until(handle, 'awaiting-approval');
  expect(again?.digest).not.toBe(first?.digest);
  const old = await signedFor(product, handle, carol, { digest: first?.digest });
  expect(await decide(handle, old)).toBe('refused: the digest is not the one in force');
  expect(await decide(handle, await signedFor(product, handle, carol))).toBe('approved 0');
  expect(await handle.result()).toMatchObject({ state: 'completed' });
  await recordHistory(handle, 'currencyExchange', 'quoted-above-what-was-signed');
});
