import type { CellProblem } from '../table-rows.ts';
import { dateText, type NumberFormat, PLAIN, paddedText } from './number-format.ts';
import { numberText } from './number-text.ts';

/** A cell as stored in the sheet (ECMA-376 part 1, 18.3.1.4). */
export interface RawCell {
  /** Attribute `t`; `n`, a number, if absent. */
  type: string;
  /** Attribute `s`: index of its format in the workbook. */
  style: number;
  /** Content of `v` or `is`; undefined if the cell has neither. */
  value?: string;
  isFormula: boolean;
}

export interface CellContext {
  strings: readonly string[];
  formats: readonly NumberFormat[];
  isFrom1904: boolean;
}

export interface CellText {
  text: string;
  problem?: Omit<CellProblem, 'index'>;
}

/** The text that a CSV file would have for the cell, however the cell is formatted. */
export function cellText({ type, style, value, isFormula }: RawCell, context: CellContext): CellText {
  if (value === undefined) return isFormula ? { text: '', problem: NOT_CALCULATED } : { text: '' };
  switch (type) {
    case 's': {
      const text = context.strings[Number(value)];
      return text === undefined ? { text: '', problem: NO_TEXT } : { text };
    }
    case 'str':
    case 'inlineStr':
      return { text: unescaped(value) };
    case 'b':
      return { text: value === '1' ? 'TRUE' : 'FALSE' };
    case 'e':
      return { text: value, problem: CELL_ERROR };
    case 'd':
      return { text: value.replace(/T00:00:00(?:\.0+)?$/, '') };
    default:
      return numberCell(value, context.formats[style] ?? PLAIN, context.isFrom1904);
  }
}

function numberCell(value: string, format: NumberFormat, isFrom1904: boolean): CellText {
  const number = numberText(value.trim());
  if (number === undefined) return { text: value };
  const date = format.kind === 'date' ? dateText(number.text, isFrom1904) : undefined;
  if (date !== undefined) return { text: date };
  if (number.mayHaveLostDigits) return { text: number.text, problem: LOST_DIGITS };
  if (format.kind !== 'padded' || !/^\d+$/.test(number.text)) return { text: number.text };
  return { text: paddedText(number.text, format.places) };
}

/** `_xHHHH_` stands for a character that XML cannot contain (ECMA-376 part 1, 22.9.2.19). */
export const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const NO_TEXT = {
  rule: 'not-a-workbook',
  message: 'the workbook lacks the text of this cell: it is damaged; save it again in Excel as .xlsx or CSV UTF-8',
};
const NOT_CALCULATED = {
  rule: 'formula-without-value',
  message: 'the formula was never calculated; open the workbook in Excel and save it, or paste the values',
};
const CELL_ERROR = {
  rule: 'cell-error',
  message: 'the formula of this cell results in an error; correct it, or type the value',
};
const LOST_DIGITS = {
  rule: 'lost-digits',
  message:
    'Excel keeps 15 digits of a number, and this cell may have lost some; format the column as Text and type the value again, or round the amount in the sheet',
};
