import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { doctor } from '../../../src/cli/commands/doctor.ts';
import type { Session } from '../../../src/cli/session.ts';
import { loadConfig } from '../../../src/config.ts';
import { openStore } from '../../../src/store/open.ts';

interface Shown {
  checks: { name: string; verdict: string; detail: string }[];
}

/** What it shows by name, of a session whose stack does not come up. */
async function examined(env: Record<string, string>): Promise<{ exit: number; checks: Map<string, string> }> {
  const config = loadConfig(env);
  const store = () => openStore(config.storeUrl.reveal());
  const shown: Shown['checks'] = [];
  const output = { result: ({ checks }: Shown) => void shown.push(...checks) };
  const noStack = () => Promise.reject(new Error('no stack'));
  const session = { config, output, store, assertStoreFits: store, stack: noStack } as unknown as Session;
  const exit = await doctor(session);
  return { exit, checks: new Map(shown.map(({ name, verdict, detail }) => [name, `${verdict}: ${detail}`])) };
}

it('says of a home that cannot be used what is wrong with it, check by check', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const home = join(folder, 'file', 'home');
  writeFileSync(join(folder, 'file'), '');
  const { exit, checks } = await examined({ PAYOUTS_HOME: home });
  expect(exit).toBe(1);
  for (const name of ['home', 'store', 'payloads']) {
    expect(checks.get(name)).toMatch(/^failed: ENOTDIR: .*\. Check the path, .* PAYOUTS_HOME\.$/);
  }
});

it('passes the oldest Node of the package, and ends what failed with a full stop before the hint', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { node } = process.versions;
  Object.defineProperty(process.versions, 'node', { value: '22.12.0' });
  onTestFinished(() => void Object.defineProperty(process.versions, 'node', { value: node }));
  writeFileSync(join(folder, 'codec-keys'), 'home-1:short\n');
  const { checks } = await examined({ PAYOUTS_HOME: folder });
  expect(checks.get('Node')).toBe('ok: 22.12.0');
  expect(checks.get('payloads')).toMatch(/^failed: .*\. Restore it from a copy/);
});

it('warns of a setting that has no effect', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { PAYOUTS_HOME: folder };
  expect((await examined(env)).checks.get('settings')).toBe('ok: all known');
  const { checks } = await examined({ ...env, PAYOUTS_REFERENCE_DEDUP: 'none' });
  expect(checks.get('settings')).toMatch(
    /^warning: PAYOUTS_REFERENCE_DEDUP is no setting .* PAYOUTS_REFERENCE_DEDUPE\?$/,
  );
});
