import type { Reported } from './attack.ts';

interface Count {
  tried: number;
  refused: number;
  unanswered: number;
  /** The channel did what was asked, or somebody's decision counted afterwards. */
  counted: number;
}

const none = (): Count => ({ tried: 0, refused: 0, unanswered: 0, counted: 0 });

/** What became of everything that was tried, by channel and by kind. */
export class Tally {
  readonly #counts = new Map<string, Map<string, Count>>();

  note(channel: string, kind: string, reported: Reported, isCounted: boolean): void {
    const kinds = this.#counts.get(channel) ?? new Map<string, Count>();
    this.#counts.set(channel, kinds);
    const count = kinds.get(kind) ?? none();
    kinds.set(kind, count);
    count.tried += 1;
    if (reported === 'taken' || isCounted) count.counted += 1;
    else if (reported === 'unanswered') count.unanswered += 1;
    else count.refused += 1;
  }

  /** What somebody has to check: `channel: kind`. */
  get counted(): string[] {
    return [...this.#counts].flatMap(([channel, kinds]) =>
      [...kinds].filter(([, { counted }]) => counted > 0).map(([kind]) => `${channel}: ${kind}`),
    );
  }

  get tried(): number {
    return [...this.#counts.values()].flatMap((kinds) => [...kinds.values()]).reduce((sum, it) => sum + it.tried, 0);
  }

  /** The kinds of a channel that were never drawn. */
  untried(channel: string, kinds: readonly string[]): string[] {
    return kinds.filter((kind) => !this.#counts.get(channel)?.has(kind));
  }

  /** `each`: with a line for each kind. */
  text(each: boolean): string {
    const lines = [...this.#counts].flatMap(([channel, kinds]) => [
      line(channel, [...kinds.values()].reduce(added, none())),
      ...(each ? [...kinds].map(([kind, count]) => line(`  ${kind}`, count)) : []),
    ]);
    return [`${'channel'.padEnd(62)}   tried refused unanswered counted`, ...lines].join('\n');
  }
}

const added = (a: Count, b: Count): Count => ({
  tried: a.tried + b.tried,
  refused: a.refused + b.refused,
  unanswered: a.unanswered + b.unanswered,
  counted: a.counted + b.counted,
});

const line = (name: string, { tried, refused, unanswered, counted }: Count): string =>
  name.padEnd(62) + [tried, refused, unanswered, counted].map((n) => `${n}`.padStart(8)).join('');
