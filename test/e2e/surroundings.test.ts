import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findTemporalCli } from '../../scripts/temporal-cli.mjs';
import { workflowBundles } from '../../src/platform/temporal/bundle.ts';
import { folderOfFile } from '../support/new-folder.ts';

/** Where the product is run: the real command with an embedded stack, in surroundings that not everybody has. */

const BIN = fileURLToPath(new URL('../../bin/payouts.mjs', import.meta.url));
const ROW =
  'id,uid,account_id,amount,currency,beneficiary_id\nU-1,u-1001,acc-u1001-eur,100.00,EUR,ben-u1001-eur-swift\n';
const BARE = { PATH: '/usr/bin:/bin', TEMPORAL_CLI_PATH: findTemporalCli(process.env).path };
/** As a container of OpenShift runs: a number that no user has. */
const NOBODY = ['setpriv', '--reuid', '54321', '--regid', '54321', '--clear-groups'];

const folder = folderOfFile();
beforeAll(async () => {
  chmodSync(folder, 0o755);
  // As an installation has it: who runs it may not write to it.
  await workflowBundles();
});
/** A folder of a test, which everybody may use, with a file of one payout. */
function place(name: string): { home: string; file: string } {
  const own = join(folder, name);
  mkdirSync(own);
  chmodSync(own, 0o777);
  const file = join(own, `${name} to pay.csv`);
  writeFileSync(file, ROW);
  return { home: join(own, `home of ${name}`), file };
}

async function payouts(
  words: readonly string[],
  { env, behind = [] }: { env: NodeJS.ProcessEnv; behind?: readonly string[] },
): Promise<{ status: unknown; said: string; out: string }> {
  const [first = '', ...rest] = [...behind, process.execPath, BIN, ...words];
  const child = spawn(first, rest, { env: { ...BARE, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[status], out, said] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { status, said, out };
}

const works = (...words: string[]): boolean => {
  const [first = '', ...rest] = words;
  try {
    execFileSync(first, rest, { stdio: 'ignore', env: { PATH: BARE.PATH } });
    return true;
  } catch {
    return false;
  }
};
/** Loudly: who reads the list of tests sees what was not tried here, and why. */
const needs = (name: string, is: boolean): string =>
  is ? name : `${name} (NOT TRIED: needs root, and a clone and a Temporal CLI that all can read)`;
const READS = `const { accessSync, constants } = require('node:fs');
  accessSync(${JSON.stringify(BARE.TEMPORAL_CLI_PATH)}, constants.X_OK);
  accessSync(${JSON.stringify(BIN)});`;
const CAN_BE_NOBODY = works(...NOBODY, process.execPath, '-e', READS);
const CAN_MOUNT = works('unshare', '-m', 'true');

it('spaces and #%? in paths, LANG=C, no terminal, no HOME', async () => {
  const { home, file } = place('odd #%? ö');
  const { status, said, out } = await payouts(['run', file, '--yes', '--by', 'alice'], {
    env: { LANG: 'C', PAYOUTS_HOME: home, XDG_STATE_HOME: join(folder, 'state') },
  });
  expect(status, said).toBe(0);
  expect(out).toContain('1 of 1 payout completed');
});

describe.runIf(CAN_BE_NOBODY)('a number without a name', () => {
  it('pays, with the embedded Temporal, where --by says who it is', async () => {
    const { home, file } = place('nobody');
    const env = { PAYOUTS_HOME: home };
    const nameless = await payouts(['run', file, '--yes'], { env, behind: NOBODY });
    expect([nameless.status, nameless.said]).toEqual([2, expect.stringContaining('Say who you are: --by NAME')]);
    const { status, said, out } = await payouts(['run', file, '--yes', '--by', 'alice'], { env, behind: NOBODY });
    expect(status, said).toBe(0);
    expect(out).toContain('1 of 1 payout completed');
  });

  it('is told which folder it may not use', async () => {
    const { home, file } = place('closed');
    mkdirSync(home, { mode: 0o700 });
    const { status, said } = await payouts(['run', file, '--yes', '--by', 'alice'], {
      env: { PAYOUTS_HOME: join(home, 'below') },
      behind: NOBODY,
    });
    expect(status).toBe(2);
    expect(said).toContain(`${join(home, 'below')} cannot be used: this user may not use it (EACCES).`);
  });
});
it.skipIf(CAN_BE_NOBODY)(needs('a number without a name', CAN_BE_NOBODY), () => undefined);

describe.runIf(CAN_MOUNT)('a disk', () => {
  /** Runs what follows with the folder on a disk of its own, made by `mount`. */
  const mounted = (script: string): string[] => ['unshare', '-m', 'sh', '-c', `${script}; exec "$@"`, 'sh'];

  it('that is full is told as full', async () => {
    const { home, file } = place('full');
    mkdirSync(home);
    const env = { PAYOUTS_HOME: join(home, 'below'), DISK: home };
    const behind = mounted('mount -t tmpfs -o size=128k none "$DISK"; dd if=/dev/zero of="$DISK/x" bs=1k 2>/dev/null');
    const { status, said } = await payouts(['run', file, '--yes', '--by', 'alice'], { env, behind });
    expect(status).toBe(2);
    expect(said).toContain('cannot be used: no space is left on its disk');
    const { out } = await payouts(['doctor'], { env, behind });
    expect(out).toMatch(/^home +failed +.*no space is left on its disk/m);
  });

  it('that is read-only but for the home does', async () => {
    const { home, file } = place('read-only');
    mkdirSync(home);
    const env = { PAYOUTS_HOME: home, XDG_STATE_HOME: home, TMPDIR: home, DISK: home };
    const behind = mounted(
      'mount --bind "$DISK" "$DISK" && mount -o remount,bind,ro / && touch "$DISK/x" && ! touch /x',
    );
    const { status, said, out } = await payouts(['run', file, '--yes', '--by', 'alice'], { env, behind });
    expect(status, said).toBe(0);
    expect(out).toContain('1 of 1 payout completed');
  });
});
it.skipIf(CAN_MOUNT)(needs('a full and a read-only disk', CAN_MOUNT), () => undefined);

it('a bank at an IPv6 address', async () => {
  const { home } = place('v6');
  const sandbox = spawn(process.execPath, [BIN, 'sandbox', '--host', '::1', '--port', '0'], {
    env: { ...BARE, PAYOUTS_HOME: home, XDG_STATE_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void sandbox.kill());
  let shown = '';
  for await (const piece of sandbox.stdout) {
    shown += piece;
    if (/http:\/\/\[::1\]:\d+/.test(shown)) break;
  }
  const [url = ''] = /http:\/\/\[::1\]:\d+/.exec(shown) ?? [];
  const { status, said, out } = await payouts(['accounts', 'u-1001'], {
    env: { PAYOUTS_HOME: `${home} of its own`, XDG_STATE_HOME: home, PAYOUTS_API_URL: url },
  });
  expect(status, said).toBe(0);
  expect(out).toContain('acc-u1001-eur');
});
