/** What becomes of a field of a format; one of the members at least. Shown in docs/fields.md. */
export interface Fate {
  /** Where its value goes: a column of ours, or what it is used for. */
  carried?: string;
  /** When the warning `not-carried` names it. */
  notCarried?: string;
  /** Rules that refuse it, or some of its values. */
  refused?: string;
}

/** For a field that says something that the bank's API has no place for. */
export const withoutField = (name: string, fix?: string): { rule: string; message: string } => ({
  rule: 'not-carried',
  message: `the bank's API has no field for ${name}; the payment is made without it${fix === undefined ? '' : `; ${fix}`}`,
});
