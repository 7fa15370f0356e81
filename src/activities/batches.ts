import type { BatchControl } from '../domain/payout-state.ts';
import { approveRows, setBatchControl } from '../services/batch/control.ts';
import { type PumpInput, pump } from '../services/batch/pump.ts';
import type { ActivityDeps } from '../services/deps.ts';
import { longRun } from './caller.ts';
import { withHeartbeats } from './heartbeats.ts';

export const batchActivities = (deps: ActivityDeps) => ({
  pumpBatch: (input: PumpInput) => withHeartbeats(() => pump(deps, longRun(), input)),
  setBatchControl: (order: { batchId: string; control: BatchControl; by: string }) => setBatchControl(deps, order),
  approveRows: (order: { batchId: string; by: string; note?: string }) =>
    withHeartbeats(() => approveRows(deps, order)),
});
