import { counted, minuteOf } from '../domain/display.ts';
import { livenessOf } from '../domain/liveness.ts';
import { startCommand } from '../platform/config/temporal.ts';
import type { Config } from '../platform/config.ts';
import { StackError } from '../platform/embedded/home.ts';
import { openStack } from '../platform/embedded/open-stack.ts';
import type { Stack } from '../platform/embedded/stack.ts';
import { connectTemporal } from '../platform/temporal/connection.ts';
import { assertNamespaceFits, temporalIdentity } from '../platform/temporal/namespace.ts';
import type { Store } from '../store/store.ts';
import { assertSameIdentity } from '../store/store-identity.ts';
import { embeddedParts } from './embedded-parts.ts';
import type { Session } from './session.ts';

/** Joined, never booted; undefined: none is up. */
export async function stackThatIsUp(config: Config): Promise<Stack | undefined> {
  try {
    return await openStack(config, { ...embeddedParts(config), mode: 'join-only' });
  } catch (error) {
    if (error instanceof StackError && error.code === 'stack-down') return undefined;
    throw error;
  }
}

/** Compares cluster and namespace with those on record, without recording any. */
export async function assertTemporalFits(session: Session, at: Stack): Promise<void> {
  const store = await session.store();
  const { client, close } = await connectTemporal(session.config, at);
  try {
    assertSameIdentity(await store.identity(), await temporalIdentity(client));
    await assertNamespaceFits(client, store.id, session.config.replacesStore);
  } finally {
    await close();
  }
}

/** Whether somebody works, if anything waits for that. */
export async function judgeWorkers(
  config: Config,
  store: Store,
  now: number,
): Promise<{ verdict: 'ok' | 'warning'; detail: string }> {
  const liveness = livenessOf(await store.signsOfLife(), now);
  const moving = await store.countMoving();
  const { workers, lastSeenAt } = liveness;
  if (workers > 0) return { verdict: 'ok', detail: counted(workers, 'worker') };
  const last = lastSeenAt === null ? '' : `, the last one at ${minuteOf(lastSeenAt)}`;
  if (moving === 0) return { verdict: 'ok', detail: `none${last}; nothing waits for one` };
  const waits = `${counted(moving, 'payout')} ${moving === 1 ? 'waits' : 'wait'}`;
  return { verdict: 'warning', detail: `none${last}, and ${waits}: start ${startCommand(config)}` };
}
