import type { Bank } from '../bank/bank.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { WorkerSettings } from '../domain/settings.ts';
import type { Sender } from '../store/claimed-row.ts';
import type { Executions } from './executions.ts';
import type { LookAtList } from './look-at-list.ts';
import type { PayeeChecks } from './payee-checks.ts';

export interface ActivityDeps extends Sender {
  bank: Bank;
  executions: Executions;
  settings: WorkerSettings;
  lookAtList: LookAtList;
  /** Absent: payees are not checked. */
  checks?: PayeeChecks;
  /** Runs what is done for a payout outside its own activities as a part of its trace; absent: there are no traces. */
  traced?<T>(workflowId: string, name: string, work: () => Promise<T>): Promise<T>;
  /** Rules of an instruction (`src/files/rules`), injected because activities do not import readers. Empty: no finding. */
  checkInstruction(instruction: PayoutInstruction, kind: PayoutKind): readonly { rule: string; message: string }[];
}
