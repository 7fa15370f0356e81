import { type CardEvent, type CardPaymentView, type CardState, endOfStatus } from './card-payment.ts';
import { decimalsEqual } from './money.ts';

interface Sum {
  amount: string;
  currency: string;
}

/** Of what the acquirer shows; null or absent: nothing. */
type ShownSum = { [Part in keyof Sum]: Sum[Part] | null | undefined };

/** What was asked for, and under which ids. */
interface CardExpectation extends Sum {
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
 * the first terminal status wins, and two that contradict each other decide nothing: people do. What a look or an event shows of
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
  for (const event of events.filter(isStatement)) say(event.paymentId, event.status);
  for (const look of looks) say(look.paymentId, look.status);
  for (const paymentId of expected.declined) say(paymentId, 'FAILED');

  // One that was declined before may have had another amount: what it took would be another matter.
  const counted = events.filter(
    (event) => isStatement(event) && (event.paymentId === expected.current || saysPaid(event)),
  );
  const conflict = [...looks, ...counted]
    .map((shown) => conflictOf(shown, expected))
    .find((found) => found !== undefined);
  const taken = [...terminal].filter(([, ends]) => ends.has('succeeded')).map(([paymentId]) => paymentId);
  if (taken.length > 1) return { conflict: 'status-contradicted', detail: `${taken.length} payments took money` };
  if ([...terminal.values()].some((ends) => ends.size > 1)) return { conflict: 'status-contradicted' };
  if (conflict !== undefined) return { conflict };
  const [paid] = taken;
  if (paid !== undefined) return { end: 'succeeded', paymentId: paid };
  const { current } = expected;
  return terminal.has(current) ? { end: 'failed', paymentId: current } : { open: true };
}

/** A verified word about a payment. */
const isStatement = ({ kind, trust }: CardEvent): boolean => kind === 'status' && trust === 'verified';

const saysPaid = ({ status }: CardEvent): boolean => endOfStatus(status) === 'succeeded';

/**
 * Whether a terminal status says something else than the end that is stored: money was taken where the end says none, or
 * another sum, or by another payment than the one it ended by; or none was where it says so.
 */
export function contradictsEnd(
  stored: { state: CardState; paymentId: string | null } & Sum,
  shown: Pick<CardPaymentView, 'paymentId' | 'status'> & Partial<ShownSum>,
): boolean {
  const paid = stored.state === 'succeeded' && stored.paymentId === shown.paymentId;
  const end = endOfStatus(shown.status);
  return end === 'succeeded' ? !paid || isAnotherSum(shown, stored) : end === 'failed' && paid;
}

/** What is shown of a payment that is not what was asked for. */
export function conflictOf(
  shown: Pick<CardPaymentView, 'merchantRequestId'> & Partial<ShownSum>,
  expected: Sum & Pick<CardExpectation, 'requestIds'>,
): CardConflict | undefined {
  const { merchantRequestId } = shown;
  if (merchantRequestId !== undefined && !expected.requestIds.includes(merchantRequestId)) return 'payment-conflict';
  return isAnotherSum(shown, expected) ? 'amount-conflict' : undefined;
}

const isAnotherSum = (shown: Partial<ShownSum>, { amount, currency }: Sum): boolean =>
  (shown.currency ?? currency) !== currency || !decimalsEqual(shown.amount ?? amount, amount);
