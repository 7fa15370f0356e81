/** Terminal widths for which texts are laid out. */
const WIDTH_MIN = 60;
const WIDTH_MAX = 200;

/** Width for texts, from a terminal's `columns`. Without a terminal lines are not broken, since programs read them. */
export const widthOf = ({ columns }: { columns?: number }): number =>
  columns === undefined ? Number.POSITIVE_INFINITY : Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, columns));

/**
 * A word, or a command in backticks with its adjacent characters: of a command broken across lines, only half would run when
 * pasted.
 */
const WORD = /(?:`[^`\n]*`|[^ ])+/g;

/** Lines of at most `width` characters, broken only at blanks; a longer word or command is not broken. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(WORD) ?? []) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Wraps lines that are too long, with their own indentation. */
export function fitted(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (line.length <= width) return [line];
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
