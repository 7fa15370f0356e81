import { join } from 'node:path';
import type { CardVault } from '../../bank/cards/vault.ts';
import type { EventQueue, TakeWebhook } from '../../bank/webhooks/receiver.ts';
import { isLoopback } from '../../domain/loopback.ts';
import type { App } from '../../platform/app.ts';
import type { CodecSpace } from '../../platform/codec/codec-server.ts';
import type { Config } from '../../platform/config.ts';
import type { Notice } from '../../platform/open-bank.ts';
import type { ReadinessProbes } from '../../platform/telemetry/readiness.ts';
import type { Tracing } from '../../platform/telemetry/tracing.ts';
import { assertReachable } from '../../platform/temporal/connection.ts';
import { type Access, tokenSha256, tokensOf } from './callers.ts';

/** What the process of a gateway holds, with the cards in its memory and the webhooks it receives. */
export interface Gateway extends App {
  vault: CardVault;
  /** Events are stored before the answer and delivered after it. */
  webhooks: { take: TakeWebhook; queue: EventQueue };
  /** What keeps payouts from going on although this process is ready. */
  notices(): Promise<readonly Notice[]>;
  /** Absent: requests are no spans. */
  tracing?: Tracing | undefined;
  /** Called for every answer, for metrics; the route is a template. */
  answered?(answer: { method: string; route: string; status: number; ms: number }): void;
}

/** Each rejects while its part is unusable. */
export const probesOf = ({ store, client, stack, bank }: App): ReadinessProbes<'store' | 'temporal' | 'bank'> => ({
  store: () => store.identity(),
  temporal: () => assertReachable(client, stack),
  bank: () => bank.authenticate(),
});

/** The tokens of the policy or, without one, of the environment, as configured now. */
export function tokenAccess({ settings: { policy }, gateway }: Config): Access {
  if (policy === undefined) {
    const tokens = gateway.tokens.reveal().map(({ name, token }) => ({ name, sha256: tokenSha256(token) }));
    return { tokens, needsToken: false };
  }
  return { tokens: tokensOf(policy), needsToken: true, policy };
}

/** Folder for uploaded bodies. */
export const uploadsOf = ({ home }: Config): string => join(home, 'uploads');

/** Of the codec server. Undefined: payloads in Temporal are in clear text. `origins`: of the Temporal Web UI. */
export function codecOf({ config, stack, ui }: App): (CodecSpace & { origins: readonly string[] }) | undefined {
  const keys = config.codecKeys();
  return keys && { keys, namespace: stack.namespace, origins: namesOf(new URL(ui.url)) };
}

/** The browser's address bar may show either name for this machine. */
function namesOf({ origin, hostname, protocol, port }: URL): string[] {
  if (!isLoopback(hostname)) return [origin];
  return ['127.0.0.1', 'localhost'].map((name) => `${protocol}//${name}:${port}`);
}

/** The sandbox's own checkout page, to which cardholders return unless another address is named. */
export const checkoutUrlOf = ({ config, stack }: App): string | undefined =>
  config.bank.kind === 'sandbox' ? `${stack.apiUrl}/checkout` : undefined;

/** Origins whose pages may use a client secret. */
export function checkoutOriginsOf(app: App): string[] {
  const own = checkoutUrlOf(app);
  return [...app.config.cards.checkoutOrigins, ...(own === undefined ? [] : [new URL(own).origin])];
}
