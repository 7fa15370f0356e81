import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPolicy } from '../../../src/cli/policies.ts';
import type { Session } from '../../../src/cli/session.ts';
import { holdKey } from '../../../src/cli/signer.ts';
import { newKey } from '../../../src/people/signing/signing.ts';
import { assertKeyPrivate, PolicyFile } from '../../../src/platform/config/policy.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { folderOfFile } from '../../support/new-folder.ts';

const folder = folderOfFile();
const { privateKey, publicKey } = newKey();
const POLICY = JSON.stringify({
  version: 1,
  people: [{ name: 'alice', roles: ['maker'], scope: {}, keys: [publicKey] }],
});

function fileOf(text: string, mode: number): string {
  const path = join(folder, `${mode.toString(8)}-${text.length}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** A file that nobody else can write, in a folder of this mode. */
function fileIn(text: string, mode: number): { path: string; shared: string } {
  const shared = mkdtempSync(join(folder, 'shared-'));
  const path = join(shared, 'file');
  writeFileSync(path, text, { mode: 0o600 });
  chmodSync(shared, mode);
  return { path, shared };
}

describe('a policy file', () => {
  it.each([0o777, 0o775, 0o2775])('in a folder that others can write is refused: %o', async (mode) => {
    const { path, shared } = fileIn(POLICY, mode);
    const says = `a file in a folder that users other than its owner can write: ${shared} (mode 0${(mode & 0o777).toString(8)})`;
    expect(() => loadConfig({ PAYOUTS_POLICY: path })).toThrow(`PAYOUTS_POLICY: names ${says}`);
    await expect(checkPolicy({} as Session, path)).rejects.toThrow(
      `the whole: is ${says}. Run chmod go-w on ${shared}.`,
    );
  });

  it('is refused as well in a folder of such a folder, and behind a link in one or into one', () => {
    const { path, shared } = fileIn(POLICY, 0o777);
    mkdirSync(join(shared, 'own'), { mode: 0o700 });
    writeFileSync(join(shared, 'own/policy.json'), POLICY, { mode: 0o600 });
    symlinkSync(fileOf(POLICY, 0o600), join(shared, 'link'));
    const into = join(mkdtempSync(join(folder, 'own-')), 'link');
    symlinkSync(path, into);
    for (const named of [join(shared, 'own/policy.json'), join(shared, 'link'), into])
      expect(() => loadConfig({ PAYOUTS_POLICY: named })).toThrow(`can write: ${shared} (mode 0777)`);
  });

  it.each([0o1777, 0o755])('in a folder where nobody replaces a file of others is used: %o', (mode) => {
    expect(loadConfig({ PAYOUTS_POLICY: fileIn(POLICY, mode).path }).settings.policy?.people).toHaveLength(1);
  });

  it.each([0o666, 0o664, 0o622])('that others can write is refused: %o', async (mode) => {
    const path = fileOf(POLICY, mode);
    const writable = `a file that users other than its owner can write (mode 0${mode.toString(8)})`;
    expect(() => loadConfig({ PAYOUTS_POLICY: path })).toThrow(`PAYOUTS_POLICY: names ${writable}`);
    await expect(checkPolicy({} as Session, path)).rejects.toThrow(`the whole: is ${writable}. Run chmod go-w on it.`);
  });

  it.each([0o644, 0o640, 0o600, 0o440])('that only its owner can write is used: %o', (mode) => {
    expect(loadConfig({ PAYOUTS_POLICY: fileOf(POLICY, mode) }).settings.policy?.people).toHaveLength(1);
  });

  it('that others can write later does not replace the policy in force', () => {
    const path = fileOf(POLICY, 0o600);
    const file = new PolicyFile(path);
    const news: unknown[] = [];
    file.onNews((it) => news.push(it));
    writeFileSync(path, POLICY.replace('alice', 'mallory'));
    chmodSync(path, 0o666);
    expect(file.current(performance.now() + 10_000).people[0]?.name).toBe('alice');
    expect(news).toEqual([expect.objectContaining({ kind: 'refused', why: expect.stringContaining('mode 0666') })]);
  });
});

describe('the file of a private key', () => {
  const NAMES = ['PAYOUTS_SIGNING_KEY_FILE', 'PAYOUTS_AUDIT_KEY_FILE'];

  it.each(NAMES.flatMap((name) => [0o644, 0o640, 0o604].map((mode) => [name, mode] as const)))(
    '%s is refused if others can read it: %o',
    (name, mode) => {
      const env = { [name]: fileOf(privateKey, mode) };
      expect(() => loadConfig(env)).toThrow(
        `${name}: names the file of a key that other users can read (mode 0${mode.toString(8)})`,
      );
      expect(() => loadConfig({ ...env, PAYOUTS_ALLOW_READABLE_KEYS: 'true' })).not.toThrow();
      expect(() => loadConfig({ [name]: fileOf(privateKey, 0o600) })).not.toThrow();
    },
  );

  it.each(NAMES)('%s is refused in a folder that others can write', (name) => {
    const { path, shared } = fileIn(privateKey, 0o777);
    expect(() => loadConfig({ [name]: path })).toThrow(
      `${name}: names a key in a folder that users other than its owner can write: ${shared} (mode 0777)`,
    );
    expect(() => loadConfig({ [name]: path, PAYOUTS_ALLOW_READABLE_KEYS: 'true' })).not.toThrow();
    expect(() => loadConfig({ [name]: fileIn(privateKey, 0o1777).path })).not.toThrow();
  });

  it('is warned of for a secret that is no key', () => {
    const env = (mode: number) => ({ PAYOUTS_GATEWAY_TOKEN_FILE: fileOf(randomBytes(32).toString('hex'), mode) });
    expect(loadConfig(env(0o644)).tooOpen).toEqual([
      'PAYOUTS_GATEWAY_TOKEN_FILE names a file that other users can read (mode 0644); run chmod 600 on it.',
    ]);
    expect(loadConfig({ ...env(0o644), PAYOUTS_ALLOW_READABLE_KEYS: 'true' }).tooOpen).toEqual([]);
    expect(loadConfig(env(0o600)).tooOpen).toEqual([]);
  });

  it('after --key is refused in the same way', async () => {
    const held: string[] = [];
    const session = { config: loadConfig({}), holdKey: (key: string) => held.push(key) } as unknown as Session;
    await expect(holdKey(session, fileOf(privateKey, 0o644))).rejects.toThrow('--key: names the file of a key that');
    expect(held).toEqual([]);
    await holdKey(session, fileOf(privateKey, 0o600));
    expect(held).toEqual([privateKey]);
  });

  it.runIf(process.getuid?.() === 0)('of another user may be readable for a group of ours', async () => {
    const { chownSync } = await import('node:fs');
    const path = fileOf(privateKey, 0o440);
    chownSync(path, 1, 0);
    expect(() => assertKeyPrivate('--key', path)).not.toThrow();
    chmodSync(path, 0o444);
    expect(() => assertKeyPrivate('--key', path)).toThrow('mode 0444');
  });
});
