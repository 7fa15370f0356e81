import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { checkedPayee } from '../../../src/activities/assess.ts';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import {
  askedOnce,
  CheckFailure,
  type CheckProvider,
  type Verification,
} from '../../../src/bank/payee-checks/provider.ts';
import type { Beneficiary } from '../../../src/bank/schemas/beneficiaries.ts';
import { instruction, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';

const HOUR = 3_600_000;

const PAYEE = {
  id: 'ben-1',
  beneficiary_type: 'personal',
  currency: 'USD',
  payment_type: 'local',
  items: { account_name: 'Jane Roe', iban_no: 'DE00', mobile: '+1', address_city: 'Town' },
} as unknown as Beneficiary;

const payeeWith = (items: Record<string, string>): Beneficiary => ({ ...PAYEE, items: { ...PAYEE.items, ...items } });

/** A provider whose verification says what it is configured to, and counts; nobody is on a list. */
async function checking({ verifiedCurrencies }: { verifiedCurrencies?: readonly string[] } = {}) {
  const store = await newStore();
  const asked: unknown[] = [];
  const state = { now: 1_000_000_000, answer: { verdict: 'match' } as Verification | CheckFailure };
  const provider: CheckProvider = {
    name: 'p',
    verifyPayee: async (payee) => {
      asked.push(payee);
      await setTimeout(20);
      if (state.answer instanceof CheckFailure) throw state.answer;
      return state.answer;
    },
    screen: async (party) => {
      asked.push(party);
      await setTimeout(20);
      return { verdict: 'clear' };
    },
    close: async () => undefined,
  };
  const checks = { provider: askedOnce(provider), maxAgeMs: HOUR, verifiedCurrencies };
  const deps = { store, now: () => state.now, checks } as unknown as ActivityDeps;
  const claimed = async (id: string, fields: Parameters<typeof instruction>[1] = {}) => {
    const { record } = await store.claimPayout(payoutClaim(id, { instruction: instruction(id, fields) }));
    return record;
  };
  const check = async (id: string, payee: Beneficiary | undefined, fields?: Parameters<typeof instruction>[1]) =>
    (await checkedPayee(deps, await claimed(id, fields), payee)).checks;
  return { asked, state, check, store };
}

const verdictsOf = (checks: Awaited<ReturnType<typeof checkedPayee>>['checks']) =>
  checks?.map(({ kind, verdict }) => `${kind} ${verdict}`);

it('a payee is asked about once, with its name and account alone, for all payouts to it', async () => {
  const { asked, check } = await checking();
  expect(verdictsOf(await check('a', PAYEE))).toEqual(['verification match', 'screening clear']);
  expect(await check('b', PAYEE)).toEqual(await check('a', PAYEE));
  expect(asked).toEqual([
    { name: 'Jane Roe', type: 'personal', country: 'DE', currency: 'USD', account: { iban_no: 'DE00' } },
    { name: 'Jane Roe', type: 'personal', country: 'DE' },
  ]);
});

it('is asked about once when many payouts to it are read in one moment', async () => {
  const { asked, check } = await checking();
  await Promise.all(Array.from({ length: 50 }, (_, index) => check(`${index}`, PAYEE)));
  expect(asked).toHaveLength(2);
});

it('is asked again when its details change, for what the change is about', async () => {
  const { asked, check } = await checking();
  await check('a', PAYEE);
  await check('b', payeeWith({ iban_no: 'DE01' }));
  // Its account is on no list.
  expect(asked).toHaveLength(3);
  await check('c', payeeWith({ account_name: 'John Roe' }));
  expect(asked).toHaveLength(5);
  await check('d', payeeWith({ mobile: '+2' }));
  expect(asked).toHaveLength(5);
});

it('is asked again when the verdict is older than it may be', async () => {
  const { asked, check, state } = await checking();
  await check('a', PAYEE);
  state.now += HOUR - 1;
  await check('a', PAYEE);
  expect(asked).toHaveLength(2);
  state.now += 1;
  await check('a', PAYEE);
  expect(asked).toHaveLength(4);
});

it('is asked again when the verdict was kept by a clock that was far ahead', async () => {
  const { asked, check, state } = await checking();
  await check('a', PAYEE);
  state.now -= 60_000;
  await check('a', PAYEE);
  expect(asked).toHaveLength(2);
  state.now -= 1;
  await check('a', PAYEE);
  expect(asked).toHaveLength(4);
  // Kept anew by the clock that is right.
  await check('a', PAYEE);
  expect(asked).toHaveLength(4);
});

it('a provider that gives no answer leaves it not available, and is asked again at the next reading', async () => {
  const { check, state, store } = await checking();
  state.answer = new CheckFailure('HTTP 503');
  const [verification] = (await check('a', PAYEE)) ?? [];
  expect(verification?.verdict).toBe('not-available');
  if (verification === undefined) throw new Error('it was verified');
  expect(await store.payeeCheck({ ...verification, uid: 'user-1' })).toMatchObject({ why: 'HTTP 503' });
  state.answer = new CheckFailure('time limit reached');
  // What was let through stays let through while it is down.
  expect((await check('a', PAYEE))?.[0]?.digest).toBe(verification.digest);
  state.answer = { verdict: 'match' };
  expect(verdictsOf(await check('a', PAYEE))).toEqual(['verification match', 'screening clear']);
});

it('an override is bound to payee, verdict and what the provider says beside it', async () => {
  const { check, state } = await checking();
  const digests = new Set<string | undefined>();
  const answers: Verification[] = [
    { verdict: 'no-match' },
    { verdict: 'close-match', otherName: 'Jane Rowe' },
    { verdict: 'close-match', otherName: 'Jane Poe' },
    { verdict: 'close-match', otherName: 'Jane Poe', caseId: '2' },
  ];
  for (const answer of answers) {
    state.answer = answer;
    state.now += HOUR;
    digests.add((await check('a', PAYEE))?.[0]?.digest);
  }
  digests.add((await check('a', payeeWith({ iban_no: 'DE02' })))?.[0]?.digest);
  expect(digests.size).toBe(5);
});

it('no name of a payee is in what a reading holds', async () => {
  const { check, state } = await checking();
  state.answer = { verdict: 'close-match', otherName: 'Jane Rowe' };
  expect(JSON.stringify(await check('a', PAYEE))).not.toMatch(/Jane|Ro[w]?e|DE00/);
});

it('a payee that the row names by its details is what the row says, before and after the bank has it', async () => {
  const { asked, check } = await checking();
  const named = { beneficiary_id: undefined, beneficiary_type: 'business', company_name: 'Acme', account_no: '1' };
  await check('a', undefined, named);
  await check('a', payeeWith({ company_name: 'Acme', account_no: '1', swift_code: 'BANKUS33' }), named);
  expect(asked).toEqual([
    { name: 'Acme', type: 'business', currency: 'USD', account: { account_no: '1' } },
    { name: 'Acme', type: 'business' },
  ]);
});

it('a payee without a name is not available, and nobody is asked', async () => {
  const { asked, check } = await checking();
  const nameless = await check('a', undefined, { beneficiary_id: undefined, account_no: '1' });
  expect(verdictsOf(nameless)).toEqual(['verification not-available', 'screening not-available']);
  expect(asked).toEqual([]);
});

it('in other currencies than those that are verified payees are screened alone', async () => {
  const { check } = await checking({ verifiedCurrencies: ['EUR'] });
  expect(verdictsOf(await check('a', PAYEE))).toEqual(['screening clear']);
  expect(verdictsOf(await check('b', PAYEE, { currency: 'EUR' }))).toEqual(['verification match', 'screening clear']);
});

it('where nobody is asked a reading says nothing of it', async () => {
  const { store } = await checking();
  const { record } = await store.claimPayout(payoutClaim('a'));
  expect(await checkedPayee({ store, now: Date.now } as unknown as ActivityDeps, record, PAYEE)).toEqual({});
});
