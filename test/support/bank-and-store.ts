import { onTestFinished } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { createBank } from '../../src/bank/client.ts';
import { SANDBOX_KEY, SANDBOX_SECRET, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import type { Store } from '../../src/store/store.ts';
import { openEmptyStore } from './empty-store.ts';

/** A bank of its own, which is a sandbox, and an empty store, for one test. */
export async function openBankAndStore(options: Partial<SandboxOptions> = {}): Promise<{ bank: Bank; store: Store }> {
  const sandbox = await startSandbox({ file: ':memory:', ...options });
  const bank = createBank({ baseUrl: sandbox.url, apiKey: SANDBOX_KEY, apiSecret: SANDBOX_SECRET });
  const store = await openEmptyStore();
  onTestFinished(async () => {
    await store.close();
    await bank.close();
    await sandbox.close();
  });
  return { bank, store };
}
