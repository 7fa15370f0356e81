import { describe, expect, it } from 'vitest';
import type { SignedDecision } from '../../src/domain/authority.ts';
import { referenceOf } from '../../src/domain/identity.ts';
import { decide, decideOnce, handedOver, signedFor, viewOf } from '../support/deciding.ts';
import { NEW_PAYEE, until } from '../support/payout-routes.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../support/people.ts';
import { DEFAULT_INSTRUCTION, ordersUnder, type Product, startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';
import { beingAStranger } from '../support/stranger.ts';
import { until as untilTrue } from '../support/until.ts';

const alice = signingPerson('alice', ['maker']);
const bob = signingPerson('bob', ['approver']);
const carol = signingPerson('carol', ['approver', 'operator']);
const dave = signingPerson('dave', ['approver'], { currencies: ['EUR'] });
const mallory = signingPerson('mallory', ['approver']);

const POLICY = policyOf([alice, bob, carol, dave], { approvals: [{ approvals: 2 }] });

/** How long an approval or a question holds that is to expire, and a busy machine has to be notified of it before. */
const HOLDS_MS = 8_000;

/** How many payees of the user the bank has. */
async function payees(product: Product): Promise<number> {
  const { total } = (await product.bankCall('GET', '/v1/banking/beneficiaries?uid=u-1001&page_size=100')) as {
    total: number;
  };
  return total;
}

describe.concurrent('where a policy asks for signatures', () => {
  it('two people approve, and the payout is paid', async () => {
    await using product = await startProduct({ settings: { policy: POLICY } });
    const handle = await handedOver(product, alice, 'two');
    await until(handle, 'awaiting-approval');
    expect(await decide(handle, await signedFor(product, handle, bob))).toBe('counted 1');
    expect((await viewOf(handle)).awaited?.approvedBy).toEqual(['bob']);
    expect(await decide(handle, await signedFor(product, handle, carol))).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'signed-by-two');
    const audit = await product.store.auditEntriesOf(referenceOf('u-1001', 'two'));
    expect(audit.filter(({ action }) => action === 'approve, signed').map(({ actor }) => actor)).toEqual([
      'alice',
      'bob',
      'carol',
    ]);
  });

  it('an approval that expires before the bank can be reached is asked for anew', async () => {
    // The second POST may not leave before the approval has expired.
    await using product = await startProduct({
      settings: { policy: POLICY },
      terms: { waits: { lateCommitMs: HOLDS_MS } },
    });
    const handle = await handedOver(product, alice, 'late');
    await until(handle, 'awaiting-approval');
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'refuse-before' });
    await decide(handle, await signedFor(product, handle, carol));
    const expiresAt = Date.now() + HOLDS_MS;
    expect(await decide(handle, await signedFor(product, handle, bob, { expiresAt }))).toBe('approved 0');
    await untilTrue(async () => (await viewOf(handle)).state === 'awaiting-approval');
    expect((await viewOf(handle)).awaited?.approvedBy).toEqual(['carol']);
    expect(await ordersUnder(product, referenceOf('u-1001', 'late'))).toEqual([]);
    expect(await decide(handle, await signedFor(product, handle, dave))).toMatch(/refused: it is outside/);
    expect(await decide(handle, await signedFor(product, handle, bob))).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'signed-approval-expired-before-the-send');
  });

  it('an approval that is verified while the question expires counts: the answer and the effect agree', async () => {
    let expiresAt = 0;
    const tillExpired = () => new Promise((resolve) => setTimeout(resolve, expiresAt + 300 - Date.now()));
    await using product = await startProduct({
      settings: { policy: policyOf([alice, bob], { approvals: [{ approvals: 1 }] }) },
      terms: { waits: { approvalTtlMs: HOLDS_MS } },
      store: (store) => ({
        ...store,
        async takeSignedDecision(...given) {
          await tillExpired();
          return store.takeSignedDecision(...given);
        },
      }),
    });
    const handle = await handedOver(product, alice, 'at-expiry');
    const { awaited } = await until(handle, 'awaiting-approval');
    expiresAt = Date.parse(awaited?.expiresAt ?? '');
    const signed = await signedFor(product, handle, bob);
    const late = await signedFor(product, handle, bob);
    const reported = decideOnce(handle, signed);
    await tillExpired();
    expect(await decideOnce(handle, late)).toMatch(/refused/);
    expect(await reported).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'signed-while-the-question-expires');
  });

  it('a payout whose maker has lost the role says so, and goes on by what was signed when they have it again', async () => {
    const policy = policyOf([alice, bob], { approvals: [{ approvals: 1 }] });
    await using product = await startProduct({ settings: { policy } });
    const handle = await handedOver(product, alice, 'unmade');
    await until(handle, 'awaiting-approval');
    const maker = policy.people.find(({ name }) => name === 'alice') as { roles: readonly string[] };
    maker.roles = [];
    expect(await decide(handle, await signedFor(product, handle, bob))).toBe('approved 0');
    await until(handle, 'held');
    expect((await viewOf(handle)).reason).toMatchObject({ code: 'maker-not-allowed' });
    expect(await ordersUnder(product, referenceOf('u-1001', 'unmade'))).toEqual([]);
    maker.roles = ['maker'];
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'signed-maker-lost-the-role');
  });

  it('a payee is not made by an approval that has expired: it is asked for anew', async () => {
    // The second POST may not leave before the approval has expired.
    await using product = await startProduct({
      settings: { policy: policyOf([alice, bob], { approvals: [{ approvals: 1 }] }) },
      terms: { waits: { lateCommitMs: HOLDS_MS } },
    });
    const handle = await handedOver(product, alice, 'unmade-payee', NEW_PAYEE);
    await until(handle, 'awaiting-approval');
    await product.sandboxTest('POST', 'faults', { operation: 'beneficiaries.add', kind: 'drop-before' });
    const expiresAt = Date.now() + HOLDS_MS;
    expect(await decide(handle, await signedFor(product, handle, bob, { expiresAt }))).toBe('approved 0');
    await untilTrue(async () => (await viewOf(handle)).state !== 'awaiting-approval');
    await until(handle, 'awaiting-approval');
    expect((await viewOf(handle)).awaited?.approvedBy).toEqual([]);
    expect(await decide(handle, await signedFor(product, handle, bob))).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'signed-approval-expired-before-the-payee');
  });

  it('a fee above its cap that somebody has signed for is paid', async () => {
    await using product = await startProduct({ settings: { policy: policyOf([alice, bob]) } });
    const handle = await handedOver(product, alice, 'dear', { fee_cap: '0.01' });
    await until(handle, 'held');
    await handle.signal('approve', { by: 'bob' });
    expect(await decide(handle, await signedFor(product, handle, bob))).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'signed-over-fee');
  });

  it('nothing that is forged, stale, repeated, out of scope or raw counts', async () => {
    await using product = await startProduct({ settings: { policy: POLICY } });
    const handle = await handedOver(product, alice, 'forged');
    await until(handle, 'awaiting-approval');
    const signed = (person: SigningPerson, more: Partial<SignedDecision> = {}) =>
      signedFor(product, handle, person, more);
    const own = await signed(bob);
    const now = Date.now();
    for (const [decision, why] of [
      [await signed(mallory), 'the policy names no such person'],
      [{ ...(await signed(mallory)), subject: 'bob' }, 'the signature is not that of the person it names'],
      [{ ...own, subject: 'carol' }, 'the signature is not that of the person it names'],
      [await signed(alice), 'this needs the role "approver"'],
      [await signed(dave), 'it is outside the scope that the policy gives this person'],
      [await signed(bob, { digest: 'another' }), 'the digest is not the one in force'],
      [await signed(bob, { reference: referenceOf('u-1001', 'other') }), 'it is about something else'],
      [await signed(bob, { storeId: 'another' }), 'it was signed for another store'],
      [await signed(bob, { signedAt: now - 9_000, expiresAt: now - 1_000 }), 'it has expired'],
      [await signed(bob, { signedAt: now + 600_000, expiresAt: now + 700_000 }), 'it was signed in the future'],
      [await signed(bob, { decision: 'reject' }), 'a rejection needs a remark'],
    ] as const) {
      expect(await decide(handle, decision)).toBe(`refused: ${why}`);
    }
    expect(await decide(handle, own)).toBe('counted 1');
    expect(await decide(handle, { ...own })).toBe('counted 1');
    expect(await decide(handle, { ...(await signed(bob)) })).toBe('refused: this person has approved already');
    for (const by of ['carol', 'dave', 'erin']) await handle.signal('approve', { by });
    await handle.executeUpdate('decide', { args: [{ decisionId: 'raw', decision: 'approve', by: 'carol' }] });
    expect((await viewOf(handle)).awaited?.approvedBy).toEqual(['bob']);
    expect(await ordersUnder(product, referenceOf('u-1001', 'forged'))).toEqual([]);
    expect(await decide(handle, await signed(carol))).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    const audit = await product.store.auditEntriesOf(referenceOf('u-1001', 'forged'));
    const raw = audit.filter(({ detail }) => detail.why === 'the signal is not signed');
    expect(raw.map(({ actor, action }) => `${actor}: ${action}`).sort()).toEqual([
      'carol: approve refused',
      'dave: approve refused',
      'erin: approve refused',
    ]);
  });

  it('a decision that meets a run whose claim is gone is to be sent once more, and counts then', async () => {
    await using product = await startProduct({ settings: { policy: POLICY } });
    const handle = await handedOver(product, alice, 'taken-over');
    await until(handle, 'awaiting-approval');
    const reference = referenceOf('u-1001', 'taken-over');
    const row = await product.store.payout(reference);
    const held = { reference, term: row?.term ?? 0, runId: row?.claimRunId ?? '' };
    expect(await product.store.renewClaim({ ...held, at: Date.now() })).toBe(held.term + 1);
    const own = await signedFor(product, handle, bob);
    expect(await decideOnce(handle, own)).toMatch(/^refused: .*send it again$/);
    expect(await decide(handle, own)).toBe('counted 1');
    expect(await decide(handle, await signedFor(product, handle, carol))).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'signed-once-more-after-a-takeover');
  });

  it('the first verdict counts: a rejection ends it, despite later approvals', async () => {
    await using product = await startProduct({ settings: { policy: POLICY } });
    const handle = await handedOver(product, alice, 'rejected');
    await until(handle, 'awaiting-approval');
    await decide(handle, await signedFor(product, handle, bob));
    expect(await decide(handle, await signedFor(product, handle, carol, { decision: 'reject', remark: 'wrong' }))).toBe(
      'rejected 0',
    );
    expect(await handle.result()).toMatchObject({ state: 'rejected' });
    expect(await ordersUnder(product, referenceOf('u-1001', 'rejected'))).toEqual([]);
  });

  it('a hold that ends while a signed rejection is stored is not left past it', async () => {
    const policy = policyOf([alice, bob, carol]);
    await using product = await startProduct({ settings: { policy } });
    await product.sandboxTest('POST', 'accounts/acc-u1001-gbp/freeze');
    const gbp = { account_id: 'acc-u1001-gbp', currency: 'GBP', beneficiary_id: 'ben-u1001-gbp-local' };
    const handle = await handedOver(product, alice, 'hold-rejected', gbp);
    await until(handle, 'held');
    await product.store.takeSignedDecision(
      await signedFor(product, handle, bob, { decision: 'reject', remark: 'not this one' }),
      Date.now(),
    );
    await product.sandboxTest('POST', 'accounts/acc-u1001-gbp/unfreeze');
    expect(await handle.result()).toMatchObject({ state: 'rejected' });
    expect(await ordersUnder(product, referenceOf('u-1001', 'hold-rejected'))).toEqual([]);
  });

  it('nobody starts a payout by hand in the name of a maker', async () => {
    await using product = await startProduct({ settings: { policy: policyOf([alice, bob]) } });
    const handle = await product.start({ id: 'raw' }, { by: 'alice' });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'MakerNotProven' } });
    expect(await product.store.payout(referenceOf('u-1001', 'raw'))).toBeUndefined();
    const made = await handedOver(product, alice, 'raw');
    expect(await made.result()).toMatchObject({ state: 'completed' });
  });

  it('a payee is not made at the bank before the payout to it is approved', async () => {
    await using product = await startProduct({ settings: { policy: POLICY } });
    const before = await payees(product);
    const handle = await handedOver(product, alice, 'new-payee', NEW_PAYEE);
    await until(handle, 'awaiting-approval');
    expect(await payees(product)).toBe(before);
    for (const person of [bob, carol]) await decide(handle, await signedFor(product, handle, person));
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    expect(await payees(product)).toBe(before + 1);
  });

  it('the audit of the bank is approved by signature, about just that order', async () => {
    await using product = await startProduct({ settings: { policy: policyOf([alice, bob, carol]) } });
    const handle = await handedOver(product, alice, 'audit', { note: 'sandbox:audit' });
    const { awaited } = await until(handle, 'awaiting-bank-approval');
    await handle.signal('approve', { by: 'bob' });
    const [reference, digest = ''] = [referenceOf('u-1001', 'audit'), awaited?.digest.split('/')[0]];
    const ofPayout = signedBy(bob, { storeId: product.store.id, question: 'payout', reference, digest });
    expect(await decide(handle, ofPayout)).toBe('refused: it is about something else');
    expect(await decide(handle, await signedFor(product, handle, bob))).toBe('approved 0');
    expect(await handle.result()).toMatchObject({ state: 'completed' });
    await recordHistory(handle, 'payout', 'audit-signed');
  });

  it('an operator signs what is to be done about an unknown outcome', async () => {
    await using product = await startProduct({
      settings: { policy: policyOf([alice, bob, carol]) },
      terms: { referenceDedupe: 'none' },
    });
    await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before' });
    const handle = await handedOver(product, alice, 'unknown');
    await until(handle, 'needs-operator');
    const close = (by: string, decisionId?: string): Promise<{ accepted: boolean; message: string }> =>
      handle.executeUpdate<{ accepted: boolean; message: string }, [object]>('resolve', {
        args: [{ action: 'close-as-not-paid', by, evidence: 'statement of today', decisionId }],
      });
    expect(await close('carol')).toMatchObject({ accepted: false });
    const about = { storeId: product.store.id, question: 'resolve', digest: 'close-as-not-paid/' } as const;
    const reference = referenceOf('u-1001', 'unknown');
    const [byBob, byCarol] = [signedBy(bob, { ...about, reference }), signedBy(carol, { ...about, reference })];
    for (const signed of [byBob, byCarol]) await product.store.takeSignedDecision(signed, Date.now());
    expect(await close('bob', byBob.id)).toEqual({ accepted: false, message: 'this needs the role "operator"' });
    // Two people are distinguished by their names: nobody signs for a second one.
    expect(await close('erin', byCarol.id)).toEqual({
      accepted: false,
      message: 'it names erin, but somebody else has signed it',
    });
    expect(await close('carol', byCarol.id)).toMatchObject({ accepted: true });
    expect(await handle.result()).toMatchObject({ state: 'failed' });
    await recordHistory(handle, 'payout', 'resolved-by-signature');
  });

  it('what would pass a limit of the policy is held, two at once as well', async () => {
    const limits = [{ per: 'account', currency: 'USD', amount: '20.00' }] as const;
    await using product = await startProduct({ settings: { policy: policyOf([alice], { limits }) } });
    const ids = ['first', 'second', 'third'];
    const handles = await Promise.all(ids.map((id) => handedOver(product, alice, id)));
    const states = (): Promise<(string | undefined)[]> =>
      Promise.all(ids.map(async (id) => (await product.store.payout(referenceOf('u-1001', id)))?.state));
    await untilTrue(async () => (await states()).filter((state) => state === 'held').length >= 2);
    const orders = await Promise.all(ids.map((id) => ordersUnder(product, referenceOf('u-1001', id))));
    expect(orders.flat().length).toBeLessThanOrEqual(1);
    // The one that fits may have ended.
    for (const handle of handles) await handle.terminate('test').catch(() => undefined);
  });

  it('a limit per account counts what is paid from it behind an exchange', async () => {
    const limits = [{ per: 'account', currency: 'USD', amount: '20.00' }] as const;
    await using product = await startProduct({ settings: { policy: policyOf([alice], { limits }) } });
    const from = async (id: string, account_id: string) => {
      await handedOver(product, alice, id, { account_id });
      const rowOf = () => product.store.payout(referenceOf('u-1001', id));
      await untilTrue(async () => ['held', 'completed'].includes((await rowOf())?.state ?? ''));
      return rowOf();
    };
    expect(await from('direct', 'acc-u1001-usd')).toMatchObject({ state: 'completed' });
    const exchanged = await from('exchanged', 'acc-u1001-eur');
    expect(exchanged).toMatchObject({ state: 'held', reason: { code: 'limit-reached' } });
    expect(await ordersUnder(product, referenceOf('u-1001', 'exchanged', 'exchange'))).toEqual([]);
  });

  it("a stranger's workflow that takes a payout's place sends nothing and makes nothing at the bank", async () => {
    await using product = await startProduct({ settings: { policy: POLICY } });
    const handle = await handedOver(product, alice, 'stolen', NEW_PAYEE);
    await until(handle, 'awaiting-approval');
    await handle.terminate('a stranger');
    const before = await payees(product);
    const answers = await beingAStranger(product, () =>
      product.client.workflow.execute<(given: unknown) => Promise<string[]>>('roguePayout', {
        workflowId: handle.workflowId,
        taskQueue: 'rogue',
        args: [{ ...DEFAULT_INSTRUCTION, id: 'stolen', ...NEW_PAYEE, by: 'alice' }],
      }),
    );
    expect(answers).toEqual([
      '{"kind":"not-approved"}',
      '{"outcome":"not-sent","why":"changed"}',
      '{"outcome":"not-sent","why":"changed"}',
      expect.stringContaining('{"outcome":"payee-changed"'),
    ]);
    expect(await payees(product)).toBe(before);
    expect(await ordersUnder(product, referenceOf('u-1001', 'stolen'))).toEqual([]);
  });
});
