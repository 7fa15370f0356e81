import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cachedCliPath, findTemporalCli } from '../../../scripts/temporal-cli.mjs';
import { CURRENT_TEMPORAL } from '../../../scripts/temporal-versions.mjs';
import { temporalCli } from '../../../src/platform/embedded/cli-path.ts';
import { newFolder } from '../../support/new-folder.ts';

let folder: string;

beforeEach(() => {
  folder = newFolder();
});

/** An executable that answers `--version` with this text. */
function fakeCli(path: string, says = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)', exitCode = 0): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${says}'\nexit ${exitCode}\n`, { mode: 0o755 });
  return path;
}

/** Both places besides TEMPORAL_CLI_PATH, each with a working CLI. */
function everywhere() {
  const env = { PATH: join(folder, 'bin'), XDG_CACHE_HOME: join(folder, 'cache'), HOME: folder };
  return { env, onPath: fakeCli(join(folder, 'bin', 'temporal')), cached: fakeCli(cachedCliPath(env)) };
}

describe('the search for a Temporal CLI', () => {
  it('takes TEMPORAL_CLI_PATH before PATH before the cache', () => {
    const { env, onPath, cached } = everywhere();
    const named = fakeCli(join(folder, 'mine'));
    expect(findTemporalCli({ ...env, TEMPORAL_CLI_PATH: named })).toMatchObject({
      path: named,
      source: 'TEMPORAL_CLI_PATH',
    });
    expect(findTemporalCli(env)).toMatchObject({ path: onPath, source: 'PATH' });
    rmSync(onPath);
    expect(findTemporalCli(env)).toMatchObject({ path: cached, source: 'cache' });
  });

  it('takes nothing in the place of a named one that does not work', () => {
    const { env } = everywhere();
    const found = findTemporalCli({ ...env, TEMPORAL_CLI_PATH: join(folder, 'absent') });
    expect(found).toEqual({ path: undefined, tried: ['TEMPORAL_CLI_PATH: not an executable file'] });
  });

  it.each([
    ['another program of the same name', 'temporal 2.0', 0, 'does not name a Temporal server'],
    ['one that fails', 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)', 1, 'fails'],
    ['one with an older server', 'temporal version 1.1.0 (Server 1.25.0, UI 2.30.3)', 0, 'older than 1.29'],
    [
      'one with an older server of the same line',
      'temporal version 1.5.0 (Server 1.29.0, UI 2.42.0)',
      0,
      'older than 1.29.1',
    ],
  ])('passes over %s on PATH and says why', (_case, says, exitCode, why) => {
    const { env, onPath, cached } = everywhere();
    fakeCli(onPath, says, exitCode);
    const found = findTemporalCli(env);
    expect(found.path).toBe(cached);
    expect(found.tried).toEqual([expect.stringContaining(why)]);
  });

  it.each([
    [
      'the oldest',
      'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)',
      { cli: '1.5.1', server: '1.29.1', ui: '2.42.1' },
    ],
    [
      'one that is newer than all we know',
      'temporal version 2.0.0 (Server 2.1.0-rc.1, UI 3.0.0)',
      { server: '2.1.0-rc.1' },
    ],
  ])('takes %s on PATH, with its versions', (_case, says, versions) => {
    const { env, onPath } = everywhere();
    fakeCli(onPath, says);
    expect(findTemporalCli(env)).toMatchObject({ path: onPath, versions });
  });

  it('passes over a file on PATH that cannot be executed', () => {
    const { env, onPath, cached } = everywhere();
    chmodSync(onPath, 0o644);
    expect(findTemporalCli(env).path).toBe(cached);
  });

  it('keeps the cache per user and version, in XDG_CACHE_HOME or ~/.cache', () => {
    const tail = join('durable-payouts', `temporal-${CURRENT_TEMPORAL.cli}`, 'temporal');
    expect(cachedCliPath({ XDG_CACHE_HOME: '/x', HOME: '/h' })).toBe(join('/x', tail));
    expect(cachedCliPath({ HOME: '/h' })).toBe(join('/h', '.cache', tail));
  });
});

it('at run time says how to get one when there is none', () => {
  const env = { PATH: join(folder, 'bin'), HOME: folder };
  expect(() => temporalCli(env)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('PATH: not found; cache: not found'),
      hint: expect.stringContaining('Run `npm run setup`'),
    }),
  );
});
