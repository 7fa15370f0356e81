import type { Bank } from '../api/bank.ts';
import type { WorkerSettings } from '../config/settings.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { Store } from '../store/store.ts';
import type { Executions } from './executions.ts';
import type { PayeeChecks } from './payee-checks.ts';

export interface ActivityDeps {
  bank: Bank;
  store: Store;
  executions: Executions;
  settings: WorkerSettings;
  /** Absent: payees are paid as they are. */
  checks?: PayeeChecks;
  now: () => number;
  /** Rules of an instruction (`src/rules`), injected because activities do not import readers. Empty: no finding. */
  checkInstruction(instruction: PayoutInstruction, kind: PayoutKind): readonly { rule: string; message: string }[];
  /** Throws when the store belongs to another bank or namespace than this worker (checked before every POST). */
  assertIdentity(): Promise<void>;
}
