import { describe, expect, it } from 'vitest';
import { actionsOf } from './history-counts.ts';
import { readOptions } from './options.ts';
import { pictureOf } from './picture.ts';
import type { Measured } from './rounds.ts';
import { medianOf, ownCpuMs, type Summary, summaries } from './summary.ts';
import { markdownTables, textTables } from './table.ts';
import { between } from './written.ts';

const measured = (more: Partial<Measured>): Measured => ({
  place: 'embedded',
  settleMs: 100,
  isOtherBank: false,
  round: 1,
  arm: 'direct',
  payouts: 10,
  seconds: 1,
  cpuMs: { worker: 40, server: 50, bank: 3 },
  bankCalls: 5,
  commits: 3,
  memoryBytes: { worker: 2 ** 20 },
  ...more,
});

describe('the summary of a bench', () => {
  it('is the median of the rounds of an arm, with the least and the most', () => {
    const [one] = summaries([1, 5, 2].map((seconds, n) => measured({ seconds, round: n + 1 })));
    expect(one).toMatchObject({ rounds: 3, perSecond: { median: 5, least: 2, most: 10 } });
  });

  it('compares an arm with what was measured in the same round', () => {
    const rounds = [1, 2, 4].flatMap((slow, n) => [
      measured({ arm: 'textbook', seconds: 3 * slow, round: n + 1 }),
      measured({ seconds: slow, round: n + 1 }),
    ]);
    expect(summaries(rounds).map(({ arm, toTextbook, toEmpty }) => [arm, toTextbook, toEmpty])).toEqual([
      ['textbook', 1, undefined],
      ['direct', 3, undefined],
    ]);
  });

  it('leaves out what could not be seen', () => {
    expect(medianOf([undefined, 4, 2])).toBe(3);
    expect(medianOf([undefined])).toBeUndefined();
    expect(ownCpuMs({ cpuMs: { worker: 40, server: undefined, database: 2, bank: 9 } })).toBe(42);
  });
});

describe('what is billed of a history', () => {
  it('is one for all local activities of a workflow task, and one for each retry', () => {
    const local = { markerName: 'core_local_activity', workflowTaskCompletedEventId: 4 as never };
    const events = [
      { workflowExecutionStartedEventAttributes: {} },
      { markerRecordedEventAttributes: local },
      { markerRecordedEventAttributes: local },
      { activityTaskScheduledEventAttributes: {} },
      { activityTaskStartedEventAttributes: { attempt: 3 } },
      { timerStartedEventAttributes: {} },
      { workflowExecutionCompletedEventAttributes: {} },
    ];
    expect(actionsOf({ events })).toBe(6);
  });
});

describe('what a bench shows', () => {
  const all = (): Summary[] => summaries([measured({}), measured({ arm: 'raw', cpuMs: { worker: 2 } })]);

  it('is one table, in a terminal no wider than 120 columns with six arms', () => {
    const six = Array.from({ length: 6 }, () => all()[0] as Summary);
    for (const line of textTables(six).split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    expect(markdownTables(all())).toContain('| direct |');
  });

  it('does not call a settlement measured that another bank may have taken longer for', () => {
    const elsewhere = summaries([measured({ isOtherBank: true })]);
    expect(textTables(elsewhere)).toContain('Embedded, at another bank, expected to settle after 0.1 s');
    expect(textTables(all())).toContain('Embedded, settled after 0.1 s');
  });

  it('is drawn the same for the same figures', () => {
    expect(pictureOf(all())).toBe(pictureOf(all()));
    expect(pictureOf(all())).toContain('90 ms, 10.0/s');
  });

  it('is between its marks, once, however often it is written', () => {
    const document = 'before\n<!-- bench: begin -->\nold\n<!-- bench: end -->\nafter\n';
    const written = between(document, 'new');
    expect(between(written, 'new')).toBe(written);
    expect(written).not.toContain('old');
    expect(() => between('no marks', 'new')).toThrow('lacks');
  });
});

describe('the options of a bench', () => {
  it('name what they do not know', () => {
    expect(() => readOptions(['--arms', 'raw,fast'])).toThrow('--arms: unknown value fast; choose from raw, empty');
    expect(() => readOptions(['--payouts', '1.5'])).toThrow('--payouts: 1.5 is not a whole number');
    expect(() => readOptions(['--settle', '0'])).toThrow('--settle: 0 is not a number above 0');
  });

  it('run what a PostgreSQL is needed for where one is named', () => {
    expect(readOptions([]).places).toEqual(['embedded']);
    expect(readOptions(['--postgres', 'postgres://localhost/postgres']).places).toEqual(['embedded', 'postgres']);
    expect(readOptions(['--quick', '--postgres', 'postgres://localhost/postgres']).places).toEqual(['embedded']);
  });
});
