/** Two or more sides of something in a row, for comparison; values are masked, so different ones may look equal. */
export interface Comparison {
  /** Names the payout and what is compared. */
  title: string;
  sides: readonly string[];
  lines: readonly ComparedLine[];
  note?: string;
}

interface ComparedLine {
  name: string;
  /** One for each side. */
  values: readonly string[];
  differs: boolean;
}

/** Values by name, as shown. */
export type Side = Readonly<Record<string, string>>;

/** A line for every name for which a side has a value; `differs` if the values are not the same. */
export function comparedLines(sides: readonly Side[]): ComparedLine[] {
  const names = [...new Set(sides.flatMap(Object.keys))];
  return names
    .map((name) => {
      const values = sides.map((side) => side[name] ?? '');
      return { name, values, differs: new Set(values).size > 1 };
    })
    .filter(({ values }) => values.some((value) => value !== ''));
}
