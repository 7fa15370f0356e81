import type { HttpProxy } from '../../bank/proxy.ts';
import type { MailServer, Subscription } from '../../platform/config/events.ts';
import type { SubscriptionRecord } from '../../store/store.ts';
import { deliverAdvice } from '../advice/deliver-advice.ts';
import { deliverDigest, deliverEvents, isDue, mailTransport, type SenderDeps, webhookEndpoint } from './deliver.ts';

const POLL_MS = 1_000;
/** For the last events: a stack that ends with its command has no later round. */
const CLOSING_MS = 3_000;

interface EventSender {
  /** Delivers what is due for up to a few seconds, and waits for deliveries under way. */
  close(): Promise<void>;
}

/**
 * Delivers what is due, at intervals, for each subscription independently. Of several processes, one at a time delivers to a
 * subscription.
 */
export function startSender(
  given: Omit<SenderDeps, 'signal'>,
  subscriptions: readonly Subscription[],
  mailServer: MailServer | undefined,
  proxyFor: (url: string) => HttpProxy | undefined = () => undefined,
): EventSender {
  const stopping = new AbortController();
  const deps = { ...given, signal: stopping.signal };
  const closers: (() => unknown)[] = [];
  const senders = subscriptions.map((subscription) => {
    const { name, to } = subscription;
    const isDaily = to.kind === 'mail' && to.daily !== undefined;
    if (to.kind === 'webhook') {
      const endpoint = webhookEndpoint(to, deps.now, proxyFor(to.url));
      closers.push(() => endpoint.close());
      return { name, isDaily, deliver: () => deliverEvents(deps, subscription, endpoint.send) };
    }
    if (mailServer === undefined) throw new Error(`${name} has no mail server`);
    const transport = mailTransport(mailServer);
    closers.push(() => transport.close());
    if (to.kind === 'advice') {
      return { name, isDaily, deliver: () => deliverAdvice(deps, { ...subscription, to }, transport.send) };
    }
    return { name, isDaily, deliver: () => deliverDigest(deps, { ...subscription, to }, transport.send) };
  });
  const running = new Map<string, Promise<void>>();
  const poll = async (): Promise<void> => {
    try {
      const stored = new Map((await deps.store.subscriptions()).map((state) => [state.name, state]));
      const head = await deps.store.outboxHead();
      for (const { name, isDaily, deliver } of senders) {
        if (stopping.signal.aborted || running.has(name)) continue;
        if (!(await hasWork(deps, stored.get(name), { head, isDaily }))) continue;
        const work = deliver()
          .catch((error: unknown) => deps.log.warn({ error, id: name }, 'events were not delivered'))
          .finally(() => running.delete(name));
        running.set(name, work);
      }
    } catch (error) {
      deps.log.warn({ error }, 'events could not be read');
    }
  };
  let polling: Promise<void> | undefined;
  const timer = setInterval(() => {
    polling ??= poll().finally(() => {
      polling = undefined;
    });
  }, POLL_MS);
  return {
    async close() {
      clearInterval(timer);
      await polling;
      await poll();
      const grace = setTimeout(() => {
        stopping.abort();
        for (const close of closers) void close();
      }, CLOSING_MS);
      await Promise.all(running.values());
      clearTimeout(grace);
      await Promise.all(closers.map((close) => close()));
    },
  };
}

/** Checked without the lease, which would cost a write. */
async function hasWork(
  { store, now }: SenderDeps,
  state: SubscriptionRecord | undefined,
  { head, isDaily }: { head: number; isDaily: boolean },
): Promise<boolean> {
  if (state === undefined) return true;
  const at = now();
  if (!isDue(state, at)) return false;
  if (isDaily || head > state.position) return true;
  const refused = await store.refusedEvents(state.name);
  return refused.some(({ parkedAt, nextTryAt }) => parkedAt === null && nextTryAt <= at);
}
