import { commandLine, refuse } from '../../support/command-line.ts';
import { drill, megabytes, type Waiting } from './drill.ts';

/**
 * `npm run drill:scale -- --payouts N [--json]`: N payouts that wait at the bank at one time, with one worker, beside a tenth of
 * them. Ends with 1 where ten times as many cost more than ten times as much.
 */

const USAGE = 'usage: npm run drill:scale -- --payouts N [--json]    N from 100 on';
const { values } = commandLine(USAGE, {
  options: { payouts: { type: 'string', default: '1000' }, json: { type: 'boolean', default: false } },
});
const payouts = Number(values.payouts);
if (!Number.isSafeInteger(payouts) || payouts < 100) refuse(USAGE);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const began = performance.now();
const say = (line: string): void =>
  console.error(`${((performance.now() - began) / 1_000).toFixed(1).padStart(7)} s  ${line}`);

const few = await drill(Math.floor(payouts / 10), say);
const many = await drill(payouts, say);
const verdicts = judge(few, many);
console.log(values.json ? JSON.stringify({ few, many, verdicts }, null, 1) : textOf([few, many], verdicts));
process.exit(verdicts.every(({ isMet }) => isMet) ? 0 : 1);

interface Verdict {
  what: string;
  /** What it is of each payout, of many beside few; 1: linear. Of memory: the whole. */
  ratio: number;
  most: number;
  isMet: boolean;
}

/** A busy machine and what is paid once make a ratio a little more than it is. */
function judge(few: Waiting, many: Waiting): Verdict[] {
  const each = (what: string, of: (one: Waiting) => number, most: number): Verdict =>
    verdict(what, of(many) / many.payouts / (of(few) / few.payouts), most);
  return [
    verdict('worker memory while they wait', many.memory.waiting / few.memory.waiting, 2),
    each('time to send', ({ send }) => send, 1.5),
    each('time to drain', ({ firstEnd, drain }) => firstEnd + drain, 1.5),
    each('poll', ({ scan }) => scan, 1.5),
    each('store', ({ database }) => database.store, 1.5),
    each("Temporal's database", ({ database }) => database.temporal, 1.5),
  ];
}

function verdict(what: string, ratio: number, most: number): Verdict {
  return { what, ratio, most, isMet: ratio <= most };
}

function textOf(all: readonly Waiting[], verdicts: readonly Verdict[]): string {
  const line = (name: string, cell: (one: Waiting) => string): string =>
    `${name.padEnd(44)}${all.map((one) => cell(one).padStart(12)).join('')}`;
  return [
    line('payouts', (one) => `${one.payouts}`),
    line('checked, planned and claimed, s', (one) => one.take.toFixed(1)),
    line('sent, s', (one) => one.send.toFixed(1)),
    line('one row behind them begins, s', (one) => one.behind.otherUser.toFixed(2)),
    line('  of the same user, s', (one) => one.behind.sameUser.toFixed(2)),
    line('worker memory while they wait, MB', (one) => megabytes(one.memory.waiting)),
    line('  the most, MB', (one) => megabytes(one.memory.peak)),
    line('poll of everything, s', (one) => one.scan.toFixed(2)),
    line('store, MB', (one) => megabytes(one.database.store)),
    line("Temporal's database, MB", (one) => megabytes(one.database.temporal)),
    line('first end notified, s', (one) => one.firstEnd.toFixed(1)),
    line('drained from there, s', (one) => one.drain.toFixed(1)),
    '',
    ...verdicts.map(
      ({ what, ratio, most, isMet }) =>
        `${isMet ? 'met    ' : 'NOT MET'} ${what}: × ${ratio.toFixed(2)}${what.includes('memory') ? '' : ' a payout'}, at most × ${most}`,
    ),
  ].join('\n');
}
