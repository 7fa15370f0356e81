/** Columns of a terminal that texts are laid out for. */
const WIDTH_MIN = 60;
const WIDTH_MAX = 200;

/** How wide a text may be; `columns` as a terminal says it. What is no terminal breaks no line: programs read it. */
export const widthOf = ({ columns }: { columns?: number }): number =>
  columns === undefined ? Number.POSITIVE_INFINITY : Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, columns));

/** A word, or a command between backticks with what stands right beside it: pasted in two lines, half of it would run. */
const WORD = /(?:`[^`\n]*`|[^ ])+/g;

/** Lines of at most `width` characters, broken at blanks alone: a longer word stays whole, and so does a command. */
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

/** A text whose lines fit: one that is too long goes on below, as far to the right as it began. */
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

/** `label  text`, the text wrapped under itself. */
export function labelled(label: string, text: string, { indent = 0, labelWidth, width }: LabelLayout): string[] {
  const margin = indent + labelWidth;
  return wrap(text, Math.max(20, width - margin)).map(
    (line, index) => `${' '.repeat(indent)}${(index === 0 ? label : '').padEnd(labelWidth)}${line}`,
  );
}

export interface LabelLayout {
  indent?: number;
  /** With the blanks behind the label. */
  labelWidth: number;
  width: number;
}
