import type { MessageMapping } from './mapping.ts';
import type { PayeeDirectory } from './payee-directory.ts';

/** What bank messages do not say and the bank's API asks for: our accounts, and more about the payees. */
export interface MessageContext {
  mapping: MessageMapping;
  payees: PayeeDirectory;
}
