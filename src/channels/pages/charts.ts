import { perMille } from '../../domain/display.ts';
import { type Html, html, type Part } from '../../reports/html.ts';

export interface Bar {
  /** At the bar's foot; empty: none. */
  label: string;
  /** Decimal, not negative. */
  value: string;
  /** In words, for the pointer and for those who do not see the bar. */
  text: string;
  /** Of the value, what is marked. */
  marked?: string;
}

const WIDTH = 360;
const HEIGHT = 120;
/** For the labels below the bars. */
const FOOT = 18;
/** Of more bars than this, a label is wider than its bar, and the last one would be cut. */
const LABELS_FIT = 8;

/** Bars from left to right. The numbers are also in a table beside it: a chart is no source of figures. */
export function barChart(title: string, bars: readonly Bar[], highest: string): Html {
  const step = WIDTH / Math.max(1, bars.length);
  const width = Math.max(1, step * 0.78);
  const drawn = bars.map(({ label, value, text, marked = '0' }, n): Part => {
    const x = n * step + (step - width) / 2;
    const rect = (kind: string, of: string): Html | false => {
      const height = heightOf(of, highest);
      return (
        height > 0 &&
        html`<rect class="${kind}" x="${fixed(x)}" y="${fixed(HEIGHT - height)}" width="${fixed(width)}" height="${fixed(height)}"><title>${text}</title></rect>`
      );
    };
    const isLast = n === bars.length - 1 && bars.length > LABELS_FIT;
    const foot = html`<text x="${fixed(isLast ? WIDTH : x + width / 2)}" y="${HEIGHT + FOOT - 5}" text-anchor="${isLast ? 'end' : 'middle'}">${label}</text>`;
    return html`${rect('bar', value)}${rect('bar marked', marked)}${label !== '' && foot}`;
  });
  return html`<figure class="chart"><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT + FOOT}" role="img" aria-label="${title}">
<line x1="0" y1="${HEIGHT}" x2="${WIDTH}" y2="${HEIGHT}"></line>
${drawn}
</svg></figure>`;
}

/** What is very little is still something. */
function heightOf(value: string, highest: string): number {
  if (!/[1-9]/.test(value)) return 0;
  return Math.max(2, (perMille(value, highest) * HEIGHT) / 1_000);
}

const fixed = (value: number): string => value.toFixed(1);
