import { z } from 'zod';
import { shownDigits } from './card.ts';

const session = z.object({ reference_id: z.string() }).optional().catch(undefined);
const text = z.string().optional().catch(undefined);

/** Members of a body that may be stored; all others are dropped. */
const kept = z.object({
  merchant_request_id: text,
  payment_type: text,
  amount: text,
  currency: text,
  payment_id: text,
  reference_id: text,
  three_ds_info: session,
  card: z
    .object({ number: z.string().regex(/^\d{12,19}$/) })
    .transform(({ number }) => shownDigits(number))
    .optional()
    .catch(undefined),
});

/** A card POST's body for the log: of the card only the first six and last four digits, nothing of its holder. */
export function withoutCard(body: string): string {
  try {
    return JSON.stringify(kept.parse(JSON.parse(body)));
  } catch {
    return '{}';
  }
}
