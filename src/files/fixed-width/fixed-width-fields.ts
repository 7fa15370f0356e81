import { printable } from '../../domain/finding.ts';
import { type Fate, withoutField } from '../not-carried.ts';
import { type BrokenColumns, type Columns, cut } from './records.ts';

/** A field of a record of fixed width. */
interface FixedField extends Fate {
  columns: Columns;
  /** As the warning calls it. */
  name: string;
  /** With `notCarried`: whether this value is missed; absent: any that is not blank. */
  isMissed?(value: string): boolean;
  /** The value is a code, and the warning shows it; returns what it means. */
  shown?(value: string): string;
}

export type RecordFields = Readonly<Record<string, FixedField>>;

type ColumnsOf<Fields> = { readonly [Name in keyof Fields]: Columns };

export const columnsOf = <Fields extends RecordFields>(fields: Fields): ColumnsOf<Fields> =>
  Object.fromEntries(Object.entries(fields).map(([name, { columns }]) => [name, columns])) as ColumnsOf<Fields>;

/** What a record asks for and the bank's API has no place for, as warnings about its columns. */
export const missedIn = (fields: RecordFields, record: string): BrokenColumns[] =>
  Object.values(fields).flatMap(({ columns, name, notCarried, isMissed, shown }) => {
    const value = cut(record, columns).trim();
    if (notCarried === undefined || !(isMissed?.(value) ?? value !== '')) return [];
    if (shown === undefined) return [{ columns, ...withoutField(name) }];
    return [{ columns, ...withoutField(`${name} ${printable(value)}${shown(value)}`), value }];
  });

export const ALWAYS = { notCarried: 'always' } as const;
export const COMPARED = { carried: 'compared with the records' } as const;
/** The name of who pays. */
export const OWNER = { carried: '`uid`, `account_id`: the owner of the account, as the bank knows them' } as const;
