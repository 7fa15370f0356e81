import { inspect } from 'node:util';
import type { CreateRequest, ResumeRequest, SetUpRequest } from '../../../src/bank/cards/acquirer.ts';

/** Values that may be in a request body and nowhere else. */
export const CANARY = { number: '4111111111111111', cvv: '8437', holder_name: 'Zelda Quistgaard' };

const CARD = { ...CANARY, expiry_month: '07', expiry_year: '2031' };

export const SET_UP: SetUpRequest = { card: CARD, amount: '49.90', currency: 'EUR' };

export const CREATE: CreateRequest = {
  merchantRequestId: 'intent-1',
  paymentType: 'DEBIT',
  amount: '49.90',
  currency: 'EUR',
  card: CARD,
  referenceId: 'ref-1',
  returnUrl: 'https://shop.example/back?order=7',
  billing: { email: 'zelda@shop.example', line1: '1 Canary Row', city: 'Oslo', postcode: '0150', country: 'NO' },
  deviceInfo: { ip: '203.0.113.9', language: 'nb', screen_width: 1440, screen_height: 900, user_agent: 'Agent/1' },
};

export const RESUME: ResumeRequest = {
  merchantRequestId: 'intent-1-resume',
  paymentType: 'DEBIT',
  amount: '49.90',
  currency: 'EUR',
  paymentId: 'pay-1',
  referenceId: 'ref-1',
};

/** Everything of an error that a log, a history or a person could see, hidden members included. */
export function allOf(error: unknown): string {
  const stack = error instanceof Error ? `${error.message} ${error.stack}` : '';
  return `${stack} ${inspect(error, { depth: 20, showHidden: true })} ${JSON.stringify(error)}`;
}
