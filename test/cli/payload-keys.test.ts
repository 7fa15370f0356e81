import { expect, it } from 'vitest';
import { judgePayloads } from '../../src/cli/doctor-checks.ts';
import { openStore } from '../../src/store/open.ts';
import { codecKeys } from '../support/codec-keys.ts';

const NOW = Date.UTC(2026, 10, 23);
const HOUR_MS = 3_600_000;

async function judged(entries: { hoursAgo: number; why: string }[], keys: typeof codecKeys | (() => undefined)) {
  const store = await openStore('file::memory:');
  try {
    for (const { hoursAgo, why } of entries) {
      const at = NOW - hoursAgo * HOUR_MS;
      await store.audit({ at, actor: 'codec', action: 'payload refused', subject: 'ref-1', detail: { why } });
    }
    return await judgePayloads({ codecKeys: () => keys() }, store, NOW);
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
] as const)('%s', async (_case, entries, keys, verdict, detail) => {
  expect(await judged([...entries], keys)).toEqual({ verdict, detail: expect.stringContaining(detail) });
});
