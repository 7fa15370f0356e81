import { basename, resolve } from 'node:path';
import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { minuteOf } from '../domain/display.ts';
import type { SweepOptions } from '../domain/folder-sweep.ts';
import { Problem } from '../domain/problem.ts';
import { assertFolderMaker } from '../files/intake/maker.ts';
import { createSweepSchedule, sweepSchedule, sweepSchedules } from '../platform/temporal/executions.ts';
import type { Session } from './session.ts';
import { table } from './table.ts';

interface ScheduleOptions extends Omit<SweepOptions, 'dir'> {
  folder: string;
  every: number;
  name?: string;
}

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** `payouts schedule create`: a Temporal Schedule whose sweeps are run by the workers, which must have access to the folder. */
export async function createSchedule(
  session: Session,
  { folder, every, name = basename(resolve(folder)), ...options }: ScheduleOptions,
): Promise<void> {
  if (!NAME.test(name)) {
    throw new Problem('usage', 'schedule-name', 'A schedule has a name of letters, digits, ".", "_" and "-".', {
      hint: 'Add --name NAME.',
    });
  }
  const { settings, folderMaker, folders } = session.config;
  assertFolderMaker(settings, { folderMaker, by: options.by });
  const dir = resolve(folder);
  if (!folders.includes(dir)) {
    throw new Problem('set-up', 'folder-not-listed', `PAYOUTS_FOLDERS does not list ${dir}.`, {
      hint: 'Add the folder to PAYOUTS_FOLDERS, for the workers too: they process no other one.',
    });
  }
  try {
    await createSweepSchedule(await session.client(), name, { dir, everyMs: every, ...options });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    throw new Problem('conflict', 'schedule-exists', `A schedule ${name} already exists.`, {
      hint: `Delete it first (payouts schedule delete ${name}), or choose another --name.`,
      cause: error,
    });
  }
  session.output.result(
    { schedule: { name, folder: dir, everyMs: every } },
    `Schedule ${name}: workers process ${dir}. All workers must have access to this folder and list it in PAYOUTS_FOLDERS.`,
  );
}

const STEPS = {
  delete: (it) => it.delete(),
  pause: (it) => it.pause(),
  resume: (it) => it.unpause(),
  // Without an overlap policy here, a trigger would ignore that of the schedule.
  trigger: (it) => it.trigger(ScheduleOverlapPolicy.SKIP),
} as const satisfies Record<string, (schedule: ReturnType<typeof sweepSchedule>) => Promise<unknown>>;

type ScheduleStep = keyof typeof STEPS;

export async function changeSchedule(session: Session, step: ScheduleStep, name: string): Promise<void> {
  try {
    await STEPS[step](sweepSchedule(await session.client(), name));
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    throw new Problem('not-found', 'unknown-schedule', `There is no schedule ${name}.`, {
      hint: 'payouts schedule list shows them.',
      cause: error,
    });
  }
  session.output.result({ schedule: { name }, done: step }, `Schedule ${name}: ${step} done.`);
}

export async function listSchedules(session: Session): Promise<void> {
  const schedules = await sweepSchedules(await session.client());
  const rows = schedules.map(({ name, everyMs, paused, next, last, folder }) => [
    name,
    `${everyMs / 1_000}s`,
    paused ? 'paused' : minute(next, ''),
    minute(last, 'never'),
    folder,
  ]);
  const text =
    rows.length === 0 ? 'There are no schedules yet.' : table(['name', 'every', 'next', 'last', 'folder'], rows);
  session.output.result({ schedules }, text);
}

const minute = (at: string | null, otherwise: string): string => (at === null ? otherwise : minuteOf(Date.parse(at)));
