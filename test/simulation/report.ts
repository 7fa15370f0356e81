import { createHash } from 'node:crypto';
import type { SeedOutcome } from './run-seed.ts';

/** What all seeds of a run showed together. */
export interface Summary
  extends Pick<SeedOutcome, 'payouts' | 'posts' | 'ends' | 'decidableParked' | 'faults' | 'crashes' | 'resets'> {
  seeds: number;
  seedsPerMinute: number;
  /** Of the traces of all seeds: the same for the same seeds, however they were run. */
  traces: string;
  violations: { seed: number; invariant: string; reference: string | null; message: string; command: string }[];
}

/** The one command that repeats a seed exactly. */
export function commandFor(seed: number, { mutant, atOnce = false, hazard }: Options): string {
  return `npm run simulate -- --seed ${seed}${atOnce ? ' --at-once' : ''}${hazard === undefined ? '' : ` --hazard ${hazard}`}${mutant === undefined ? '' : ` --mutant ${mutant}`}`;
}

/** What a seed was run with beside its number. */
interface Options {
  mutant?: string | undefined;
  atOnce?: boolean;
  hazard?: string | undefined;
}

export function summaryOf(outcomes: readonly SeedOutcome[], wallMs: number, options: Options): Summary {
  const ordered = outcomes.toSorted((a, b) => a.seed - b.seed);
  const total = (of: (outcome: SeedOutcome) => number): number =>
    ordered.reduce((sum, outcome) => sum + of(outcome), 0);
  return {
    seeds: ordered.length,
    payouts: total(({ payouts }) => payouts),
    posts: total(({ posts }) => posts),
    ends: added(ordered.map(({ ends }) => ends)),
    decidableParked: total((outcome) => outcome.decidableParked),
    faults: added(ordered.map(({ faults }) => faults)),
    crashes: total(({ crashes }) => crashes),
    resets: total(({ resets }) => resets),
    seedsPerMinute: Math.round((ordered.length / wallMs) * 60_000),
    traces: createHash('sha256')
      .update(ordered.map(({ traceHash }) => traceHash).join(' '))
      .digest('hex'),
    violations: ordered.flatMap(({ seed, violations }) =>
      violations.map((violation) => ({ seed, ...violation, command: commandFor(seed, options) })),
    ),
  };
}

function added(counts: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const count of counts) for (const [name, value] of Object.entries(count)) sums[name] = (sums[name] ?? 0) + value;
  return Object.fromEntries(Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const VIOLATIONS_SHOWN = 20;

export function summaryText(summary: Summary): string {
  const list = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([name, count]) => `  ${name.padEnd(32)}${count}`)
      .join('\n');
  const { violations } = summary;
  const parked = summary.ends['needs-operator'] ?? 0;
  return [
    `seeds ${summary.seeds}, payouts ${summary.payouts}, writes received ${summary.posts}`,
    `worker crashes ${summary.crashes}, resets ${summary.resets}`,
    `ends\n${list(summary.ends)}`,
    `with an operator ${parked}, of which the bank could have shown ${summary.decidableParked}`,
    `faults fired\n${list(summary.faults)}`,
    `${summary.seedsPerMinute} seeds a minute, traces ${summary.traces.slice(0, 16)}`,
    `violations ${violations.length}`,
    ...violations
      .slice(0, VIOLATIONS_SHOWN)
      .map((it) => `  ${it.invariant} ${it.reference ?? ''}: ${it.message}\n    ${it.command}`),
    ...(violations.length > VIOLATIONS_SHOWN ? [`  and ${violations.length - VIOLATIONS_SHOWN} more`] : []),
  ].join('\n');
}

/** One planted bug and what caught it. */
export interface Caught {
  number: string;
  name: string;
  what: string;
  /** Null: nothing did. */
  by: { seed: number; invariants: string[]; message: string } | null;
  seeds: number;
}

export function mutantTable(caught: readonly Caught[]): string {
  const rows = caught.map(({ number, name, what, by, seeds }) => [
    number,
    name,
    what,
    by === null ? 'NOT CAUGHT' : by.invariants.join(', '),
    by === null ? '' : String(by.seed),
    String(seeds),
  ]);
  const head = ['number', 'name', 'planted', 'caught by', 'at seed', 'seeds'];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)].join('\n');
}
