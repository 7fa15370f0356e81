import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CardVault } from '../../../src/bank/cards/vault.ts';
import { CVV, cardEntry, HOLDER, PAN } from './cards.ts';

const LIFE_MS = 900_000;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const newVault = (more: { entriesMax?: number; now?: () => number } = {}) =>
  new CardVault({ taskQueue: 'payouts-vault/v', lifeMs: LIFE_MS, ...more });

describe('a card in the vault', () => {
  it('is shown to the world as BIN, last four, and a handle that nobody can guess', () => {
    const vault = newVault();
    const handle = vault.put(cardEntry());
    expect(handle).toEqual({
      handle: expect.stringMatching(/^[\w-]{43}$/),
      vault: 'payouts-vault/v',
      bin: '401288',
      last_four: '1881',
      expires_at: 1_000 + LIFE_MS,
    });
    expect(vault.put(cardEntry()).handle).not.toBe(handle.handle);
  });

  it('is for one payment, as often as that one needs it', () => {
    const vault = newVault();
    const { handle } = vault.put(cardEntry());
    expect(vault.use(handle, 'order-1')).toEqual(cardEntry());
    expect(vault.use(handle, 'order-2')).toBeUndefined();
    expect(vault.use(handle, 'order-1')).toEqual(cardEntry());
    expect(vault.use('x'.repeat(43), 'order-1')).toBeUndefined();
  });

  it('is gone when it is forgotten, and forgetting it again does nothing', () => {
    const vault = newVault();
    const { handle } = vault.put(cardEntry());
    vault.forget(handle);
    vault.forget(handle);
    expect(vault.use(handle, 'order-1')).toBeUndefined();
  });

  it('is overwritten when its life ends, without anybody asking', () => {
    const kept = keptBytes();
    const vault = newVault();
    const { handle } = vault.put(cardEntry());
    expect(kept().toString()).toContain(PAN);
    vi.advanceTimersByTime(LIFE_MS - 1);
    expect(vault.use(handle, 'order-1')).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(kept().every((byte) => byte === 0)).toBe(true);
    expect(vault.use(handle, 'order-1')).toBeUndefined();
  });

  it('is gone after its life on a machine that slept through the timer', () => {
    let now = 1_000;
    const vault = newVault({ now: () => now });
    const { handle } = vault.put(cardEntry());
    now += LIFE_MS;
    expect(vault.use(handle, 'order-1')).toBeUndefined();
  });

  it.each([
    ['forgotten', (vault: CardVault, handle: string) => vault.forget(handle)],
    ['closed with the vault', (vault: CardVault) => vault.close()],
  ])('is overwritten when it is %s', (_how, end) => {
    const kept = keptBytes();
    const vault = newVault();
    end(vault, vault.put(cardEntry()).handle);
    expect(kept().length).toBeGreaterThan(100);
    expect(kept().every((byte) => byte === 0)).toBe(true);
  });
});

it('refuses more cards than it may keep, until one has gone', () => {
  const vault = newVault({ entriesMax: 2 });
  const first = vault.put(cardEntry());
  vault.put(cardEntry());
  expect(() => vault.put(cardEntry())).toThrow('No more cards can be kept at present.');
  vault.forget(first.handle);
  expect(vault.put(cardEntry()).last_four).toBe('1881');
});

it('keeps what a page will need when its card comes, and lets the oldest go for it', () => {
  const vault = newVault({ entriesMax: 2 });
  const form = { returnUrl: 'https://shop.example/back', billing: { country: 'AU' } };
  for (const id of ['order-1', 'order-2', 'order-2']) vault.keepForm(id, form);
  expect([vault.formOf('order-1'), vault.formOf('order-2')]).toEqual([form, form]);
  vault.keepForm('order-3', form);
  expect(['order-1', 'order-2', 'order-3'].map((id) => vault.formOf(id) !== undefined)).toEqual([false, true, true]);
});

it('shows nothing of a card, in any print-out', () => {
  const vault = newVault();
  vault.put(cardEntry());
  const shown = [
    inspect(vault, { depth: 9, showHidden: true }),
    JSON.stringify(vault),
    String(vault),
    JSON.stringify(structuredCloneOf(vault)),
  ].join('\n');
  expect(shown).not.toMatch(new RegExp(`${PAN}|${CVV}|${HOLDER}`));
  expect(shown).toContain('payouts-vault/v');
});

/** The last bytes that were kept. */
function keptBytes(): () => Buffer {
  const alloc = vi.spyOn(Buffer, 'alloc');
  return () => alloc.mock.results.at(-1)?.value as Buffer;
}

const structuredCloneOf = (vault: CardVault): unknown => structuredClone({ ...vault });
