import type { Config } from '../../platform/config.ts';
import { loadMessageMapping } from '../messages/mapping.ts';
import type { MessageContext } from '../messages/message-context.ts';
import { loadPayeeDirectory } from '../messages/payee-directory.ts';

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
