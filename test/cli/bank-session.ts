import type { Bank } from '../../src/bank/bank.ts';
import { createBank } from '../../src/bank/client.ts';
import type { Session } from '../../src/cli/session.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { fakeSession } from '../support/fake-session.ts';

/** What a command has printed: its text for a terminal and its document. */
interface Printed {
  text: string;
  document: unknown;
  said: string[];
}

/** A session of commands that ask the bank, over a sandbox in memory and nothing else. */
export interface BankSession {
  session: Session;
  bank: Bank;
  printed: Printed;
  close(): Promise<void>;
}

/** `remote`: the configuration names the bank, as it does in production. */
export async function openBankSession({ remote = false } = {}): Promise<BankSession> {
  const sandbox = await startSandbox({ file: ':memory:' });
  const config = loadConfig(remote ? { PAYOUTS_API_URL: sandbox.url } : {});
  const { key, secret, auth } = config.bank;
  const bank = createBank({ baseUrl: sandbox.url, apiKey: key.reveal(), apiSecret: secret.reveal(), auth });
  const printed: Printed = { text: '', document: undefined, said: [] };
  const say = (text: string): void => void printed.said.push(text);
  const session = fakeSession({
    config,
    output: {
      json: false,
      result(document: unknown, text: string) {
        printed.document = document;
        printed.text = text;
      },
      say,
      notify: say,
      progress: say,
    },
    stack: async () => ({ apiUrl: sandbox.url }),
    store: async () => ({}),
    bank: () => bank,
  });
  return {
    session,
    bank,
    printed,
    async close() {
      await bank.close();
      await sandbox.close();
    },
  };
}
