import { z } from 'zod';
import { currencyCode, decimal, identifier, optionalDecimal, optionalTimestamp, spelled } from './wire.ts';

/** Account balance record (interface section 2). `balance` is available, `frozen` is held. */
export const accountBalance = z
  .object({
    updated_at: optionalTimestamp,
    uid: identifier,
    account_id: identifier,
    currency: currencyCode,
    balance: decimal,
    frozen: optionalDecimal,
  })
  .transform(spelled({ balance: 'currency', frozen: 'currency' }));
export type AccountBalance = z.infer<typeof accountBalance>;

export const accountBalances = z.array(accountBalance);
