/** What a row has two sides of, beside each other: masked, so that what differs may look the same. */
export interface Comparison {
  /** Of which payout, and about what. */
  title: string;
  /** A word for each side. */
  sides: readonly string[];
  lines: readonly ComparedLine[];
  note?: string;
}

interface ComparedLine {
  name: string;
  /** One a side. */
  values: readonly string[];
  differs: boolean;
}

/** Values by name, as they are shown. */
export type Side = Readonly<Record<string, string>>;

/** Lines of every name that a side has a value for; a line differs where its values do. */
export function comparedLines(sides: readonly Side[]): ComparedLine[] {
  const names = [...new Set(sides.flatMap(Object.keys))];
  return names
    .map((name) => {
      const values = sides.map((side) => side[name] ?? '');
      return { name, values, differs: new Set(values).size > 1 };
    })
    .filter(({ values }) => values.some((value) => value !== ''));
}
