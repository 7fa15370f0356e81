import { setTimeout as timer } from 'node:timers/promises';
import { type CardState, isCardEnd } from '../domain/card-payment.ts';
import type { CardDocument } from '../gateway/card-documents.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { GatewayClient } from './gateway-client.ts';
import type { Output } from './output.ts';

const LOOK_EVERY_MS = 500;

/** Follows a card payment until it has an end or is with an operator; it needs no follower. */
export async function followCard(
  client: GatewayClient,
  id: string,
  { output, timeoutMs, interrupted }: { output: Output; timeoutMs: number | undefined; interrupted: AbortSignal },
): Promise<{ payment: CardDocument; end: 'settled' | 'time-out' | 'interrupted' }> {
  const until = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  let sentTo: string | undefined;
  for (;;) {
    const { card_payment: payment } = await client.get<{ card_payment: CardDocument }>(
      `/v1/card-payments/${encodeURIComponent(id)}`,
    );
    output.progress(`${id}  ${payment.state}`);
    const confirmAt = payment.next_action?.verify_url;
    if (confirmAt !== undefined && confirmAt !== sentTo) output.say(`The cardholder confirms at ${confirmAt}`);
    sentTo = confirmAt ?? sentTo;
    if (isSettledCard(payment.state)) return { payment, end: 'settled' };
    if (performance.now() >= until) return { payment, end: 'time-out' };
    await timer(LOOK_EVERY_MS, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return { payment, end: 'interrupted' };
  }
}

const isSettledCard = (state: CardState): boolean => isCardEnd(state) || state === 'needs-operator';

export function exitOfCard(state: CardState): ExitCode {
  if (state === 'succeeded') return EXIT.completed;
  return isSettledCard(state) ? EXIT.exceptions : EXIT.stillOpen;
}
