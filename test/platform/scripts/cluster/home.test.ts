import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openClusterHome } from '../../../../scripts/cluster/home.ts';
import { findPostgres } from '../../../../scripts/cluster/postgres.ts';
import { newFolder } from '../../../support/new-folder.ts';

let dir: string;

beforeEach(() => {
  dir = newFolder();
});

it('keeps ports and secrets from one start to the next, the secrets for its owner alone', async () => {
  const first = await openClusterHome(dir, { gateway: 20_001 });
  const second = await openClusterHome(dir);
  expect(second.ports).toEqual(first.ports);
  expect(second.ports.gateway).toBe(20_001);
  // Temporal keeps its ports in a smallint.
  expect(Object.values(first.ports).filter((port) => port >= 32_768)).toEqual([]);
  expect(new Set(Object.values(first.ports)).size).toBe(Object.values(first.ports).length);
  expect(second.secrets.read('store-password')).toBe(first.secrets.read('store-password'));
  expect(statSync(join(dir, 'secrets')).mode & 0o777).toBe(0o700);
  const open = readdirSync(join(dir, 'secrets')).filter((name) => statSync(join(dir, 'secrets', name)).mode & 0o077);
  expect(open).toEqual([]);
});

it('refuses a port that is in use, and names the part it is for', async () => {
  const { ports } = await openClusterHome(dir);
  const other = createServer().listen(ports.sandbox, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  await expect(openClusterHome(dir)).rejects.toMatchObject({
    message: `port ${ports.sandbox} of sandbox is in use`,
    fix: expect.stringContaining('--port sandbox=PORT'),
  });
  other.close();
});

it('finds a PostgreSQL on PATH or where Debian has it, and says how to install one', () => {
  try {
    expect(findPostgres({ PATH: dir })).toMatch(/postgresql\/\d+\/bin$/);
  } catch (error) {
    expect(error).toMatchObject({
      message: expect.stringContaining('no initdb'),
      fix: expect.stringContaining('apt-get install'),
    });
  }
});
