import { checksShown, type ShownCheck } from '../../activities/payee-checks.ts';
import { type ShownQuestion, shownQuestion } from '../../people/decisions/shown-question.ts';
import { approvedBy } from '../../people/decisions/verdict.ts';
import { payeeShown } from '../../reports/question-facts.ts';
import type { BookedExchange, PayoutRecord, ReturnRecord } from '../../store/store.ts';
import type { PagesGateway } from './sessions.ts';

/** A payout, what it asks, and what else a page shows of it. */
export interface PayoutShown extends ShownQuestion {
  approvedBy: readonly string[];
  payeeText: ReturnType<typeof payeeShown>;
  checks: readonly ShownCheck[];
  /** Undefined: no exchange was booked. */
  booked: BookedExchange | undefined;
  returns: readonly ReturnRecord[];
}

export async function payoutShown(gateway: PagesGateway, row: PayoutRecord): Promise<PayoutShown> {
  const { store } = gateway;
  const shown = await shownQuestion(gateway, row);
  const [booked] = await store.bookedExchangesOf([row.reference]);
  return {
    ...shown,
    approvedBy: await approvedBy(gateway, row, shown.asked),
    payeeText: payeeShown(shown),
    checks: await checksShown(store, row),
    booked,
    returns: await store.returnsOf([row.reference]),
  };
}
