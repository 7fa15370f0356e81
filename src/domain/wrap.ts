import { stripVTControlCharacters } from 'node:util';

/** Terminal widths for which texts are laid out. */
const WIDTH_MIN = 60;
const WIDTH_MAX = 200;

/** Width for texts, from a terminal's `columns`. Without a terminal lines are not broken, since programs read them. */
export const widthOf = ({ columns }: { columns?: number }): number =>
  columns === undefined ? Number.POSITIVE_INFINITY : Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, columns));

const PLAIN = /^[ -~]*$/;
/** Accents and what else is written over the letter before it. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/gu;
/** Letters of East Asia, and pictures. */
const WIDE =
  /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/gu;

/** How many columns of a terminal a line takes, without its colours. */
export function columnsOf(line: string): number {
  if (PLAIN.test(line)) return line.length;
  const shown = stripVTControlCharacters(line).replace(WITHOUT_WIDTH, '');
  return [...shown.replace(WIDE, '  ')].length;
}

/** `padEnd` and `padStart` by columns of a terminal. */
export const filledUp = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
export const atRight = (text: string, columns: number): string =>
  ' '.repeat(Math.max(0, columns - columnsOf(text))) + text;

/**
 * A word, or a command in backticks with its adjacent characters: of a command broken across lines, only half would run when
 * pasted.
 */
const WORD = /(?:`[^`\n]*`|[^ ])+/g;

/** Lines of at most `width` characters, broken only at blanks; a longer word or command is not broken. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.match(WORD) ?? []) {
    const columns = columnsOf(word);
    if (line !== '' && used + 1 + columns > width) {
      lines.push(line);
      line = word;
      used = columns;
    } else {
      used += line === '' ? columns : 1 + columns;
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Wraps lines that are too long, with their own indentation. */
export function fitted(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (columnsOf(line) <= width) return [line];
      const words = line.trimStart();
      const indent = ' '.repeat(line.length - words.length);
      return wrap(words, width - indent.length).map((part) => indent + part);
    })
    .join('\n');
}

/** `label  text`, with the text wrapped below itself. */
export function labelled(label: string, text: string, { indent = 0, labelWidth, width }: LabelLayout): string[] {
  const margin = indent + labelWidth;
  return wrap(text, Math.max(20, width - margin)).map(
    (line, index) => `${' '.repeat(indent)}${(index === 0 ? label : '').padEnd(labelWidth)}${line}`,
  );
}

/** A line for each label that has a text. */
export const labelledLines = (lines: readonly LabelledText[], layout: LabelLayout): string[] =>
  lines.flatMap(([label, text]) => (text == null || text === '' ? [] : labelled(label, text, layout)));

export type LabelledText = readonly [label: string, text: string | null | undefined];

export interface LabelLayout {
  indent?: number;
  /** Including the blanks after the label. */
  labelWidth: number;
  width: number;
}
