import type { Bank } from '../api/bank.ts';
import { bankAt } from '../runtime/bank.ts';
import { startSandbox } from '../sandbox/server.ts';
import type { Session } from './session.ts';

/**
 * A bank to ask for required-details while a file is checked: the configured one, or a throw-away sandbox in memory, so
 * that checking a file boots nothing and changes nothing.
 */
export async function withValidationBank<T>(session: Session, use: (bank: Bank) => Promise<T>): Promise<T> {
  const { config } = session;
  if (config.bank.kind === 'remote') return use(session.bank({ apiUrl: config.bank.url }));
  const sandbox = await startSandbox({ file: ':memory:' });
  const bank = bankAt(config, sandbox.url);
  try {
    return await use(bank);
  } finally {
    await bank.close();
    await sandbox.close();
  }
}
