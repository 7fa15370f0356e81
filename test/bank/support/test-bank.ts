import { onTestFinished } from 'vitest';
import type { Bank } from '../../../src/bank/bank.ts';
import { type BankOptions, createBank } from '../../../src/bank/client.ts';
import type { PaymentBody } from '../../../src/bank/schemas/transactions.ts';
import { type Script, type ScriptedBank, scriptedBank } from './scripted-bank.ts';

export const API_KEY = 'key-"quoted"';
export const API_SECRET = 'secret-{key}-\\';

/** A clock that moves only when the client waits between attempts. */
export interface DrivenTime {
  now: number;
  waits: number[];
  clock: () => number;
  sleep: (ms: number) => Promise<void>;
}

export function drivenTime(): DrivenTime {
  const time: DrivenTime = {
    now: 1_000,
    waits: [],
    clock: () => time.now,
    sleep: async (ms) => {
      time.waits.push(ms);
      time.now += Math.max(ms, 1);
    },
  };
  return time;
}

/** A client with the product's own limits unless others are given, closed at the end of the scope. */
export function testBank(baseUrl: string, options: Partial<BankOptions> = {}): Bank & AsyncDisposable {
  const bank = createBank({ baseUrl, apiKey: API_KEY, apiSecret: API_SECRET, ...options });
  return Object.assign(bank, { [Symbol.asyncDispose]: () => bank.close() });
}

/** A client of a bank that answers with `script`, and with `tokens` when it is asked for one; both are gone after the test. */
export async function bankWith(
  script: Script,
  { tokens, ...options }: Partial<BankOptions> & { tokens?: Script } = {},
): Promise<{ bank: Bank; server: ScriptedBank }> {
  const server = await scriptedBank(script, tokens);
  const bank = testBank(server.baseUrl, options);
  onTestFinished(async () => {
    await bank.close();
    await server[Symbol.asyncDispose]();
  });
  return { bank, server };
}

/** The error a call fails with; a call that succeeds fails the test. */
export async function failureOf<E extends Error = Error>(call: Promise<unknown>): Promise<E> {
  const result = await call.then(
    () => new Error('the call succeeded'),
    (error: unknown) => error,
  );
  return result as E;
}

export const PAYMENT: PaymentBody = {
  uid: 'u-1',
  account_id: 'acc-usd',
  beneficiary_id: 'ben-1',
  reference: '6a0c6b2e-3f0e-5d6b-9c55-0a1b2c3d4e5f',
  amount: '1250.00',
  currency: 'USD',
};
