import { expect, it } from 'vitest';
import {
  judgeListLag,
  judgePayloads,
  judgeReplacements,
  judgeServerVersion,
  judgeSwitches,
} from '../../src/cli/doctor.ts';
import { judgeBank } from '../../src/cli/judge-bank.ts';
import { judgeShown, shownReferences } from '../../src/cli/shown-references.ts';
import { spellingsOf } from '../../src/domain/reference-form.ts';
import type { Profile } from '../../src/sandbox/bank/profile.ts';
import { openStore } from '../../src/store/open.ts';
import { claimRow, payoutClaim } from '../store/samples.ts';
import { openBankAndStore } from '../support/bank-and-store.ts';
import { codecKeys } from '../support/codec-keys.ts';
import { configWith } from '../support/config-with.ts';
import { DEFAULT_PAYMENT } from '../support/product.ts';

const NOW = Date.UTC(2026, 10, 23);
const HOUR_MS = 3_600_000;

async function judgedPayloads(
  entries: { hoursAgo: number; why: string }[],
  keys: typeof codecKeys | (() => undefined),
) {
  const store = await openStore('file::memory:');
  try {
    for (const { hoursAgo, why } of entries) {
      const at = NOW - hoursAgo * HOUR_MS;
      await store.audit({ at, actor: 'codec', action: 'payload refused', subject: 'ref-1', detail: { why } });
    }
    return await judgePayloads(configWith({ codecKeys: () => keys() }), store, NOW);
  } finally {
    await store.close();
  }
}

it.each([
  ['no key', [], () => undefined, 'warning', 'PAYOUTS_CODEC_KEYS is not set'],
  ['a key', [], codecKeys, 'ok', 'with the key test'],
  [
    'a key that lately was not enough',
    [{ hoursAgo: 1, why: 'unknown-key' }],
    codecKeys,
    'warning',
    'payloads of ref-1',
  ],
  ['a key that once was not enough', [{ hoursAgo: 25, why: 'unknown-key' }], codecKeys, 'ok', 'with the key test'],
  ['payloads that others have forged', [{ hoursAgo: 1, why: 'clear' }], codecKeys, 'ok', 'with the key test'],
] as const)('of payloads, %s is judged', async (_case, entries, keys, verdict, detail) => {
  expect(await judgedPayloads([...entries], keys)).toEqual({ verdict, detail: expect.stringContaining(detail) });
});

it('of the bank a slow answer is told, since payouts show only that they wait', async () => {
  const judgedAfter = (ms: number) => {
    let now = 0;
    const master = async () => {
      now += ms;
      return [];
    };
    const bank = { authenticate: async () => {}, accounts: { master } };
    return judgeBank(bank, 'https://bank', () => now);
  };
  expect(await judgedAfter(2_900)).toBe('https://bank');
  expect(await judgedAfter(8_040)).toEqual({
    verdict: 'warning',
    detail: 'https://bank: it answers only after 8.0 s, and payouts are as slow',
  });
});

it('of replaced servers the number is shown, and why the last one was', () => {
  expect(judgeReplacements([])).toEqual({ verdict: 'ok', detail: 'not replaced in the last 24 hours' });
  const replacements = [
    { at: NOW - HOUR_MS, why: 'ended by SIGKILL' },
    { at: NOW, why: '6 calls in a row failed: no answer' },
  ];
  expect(judgeReplacements(replacements)).toEqual({
    verdict: 'warning',
    detail: 'replaced 2 times in the last 24 hours, last at 2026-11-23 00:00 UTC: 6 calls in a row failed: no answer',
  });
});

it('switches that are off are named, the first three of them', () => {
  const uids = ['u-1', 'u-2', 'u-3'].map((key) => ({ scope: 'uid', key }) as const);
  expect(judgeSwitches([])).toEqual({ verdict: 'ok', detail: 'nothing is off' });
  expect(judgeSwitches([{ scope: 'everything', key: '' }, ...uids])).toEqual({
    verdict: 'warning',
    detail: expect.stringContaining('everything, uid u-1, uid u-2 and 1 more'),
  });
});

const OF_USER = { uid: 'u-1001' };

/** A bank with the orders of `known` payouts, of one whose answer was lost, and of somebody else. */
async function compared(references: Profile['references'], known = 3) {
  const { bank, store } = await openBankAndStore({ profile: { references } });
  const at = Date.now();
  const pay = (reference: string) => bank.transactions.payment({ ...DEFAULT_PAYMENT, reference });
  for (const id of [...Array(known).keys(), 'lost'].map(String)) {
    const claim = payoutClaim(id, { ...claimRow(1, id, OF_USER), at });
    await store.claimPayout(claim);
    const { order_id: orderId } = await pay(claim.reference);
    if (id !== 'lost') await store.changePayout(claim.reference, { state: 'processing', orderId, at });
  }
  await pay('0f8b6c1e-3d52-5c0b-9a77-2f6e0c1d5b94');
  return shownReferences({ bank, store }, { changedSince: at - 1, clockSkewMs: 60_000, pageSize: 100 });
}

it.each([
  ['as-sent', 'as-sent', 'ok', 'come back as sent, in 4 orders'],
  ['upper-case', 'respelled', 'warning', 'of 4 orders the bank shows 4 respelled: '],
  ['cut', 'cut', 'warning', 'of 4 orders the bank shows 4 cut: '],
] as const)('a bank that shows references %s', async (profile, form, verdict, detail) => {
  const shown = await compared(profile);
  expect(shown).toEqual(new Map([[form, 4]]));
  expect(judgeShown(shown)).toMatchObject({ verdict, detail: expect.stringContaining(detail) });
});

it('references that come back in one spelling are no warning once it is learned', () => {
  const sent = '0f8b6c1e-3d52-5c0b-9a77-2f6e0c1d5b94';
  const learned = spellingsOf(sent, sent.toUpperCase().slice(0, 20));
  const shown = new Map([['cut', 7]] as const);
  expect(judgeShown(shown, learned)).toMatchObject({
    ...{ verdict: 'ok', detail: expect.stringContaining('by its reference in capitals, cut to 20 characters') },
  });
  expect(judgeShown(shown, [])).toMatchObject({
    ...{ verdict: 'warning', detail: expect.stringContaining('in more than one form') },
  });
  expect(judgeShown(new Map([['absent', 7]] as const), learned).verdict).toBe('warning');
});

it.each([
  [undefined, 'ok', 'no order has appeared late in a list'],
  [119_100, 'ok', '120 s after it was sent, PAYOUTS_LIST_LAG allows 120 s'],
  [121_000, 'warning', 'set it higher'],
] as const)('a list that lacked an order for %j ms: %s', (seen, verdict, detail) => {
  expect(judgeListLag(seen, 120_000)).toMatchObject({ verdict, detail: expect.stringContaining(detail) });
});

it('nothing to compare is no warning', () => {
  expect(judgeShown(new Map())).toEqual({ verdict: 'ok', detail: 'no order of ours to compare yet' });
});

it.each(['other', 'absent'] as const)('a reference that comes back as %s asks for no trust in it', (form) => {
  const { verdict, detail } = judgeShown(
    new Map([
      ['as-sent', 2],
      [form, 1],
    ]),
  );
  expect({ verdict, hint: detail.includes('PAYOUTS_REFERENCE_DEDUPE=none') }).toEqual({
    verdict: 'warning',
    hint: true,
  });
});

it.each([
  ['the server of the CLI that is brought', '1.32.0', true, 'ok', 'server 1.32.0'],
  ['the one that is deployed', '1.32.2', false, 'ok', 'server 1.32.2'],
  ['the oldest CLI', '1.29.1', true, 'warning', 'CVE-2025-14987, CVE-2026-5199 and 10 more'],
  ['one of a line that has no fix', '1.29.1', false, 'warning', 'upgrade it to 1.32.2 or newer'],
  ['one below the fix of its line', '1.31.2', false, 'warning', 'CVE-2026-87858'],
])(
  'says which Temporal server it met, and warns of its vulnerabilities: %s',
  (_which, version, isDev, verdict, detail) => {
    const judged = judgeServerVersion(version, { isDevelopmentServer: isDev });
    expect(judged).toEqual({ verdict, detail: expect.stringContaining(detail) });
    expect(judged.detail).toContain(`server ${version}`);
  },
);
