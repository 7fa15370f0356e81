import { withoutField } from './not-carried.ts';

/** What a finding or a warning says. */
interface Says {
  rule: string;
  message: string;
}

/** What becomes of a kind of column or content; one of the last three members at least. Shown in docs/fields.md. */
export interface TableField {
  /** The formats that have it; absent: all three. */
  of?: string;
  name: string;
  carried?: string;
  /** The warning about it. */
  warns?: Says;
  /** The finding about it, or the rules of several. */
  refuses?: Says | readonly string[];
}

/** The contents of CSV, Excel and JSON files, and what becomes of each. */
export const TABLE_FIELDS = {
  ours: { name: 'a column of ours', carried: 'as [its description](input.md#columns) says' },
  payee: {
    name: 'a payee field that the bank asks for',
    carried: 'the payee',
    refuses: ['conflicting-fields', 'country', 'regex', 'required', 'unknown-field'],
  },
  spare: { name: 'a usual payee field in which no row has a value', carried: 'nothing: templates have it' },
  other: { name: 'any other column', refuses: ['unknown-column'] },
  twice: { name: 'a column that is there twice', refuses: ['duplicate-column'] },
  unnamed: { of: 'CSV, Excel', name: 'a column without a name', refuses: ['bad-column-name'] },
  blankLine: {
    of: 'CSV',
    name: 'a line of delimiters without values',
    warns: {
      rule: 'blank-row',
      message: 'the line has no values, as Excel writes for cleared rows, and is ignored; delete the rows in the sheet',
    },
  },
  surplus: { of: 'CSV', name: 'more or fewer values than columns', refuses: ['wrong-field-count'] },
  besidePayouts: { of: 'JSON', name: 'a key beside `payouts`', refuses: ['unexpected-key'] },
  nested: { of: 'JSON', name: 'an object or an array as a value', refuses: ['nested-value'] },
  notText: { of: 'JSON', name: 'a number, `true` or `false`', refuses: ['amount-not-a-string', 'not-a-string'] },
  none: { of: 'JSON', name: '`null`', carried: 'an empty value' },
  number: {
    of: 'Excel',
    name: 'a number',
    carried:
      'its digits as typed, in any cell format: 1250.10 is `1250.1`. Nothing is rounded: 33.333 shown as 33.33 is `too-many-decimals`',
  },
  longNumber: {
    of: 'Excel',
    name: 'a number that may have had more than the 15 digits Excel keeps, such as an account number in a cell that is not Text',
    refuses: ['lost-digits'],
  },
  zeros: {
    of: 'Excel',
    name: 'a number in a format of zeros (`000000000`, `000-000`, `"INV-"0000`)',
    carried: 'as the cell shows it, with the leading zeros and the text',
  },
  date: {
    of: 'Excel',
    name: 'a date',
    carried: '`2026-03-31`; with a time `2026-03-31T17:00:00`, without a time zone because cells have none',
  },
  formula: {
    of: 'Excel',
    name: 'a formula',
    carried: 'its value when the workbook was saved',
    refuses: ['formula-without-value', 'cell-error'],
  },
  merged: {
    of: 'Excel',
    name: 'a cell merged over several rows',
    refuses: {
      rule: 'merged-cells',
      message:
        'a cell here is merged over several rows, of which only the first has its value; unmerge it and fill in each row',
    },
  },
  surplusCell: {
    of: 'Excel',
    name: 'a value to the right of the named columns',
    refuses: {
      rule: 'wrong-field-count',
      message: 'a value is to the right of the last named column; name its column or delete the value',
    },
  },
  hiddenRow: {
    of: 'Excel',
    name: 'a hidden row with values',
    refuses: {
      rule: 'hidden-row',
      message: 'this row is hidden in the sheet, perhaps by a filter, so nobody sees what it pays; unhide or delete it',
    },
  },
  hiddenColumn: {
    of: 'Excel',
    name: 'a hidden column with values',
    carried: 'its values',
    warns: {
      rule: 'hidden-column',
      message: 'this column is hidden in the sheet, but its values are used; show it and check them, or delete it',
    },
  },
  struck: {
    of: 'Excel',
    name: 'a row with text that is struck through',
    carried: 'its values, those that are struck through too',
    warns: {
      rule: 'struck-through',
      message:
        'a value of the row is struck through in the sheet, as people mark what no longer counts, but it is paid like any other; delete what is not to be paid, or remove the line',
    },
  },
  otherSheet: {
    of: 'Excel',
    name: 'a second visible sheet with values',
    refuses: {
      rule: 'several-sheets',
      message:
        'more than one visible sheet has values, but only one can be paid; keep the sheet with the payouts, and delete or hide the others',
    },
  },
  hiddenSheet: {
    of: 'Excel',
    name: 'a hidden sheet with values',
    warns: {
      rule: 'hidden-sheet',
      message:
        'a hidden sheet of the workbook has values, of which nothing is paid; show it and check that it has no payouts',
    },
  },
  comments: { of: 'Excel', name: 'comments on cells', warns: withoutField('comments on cells') },
  formatting: { of: 'Excel', name: 'formats, pictures, charts and macros', carried: 'nothing: they are no values' },
} as const satisfies Readonly<Record<string, TableField>>;

export type ColumnKind = 'ours' | 'payee' | 'spare' | 'other';
