import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandHome, openCommandHome, type Running } from '../support/command.ts';
import { paymentsIn } from './books.ts';
import { batchOf, errorOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

/** One home; the tests follow each other, as the days of a home do. */
let home: CommandHome;
let dev: Running;

beforeAll(async () => {
  home = openCommandHome();
  // A home of an earlier version, which others could read.
  mkdirSync(home.path);
  chmodSync(home.path, 0o755);
  writeFileSync(join(home.path, 'temporal.log'), '');
  chmodSync(join(home.path, 'temporal.log'), 0o644);
  dev = home.serve('dev');
  await dev.says(/Up until Ctrl-C/);
});

afterAll(() => home.close());

const beside = (name: string): string => join(dirname(home.path), name);

describe('a home', { shuffle: false }, () => {
  it('copies the store of a stack that pays, and puts a copy back once nothing is up; nothing is paid twice', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => ({ id: `KEEP-${index}` }));
    const handed = await home.payouts('run', home.file('keep.csv', csvOf(rows)), '--yes', '--detach', '--json');
    const { batchId } = batchOf(handed);

    const copied = await home.payouts('backup', beside('copy.sqlite'), '--json');
    expect(copied.code).toBe(0);
    expect(JSON.parse(copied.stdout).backup).toMatchObject({
      file: beside('copy.sqlite'),
      bank: 'sandbox',
      payouts: 12,
    });
    expect(statSync(beside('copy.sqlite')).mode & 0o777).toBe(0o600);
    expect(errorOf(await home.payouts('backup', beside('copy.sqlite'), '--json')).error.code).toBe('file-exists');

    const watched = await home.payouts('watch', batchId, '--json');
    expect(batchOf(watched).counts).toMatchObject({ completed: 12 });
    const refused = await home.payouts('restore', beside('copy.sqlite'), '--yes', '--json');
    expect(refused.code).toBe(2);
    expect(errorOf(refused).error.code).toBe('stack-already-up');

    expect((await home.payouts('backup', beside('paid.sqlite'))).code).toBe(0);
    dev.kill('SIGINT');
    await dev.ended;
    const restored = await home.payouts('restore', beside('paid.sqlite'), '--yes', '--by', 'alice');
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(restored.stdout).toContain('searched for at the bank');

    dev = home.serve('dev');
    await dev.says(/Up until Ctrl-C/);
    expect((await home.payouts('run', home.file('again.csv', csvOf(rows)), '--yes', '--json')).code).toBe(8);
    expect(paymentsIn(home.path)).toHaveLength(12);
  });

  it('leaves nothing in the home that others can read', () => {
    const shown = readdirSync(home.path, { recursive: true, encoding: 'utf8' });
    expect(shown).toEqual(
      expect.arrayContaining(['store.sqlite-wal', 'temporal.sqlite-shm', 'sandbox.sqlite', 'stack.json', 'reports']),
    );
    // What a stack writes anew may be gone by now.
    const modeOf = (name: string): number => statSync(join(home.path, name), { throwIfNoEntry: false })?.mode ?? 0;
    const open = shown.filter((name) => (modeOf(name) & 0o077) !== 0);
    expect(open).toEqual([]);
    expect(statSync(home.path).mode & 0o777).toBe(0o700);
  });
});
