import { onTestFinished } from 'vitest';
import {
  type RunningSandbox,
  SANDBOX_KEY,
  SANDBOX_SECRET,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/start-sandbox.ts';
import { type BankCalls, bankCalls } from '../contract/bank-calls.ts';

export interface TestSandbox {
  sandbox: RunningSandbox;
  bank: BankCalls;
  /** A test-only route; throws unless it answers 200. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shapes they read
  proxy(method: string, path: string, body?: unknown): Promise<any>;
}

/** A fixed instant, so that no test depends on the day it runs. */
export const START = Date.UTC(2026, 0, 15, 9);

/** Tokens outlive every advance of the clock, unless a test is about them. */
const YEAR_SECONDS = 31_536_000;

/** A sandbox that is stopped until its clock is advanced; closed with the test. */
export async function runningSandbox(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox({
    file: ':memory:',
    now: () => START,
    tokenLifeSeconds: YEAR_SECONDS,
    ...options,
  });
  onTestFinished(() => sandbox.close());
  const bank = await bankCalls(sandbox.url, options.apiKey ?? SANDBOX_KEY, options.apiSecret ?? SANDBOX_SECRET);
  return {
    sandbox,
    bank,
    proxy: async (method, path, body) => {
      const response = await bank.raw(method, `/__sandbox${path}`, body === undefined ? {} : { body });
      if (response.status !== 200)
        throw new Error(`${method} ${path}: HTTP ${response.status} ${await response.text()}`);
      return response.json();
    },
  };
}

let references = 0;

/** A payment of u-1001 that the seed allows. */
export function paymentOf(changes: Record<string, unknown> = {}): Record<string, unknown> {
  references += 1;
  return {
    uid: 'u-1001',
    account_id: 'acc-u1001-usd',
    beneficiary_id: 'ben-u1001-usd-local',
    reference: `reference-${references}`,
    amount: '100.00',
    currency: 'USD',
    ...changes,
  };
}

export const PAYMENT = '/v1/banking/transactions/payment';

/** Places a payment and returns its order id. */
export async function pay(bank: BankCalls, changes: Record<string, unknown> = {}): Promise<string> {
  const { code, data } = await bank.call('POST', PAYMENT, { body: paymentOf(changes) });
  if (code !== 0) throw new Error(`the payment was refused with ${code}`);
  return data.order_id;
}

export const orderOf = async (bank: BankCalls, orderId: string) =>
  (await bank.call('GET', `/v1/banking/transactions/${orderId}`)).data;

export const accountOf = async (bank: BankCalls, accountId = 'acc-u1001-usd') =>
  (await bank.call('GET', `/v1/banking/accounts/${accountId}`)).data;
