import { pino } from 'pino';
import type { CardNotice } from '../../../src/bank/cards/acquirer.ts';
import { type ReceiverDeps, webhookReceiver } from '../../../src/bank/webhooks/receiver.ts';
import { createVerifier } from '../../../src/bank/webhooks/verifier.ts';
import { delivery, NOW, settings, standardHeaders } from './signing.ts';

/** A webhook's body with the sandbox's names. */
export function noticeBody(data: Record<string, unknown>, type = 'payment.succeeded'): Buffer {
  return Buffer.from(JSON.stringify({ type, timestamp: NOW, data }));
}

/** Reads the sandbox's names, as the client does by default. */
export function noticeOf(body: unknown): CardNotice | undefined {
  const { type, data = {} } = (body ?? {}) as { type?: string; data?: Record<string, string | undefined> };
  const { payment_id: paymentId, reference_id: referenceId } = data;
  if (paymentId === undefined && referenceId === undefined) return undefined;
  const kind = type === 'three_ds.completed' ? 'completion' : 'status';
  const { payment_status: status, merchant_request_id: merchantRequestId, amount, currency } = data;
  return { kind, paymentId, status, referenceId, merchantRequestId, amount, currency };
}

/** A receiver with a clock of its own; `take` sends a body signed as configured, or what it is given. */
export function openReceiver(parts: Pick<ReceiverDeps, 'cards'> & Partial<ReceiverDeps>) {
  const clock = { now: NOW };
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const receive = webhookReceiver({
    verifier: createVerifier(settings()),
    noticeOf,
    now: () => clock.now,
    log,
    ...parts,
  });
  const take = (body: Buffer, headers: Record<string, string> = standardHeaders({ body })) =>
    receive(delivery(headers, { body }));
  return { clock, lines, take };
}
