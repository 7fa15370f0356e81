import type { Config } from '../config.ts';
import { dueDate } from '../domain/business-days.ts';
import { loadMessageMapping } from '../formats/messages/mapping.ts';
import { loadPayeeDirectory } from '../formats/messages/payee-directory.ts';
import type { IntakeParts } from '../intake/intake.ts';
import type { Store } from '../store/store.ts';

/** Files that complete bank messages; given for one command they win over the configuration. */
export interface MessageFiles {
  mapping?: string;
  payees?: string;
}

/** What files are taken with, of a configuration. Reads the files that complete bank messages. */
export async function intakePartsOf(config: Config, store: Store, files: MessageFiles = {}): Promise<IntakeParts> {
  return {
    store,
    context: {
      mapping: await loadMessageMapping(files.mapping ?? config.messageMapping),
      payees: await loadPayeeDirectory(files.payees ?? config.payeeDirectory),
    },
    lookAlikeDays: config.lookAlikeDays,
    dueDate: (executeOn, currency) => dueDate(executeOn, currency, config.calendar),
    now: Date.now,
  };
}
