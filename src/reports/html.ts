import escapeHtml from 'escape-html';
import { visible } from '../domain/finding.ts';

/** Markup made by `html`. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type Part = Html | string | number | false | null | undefined | readonly Part[];

/**
 * Markup with escaped parts; invisible characters, and those that change the text direction, are shown by their code. Attributes
 * must be in double quotes.
 */
export const html = (markup: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(markup.reduce((before, after, n) => before + markupOf(parts[n - 1]) + after));

function markupOf(part: Part): string {
  if (part instanceof Html) return part.markup;
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(visible(`${part}`));
  return part === false || part === null || part === undefined ? '' : part.map(markupOf).join('');
}
