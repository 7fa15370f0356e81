import type { Told } from './attack.ts';

interface Count {
  tried: number;
  refused: number;
  unheard: number;
  /** The door did as it was told, or somebody's decision counted afterwards. */
  counted: number;
}

const none = (): Count => ({ tried: 0, refused: 0, unheard: 0, counted: 0 });

/** What became of everything that was tried, by door and by kind. */
export class Tally {
  readonly #counts = new Map<string, Map<string, Count>>();

  note(door: string, kind: string, told: Told, isCounted: boolean): void {
    const kinds = this.#counts.get(door) ?? new Map<string, Count>();
    this.#counts.set(door, kinds);
    const count = kinds.get(kind) ?? none();
    kinds.set(kind, count);
    count.tried += 1;
    if (told === 'taken' || isCounted) count.counted += 1;
    else if (told === 'unheard') count.unheard += 1;
    else count.refused += 1;
  }

  /** What somebody has to look at: `door: kind`. */
  get counted(): string[] {
    return [...this.#counts].flatMap(([door, kinds]) =>
      [...kinds].filter(([, { counted }]) => counted > 0).map(([kind]) => `${door}: ${kind}`),
    );
  }

  get tried(): number {
    return [...this.#counts.values()].flatMap((kinds) => [...kinds.values()]).reduce((sum, it) => sum + it.tried, 0);
  }

  /** The kinds of a door that were never drawn. */
  untried(door: string, kinds: readonly string[]): string[] {
    return kinds.filter((kind) => !this.#counts.get(door)?.has(kind));
  }

  /** `each`: with a line for each kind. */
  text(each: boolean): string {
    const lines = [...this.#counts].flatMap(([door, kinds]) => [
      line(door, [...kinds.values()].reduce(added, none())),
      ...(each ? [...kinds].map(([kind, count]) => line(`  ${kind}`, count)) : []),
    ]);
    return [`${'door'.padEnd(62)}   tried refused unheard counted`, ...lines].join('\n');
  }
}

const added = (a: Count, b: Count): Count => ({
  tried: a.tried + b.tried,
  refused: a.refused + b.refused,
  unheard: a.unheard + b.unheard,
  counted: a.counted + b.counted,
});

const line = (name: string, { tried, refused, unheard, counted }: Count): string =>
  name.padEnd(62) + [tried, refused, unheard, counted].map((n) => `${n}`.padStart(8)).join('');
