import { describe, expect, it } from 'vitest';
import { assertSends } from '../../../src/platform/config/bank.ts';
import { loadConfig } from '../../../src/platform/config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const BANK = { PAYOUTS_API_URL: 'https://bank.example.com', PAYOUTS_HOME: '/tmp/payouts-none' };
const OWN = { PAYOUTS_API_KEY: 'key', PAYOUTS_API_SECRET: 'secret' };
const READER = { ...BANK, PAYOUTS_BANK_READS_KEY: KEY, PAYOUTS_BANK_READS_FROM: 'worker-1:9564, [::1]:9565' };

describe('reads through workers', () => {
  it('need no key of the bank, and let the process send nothing', () => {
    const config = loadConfig(READER);
    expect(config.bank.relay?.hosts).toEqual(['worker-1:9564', '[::1]:9565']);
    expect(JSON.stringify(config)).not.toContain(KEY);
    expect(() => assertSends(config)).toThrow('PAYOUTS_BANK_READS_FROM: is set, but a worker sends');
  });

  it('are served where a worker is set to', () => {
    const { bank } = loadConfig({
      ...BANK,
      ...OWN,
      PAYOUTS_BANK_READS_KEY: KEY,
      PAYOUTS_BANK_READS_ADDRESS: '0.0.0.0:9564',
    });
    expect(bank).toMatchObject({ relay: undefined, relayAt: { host: '0.0.0.0', port: 9_564 } });
    expect(() => assertSends({ bank })).not.toThrow();
  });

  it.each([
    ['a key of the bank as well', { ...READER, ...OWN }, 'PAYOUTS_API_KEY: is set together with'],
    ['a secret of the bank as well', { ...READER, PAYOUTS_API_SECRET: 'secret' }, 'PAYOUTS_API_KEY: is set together'],
    ['no key', { ...READER, PAYOUTS_BANK_READS_KEY: '' }, 'PAYOUTS_BANK_READS_FROM: is set without a key'],
    [
      'no key to serve with',
      { ...BANK, ...OWN, PAYOUTS_BANK_READS_ADDRESS: '9564' },
      'PAYOUTS_BANK_READS_ADDRESS: is set without a key',
    ],
    ['a short key', { ...READER, PAYOUTS_BANK_READS_KEY: 'c2hvcnQ=' }, 'PAYOUTS_BANK_READS_KEY: is not 32 bytes'],
    [
      'a host without a port',
      { ...READER, PAYOUTS_BANK_READS_FROM: 'worker' },
      'PAYOUTS_BANK_READS_FROM: is not a list',
    ],
    ['an address', { ...READER, PAYOUTS_BANK_READS_FROM: 'http://worker:1' }, 'PAYOUTS_BANK_READS_FROM: is not a list'],
    ['neither', BANK, 'PAYOUTS_API_KEY: is the sandbox default'],
  ])('are refused with %s', (_what, env, message) => {
    expect(() => loadConfig(env)).toThrow(message);
  });
});
