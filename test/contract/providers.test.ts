import { describe } from 'vitest';
import { createBank } from '../../src/bank/client.ts';
import { cursorBank } from './cursor-bank/provider.ts';
import { startCursorBank } from './cursor-bank/server.ts';
import { providerContract } from './provider.contract.ts';
import { contractTarget } from './target.ts';

describe('the seam of a bank, shown by the client of the interface and the sandbox', () => {
  providerContract(async () => {
    const { baseUrl, key: apiKey, secret: apiSecret, ...target } = await contractTarget({});
    const frozenAccountId = 'acc-u1001-gbp';
    await fetch(`${baseUrl}/__sandbox/accounts/${frozenAccountId}/freeze`, { method: 'POST' });
    const details = {
      account_name: 'Contract Payee',
      first_name: 'Contract',
      last_name: 'Payee',
      mobile: '+10000000000',
      region_country: 'US',
      aba_routing_code: '000000000',
      address_country: 'US',
      address_state: 'Sample State',
      address_city: 'Sample City',
      address_address1: '1 Sample Street',
    };
    return {
      ...target,
      bank: createBank({ baseUrl, apiKey, apiSecret }),
      frozenAccountId,
      paymentType: 'local',
      details,
    };
  });
});

describe('the seam of a bank, shown by one with other codes, words and times, and a cursor', () => {
  providerContract(async () => {
    const server = await startCursorBank();
    return {
      bank: cursorBank(server.url),
      uid: 'o-1',
      accountId: 'pot-1',
      frozenAccountId: 'pot-3',
      paymentType: 'wire',
      details: { holder: 'Contract Payee' },
      until: async (read) => {
        for (let reads = 0; reads < 5; reads += 1) {
          const seen = await read();
          if (seen !== undefined) return seen;
        }
        throw new Error('nothing was seen');
      },
      close: () => server.close(),
    };
  });
});
