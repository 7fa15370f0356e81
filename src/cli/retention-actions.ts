import { RETENTION, type Retention } from '../channels/http/operations/audit-operations.ts';
import { counted, isoOrNull, minuteOf } from '../domain/display.ts';
import type { Session } from './session.ts';

/** `payouts retention`: reads the store and boots nothing. */
export async function retention(session: Session, { days }: { days?: number }): Promise<void> {
  const found = await session.ask(RETENTION, { days });
  const { before, erased, ...facts } = found;
  const document = {
    ...facts,
    before: found.days === null ? null : new Date(before).toISOString(),
    erased: { payouts: erased.payouts, lastAt: isoOrNull(erased.lastAt) },
  };
  session.output.result({ retention: document }, textOf(found, days !== undefined).join('\n'));
}

function textOf({ days, before, due, open, kept, erased }: Retention, isAsked: boolean): string[] {
  const erasedText =
    erased.lastAt === null
      ? 'Nothing has been erased.'
      : `Erased: ${counted(erased.payouts, 'payout')}, the last at ${minuteOf(erased.lastAt)}.`;
  if (days === null) {
    const off =
      'Personal data is kept: PAYOUTS_RETENTION_DAYS is not set. payouts retention --days 400 shows what it would erase.';
    return [off, erasedText];
  }
  const reasons = Object.entries(kept);
  return [
    `${isAsked ? 'After' : 'Personal data is erased after'} ${counted(days, 'day')}: of what ended before ${minuteOf(before)}.`,
    `To be erased: ${counted(due.payouts, 'payout')}, ${counted(due.statements, 'statement')}, ${counted(due.payeeChecks, 'payee check')}.`,
    ...(open === 0 ? [] : [`Kept, not ended: ${counted(open, 'payout')}.`]),
    ...reasons.map(([why, count]) => `Kept, ${why}: ${counted(count, 'payout')}.`),
    erasedText,
  ];
}
