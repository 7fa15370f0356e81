import { SCENARIOS, type ScenarioName } from '../../../src/sandbox/acquirer/card.ts';
import type { SandboxOptions } from '../../../src/sandbox/start-sandbox.ts';
import { runningSandbox, type TestSandbox } from '../running-sandbox.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests assert the shapes they read
type Document = any;

export const SETTLE_MS = 700;
export const RETURN_URL = 'https://shop.example/return?order=7';

export const cardOf = (scenario: ScenarioName, changes: Record<string, unknown> = {}) => ({
  number: SCENARIOS[scenario].number,
  expiry_month: '12',
  expiry_year: '2030',
  cvv: '737',
  holder_name: 'Sample Shopper',
  ...changes,
});

export interface CardCalls extends TestSandbox {
  /** Starts a session for 25.00 EUR and returns the answer. */
  setUp(scenario: ScenarioName, changes?: Record<string, unknown>): Promise<Document>;
  /** Creates a payment over 25.00 EUR, with a session when `referenceId` names one. */
  create(scenario: ScenarioName, changes?: Record<string, unknown>, referenceId?: string): Promise<Document>;
  resume(payment: Document, referenceId: string, changes?: Record<string, unknown>): Promise<Document>;
  retrieve(paymentId: string): Promise<Document>;
  /** A payment that waits for its challenge, and its session. */
  challenged(scenario?: ScenarioName): Promise<{ payment: Document; referenceId: string }>;
  /** Presses a button of the verify page; the answer is not followed. */
  answerChallenge(payment: Document, outcome: string): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
}

let requests = 0;

export async function cardCalls(options: Partial<SandboxOptions> = {}): Promise<CardCalls> {
  const it = await runningSandbox(options);
  const post = (path: string, body: unknown) => it.bank.raw('POST', `/api/v1/acq/${path}`, { body });
  const calls: CardCalls = {
    ...it,
    post,
    setUp: async (scenario, changes = {}) =>
      (await post('3ds/setup', { amount: '25.00', currency: 'EUR', card: cardOf(scenario), ...changes })).json(),
    create: async (scenario, changes = {}, referenceId) =>
      (await post('payment', createBodyOf(scenario, changes, referenceId))).json(),
    resume: async (payment, referenceId, changes = {}) => {
      requests += 1;
      const body = {
        merchant_request_id: `resume-${requests}`,
        payment_type: 'DEBIT',
        amount: '25.00',
        currency: 'EUR',
        payment_id: payment.payment_id,
        reference_id: referenceId,
        three_ds_info: { reference_id: referenceId },
        ...changes,
      };
      return (await post('payment', body)).json();
    },
    retrieve: async (paymentId) => (await it.bank.raw('GET', `/api/v1/acq/payment/${paymentId}`)).json(),
    challenged: async (scenario = 'challenge') => {
      const { reference_id: referenceId } = await calls.setUp(scenario);
      return { payment: await calls.create(scenario, {}, referenceId), referenceId };
    },
    answerChallenge: (payment, outcome) =>
      fetch(payment.next_action.verify_url, {
        method: 'POST',
        body: new URLSearchParams({ outcome }),
        redirect: 'manual',
      }),
  };
  return calls;
}

export function createBodyOf(
  scenario: ScenarioName,
  changes: Record<string, unknown> = {},
  referenceId?: string,
): Record<string, unknown> {
  requests += 1;
  return {
    merchant_request_id: `intent-${requests}`,
    payment_type: 'DEBIT',
    amount: '25.00',
    currency: 'EUR',
    card: cardOf(scenario),
    ...(referenceId === undefined ? {} : { three_ds_info: { reference_id: referenceId } }),
    return_url: RETURN_URL,
    billing: { email: 'shopper@example.com', address: { line1: '1 Sample Street', postcode: '1000', country: 'DE' } },
    device_info: { ip: '127.0.0.1', language: 'en', screen_width: 1280, screen_height: 720, user_agent: 'test' },
    ...changes,
  };
}
