import type { BankClock } from '../../src/bank/bank-clock.ts';

/** For a bank that is never called. */
export const UNMEASURED_CLOCK: BankClock = { offset: () => undefined };
