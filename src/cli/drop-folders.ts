import { mkdir } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { DropFolder, POLL_MS } from '../channels/folder/drop-folder.ts';
import { minuteOf } from '../domain/display.ts';
import { Problem } from '../domain/problem.ts';
import type { FolderScan, FolderScanOptions } from '../domain/scanned-folder.ts';
import type { Log } from '../domain/settings.ts';
import { assertFolderMaker } from '../files/intake/maker.ts';
import { appOf } from '../platform/app.ts';
import { assertPolicyKept } from '../platform/audit/policy-log.ts';
import { createLog } from '../platform/log.ts';
import { createFolderSchedule, folderSchedule, folderSchedules } from '../platform/temporal/workflow-executions.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { interruptSignal, partEnded } from './interrupt.ts';
import { type Output, table } from './output.ts';
import type { Session } from './session.ts';

/**
 * `payouts intake DIR`: takes the files dropped into DIR/in until it is interrupted or, with `once`, those that are there now.
 */
export async function intake(
  session: Session,
  dir: string,
  { once, ...options }: Omit<FolderScanOptions, 'dir'> & { once: boolean },
): Promise<ExitCode> {
  const { config, output } = session;
  const stopped = interruptSignal();
  const log = createLog(config.logLevel ?? 'warn');
  assertFolderMaker(config.settings, { folderMaker: config.folderMaker, by: options.by });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const stack = await session.stack('join-or-boot', { stays: !once });
  const [store, client, bank] = [await session.store(), await session.client(), await session.bank()];
  await assertPolicyKept(config, store);
  const app = appOf({ config, stack, store, client, bank, log });
  const path = resolve(dir);
  const folder = await DropFolder.open(app, { ...options, dir: path });
  let ended: Error | undefined;
  void stack.failure.then((error) => {
    ended = error;
  });
  if (!once) output.say(`Processing files dropped into ${path}/in until Ctrl-C.`);
  const all = await (once ? folder.scanOnce(POLL_MS) : folder.scan());
  notify(output, all);
  // If this command's own stack ends with it, nothing else would bring the batches to their end.
  while (!stopped.aborted && (!once || (stack.owner && all.open > 0))) {
    await pause(POLL_MS, undefined, { signal: stopped }).catch(() => undefined);
    if (ended !== undefined) throw partEnded(ended, 'Run the same command again: it continues where it was.');
    if (!stopped.aborted) add(all, await nextPass(folder, log, output));
  }
  if (stopped.aborted) session.leaveAtOnce = true;
  if (once) output.result({ folder: path, ...all }, counted(all));
  return once && all.refused > 0 ? EXIT.exceptions : EXIT.completed;
}

/** A failed pass is simply followed by the next one: the command survives an outage of the store or the disk. */
async function nextPass(folder: DropFolder, log: Log, output: Output): Promise<Partial<FolderScan>> {
  try {
    const scan = await folder.scan();
    notify(output, scan);
    return scan;
  } catch (error) {
    log.error({ error }, 'a pass over the drop folder failed');
    return {};
  }
}

/** `open` is the current state; the other counts add up. */
function add(all: FolderScan, { taken = 0, refused = 0, ended = 0, open = all.open }: Partial<FolderScan>): void {
  Object.assign(all, { taken: all.taken + taken, refused: all.refused + refused, ended: all.ended + ended, open });
}

function notify(output: Output, scan: FolderScan): void {
  if (scan.taken + scan.refused + scan.ended > 0) output.say(counted(scan));
}

const counted = ({ taken, refused, ended, open }: FolderScan): string =>
  `${taken} taken, ${refused} refused, ${ended} ended, ${open} in progress`;

interface ScheduleOptions extends Omit<FolderScanOptions, 'dir'> {
  folder: string;
  every: number;
  name?: string;
}

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** `payouts schedule create`: a Temporal Schedule whose scans are run by the workers, which must have access to the folder. */
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
    await createFolderSchedule(await session.client(), name, { dir, everyMs: every, ...options });
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
} as const satisfies Record<string, (schedule: ReturnType<typeof folderSchedule>) => Promise<unknown>>;

type ScheduleStep = keyof typeof STEPS;

export async function changeSchedule(session: Session, step: ScheduleStep, name: string): Promise<void> {
  try {
    await STEPS[step](folderSchedule(await session.client(), name));
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
  const schedules = await folderSchedules(await session.client());
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
