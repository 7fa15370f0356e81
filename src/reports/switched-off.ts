import type { ReasonCode } from '../domain/reasons.ts';
import { forOperator, type Remedy } from '../domain/remedy.ts';
import { SWITCH_COLUMNS, SWITCH_SCOPES } from '../domain/switch-scope.ts';
import type { PayoutRecord, SwitchRecord } from '../store/store.ts';

// A batch does not start rows under a switch that is off. They have no workflow yet that could be held and give a reason.

export const SWITCHED_OFF: ReasonCode = 'switched-off';

/** For `switched-off` before the row is started. */
export const NOT_STARTED_WHILE_OFF: Remedy = forOperator(
  'an operator has switched this off; it is started when that is undone',
  '`payouts switch list` shows who switched what off and why. `payouts switch on SCOPE KEY` lets it continue; `payouts cancel BATCH` ends the rest of its batch unpaid.',
  'It is started when the switch is on again.',
);

/** The widest switch for which a row is not started. A payout that was started is held by a switch, and has a reason. */
export function switchedOff(row: PayoutRecord, off: readonly SwitchRecord[] = []): SwitchRecord | undefined {
  if (row.state !== 'received' || row.releasedAt !== null) return undefined;
  return SWITCH_SCOPES.flatMap((scope) => off.filter((it) => it.scope === scope && isUnder(row, it)))[0];
}

const isUnder = (row: PayoutRecord, { scope, key }: SwitchRecord): boolean =>
  scope === 'everything' || (scope === 'currency' ? row.instruction.currency : row[SWITCH_COLUMNS[scope]]) === key;
