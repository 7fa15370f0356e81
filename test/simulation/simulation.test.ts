import { describe, expect, it } from 'vitest';
import { hunt, type PlantedBug, simulate } from './as-command.ts';
import type { Summary } from './report.ts';
import type { SeedOutcome } from './run-seed.ts';

describe('the simulation', () => {
  it('breaks no rule in the seeds of a fixed budget', async () => {
    // Other seeds every day, printed so that a failure can be repeated.
    const from = `${Math.floor(Date.now() / 86_400_000) * 200}`;
    console.log(`npm run simulate -- --seeds 200 --from ${from}`);
    const { code, out, err } = await simulate('--seeds', '200', '--from', from, '--json');
    expect(err).toBe('');
    const summary = JSON.parse(out) as Summary;
    expect(summary.violations).toEqual([]);
    expect(code).toBe(0);
    expect(summary.seeds).toBe(200);
    expect(summary.decidableParked).toBe(0);
    const worlds = [
      'older copy, marked',
      'older copy, unmarked',
      'foreign calls',
      'odd start',
      'next generation taken',
      'shared exchange',
    ];
    const runs = ['kill', 'pause', 'terminated', 'reset, messages kept', 'reset, messages dropped'];
    for (const kind of [...runs, ...worlds, 'write drop-after', 'write commit-late']) {
      expect(summary.faults, `${kind} never fired`).toHaveProperty(kind);
    }
  });

  it('breaks no rule where the bank, a cache or a machine does what no interface rules out', async () => {
    const { out, err } = await simulate('--seeds', '120', '--hazard', 'any', '--json');
    expect(err).toBe('');
    const { violations, faults } = JSON.parse(out) as Summary;
    expect(violations).toEqual([]);
    const ofTheBank = ['write commit-after-window', 'repaired, completes', 'repaired, reissued', 'drift of the amount'];
    const others = ['foreign list', 'stale list', 'short list', 'rollback', 'copied home', 'second folder'];
    for (const kind of [...ofTheBank, ...others]) expect(faults, `${kind} never fired`).toHaveProperty([kind]);
  });

  it('breaks no rule where people, the bank and the end of a question come in one moment', async () => {
    const { out, err } = await simulate('--seeds', '60', '--at-once', '--json');
    expect(err).toBe('');
    const { violations, faults } = JSON.parse(out) as Summary;
    expect(violations).toEqual([]);
    const acts = ['approve', 'reject', 'cancel', 'payee changed', 'fee changed', 'decided at the bank'];
    for (const act of acts) expect(faults, `${act} never came`).toHaveProperty([`at once: ${act}`]);
    for (const kind of ['payout', 'hold', 'bank']) expect(faults).toHaveProperty([`at once, ${kind}`]);
  });

  it('runs a seed the same way every time, alone or after others', async () => {
    const traces = await Promise.all(
      [1, 3].map(async (jobs) => {
        const { out } = await simulate('--seeds', '9', '--jobs', `${jobs}`, '--json');
        return (JSON.parse(out) as Summary).traces;
      }),
    );
    expect(traces[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(traces).size).toBe(1);
    const alone = await Promise.all([7, 7, 9].map((seed) => simulate('--seed', `${seed}`, '--json')));
    const [first, again, other] = alone.map(({ out }) => (JSON.parse(out) as SeedOutcome).traceHash);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each<PlantedBug>([
    ['new-reference-on-retry', 'I2', 4],
    ['lost-answer-not-sent', 'I[13]', 12],
    ['unknown-code-refused', 'I[15]', 120],
    ['maker-may-approve', 'I8', 1],
    ['float-amount', 'I15', 3],
    ['store-not-compared', 'I6', 750],
    ['generation-not-checked', 'I2', 16],
    ['run-not-compared', 'I19', 7],
    ['generation-by-a-word', 'I1', 79],
    ['foreign-list-believed', 'I[15]', 1],
    ['spelling-not-learned', 'I13', 1],
    ['changes-not-compared', 'I5', 1],
    ['second-send-asks-nobody', 'I1', 3],
    ['look-before-the-attempt-counts', 'I1', 5],
    ['generation-asks-only-the-store', 'I1', 66],
    ['late-commit-ignored', 'I1', 60],
    ['exchange-looked-for-in-one-list', 'I1', 110],
    ['orders-of-generations-ignored', 'I1', 60],
    ['record-without-outcome-taken-as-unsent', 'I5', 500],
    ['question-forgotten-afresh', 'I8', 7],
    ['older-copy-believed', 'I4', 30],
    ['completed-without-end-believed', 'I4', 30],
    ['read-in-another-world', 'I15', 80],
    ['renumbered-not-followed', 'I13', 60],
    ['earlier-id-reported', 'I6', 1],
    ['own-order-only-by-notice', 'I13', 1],
    ['id-of-another-believed', 'I13', 1],
    ['paid-before-bought', 'I7', 1],
    ['bought-once-more', 'I1', 1],
  ])('catches %s by %s', async (...bug) => {
    const { code, out } = await hunt(bug);
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`  ${bug[1]} `));
  });
});
