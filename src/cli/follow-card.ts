import type { CardDocument } from '../channels/http/card-documents.ts';
import { type CardState, isCardEnd } from '../domain/card-payment.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { type FollowEnd, followUntil } from './follow-until.ts';
import type { GatewayClient } from './gateway-client.ts';
import type { Output } from './output.ts';

const LOOK_EVERY_MS = 500;

/** Follows a card payment until it has ended or waits for an operator. */
export async function followCard(
  client: GatewayClient,
  id: string,
  output: Output,
  timeoutMs: number | undefined,
): Promise<{ payment: CardDocument | undefined; end: FollowEnd }> {
  let payment: CardDocument | undefined;
  let sentTo: string | undefined;
  const isAtRest = async (): Promise<boolean> => {
    const shown = await client.get<{ card_payment: CardDocument }>(`/v1/card-payments/${encodeURIComponent(id)}`);
    payment = shown.card_payment;
    output.progress(`${id}  ${payment.state}`);
    const confirmAt = payment.next_action?.verify_url;
    if (confirmAt !== undefined && confirmAt !== sentTo) output.say(`The cardholder confirms at ${confirmAt}`);
    sentTo = confirmAt ?? sentTo;
    return isSettledCard(payment.state);
  };
  const end = await followUntil(isAtRest, { timeoutMs, everyMs: LOOK_EVERY_MS });
  return { payment, end };
}

const isSettledCard = (state: CardState): boolean => isCardEnd(state) || state === 'needs-operator';

export function exitOfCard(state: CardState): ExitCode {
  if (state === 'succeeded') return EXIT.completed;
  return isSettledCard(state) ? EXIT.exceptions : EXIT.stillOpen;
}
