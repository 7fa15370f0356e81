import { ownCpuMs, type Summary } from './summary.ts';

interface Column {
  head: string;
  cell(one: Summary): string;
}

const COLUMNS: readonly Column[] = [
  { head: 'arm', cell: ({ arm }) => arm },
  {
    head: 'payouts/s',
    cell: ({ perSecond }) => `${short(perSecond.median)} (${short(perSecond.least)}-${short(perSecond.most)})`,
  },
  { head: '× textbook', cell: ({ toTextbook }) => short(toTextbook) },
  { head: '× empty', cell: ({ toEmpty }) => short(toEmpty) },
  { head: 'CPU ms', cell: (one) => whole(ownCpuMs(one)) },
  { head: 'worker', cell: ({ cpuMs }) => whole(cpuMs.worker) },
  { head: 'server', cell: ({ cpuMs }) => whole(cpuMs.server) },
  { head: 'database', cell: ({ cpuMs }) => whole(cpuMs.database) },
  { head: 'client', cell: ({ cpuMs }) => whole(cpuMs.client) },
  { head: 'bank', cell: ({ cpuMs }) => whole(cpuMs.bank) },
  { head: 'bank calls', cell: ({ bankCalls }) => short(bankCalls) },
  { head: 'commits', cell: ({ commits }) => short(commits) },
  { head: 'events', cell: ({ events }) => short(events) },
  { head: 'transitions', cell: ({ transitions }) => short(transitions) },
  { head: 'actions', cell: ({ actions }) => short(actions) },
  { head: 'history kB', cell: ({ bytes }) => short(bytes === undefined ? undefined : bytes / 1_000) },
  { head: 'memory MB', cell: ({ memoryBytes }) => megabytes(memoryBytes.worker) },
];

/** One table, in Markdown, a heading for each place and settlement. */
export function markdownTables(all: readonly Summary[]): string {
  return sections(all)
    .map(({ title, rows }) => {
      const head = COLUMNS.map((column) => column.head);
      const lines = [head, head.map((_, n) => (n === 0 ? '---' : '--:')), ...rows].map(
        (cells) => `| ${cells.join(' | ')} |`,
      );
      return `**${title}**\n\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

/** The same for a terminal: a line an arm, so that it fits. */
export function textTables(all: readonly Summary[]): string {
  return sections(all)
    .map(({ title, rows }) => {
      const lines = COLUMNS.map(({ head }, n) => [head, ...rows.map((cells) => cells[n] ?? '')]);
      const widths = [...Array(rows.length + 1).keys()].map((n) =>
        Math.max(...lines.map((cells) => cells[n]?.length ?? 0)),
      );
      const padded = lines.map((cells) =>
        cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join('  '),
      );
      return `${title}\n\n${padded.join('\n')}\n`;
    })
    .join('\n');
}

function sections(all: readonly Summary[]): { title: string; rows: string[][] }[] {
  const groups = Map.groupBy(all, ({ place, settleMs }) => `${place} ${settleMs}`);
  return [...groups.values()].map((group) => ({
    title: `${titleOf(group[0] as Summary)}, ${roundsOf(group[0] as Summary)}`,
    rows: group.map((one) => COLUMNS.map((column) => column.cell(one))),
  }));
}

export function titleOf({ place, settleMs, isOtherBank }: Pick<Summary, 'place' | 'settleMs' | 'isOtherBank'>): string {
  const settled = isOtherBank ? 'at another bank, expected to settle' : 'settled';
  return `${place === 'postgres' ? 'PostgreSQL' : 'Embedded'}, ${settled} after ${settleMs / 1_000} s`;
}

const roundsOf = ({ rounds, payouts }: Summary): string =>
  `${rounds === 1 ? '1 round' : `${rounds} rounds`} of ${payouts} payouts`;

const short = (value: number | undefined): string =>
  value === undefined ? '-' : value < 10 ? `${Number(value.toFixed(value < 1 ? 2 : 1))}` : value.toFixed(0);

const whole = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(0));

const megabytes = (bytes: number | undefined): string => (bytes === undefined ? '-' : (bytes / 2 ** 20).toFixed(0));
