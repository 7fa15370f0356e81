import { type CardEvent, type CardPaymentView, type CardState, endOfStatus } from './card-payment.ts';
import { decimalsEqual } from './money.ts';

/** What was asked for, and under which ids. */
interface CardExpectation {
  amount: string;
  currency: string;
  /** Every merchant_request_id that was sent for this intent. */
  requestIds: readonly string[];
  /** Payments that were shown as failed and followed by another card: their word stands. */
  declined: readonly string[];
}

type CardConflict = 'amount-conflict' | 'payment-conflict' | 'status-contradicted';

type CardJudgement =
  | { end: 'succeeded' | 'failed'; paymentId: string }
  | { conflict: CardConflict; detail?: string }
  | { open: true };

/**
 * What a look and the verified events together say. SUCCEEDED and FAILED are believed from a verified event or from a look,
 * the first terminal status wins, and two that contradict each other decide nothing: people do. What the acquirer shows of
 * amount and id must be what was asked for; what it does not show is not compared (interface section 2: fields not shown).
 * Of several payments of one intent (a declined one begins again with a set-up, or with another card) only `current` can end
 * it as failed.
 */
export function judgeCard(
  events: readonly CardEvent[],
  looks: readonly CardPaymentView[],
  expected: CardExpectation & { current: string },
): CardJudgement {
  const terminal = new Map<string, Set<'succeeded' | 'failed'>>();
  const say = (paymentId: string, status: string): void => {
    const end = endOfStatus(status);
    if (end === undefined) return;
    terminal.set(paymentId, (terminal.get(paymentId) ?? new Set()).add(end));
  };
  for (const event of events) {
    if (event.kind === 'status' && event.trust === 'verified') say(event.paymentId, event.status);
  }
  for (const look of looks) say(look.paymentId, look.status);
  for (const paymentId of expected.declined) say(paymentId, 'FAILED');

  const conflict = looks.map((look) => conflictOf(look, expected)).find((found) => found !== undefined);
  const taken = [...terminal].filter(([, ends]) => ends.has('succeeded')).map(([paymentId]) => paymentId);
  if (taken.length > 1) return { conflict: 'status-contradicted', detail: `${taken.length} payments took money` };
  if ([...terminal.values()].some((ends) => ends.size > 1)) return { conflict: 'status-contradicted' };
  if (conflict !== undefined) return { conflict };
  const [paid] = taken;
  if (paid !== undefined) return { end: 'succeeded', paymentId: paid };
  const { current } = expected;
  return terminal.has(current) ? { end: 'failed', paymentId: current } : { open: true };
}

/**
 * Whether a terminal status says something else than the end that is stored: money was taken where the end says none, or by
 * another payment than the one it ended by; or none was where it says so.
 */
export function contradictsEnd(
  stored: { state: CardState; paymentId: string | null },
  { paymentId, status }: Pick<CardPaymentView, 'paymentId' | 'status'>,
): boolean {
  const paid = stored.state === 'succeeded' && stored.paymentId === paymentId;
  const end = endOfStatus(status);
  return end === 'succeeded' ? !paid : end === 'failed' && paid;
}

/** What is shown of a payment that is not what was asked for. */
export function conflictOf(
  look: CardPaymentView,
  { amount, currency, requestIds }: Pick<CardExpectation, 'amount' | 'currency' | 'requestIds'>,
): CardConflict | undefined {
  if (look.merchantRequestId !== undefined && !requestIds.includes(look.merchantRequestId)) return 'payment-conflict';
  if (look.currency !== undefined && look.currency !== currency) return 'amount-conflict';
  if (look.amount !== undefined && !decimalsEqual(look.amount, amount)) return 'amount-conflict';
  return undefined;
}
