import { type CardEvent, type CardPaymentView, type CardState, endOfStatus } from './card-payment.ts';
import { decimalsEqual } from './money.ts';

interface Sum {
  amount: string;
  currency: string;
}

/** A sum as the acquirer shows it; null or absent: not shown. */
type ShownText = string | null | undefined;
export type ShownSum = { [Part in keyof Sum]?: ShownText };

/** What was requested, and under which ids. */
interface CardExpectation extends Sum {
  /** Every merchant_request_id sent for this intent. */
  requestIds: readonly string[];
}

type CardConflict = 'amount-conflict' | 'payment-conflict' | 'status-contradicted';

type CardJudgement =
  | { end: 'succeeded' | 'failed'; paymentId: string }
  | { conflict: CardConflict; detail?: string }
  | { open: true };

/**
 * What queries (`looks`) and verified events together show. SUCCEEDED and FAILED are believed from either; two terminal statuses
 * that contradict each other decide nothing: people do. Amount and ids that a query or an event shows must be as requested; what
 * is not shown is not compared (interface section 2: fields not shown). An intent may have several payments (one declined for lack
 * of a 3DS setup is started again with one); only `current` can end it as failed.
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

  // An earlier declined payment may have had another amount, which matters only if it took money after all.
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

/** Whether an event is a verified statement about a payment's status. */
const isStatement = ({ kind, trust }: CardEvent): boolean => kind === 'status' && trust === 'verified';

const saysPaid = ({ status }: CardEvent): boolean => endOfStatus(status) === 'succeeded';

/**
 * What a status shown after the stored end says of it; undefined: nothing. It is contradicted if money was taken although the end
 * says none, or another sum, or by another payment than the stored one; or if none was taken, or it was given back
 * (`backStatuses`, in capitals), although the end says that it was.
 */
export function saysOfEnd(
  stored: { state: CardState; paymentId: string | null } & Sum,
  shown: Pick<CardPaymentView, 'paymentId' | 'status'> & ShownSum,
  backStatuses: readonly string[],
): 'confirms' | 'contradicts' | undefined {
  const paid = stored.state === 'succeeded' && stored.paymentId === shown.paymentId;
  const end = endOfStatus(shown.status);
  if (end === undefined) return paid && backStatuses.includes(shown.status.toUpperCase()) ? 'contradicts' : undefined;
  const contradicts = end === 'succeeded' ? !paid || isAnotherSum(shown, stored) : paid;
  return contradicts ? 'contradicts' : 'confirms';
}

/** How the payment shown conflicts with what was requested; undefined if it does not. */
export function conflictOf(
  shown: Pick<CardPaymentView, 'merchantRequestId'> & ShownSum,
  expected: Sum & Pick<CardExpectation, 'requestIds'>,
): CardConflict | undefined {
  const { merchantRequestId } = shown;
  if (merchantRequestId !== undefined && !expected.requestIds.includes(merchantRequestId)) return 'payment-conflict';
  return isAnotherSum(shown, expected) ? 'amount-conflict' : undefined;
}

const isAnotherSum = (shown: ShownSum, { amount, currency }: Sum): boolean =>
  (shown.currency ?? currency) !== currency || !decimalsEqual(shown.amount ?? amount, amount);

/**
 * What two events about one status say together: a part that they say differently is kept in both forms, so that it equals no
 * other. Undefined if the later one adds nothing.
 */
export function combinedSum(known: ShownSum, said: ShownSum): ShownSum | undefined {
  const amount = bothOf(known.amount, said.amount, decimalsEqual);
  const currency = bothOf(known.currency, said.currency, () => false);
  return amount === known.amount && currency === known.currency ? undefined : { amount, currency };
}

const BETWEEN = ' / ';

/** Two forms are enough for people to look, and keep the text short. */
function bothOf(known: ShownText, said: ShownText, equal: (a: string, b: string) => boolean): ShownText {
  if (said == null || known === said) return known;
  if (known == null) return said;
  return known.includes(BETWEEN) || equal(known, said) ? known : `${known}${BETWEEN}${said}`;
}
