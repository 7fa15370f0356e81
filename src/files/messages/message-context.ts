import type { Config } from '../../platform/config.ts';
import type { CreditTransfer } from '../credit-transfer.ts';
import { loadMessageMapping, type MessageMapping, type PaymentTypeRule } from './mapping.ts';
import { loadPayeeDirectory, type PayeeDirectory } from './payee-directory.ts';

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
  seen?: (
    transfer: CreditTransfer,
    instruction: Readonly<Record<string, string>>,
    rule: PaymentTypeRule | undefined,
  ) => void;
}

/** Files that complete bank messages. Those given to a command win over the configured ones. */
export interface MessageFiles {
  mapping?: string;
  payees?: string;
}

/** Reads the files that complete bank messages. `at`: when the message is taken, epoch ms. */
export async function messageContextOf(config: Config, files: MessageFiles, at: number): Promise<MessageContext> {
  return {
    mapping: await loadMessageMapping(files.mapping ?? config.messageMapping),
    payees: await loadPayeeDirectory(files.payees ?? config.payeeDirectory),
    structuredAddressesFrom: config.structuredAddressesFrom,
    today: new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length),
  };
}
