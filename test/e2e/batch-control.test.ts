import { describe, expect, it } from 'vitest';
import { stackOfFile } from '../support/command.ts';
import { until } from '../support/until.ts';
import { paymentsIn } from './books.ts';
import { batchOf } from './documents.ts';
import { csvOf, type Row } from './payout-files.ts';

/** One stack that `dev` keeps up. */
const home = stackOfFile();

const why = ['--reason', 'drill', '--by', 'alice', '--yes'] as const;
const handOver = async (name: string, ids: readonly string[], ...more: string[]): Promise<string> => {
  const rows = ids.map((id): Row => (id === 'FAILS' ? { id, note: 'sandbox:fail' } : { id }));
  const file = home.file(name, csvOf(rows));
  const ended = await home.payouts('run', file, '--yes', '--detach', '--json', ...more);
  return batchOf(ended).batchId;
};
const document = async (batchId: string) => batchOf(await home.payouts('status', batchId, '--json'));

describe('people in control of a running batch', () => {
  it('switch a currency off and on: its rows wait, and go on by themselves', async () => {
    expect((await home.payouts('switch', 'off', 'currency', 'USD', ...why)).code).toBe(0);
    const before = paymentsIn(home.path);
    const batchId = await handOver('off.csv', ['OFF-1', 'OFF-2']);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await document(batchId)).toMatchObject({ state: 'open', counts: { open: 2 } });
    expect(paymentsIn(home.path)).toEqual(before);
    const listed = await home.payouts('switch', 'list');
    expect(listed.stdout).toMatch(/^currency +USD +\S+ \S+ +alice +drill$/m);
    expect((await home.payouts('switch', 'on', 'currency', 'USD', ...why)).code).toBe(0);
    const watched = await home.payouts('watch', batchId, '--json');
    expect(watched.code).toBe(0);
    expect(batchOf(watched)).toMatchObject({ state: 'completed', control: 'running', counts: { completed: 2 } });
  });

  it('pause, drain and resume it', async () => {
    expect((await home.payouts('switch', 'off', 'everything', ...why)).code).toBe(0);
    const batchId = await handOver('held.csv', ['HELD-1', 'HELD-2']);
    const asked = async (command: string) => {
      const { control } = JSON.parse((await home.payouts(command, batchId, '--by', 'alice', '--json')).stdout);
      const { state, control: reported } = await document(batchId);
      return [control, reported, state];
    };
    expect(await asked('pause')).toEqual(['paused', 'paused', 'paused']);
    expect(await asked('drain')).toEqual(['draining', 'draining', 'paused']);
    expect((await home.payouts('switch', 'on', 'everything', ...why)).code).toBe(0);
    expect(await asked('resume')).toEqual(['running', 'running', expect.any(String)]);
    expect((await home.payouts('watch', batchId, '--json')).code).toBe(0);
  });

  it('read why a canary has stopped it, and resume the rest', async () => {
    const batchId = await handOver('canary.csv', ['FAILS', 'CANARY-2', 'CANARY-3'], '--canary', '1');
    await until(async () => (await document(batchId)).control === 'paused');
    const reason = 'canary: row 1 is failed (bank-failed)';
    expect(await document(batchId)).toMatchObject({ controlReason: reason, counts: { failed: 1, open: 2 } });
    expect((await home.payouts('status', batchId)).stdout).toContain(reason);
    expect((await home.payouts('resume', batchId, '--by', 'alice')).code).toBe(0);
    const watched = await home.payouts('watch', batchId, '--json');
    expect(batchOf(watched)).toMatchObject({ controlReason: null, counts: { failed: 1, completed: 2 } });
  });
});
