import { describe, expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { decide, handedOver, signedFor, viewOf } from '../support/deciding.ts';
import { NEW_PAYEE, until } from '../support/payout-routes.ts';
import { policyOf, signingPerson } from '../support/people.ts';
import { ordersUnder, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { until as untilTrue } from '../support/until.ts';

const alice = signingPerson('alice', ['maker']);
const bob = signingPerson('bob', ['approver']);
const grace = signingPerson('grace', ['compliance']);
const POLICY = policyOf([alice, bob, grace]);

describe.concurrent('a payee that was checked', () => {
  it('and found on a list is paid when compliance has signed that, and an approver cannot', async () => {
    await using product = await startProduct({ settings: { policy: POLICY }, checks: true });
    const payee = { ...NEW_PAYEE, account_name: 'Eve Sanctioned' };
    const handle = await handedOver(product, alice, 'hit', payee);
    await until(handle, 'held');
    expect((await viewOf(handle)).awaited).toMatchObject({ kind: 'screening', needed: 1 });
    expect(await decide(handle, await signedFor(product, handle, bob))).toMatch(/refused: .*role "compliance"/);
    expect(await decide(handle, await signedFor(product, handle, bob, { question: 'hold' }))).toMatch(/refused/);
    expect(await decide(handle, await signedFor(product, handle, grace))).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'signed-screening-cleared');
  });

  it('goes on by itself when a provider that was down answers', async () => {
    await using product = await startProduct({ checks: true });
    const handle = await product.start({ id: 'down', ...NEW_PAYEE, account_name: 'Eve NoAnswer' });
    await until(handle, 'held');
    expect(await ordersUnder(product, referenceOf('u-1001', 'down'))).toEqual([]);
    const { store } = product;
    const [check] = (await store.payout(referenceOf('u-1001', 'down')))?.assessed?.checks ?? [];
    if (check === undefined) throw new Error('it was not verified');
    const { digest: _digest, ...key } = check;
    const answered = { ...key, uid: 'u-1001', name: null, otherName: null, caseId: null, why: null };
    // What the provider says when it is asked again, by another payout to the same payee.
    await store.notePayeeCheck({ ...answered, verdict: 'match', askedAt: Date.now() }, 'another');
    await untilTrue(async () => (await viewOf(handle)).reason?.code === 'screening-not-available');
    const [, screening] = (await store.payout(referenceOf('u-1001', 'down')))?.assessed?.checks ?? [];
    if (screening === undefined) throw new Error('it was not screened');
    const { digest: __digest, ...its } = screening;
    await store.notePayeeCheck({ ...answered, ...its, verdict: 'clear', askedAt: Date.now() }, 'another');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
  });
});
