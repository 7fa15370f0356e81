import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { counted, groupedAmount, minuteOf } from '../domain/display.ts';
import { DAY_MS } from '../domain/durations.ts';
import { type ResumptionReason, UNUSUAL } from '../domain/store-past.ts';
import { otherHomeOf } from '../files/intake/store-use.ts';
import { ifRestored, seenLog, whyShorter } from '../platform/audit/seen-log.ts';
import type { Config } from '../platform/config.ts';
import { thisProcess } from '../platform/this-process.ts';
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

/** False if one of them is not there yet. */
function isOnSameDisk(file: string | undefined, home: string): boolean {
  const [there, own] = [file && dirname(file), home].map(
    (path) => path && statSync(path, { throwIfNoEntry: false })?.dev,
  );
  return there !== undefined && there === own;
}

/**
 * Whether the audit log reaches as far as this machine has seen it, and, with a bank or a cluster, whether its checkpoints leave
 * the machine: without copies elsewhere, whoever can write the store can cut the log back on a new machine.
 */
export async function judgeAuditLog(
  {
    audit,
    bank,
    home,
    temporal,
    witnessFolder,
  }: Pick<Config, 'audit' | 'bank' | 'home' | 'temporal' | 'witnessFolder'>,
  store: Pick<Store, 'id' | 'auditTree'>,
): Promise<{ verdict: 'ok' | 'warning' | 'failed'; detail: string }> {
  const seen = seenLog(witnessFolder, store);
  const { size } = await store.auditTree();
  const shorter = whyShorter(seen, size);
  if (shorter !== undefined) return { verdict: 'failed', detail: `${shorter}. ${ifRestored(witnessFolder, store)}` };
  const known = `${counted(size, 'entry', 'entries')}, ${groupedAmount(seen?.size ?? 0)} seen by this machine`;
  const { checkpoints, spool } = audit;
  const isTrial = bank.kind !== 'remote' && temporal.kind === 'embedded';
  if (checkpoints !== undefined || spool !== undefined) {
    const places = [checkpoints, spool?.folder].filter((place) => place !== undefined);
    const went = `${known}; checkpoints go to ${places.join(' and ')}`;
    if (isTrial || spool !== undefined || !isOnSameDisk(checkpoints, home)) return { verdict: 'ok', detail: went };
    return { verdict: 'warning', detail: `${went}, on the disk of the home: use a share of another machine` };
  }
  if (isTrial) return { verdict: 'ok', detail: known };
  const missing = 'its checkpoints are kept nowhere else: set PAYOUTS_AUDIT_CHECKPOINTS or PAYOUTS_AUDIT_MAIL_SPOOL';
  return { verdict: 'warning', detail: `${known}; ${missing}` };
}
