import { bankAt } from '../compose/bank.ts';
import { Problem } from '../domain/problem.ts';
import { counted } from '../reports/display.ts';
import type { Store } from '../store/store.ts';
import type { Session } from './session.ts';
import { recentPayouts, shownReferences } from './shown-references.ts';

/**
 * While payouts are open, another URL, or a key that sees other accounts, is accepted only if the bank there shows an order of
 * ours under its reference. At another bank or customer, the absence of an order would prove nothing, and a payout could be paid
 * twice.
 */
export async function assertSameBank(session: Session, store: Store, accept: string): Promise<void> {
  const open = await store.openUnder({ scope: 'everything', key: '' });
  if (open === 0 || (await showsAnOrder(session, store))) return;
  const orders = session.config.bank.kind === 'sandbox' ? 'a sandbox cannot show them' : 'this one shows none of them';
  throw new Problem(
    'usage',
    'payouts-open',
    `${counted(open, 'payout has', 'payouts have')} not ended, and only the bank on record knows what was sent for them: ${orders}.`,
    { hint: `Let them end at the bank they were sent to. Then run payouts doctor --accept ${accept} again.` },
  );
}

async function showsAnOrder({ config }: Session, store: Store): Promise<boolean> {
  if (config.bank.kind === 'sandbox') return false;
  const bank = bankAt(config, config.bank.url);
  try {
    const shown = await shownReferences({ bank, store }, recentPayouts(config));
    // Order ids of two banks may coincide: an order counts only with our reference.
    return [...shown.keys()].some((form) => form !== 'absent' && form !== 'other');
  } finally {
    await bank.close();
  }
}
