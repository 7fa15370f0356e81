import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { newFolder } from '../../support/new-folder.ts';

for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);

let folder: string;

beforeEach(() => {
  folder = newFolder();
  vi.stubEnv('PAYOUTS_CONFIG', join(folder, 'own.toml'));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function printed(...argv: string[]): Promise<{ exit: number; stdout: string; stderr: string }> {
  const streams = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      streams[name] += String(chunk);
      return true;
    });
  }
  return { exit: await runProgram(argv), ...streams };
}

const file = (): string => readFileSync(join(folder, 'own.toml'), 'utf8');

describe('payouts config', () => {
  it('writes, shows and removes a setting, by profile', async () => {
    writeFileSync(join(folder, 'key'), 'k', { mode: 0o600 });
    await printed('config', 'set', 'PAYOUTS_API_KEY_FILE', 'key', '--profile', 'test');
    await printed('config', 'set', 'api-url', 'http://127.0.0.1:1', '--profile', 'test');
    expect(file()).toBe(`[profiles.test]\napi_key_file = "${join(folder, 'key')}"\napi_url = "http://127.0.0.1:1"\n`);
    const { stdout } = await printed('config', 'show', '--profile', 'test', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      files: [{ kind: 'user', path: join(folder, 'own.toml'), profile: 'test' }],
      settings: [
        { group: 'Bank', name: 'PAYOUTS_API_URL', value: 'http://127.0.0.1:1', from: `${folder}/own.toml [test]` },
        { group: 'Bank', name: 'PAYOUTS_API_KEY_FILE', value: join(folder, 'key') },
        { name: 'PAYOUTS_CONFIG', from: 'environment' },
      ],
    });
    await printed('config', 'set', 'api_url', '', '--profile', 'test');
    expect(file()).not.toContain('api_url');
  });

  it('shows no secret, and where each value comes from', async () => {
    await printed('config', 'set', 'window', '12');
    vi.stubEnv('PAYOUTS_API_SECRET', 's3cr3t');
    vi.stubEnv('PAYOUTS_STORE_URL', 'postgres://a:s3cr3t@127.0.0.1/x');
    const { stdout } = await printed('config', 'show', '--all');
    expect(stdout).not.toContain('s3cr3t');
    expect(stdout).toMatch(/^ {2}api_secret +\(secret\) \(environment\)$/m);
    expect(stdout).toMatch(/^ {2}store_url +\(secret\) \(environment\)$/m);
    expect(stdout).toMatch(/^ {2}window +12 \(your file\)$/m);
    expect(stdout).toMatch(/^ {2}page_size +100$/m);
    expect((await printed('config', 'show', '--all', '--json')).stdout).not.toContain('s3cr3t');
  });

  it.each([
    [['window', '0'], 'is not a whole number from 1 to 1000'],
    [['api_ulr', 'x'], 'Did you mean api_url?'],
    [['api_secret', 's3cr3t'], 'payouts config set api_secret_file FILE'],
    [['window', '12', '--folder'], 'which the file of a folder may not'],
    [['pain002_version', 'as-asked', '--folder', '--profile', 'a'], 'has no profiles'],
  ])('does not write %j', async (argv, says) => {
    const { exit, stderr } = await printed('config', 'set', ...argv);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(stderr).not.toContain('s3cr3t');
    expect(() => file()).toThrow('ENOENT');
  });

  it('checks every setting, and then all together', async () => {
    writeFileSync(join(folder, 'own.toml'), 'window = 0\npage_size = 0\nx = 1\n', { mode: 0o600 });
    const { exit, stderr } = await printed('config', 'check');
    expect(exit).toBe(2);
    for (const says of ['PAYOUTS_WINDOW: is not', 'PAYOUTS_PAGE_SIZE: is not', 'sets x, which is no setting'])
      expect(stderr).toContain(says);
    writeFileSync(join(folder, 'own.toml'), 'gateway_tls_cert = "c"\n');
    expect((await printed('config', 'check')).stderr).toContain('a certificate and its key go together');
    writeFileSync(join(folder, 'own.toml'), 'window = 1\n');
    expect(await printed('config', 'check')).toMatchObject({ exit: 0, stdout: expect.stringContaining('usable') });
  });

  it('is read by other commands, which refuse a file that cannot be used', async () => {
    writeFileSync(join(folder, 'payouts.toml'), 'api_url = "https://evil.example"\n');
    const { exit, stderr } = await printed('switch', 'list');
    expect([exit, stderr]).toEqual([2, expect.stringContaining('which the file of a folder may not')]);
  });
});
