import { beforeEach, describe, expect, it } from 'vitest';
import { assess } from '../../../src/activities/assess.ts';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { sendOrder } from '../../../src/activities/send.ts';
import type { Bank } from '../../../src/bank/bank.ts';
import { BankError } from '../../../src/bank/errors.ts';
import type { Policy, SignedDecision } from '../../../src/domain/authority.ts';
import { approvalDigest, payloadDigest, referenceOf } from '../../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import { mainOrderKindOf, payoutWorkflowId } from '../../../src/domain/names.ts';
import { type SeenAtBank, signedParts } from '../../../src/people/decisions/asked.ts';
import { takeDecision, verdictOn } from '../../../src/people/decisions/verdict.ts';
import type { PayoutRecord, Store } from '../../../src/store/store.ts';
import { newStore } from '../../support/empty-store.ts';
import { policyOf, signedBy, signingPerson } from '../../support/people.ts';
import { quickSettings } from '../../support/product.ts';
import { readAt } from '../../support/sending-deps.ts';
import { UNMEASURED_CLOCK } from '../../support/unmeasured-clock.ts';

type Kind = 'transfer' | 'exchange';

const CALLER = { workflowId: 'w', runId: 'run-1', activityId: '1' };
const alice = signingPerson('alice', ['maker', 'approver']);
const bob = signingPerson('bob', ['approver']);
const carol = signingPerson('carol', ['approver']);
const PEOPLE = [alice, bob, carol];
const TWO = policyOf(PEOPLE, { approvals: [{ approvals: 2 }] });

/** Buys 100.00 USD for 92.00 EUR, or moves 100.00 USD, of the user `u-1`. */
const instructionOf = (kind: Kind, more: Partial<PayoutInstruction> = {}): PayoutInstruction => ({
  id: 'r',
  uid: 'u-1',
  account_id: kind === 'transfer' ? 'usd-1' : 'eur-1',
  to_account_id: 'usd-2',
  amount: '100.00',
  currency: 'USD',
  ...more,
});

let store: Store;
let sent: unknown[];
/** What the bank shows. */
let shown: { fee: string; sells: string; owner: string; isFrozen?: boolean };

beforeEach(async () => {
  store = await newStore();
  sent = [];
  shown = { fee: '0.50', sells: '92.00', owner: 'u-1' };
});

const takes = async (body: unknown): Promise<{ order_id: string }> => {
  sent.push(body);
  return { order_id: `ord-${sent.length}` };
};
const bank = {
  accounts: {
    get: async (id: string) => {
      const refused = { outcome: 'refused', condition: 'account-frozen', retryable: false, operation: 'get' } as const;
      if (shown.isFrozen === true) throw new BankError('account frozen', refused);
      return {
        account_id: id,
        uid: id === 'usd-2' ? shown.owner : 'u-1',
        currency: id.startsWith('eur') ? 'EUR' : 'USD',
        balance: '100000.00',
      };
    },
  },
  clock: UNMEASURED_CLOCK,
  orders: { get: async () => undefined },
  transactions: {
    transferFee: async () => ({ fee: shown.fee, fee_currency: 'USD' }),
    fxQuote: async ({ amount }: { amount: string }) => ({
      sell_amount: shown.sells,
      buy_amount: amount,
      rate: '0.92',
      fee: shown.fee,
      fee_currency: 'EUR',
    }),
    transfer: takes,
    fx: takes,
  },
} as unknown as Bank;

const depsOf = (policy: Policy, more: Partial<ActivityDeps['settings']> = {}): ActivityDeps => ({
  readList: async () => {
    throw new Error('no list is read here');
  },
  bank,
  store: readAt(store),
  executions: { wakeWatch: async () => {} } as unknown as ActivityDeps['executions'],
  settings: { ...quickSettings, transferAcrossUsers: true, ...more, policy },
  now: Date.now,
  checkInstruction: () => [],
  assertIdentity: async () => {},
});

/** By another clock. */
const at = (now: () => number): Pick<ActivityDeps, 'now' | 'store'> => ({ now, store: readAt(store, now) });

/** The row of a transfer or an exchange that alice has handed over, claimed by its workflow. */
async function claimed(kind: Kind, more: Partial<PayoutInstruction> = {}): Promise<PayoutRecord> {
  const instruction = instructionOf(kind, more);
  const reference = referenceOf('u-1', instruction.id, mainOrderKindOf(kind));
  const { record } = await store.claimPayout({
    reference,
    workflowId: payoutWorkflowId(reference, kind),
    instruction,
    payloadDigest: payloadDigest(instruction),
    generation: 0,
    kind,
    by: 'alice',
    runId: CALLER.runId,
    derivedReferences: [],
    at: 1,
  });
  return record;
}

const claimOf = ({ reference, term }: PayoutRecord) => ({ storeId: store.id, reference, term });

/** Reads the bank for a row as its workflow does; returns what is asked then. */
const read = async (deps: ActivityDeps, row: PayoutRecord) =>
  assess(deps, CALLER, { claim: claimOf(row), exchanged: false, exchangeSent: false });

async function asked(kind: Kind, policy: Policy, more: Partial<PayoutInstruction> = {}): Promise<[number, number?]> {
  const { approvalsNeeded, approvalsAtBank } = await read(depsOf(policy), await claimed(kind, more));
  return [approvalsNeeded, approvalsAtBank];
}

const send = (deps: ActivityDeps, row: PayoutRecord, attempt = 1) =>
  sendOrder(deps, CALLER, {
    claim: claimOf(row),
    orderKind: mainOrderKindOf(row.kind),
    attempt,
    lastLeft: attempt - 1,
  });

const NOTHING_SENT = { outcome: 'not-sent', why: 'changed' };

describe.each(['transfer', 'exchange'] as const)('one %s under a policy', (kind) => {
  it.each<[string, Policy['approvals'], [number, number]]>([
    ['no rule', [], [0, 0]],
    ['a rule for every kind', [{ approvals: 2 }], [2, 0]],
    ['a rule for its kind', [{ kinds: [kind], approvals: 2, where: 'both' }], [2, 2]],
    ['a rule for another kind', [{ kinds: ['payout'], approvals: 2, where: 'both' }], [0, 0]],
    ['a rule at the bank', [{ approvals: 1, where: 'at-bank' }], [0, 1]],
    ['the largest of several rules', [{ approvals: 1 }, { kinds: [kind], approvals: 2 }], [2, 0]],
    ['a rule from its amount on', [{ currency: 'USD', amountAtLeast: '100', approvals: 1 }], [1, 0]],
    ['a rule above its amount', [{ currency: 'USD', amountAtLeast: '100.01', approvals: 1 }], [0, 0]],
    ['a rule for another account', [{ account: 'other', approvals: 1 }], [0, 0]],
    ['a rule for its account', [{ account: instructionOf(kind).account_id, approvals: 1 }], [1, 0]],
    ['a rule for new payees, which it has none', [{ newPayee: true, approvals: 1 }], [0, 0]],
  ])('takes its approvals from the policy: %s', async (_what, approvals, needed) => {
    expect(await asked(kind, policyOf(PEOPLE, { approvals }))).toEqual(needed);
  });

  it('takes them from nowhere else, and says under which policy it was read', async () => {
    const deps = depsOf(policyOf(PEOPLE, { hash: 'this one' }), { approvalRules: [{ approvals: 2 }] });
    expect(await read(deps, await claimed(kind))).toMatchObject({ approvalsNeeded: 0, policyHash: 'this one' });
  });

  it('is sent once two people other than its maker have signed for just that', async () => {
    const deps = depsOf(TWO);
    const row = await claimed(kind);
    const { digest, approvalsNeeded: needed } = await read(deps, row);
    const question = { question: 'payout', digest, needed } as const;
    const about = { storeId: store.id, reference: row.reference, question: 'payout', digest } as const;
    const take = async (signed: SignedDecision): Promise<string> => {
      const verdict = await takeDecision(deps, row, question, signed);
      return verdict.verdict === 'refused' ? verdict.why : verdict.verdict;
    };
    // A name that somebody has said, or stored, is none that was signed.
    await store.recordApprovals({ reference: row.reference, digest, by: ['bob', 'carol'], at: 1 });
    expect(await send(deps, row)).toEqual(NOTHING_SENT);
    expect(await take(signedBy(alice, about))).toBe('the maker may not approve');
    expect(await take({ ...signedBy(bob, about), subject: 'carol' })).toBe(
      'the signature is not that of the person it names',
    );
    expect(await take(signedBy(bob, about))).toBe('counted');
    expect(await take(signedBy(bob, about))).toBe('this person has approved already');
    expect(await send(deps, row)).toEqual(NOTHING_SENT);
    expect(await take(signedBy(carol, about))).toBe('approved');
    expect(await send(deps, row)).toEqual({ outcome: 'accepted', orderId: 'ord-1' });
    expect(await send(deps, row)).toMatchObject({ outcome: 'ambiguous' });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [0, 'at once', false],
    [1, 'at once', false],
    [1, 'after a reading that did not come about', true],
  ] as const)(
    'is not sent after a rejection that was in time when two were asked, where %d is asked now, %s',
    async (needed, _when, isFrozen) => {
      const row = await claimed(kind);
      const { digest } = await read(depsOf(TWO), row);
      const about = { storeId: store.id, reference: row.reference, question: 'payout', digest } as const;
      await store.takeSignedDecision(signedBy(bob, about), 1);
      const said = signedBy(carol, { ...about, decision: 'reject', remark: 'not ours' });
      expect(await takeDecision(depsOf(TWO), row, { question: 'payout', digest, needed: 2 }, said)).toMatchObject({
        verdict: 'rejected',
      });
      const relaxed = depsOf(policyOf(PEOPLE, { approvals: needed === 0 ? [] : [{ approvals: needed }] }));
      if (isFrozen) {
        shown = { ...shown, isFrozen };
        for (let readings = 0; readings < 2; readings += 1)
          expect(await read(relaxed, row)).toMatchObject({ obstacle: { kind: 'hold' } });
        shown = { ...shown, isFrozen: false };
      }
      for (let readings = 0; readings < 2; readings += 1) {
        const asked = await read(relaxed, row);
        const now = { question: 'payout', digest, needed: asked.approvalsNeeded } as const;
        expect(await verdictOn(relaxed, row, now)).toMatchObject({ verdict: 'rejected', by: 'carol' });
        expect(await send(relaxed, row)).toEqual(NOTHING_SENT);
      }
      expect(sent).toEqual([]);
    },
  );

  it('is sent although somebody rejects it after as many have approved as were asked for', async () => {
    const deps = depsOf(TWO);
    const row = await claimed(kind);
    await approve(deps, row);
    const { digest } = await read(deps, row);
    const about = { storeId: store.id, reference: row.reference, question: 'payout', digest } as const;
    const late = signedBy(carol, { ...about, decision: 'reject', remark: 'after all' });
    await store.takeSignedDecision(late, Date.now() + 1);
    const relaxed = depsOf(policyOf(PEOPLE, { approvals: [{ approvals: 1 }] }));
    await read(relaxed, row);
    expect(await send(relaxed, row)).toMatchObject({ outcome: 'accepted' });
  });

  const approve = async (deps: ActivityDeps, row: PayoutRecord): Promise<void> => {
    const { digest } = await read(deps, row);
    const about = { storeId: store.id, reference: row.reference, question: 'payout', digest } as const;
    for (const person of [bob, carol]) await store.takeSignedDecision(signedBy(person, about), Date.now());
  };

  it.each<[string, () => Partial<ActivityDeps['settings']> | undefined]>([
    ['the fee is above the cap', () => ({ terms: { ...quickSettings.terms, feeCap: '0.10' } })],
    [
      kind === 'transfer' ? 'the account is another user’s by now' : 'the rate is worse than the cap allows',
      () => {
        shown = { ...shown, sells: '92.93', owner: kind === 'transfer' ? 'u-2' : 'u-1' };
        return undefined;
      },
    ],
  ])('is not sent by what was signed before %s', async (_what, change) => {
    const row = await claimed(kind);
    await approve(depsOf(TWO), row);
    const deps = depsOf(TWO, change());
    await read(deps, row);
    expect(await send(deps, row)).toEqual(NOTHING_SENT);
    expect(sent).toEqual([]);
  });

  it('is sent by what was signed before a fee and a rate that stay within the caps', async () => {
    const deps = depsOf(TWO, { terms: { ...quickSettings.terms, feeCap: '1.00' } });
    const row = await claimed(kind);
    await approve(deps, row);
    shown = { ...shown, fee: '0.75', sells: '92.92' };
    await read(deps, row);
    expect(await send(deps, row)).toMatchObject({ outcome: 'accepted' });
  });

  it.each<[string, Partial<Policy['people'][number]['scope']>, boolean]>([
    ['everything', {}, true],
    ['its kind', { kinds: [kind] }, true],
    ['another kind', { kinds: ['payout'] }, false],
    ['both accounts', { accounts: [instructionOf(kind).account_id, 'usd-2'] }, true],
    ['the account that pays', { accounts: [instructionOf(kind).account_id] }, false],
    ['both currencies', { currencies: ['USD', 'EUR'] }, true],
    ['the currency that is bought or moved', { currencies: ['USD'] }, kind === 'transfer'],
  ])('is sent for a maker whose scope is %s: %o', async (_what, scope, isSent) => {
    const maker = { ...alice, scope };
    const deps = depsOf(policyOf([maker, bob, carol]));
    const row = await claimed(kind);
    await read(deps, row);
    expect(await send(deps, row)).toMatchObject(isSent ? { outcome: 'accepted' } : NOTHING_SENT);
    expect(sent).toHaveLength(isSent ? 1 : 0);
  });

  it.each<[string, Policy['limits'][number], boolean]>([
    ['a day', { per: 'day', currency: 'USD', amount: '199.99' }, false],
    ['a day, which it fits', { per: 'day', currency: 'USD', amount: '200' }, true],
    ['a day of another kind', { per: 'day', kinds: ['payout'], currency: 'USD', amount: '50' }, true],
    ['a day of its kind', { per: 'day', kinds: [kind], currency: 'USD', amount: '199.99' }, false],
    ['the account that pays', { per: 'account', currency: 'USD', amount: '199.99' }, false],
    ['the account that receives', { per: 'payee', currency: 'USD', amount: '199.99' }, false],
    ['what is sold', { per: 'day', currency: 'EUR', amount: '183.99' }, kind === 'transfer'],
    ['what is sold, which it fits', { per: 'day', currency: 'EUR', amount: '184' }, true],
  ])('counts for the limit per %s', async (_what, limit, fits) => {
    const deps = depsOf(policyOf(PEOPLE, { limits: [limit] }));
    const first = await claimed(kind);
    await read(depsOf(policyOf(PEOPLE)), first);
    expect(await send(depsOf(policyOf(PEOPLE)), first)).toMatchObject({ outcome: 'accepted' });
    const second = await claimed(kind, { id: 's' });
    const { limit: passed } = await read(deps, second);
    expect(passed === undefined).toBe(fits);
    expect(await send(deps, second)).toMatchObject(fits ? { outcome: 'accepted' } : NOTHING_SENT);
    expect(sent).toHaveLength(fits ? 2 : 1);
  });

  it('counts for a limit what was sent within 24 hours by the clock of the bank, when ours is ahead', async () => {
    const policy = policyOf(PEOPLE, { limits: [{ per: 'day', currency: 'USD', amount: '199.99' }] });
    const first = await claimed(kind);
    await read(depsOf(policy), first);
    expect(await send(depsOf(policy), first)).toMatchObject({ outcome: 'accepted' });
    const second = await claimed(kind, { id: 's' });
    const deps = (ms: number): ActivityDeps => ({
      ...depsOf(policy),
      bank: { ...bank, clock: { offset: () => ms } },
      ...at(() => Date.now() + 25 * 3_600_000),
    });
    expect(await read(deps(-25 * 3_600_000), second)).toMatchObject({ limit: '199.99 USD per day, within 24 h' });
    expect(await send(deps(-25 * 3_600_000), second)).toEqual(NOTHING_SENT);
    expect(await read(deps(0), second)).not.toHaveProperty('limit', expect.anything());
    expect(await send(deps(0), second, 2)).toMatchObject({ outcome: 'accepted' });
  });

  it('counts for a limit what a worker whose clock is behind has sent, for the whole 24 hours', async () => {
    const policy = policyOf(PEOPLE, { limits: [{ per: 'day', currency: 'USD', amount: '199.99' }] });
    const sentBy = { ...depsOf(policy), ...at(() => Date.now() - 9 * 60_000) };
    const first = await claimed(kind);
    await read(sentBy, first);
    expect(await send(sentBy, first)).toMatchObject({ outcome: 'accepted' });
    const second = await claimed(kind, { id: 's' });
    const deps = (hours: number): ActivityDeps => ({
      ...depsOf(policy),
      settings: { ...depsOf(policy).settings, clockSkewMs: 600_000 },
      ...at(() => Date.now() + hours * 3_600_000),
    });
    expect(await read(deps(23.9), second)).toMatchObject({ limit: '199.99 USD per day, within 24 h' });
    expect(await send(deps(23.9), second)).toEqual(NOTHING_SENT);
    expect(await send(deps(24.1), second, 2)).toMatchObject({ outcome: 'accepted' });
  });

  it('says that it is above a limit by itself, and waits in vain', async () => {
    const deps = depsOf(policyOf(PEOPLE, { limits: [{ per: 'day', currency: 'USD', amount: '99.99' }] }));
    const { limit } = await read(deps, await claimed(kind));
    expect(limit).toBe(
      '99.99 USD per day, within 24 h; this payout alone is above it: only another policy lets it continue',
    );
  });
});

it('an exchange is asked about by what it sells at most as well as by what it buys', async () => {
  const rule = (amountAtLeast: string) =>
    policyOf(PEOPLE, { approvals: [{ currency: 'EUR', amountAtLeast, approvals: 2 }] });
  expect(await asked('exchange', rule('92.92'))).toEqual([2, 0]);
  expect(await asked('exchange', rule('92.93'))).toEqual([0, 0]);
  expect(await asked('transfer', rule('1'), { id: 't' })).toEqual([0, 0]);
});

describe('the digest of an exchange', () => {
  const seen = {
    exchange: {
      sellAccountId: 'eur-1',
      buyAccountId: 'usd-2',
      buyAmount: '100.00',
      buyCurrency: 'USD',
      sellCurrency: 'EUR',
      quotedSellAmount: '92.00',
      buysWhatWasAsked: true,
    },
  };
  const caps = { feeCap: '1.00', maxSlippage: '0.01' };
  const digestOf = (row: PayoutRecord, shownThen: SeenAtBank = seen, capsThen: typeof caps = caps): string =>
    approvalDigest(signedParts(row, shownThen, capsThen));

  it.each<[string, Partial<PayoutRecord>]>([
    ['kind', { kind: 'transfer' }],
    ['generation', { generation: 1 }],
    ['user', { uid: 'u-2' }],
    ['account that pays', { instruction: instructionOf('exchange', { account_id: 'eur-2' }) }],
    ['account that receives', { instruction: instructionOf('exchange', { to_account_id: 'usd-3' }) }],
    ['amount', { instruction: instructionOf('exchange', { amount: '100.01' }) }],
    ['currency', { instruction: instructionOf('exchange', { currency: 'GBP' }) }],
    ['cap on the fee', { instruction: instructionOf('exchange', { fee_cap: '2.00' }) }],
    ['cap on the rate', { instruction: instructionOf('exchange', { max_slippage: '0.02' }) }],
    ['highest rate', { instruction: instructionOf('exchange', { max_rate: '1.1', sell_currency: 'EUR' }) }],
  ])('is another one with another %s', async (_what, change) => {
    const row = await claimed('exchange');
    expect(digestOf({ ...row, ...change })).not.toBe(digestOf(row));
  });

  it('is another one with other caps of the settings, another bound, or accounts of other currencies', async () => {
    const row = await claimed('exchange');
    const others = [
      digestOf(row, seen, { ...caps, feeCap: '2.00' }),
      digestOf(row, seen, { ...caps, maxSlippage: '0.02' }),
      digestOf(row, { ...seen, mostSold: '91.00' }),
      digestOf(row, { exchange: { ...seen.exchange, sellCurrency: 'GBP' } }),
    ];
    expect(new Set([digestOf(row), ...others]).size).toBe(5);
  });
});
