import { randomUUID } from 'node:crypto';
import type { Config } from '../config.ts';
import { type EventSender, startSender } from '../events/sender.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';

/** Tells the subscriptions of this process's configuration. */
export function startEventSender({ events }: Pick<Config, 'events'>, store: Store, log: Log): EventSender {
  const deps = { store, log, now: Date.now, draw: Math.random, owner: randomUUID() };
  return startSender(deps, events.subscriptions, events.mailServer.reveal());
}
