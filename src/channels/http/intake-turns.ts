import type { IntakeDeps } from '../../files/intake/intake.ts';
import { openIntake } from '../intake-deps.ts';
import type { Caller } from './callers.ts';
import type { Gateway } from './gateway-app.ts';
import { maySee } from './may-see.ts';

/** Files of one caller that are read at once: each holds the process and the bank busy for seconds if it is large. */
const AT_ONCE = 2;

/** By caller: how many files are being read, and what goes on with the ones that wait. */
const reading = new Map<string, { open: number; waiting: (() => void)[] }>();

/** Has a file of a caller taken when it is its turn. How many may wait is limited by the requests of the caller at once. */
export async function takeInTurn<Taken>(
  gateway: Gateway,
  caller: Caller,
  take: (intake: IntakeDeps) => Promise<Taken>,
): Promise<Taken> {
  const who = caller.name ?? '';
  await entered(who);
  try {
    return await take(await intakeFor(gateway, caller));
  } finally {
    leave(who);
  }
}

async function entered(who: string): Promise<void> {
  const mine = reading.get(who) ?? { open: 0, waiting: [] };
  reading.set(who, mine);
  if (mine.open >= AT_ONCE) await new Promise<void>((resolve) => mine.waiting.push(resolve));
  else mine.open += 1;
}

/** The place of a file that has been read goes to the one that waits longest. */
function leave(who: string): void {
  const mine = reading.get(who);
  const next = mine?.waiting.shift();
  if (next !== undefined) next();
  else if (mine !== undefined && mine.open > 1) mine.open -= 1;
  else reading.delete(who);
}

/** For a file of a caller: whoever hands over a row of somebody else's batch is not told which one it is. */
async function intakeFor(gateway: Gateway, caller: Caller): Promise<IntakeDeps> {
  const mayTellOf: IntakeDeps['mayTellOf'] = async (batchId) => {
    const batch = await gateway.store.batch(batchId);
    return batch !== undefined && maySee(caller, gateway.store, batch);
  };
  return { ...(await openIntake(gateway, caller.name)), mayTellOf };
}
