import { type Client, type ScheduleHandle, ScheduleOverlapPolicy } from '@temporalio/client';
import type { SweepOptions } from '../../domain/folder-sweep.ts';
import { FOLDER_SWEEP, SWEEP_SCHEDULE, TASK_QUEUE, WORKFLOW_TYPES } from '../../domain/names.ts';
import { inMarkdown } from '../../domain/text.ts';

export interface SweepSchedule {
  name: string;
  folder: string;
  everyMs: number;
  paused: boolean;
  /** ISO 8601; null if none is due. */
  next: string | null;
  /** Start of the latest sweep; null before the first. */
  last: string | null;
}

/** Sweeps missed for longer are skipped: the next one finds the same files. */
const CATCH_UP = '1m';

/** Throws `ScheduleAlreadyRunning` if the name is taken. A sweep that falls due during another one is skipped. */
export async function createSweepSchedule(
  client: Client,
  name: string,
  { everyMs, ...options }: SweepOptions & { everyMs: number },
): Promise<void> {
  await client.schedule.create({
    scheduleId: SWEEP_SCHEDULE + name,
    spec: { intervals: [{ every: everyMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCH_UP },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW_TYPES.folderSweep,
      workflowId: FOLDER_SWEEP + name,
      taskQueue: TASK_QUEUE,
      args: [options],
      staticSummary: `sweeps the drop folder ${inMarkdown(name)}`,
    },
    memo: { folder: options.dir, everyMs },
  });
}

/** The handle's methods throw `ScheduleNotFoundError` if there is no such schedule. */
export const sweepSchedule = (client: Client, name: string): ScheduleHandle =>
  client.schedule.getHandle(SWEEP_SCHEDULE + name);

export async function sweepSchedules(client: Client): Promise<SweepSchedule[]> {
  const found: SweepSchedule[] = [];
  for await (const { scheduleId, memo, state, info } of client.schedule.list()) {
    if (!scheduleId.startsWith(SWEEP_SCHEDULE)) continue;
    const { folder = '', everyMs = 0 } = (memo ?? {}) as { folder?: string; everyMs?: number };
    found.push({
      name: scheduleId.slice(SWEEP_SCHEDULE.length),
      folder,
      everyMs,
      paused: state.paused,
      next: state.paused ? null : (info.nextActionTimes[0]?.toISOString() ?? null),
      last: info.recentActions.at(-1)?.takenAt.toISOString() ?? null,
    });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
