import { otherHomeOf } from '../compose/store-use.ts';
import { thisProcess } from '../compose/this-process.ts';
import type { Config } from '../config.ts';
import { DAY_MS } from '../domain/durations.ts';
import { type ResumptionReason, UNUSUAL } from '../domain/store-past.ts';
import { minuteOf } from '../reports/display.ts';
import type { SenderSeen, Store } from '../store/store.ts';
import { canBeWitnessed } from '../store/witness.ts';

const BECAUSE: Readonly<Record<ResumptionReason, string>> = {
  new: 'it was new',
  restart: 'the process before had ended',
  gap: 'the process was suspended',
  'other-user': 'another machine had used it',
  copied: 'it was moved or copied',
  'rolled-back': 'it had gone back in time',
  restored: 'it was restored',
};

/**
 * Who used the store last, and why sending last began anew; a warning if in the last week the store may have known less than was
 * sent, where it could not be told, or where another home may be meant.
 */
export async function judgePast(
  config: Config,
  store: Pick<Store, 'senders' | 'resumptionsSince'>,
  now: number,
): Promise<{ verdict: 'ok' | 'warning'; detail: string }> {
  const [last] = await store.senders();
  const resumptions = await store.resumptionsSince(0);
  const told = resumptions.findLast(({ at, why }) => UNUSUAL.has(why) && at > now - 7 * DAY_MS);
  const shown = told ?? resumptions.at(-1);
  const other = await otherHomeOf(config);
  const warnings = [
    ...(told === undefined ? [] : ['orders that it did not know of are searched for at the bank']),
    ...(canBeWitnessed(config.witnessFolder)
      ? []
      : [`${config.witnessFolder} cannot be written: that the store was put back in time may go unnoticed`]),
    ...(other === undefined ? [] : [`${other} holds another store of this bank: PAYOUTS_HOME names the one to use`]),
  ];
  const used = last === undefined ? 'nothing was sent from it yet' : usedText(last);
  const resumed = shown === undefined ? [] : [`resumed ${minuteOf(shown.at)} because ${BECAUSE[shown.why]}`];
  const detail = [used, ...resumed, ...warnings].join('; ');
  return { verdict: warnings.length === 0 ? 'ok' : 'warning', detail };
}

function usedText({ machine, pid, aliveAt, endedAt }: SenderSeen): string {
  const where = machine === thisProcess().machine ? 'this machine' : `machine ${machine}`;
  const ended = endedAt === null ? '' : ', which has ended';
  return `last used ${minuteOf(aliveAt)} by process ${pid} on ${where}${ended}`;
}
