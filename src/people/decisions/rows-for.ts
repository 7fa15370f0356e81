import type { PayoutRecord } from '../../store/store.ts';
import type { AskedBy } from './asked.ts';
import { awaitsDecisionBy } from './scope.ts';
import { openQuestion } from './shown-question.ts';
import { approvedBy, type VerdictDeps } from './verdict.ts';

/** Those of the rows that wait for somebody and that they have not decided yet (`awaitsDecisionBy`). */
export async function rowsFor(
  deps: VerdictDeps & AskedBy,
  rows: readonly PayoutRecord[],
  name: string,
): Promise<PayoutRecord[]> {
  const mine: PayoutRecord[] = [];
  const reader = { policy: deps.settings.policy, name, now: deps.now() };
  for (const row of rows) {
    if (!awaitsDecisionBy(reader, row, [])) continue;
    const approved = await approvedBy(deps, row, await openQuestion(deps, row));
    if (awaitsDecisionBy(reader, row, approved)) mine.push(row);
  }
  return mine;
}
