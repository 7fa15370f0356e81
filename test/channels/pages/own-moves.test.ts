import { describe, expect, it } from 'vitest';
import { assess } from '../../../src/activities/assess.ts';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import type { SignedDecision } from '../../../src/domain/authority.ts';
import { payloadDigest, referenceOf } from '../../../src/domain/identity.ts';
import { mainOrderKindOf, payoutWorkflowId } from '../../../src/domain/names.ts';
import { isSigned } from '../../../src/people/signing/signing.ts';
import type { PayoutRecord } from '../../../src/store/store.ts';
import { quickSettings } from '../../support/product.ts';
import { readAt } from '../../support/sending-deps.ts';
import { softwarePasskey } from '../../support/software-passkey.ts';
import type { RunningGateway } from '../http/running-gateway.ts';
import { openPagesOf, type PagePeople, signedIn } from './visiting.ts';

type Kind = 'transfer' | 'exchange';

async function open(): Promise<{ people: PagePeople; gateway: RunningGateway }> {
  return openPagesOf(
    { alice: 'maker approver', bob: 'approver', dave: ['approver', { kinds: ['payout'] }] },
    { approvals: [{ kinds: ['transfer', 'exchange'], approvals: 2 }] },
  );
}

const INSTRUCTIONS = {
  transfer: { account_id: 'acc-u1001-usd', to_account_id: 'acc-u1002-usd' },
  exchange: { account_id: 'acc-u1001-eur', to_account_id: 'acc-u1001-usd' },
} as const;

/** One that alice has handed over and that asks, as its workflow has read it at the bank. */
async function asking({ proxy, app }: RunningGateway, kind: Kind): Promise<{ row: PayoutRecord; digest: string }> {
  const { store } = proxy;
  const instruction = { id: 'MOVE-1', uid: 'u-1001', amount: '100.00', currency: 'USD', ...INSTRUCTIONS[kind] };
  const reference = referenceOf('u-1001', 'MOVE-1', mainOrderKindOf(kind));
  const { record } = await store.claimPayout({
    reference,
    workflowId: payoutWorkflowId(reference, kind),
    instruction,
    payloadDigest: payloadDigest(instruction),
    generation: 0,
    kind,
    by: 'alice',
    runId: 'run-1',
    derivedReferences: [],
    at: Date.now(),
  });
  const { policy } = app.settings;
  const reading = {
    bank: proxy.bank,
    store: readAt(store),
    settings: { ...quickSettings, transferAcrossUsers: true, policy },
    now: Date.now,
    assertIdentity: async () => {},
  } as unknown as ActivityDeps;
  const claim = { storeId: store.id, reference, term: record.term };
  const caller = { workflowId: 'w', runId: 'run-1', activityId: '1' };
  const { digest } = await assess(reading, caller, { claim, exchanged: false, exchangeSent: false });
  const reason = { code: 'approval-required', message: '2 needed' };
  await store.changePayout(reference, { state: 'awaiting-approval', reason, at: Date.now() });
  return { row: (await store.payout(reference)) ?? record, digest };
}

const keyOf = ({ passkeys }: PagePeople, name: string) => passkeys[name] ?? softwarePasskey();

describe.each([
  ['transfer', ['acc-u1001-usd', 'acc-u1002-usd', 'u-1002', '100.00 USD', 'no cap', 'Should this be transferred?']],
  [
    'exchange',
    [
      'acc-u1001-eur',
      'acc-u1001-usd',
      ' EUR for 100.00 USD',
      'Sells at most',
      '1 % more than quoted',
      'Should this be exchanged?',
    ],
  ],
] as const)('one %s that asks', (kind, facts) => {
  it('waits for its approvers, shows all that is signed, and is decided by a signature about just that', async () => {
    const { people, gateway } = await open();
    const { row, digest } = await asking(gateway, kind);
    const path = `/payouts/${row.reference}`;
    const bob = await signedIn(people, 'bob');
    expect((await bob.send('/')).text).toContain(`href="${path}"`);
    const { text } = await bob.send(path);
    for (const shown of [...facts, digest, `${kind} MOVE-1`, 'It needs 2 approvals.']) expect(text).toContain(shown);
    expect(text).not.toContain('payee: to_account_id');
    const decided = await bob.sign(path, `${path}/decide`, { decision: 'approve', remark: '' }, keyOf(people, 'bob'));
    expect(decided).toMatchObject({ status: 303, headers: { location: `${path}?notice=counted` } });
    const [reported] = gateway.decisions;
    expect(reported?.signed).toMatchObject({ question: 'payout', digest, subject: 'bob', reference: row.reference });
    expect(await isSigned(people.policy, reported?.signed as SignedDecision)).toBe(true);
    await gateway.proxy.store.takeSignedDecision(reported?.signed as SignedDecision, Date.now());
    expect((await bob.send('/')).text).toContain('Nothing waits for you.');
    expect((await bob.send(path)).text).toContain('It needs 1 more approval.');
  });

  it('is not offered to its maker, and not shown to somebody whose scope does not hold its kind', async () => {
    const { people, gateway } = await open();
    const { row } = await asking(gateway, kind);
    const path = `/payouts/${row.reference}`;
    const alice = await signedIn(people, 'alice');
    expect((await alice.send('/')).text).toContain('Nothing waits for you.');
    expect((await alice.send(path)).text).not.toContain('/decide"');
    const dave = await signedIn(people, 'dave');
    expect((await dave.send('/')).text).toContain('Nothing waits for you.');
    expect((await dave.send(path)).status).toBe(404);
  });

  it.each<[string, (row: PayoutRecord, gateway: RunningGateway) => Promise<unknown> | unknown]>([
    [
      'the caps are others',
      (_row, { app }) => Object.assign(app.settings, { terms: { ...app.settings.terms, feeCap: '9.00' } }),
    ],
    [
      'the reading is another one than was signed about',
      ({ assessed, ...row }, { proxy }) =>
        assessed &&
        proxy.store.recordAssessment(
          row as PayoutRecord,
          {
            ...assessed,
            ...(assessed.transfer && { transfer: { ...assessed.transfer, destination: assessed.transfer.source } }),
            ...(assessed.exchange && { exchange: { ...assessed.exchange, quotedSellAmount: '999.00' } }),
          },
          Date.now(),
        ),
    ],
  ])('cannot be approved where %s', async (_what, change) => {
    const { people, gateway } = await open();
    const { row, digest } = await asking(gateway, kind);
    await change(row, gateway);
    const bob = await signedIn(people, 'bob');
    const path = `/payouts/${row.reference}`;
    const { text } = await bob.send(path);
    expect(text).toContain('another reading of the bank');
    expect(text).not.toContain('value="approve"');
    const csrf = /name="_csrf" value="([^"]*)"/.exec((await bob.send('/')).text)?.[1] ?? '';
    const body = new URLSearchParams({ _csrf: csrf, decision: 'approve', remark: '', digest }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    expect((await bob.send(`${path}/decide`, { method: 'POST', body, headers })).status).toBe(409);
    expect(gateway.decisions).toEqual([]);
  });
});
