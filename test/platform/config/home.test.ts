import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/platform/config.ts';

const BANK = { PAYOUTS_API_URL: 'https://bank.example', PAYOUTS_API_KEY: 'k', PAYOUTS_API_SECRET: 's' };
const homeOf = (env: Record<string, string>) => loadConfig({ HOME: '/u', ...env }).home;

describe('the home', () => {
  it('is in the working directory with the sandbox', () => {
    const { home, homeHere, storeUrl } = loadConfig({ HOME: '/u' });
    expect(home).toBe(resolve('.payouts'));
    expect(homeHere).toBeUndefined();
    expect(storeUrl.reveal()).toBe(`file:${resolve('.payouts', 'store.sqlite')}`);
  });

  it('is one per user and bank with a bank, wherever the command runs', () => {
    const { home, homeHere } = loadConfig({ HOME: '/u', ...BANK });
    expect(home).toMatch(/^\/u\/\.local\/share\/durable-payouts\/bank\.example-[0-9a-f]{8}$/);
    expect(homeHere).toBe(resolve('.payouts'));
    expect(homeOf({ ...BANK, XDG_DATA_HOME: '/data' })).toBe(
      join('/data/durable-payouts', home.split('/').at(-1) ?? ''),
    );
    expect(homeOf({ ...BANK, XDG_DATA_HOME: 'not/absolute' })).toBe(home);
  });

  it('differs between banks, and not between keys of one', () => {
    const home = homeOf(BANK);
    expect(homeOf({ ...BANK, PAYOUTS_API_KEY: 'rotated', PAYOUTS_API_SECRET: 'too' })).toBe(home);
    expect(homeOf({ ...BANK, PAYOUTS_API_URL: 'https://bank.example/test' })).not.toBe(home);
    expect(homeOf({ ...BANK, PAYOUTS_API_URL: 'http://[::1]:8080' })).toMatch(/\/-{3}1--8080-[0-9a-f]{8}$/);
  });

  it('is the given one', () => {
    expect(loadConfig({ ...BANK, PAYOUTS_HOME: 'mine' })).toMatchObject({ home: resolve('mine'), homeHere: undefined });
  });

  it('is not where the machine notes how far a store is', () => {
    expect(loadConfig({ HOME: '/u' }).witnessFolder).toBe('/u/.local/state/durable-payouts');
    expect(loadConfig({ HOME: '/u', XDG_STATE_HOME: '/state' }).witnessFolder).toBe('/state/durable-payouts');
  });
});
