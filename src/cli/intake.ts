import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DropFolder, LOOK_EVERY_MS } from '../channels/folder/drop-folder.ts';
import type { Sweep, SweepOptions } from '../domain/folder-sweep.ts';
import type { Log } from '../domain/settings.ts';
import { assertFolderMaker } from '../files/intake/maker.ts';
import { appOf } from '../platform/app.ts';
import { assertPolicyKept } from '../platform/audit/policy-log.ts';
import { createLog } from '../platform/log.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { interruptSignal, partEnded } from './interrupt.ts';
import type { Output } from './output.ts';
import type { Session } from './session.ts';

/**
 * `payouts intake DIR`: takes the files dropped into DIR/in until it is interrupted or, with `once`, those that are there now.
 */
export async function intake(
  session: Session,
  dir: string,
  { once, ...options }: Omit<SweepOptions, 'dir'> & { once: boolean },
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
  const all = await (once ? folder.sweepOnce(LOOK_EVERY_MS) : folder.sweep());
  tell(output, all);
  // If this command's own stack ends with it, nothing else would bring the batches to their end.
  while (!stopped.aborted && (!once || (stack.owner && all.open > 0))) {
    await pause(LOOK_EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
    if (ended !== undefined) throw partEnded(ended, 'Run the same command again: it continues where it was.');
    if (!stopped.aborted) add(all, await nextPass(folder, log, output));
  }
  if (stopped.aborted) session.leaveAtOnce = true;
  if (once) output.result({ folder: path, ...all }, counted(all));
  return once && all.refused > 0 ? EXIT.exceptions : EXIT.completed;
}

/** A failed pass is simply followed by the next one: the command survives an outage of the store or the disk. */
async function nextPass(folder: DropFolder, log: Log, output: Output): Promise<Partial<Sweep>> {
  try {
    const sweep = await folder.sweep();
    tell(output, sweep);
    return sweep;
  } catch (error) {
    log.error({ error }, 'pass failed');
    return {};
  }
}

/** `open` is the current state; the other counts add up. */
function add(all: Sweep, { taken = 0, refused = 0, ended = 0, open = all.open }: Partial<Sweep>): void {
  Object.assign(all, { taken: all.taken + taken, refused: all.refused + refused, ended: all.ended + ended, open });
}

function tell(output: Output, sweep: Sweep): void {
  if (sweep.taken + sweep.refused + sweep.ended > 0) output.say(counted(sweep));
}

const counted = ({ taken, refused, ended, open }: Sweep): string =>
  `${taken} taken, ${refused} refused, ${ended} ended, ${open} in progress`;
