import type { CreditTransfer } from '../credit-transfer.ts';
import type { MessageMapping } from './mapping.ts';
import type { PayeeDirectory } from './payee-directory.ts';

/**
 * What bank messages do not say and the bank's API asks for: our accounts, more about the payees; and the days that rules of
 * messages go by.
 */
export interface MessageContext {
  mapping: MessageMapping;
  payees: PayeeDirectory;
  /** The first day on which an address in lines alone is refused, ISO 8601. */
  structuredAddressesFrom: string;
  /** UTC, ISO 8601. */
  today: string;
  /** Told of every transfer, and of what is known of how it is paid. */
  seen?: (transfer: CreditTransfer, instruction: Readonly<Record<string, string>>) => void;
}
