import type { Bank } from '../../src/bank/bank.ts';
import { createBank } from '../../src/bank/client.ts';
import type { Session } from '../../src/cli/session.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { fakeSession } from '../support/fake-session.ts';

/** What a command has told: its text for a terminal and its document. */
interface Told {
  text: string;
  document: unknown;
  said: string[];
}

/** A session of commands that ask the bank, over a sandbox in memory and nothing else. */
export interface BankSession {
  session: Session;
  bank: Bank;
  told: Told;
  close(): Promise<void>;
}

/** `remote`: the configuration names the bank, as it does in production. */
export async function openBankSession({ remote = false } = {}): Promise<BankSession> {
  const sandbox = await startSandbox({ file: ':memory:' });
  const config = loadConfig(remote ? { PAYOUTS_API_URL: sandbox.url } : {});
  const { key, secret, auth } = config.bank;
  const bank = createBank({ baseUrl: sandbox.url, apiKey: key.reveal(), apiSecret: secret.reveal(), auth });
  const told: Told = { text: '', document: undefined, said: [] };
  const say = (text: string): void => void told.said.push(text);
  const session = fakeSession({
    config,
    output: {
      json: false,
      result(document: unknown, text: string) {
        told.document = document;
        told.text = text;
      },
      say,
      tell: say,
      progress: say,
    },
    stack: async () => ({ apiUrl: sandbox.url }),
    store: async () => ({}),
    bank: () => bank,
  });
  return {
    session,
    bank,
    told,
    async close() {
      await bank.close();
      await sandbox.close();
    },
  };
}
