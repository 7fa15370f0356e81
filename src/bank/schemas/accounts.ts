import { z } from 'zod';
import { currencyCode, decimal, identifier, optionalDecimal, optionalTimestamp, spelled } from './wire.ts';

/** Account balance record (interface section 2). `balance` is available, `frozen`, which decides nothing, is held. */
export const accountBalance = z
  .object({
    updated_at: optionalTimestamp.catch(undefined),
    uid: identifier,
    account_id: identifier,
    currency: currencyCode,
    balance: decimal,
    frozen: optionalDecimal.catch(undefined),
  })
  .transform(spelled({ balance: 'currency', frozen: 'currency' }));
/** `isStale`: made before it was asked for, so that it does not show what is there now. */
export type AccountBalance = z.infer<typeof accountBalance> & { isStale?: true };

export const accountBalances = z.array(accountBalance);
