import { ownCpuMs, type Summary } from './summary.ts';
import { titleOf } from './table.ts';

/** CPU time of a payout by process, an arm a bar: an SVG that is the same for the same figures. */
export function pictureOf(all: readonly Summary[]): string {
  const groups = [...Map.groupBy(all, (one) => titleOf(one))];
  const longest = Math.max(1, ...all.map(ownCpuMs));
  const parts: string[] = [];
  let y = TOP;
  for (const [title, group] of groups) {
    parts.push(text(LEFT_EDGE, y + BAR - 4, title, 'font-weight="bold"'));
    y += STEP;
    for (const one of group) {
      parts.push(...bar(one, y, BARS_WIDE / longest));
      y += STEP;
    }
    y += GAP;
  }
  const height = y;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${height}" viewBox="0 0 ${WIDE} ${height}"`,
    ' font-family="sans-serif" font-size="13" role="img" aria-label="CPU time per payout in ms, by arm and process">\n',
    `<rect width="${WIDE}" height="${height}" fill="#ffffff"/>\n`,
    `${legend()}\n${parts.join('\n')}\n</svg>\n`,
  ].join('');
}

const WIDE = 760;
const LEFT_EDGE = 16;
const BARS_FROM = 100;
const BARS_WIDE = 420;
const TOP = 44;
const BAR = 16;
const STEP = 22;
const GAP = 14;

const PARTS = [
  { of: 'worker', fill: '#1f5fa8' },
  { of: 'server', fill: '#e08a1e' },
  { of: 'database', fill: '#6b8f3c' },
] as const;

function bar(one: Summary, y: number, scale: number): string[] {
  let x = BARS_FROM;
  const pieces = PARTS.flatMap(({ of, fill }) => {
    const wide = (one.cpuMs[of] ?? 0) * scale;
    const piece = `<rect x="${at(x)}" y="${y}" width="${at(wide)}" height="${BAR}" fill="${fill}"/>`;
    x += wide;
    return wide > 0 ? [piece] : [];
  });
  const figures = `${ownCpuMs(one).toFixed(0)} ms, ${one.perSecond.median.toFixed(1)}/s`;
  return [text(LEFT_EDGE, y + BAR - 4, one.arm), ...pieces, text(x + 8, y + BAR - 4, figures, 'fill="#444444"')];
}

const legend = (): string =>
  [
    text(LEFT_EDGE, 24, 'CPU time per payout, and payouts per second:'),
    ...PARTS.flatMap(({ of, fill }, n) => {
      const x = 310 + n * 100;
      return [`<rect x="${x}" y="13" width="12" height="12" fill="${fill}"/>`, text(x + 18, 24, of)];
    }),
  ].join('\n');

const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${at(x)}" y="${y}"${more === '' ? '' : ` ${more}`}>${words}</text>`;

const at = (value: number): string => value.toFixed(1);
