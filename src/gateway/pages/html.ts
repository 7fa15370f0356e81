import escapeHtml from 'escape-html';
import { visible } from '../../rules/finding.ts';

/** Markup that was made by `html`. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type Part = Html | string | number | false | null | undefined | readonly Part[];

/**
 * Markup with parts put in: texts are escaped, and characters that cannot be seen or that turn the text around are shown by their
 * code. Attributes stand in double quotes.
 */
export const html = (markup: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(markup.reduce((before, after, n) => before + markupOf(parts[n - 1]) + after));

function markupOf(part: Part): string {
  if (part instanceof Html) return part.markup;
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(visible(`${part}`));
  return part === false || part === null || part === undefined ? '' : part.map(markupOf).join('');
}
