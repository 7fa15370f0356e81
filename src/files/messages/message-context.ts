import type { CreditTransfer } from '../credit-transfer.ts';
import type { MessageMapping } from './mapping.ts';
import type { PayeeDirectory } from './payee-directory.ts';

/**
 * What bank messages lack and the bank's API requires: our accounts, and more about payees; also the days on which rules of
 * messages depend.
 */
export interface MessageContext {
  mapping: MessageMapping;
  payees: PayeeDirectory;
  /** First day on which addresses with only lines are refused, ISO 8601. */
  structuredAddressesFrom: string;
  /** UTC, ISO 8601. */
  today: string;
  /** Called for every transfer, with what is known of its payout. */
  seen?: (transfer: CreditTransfer, instruction: Readonly<Record<string, string>>) => void;
}
