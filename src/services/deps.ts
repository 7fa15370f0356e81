import type { Bank } from '../api/bank.ts';
import type { WorkerSettings } from '../config/settings.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import type { PayoutKind } from '../domain/names.ts';
import type { Store } from '../store/store.ts';
import type { Executions } from './executions.ts';

export interface ActivityDeps {
  bank: Bank;
  store: Store;
  executions: Executions;
  settings: WorkerSettings;
  now: () => number;
  /** Rules of an instruction (`src/rules`), injected because activities do not import readers. Empty: no finding. */
  checkInstruction(instruction: PayoutInstruction, kind: PayoutKind): readonly { rule: string; message: string }[];
  /** Throws when the store belongs to another bank or namespace than this worker (checked before every POST). */
  assertIdentity(): Promise<void>;
}
