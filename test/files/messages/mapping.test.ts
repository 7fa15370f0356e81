import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ContextFileError, EMPTY_MAPPING, loadMessageMapping } from '../../../src/files/messages/mapping.ts';
import { folderOfFile } from '../../support/new-folder.ts';

const folder = folderOfFile();
async function load(content: unknown) {
  const path = join(folder, 'mapping.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return loadMessageMapping(path);
}

async function refusalOf(content: unknown): Promise<string> {
  const error = await load(content).catch((thrown: unknown) => thrown);
  if (!(error instanceof ContextFileError)) throw new Error('the mapping was taken');
  return error.message.replace(join(folder, 'mapping.json'), 'mapping.json');
}

const OURS = { uid: 'u-1', account_id: 'acc-1' };

describe('a mapping file', () => {
  it('may say anything or nothing', async () => {
    expect(await loadMessageMapping()).toBe(EMPTY_MAPPING);
    expect(await load({})).toEqual(EMPTY_MAPPING);
    expect(EMPTY_MAPPING).toMatchObject({ identity: 'end-to-end-id', paymentTypes: [] });
    expect([...EMPTY_MAPPING.clearingFields]).toEqual([
      ['USABA', 'aba_routing_code'],
      ['AUBSB', 'bsb'],
    ]);
  });

  it('is read with what editors leave, and typographic quotes are named', async () => {
    const written = JSON.stringify({ accounts: { DE00: OURS } }).replaceAll(',', ',\u00a0\r');
    const { accounts } = await load(`\ufeff${written}\r\x1a`);
    expect([...accounts]).toEqual([['DE00', OURS]]);
    expect(await refusalOf('{“accounts”: {}}')).toContain('found a typographic quote');
  });

  it('knows an account however it is written', async () => {
    const { accounts } = await load({
      accounts: { 'de00 sample 0001': OURS, ' 12 34 AB': { ...OURS, currency: 'EUR' } },
    });
    expect([...accounts]).toEqual([
      ['DE00SAMPLE0001', OURS],
      ['1234AB', { ...OURS, currency: 'EUR' }],
    ]);
  });

  it('adds to the clearing fields and may change them', async () => {
    const { clearingFields } = await load({ clearingFields: { GBDSC: 'sort_code', USABA: 'routing' } });
    expect(Object.fromEntries(clearingFields)).toEqual({ USABA: 'routing', AUBSB: 'bsb', GBDSC: 'sort_code' });
  });

  it.each<[string, unknown, RegExp]>([
    [
      'no JSON',
      '{\n "accounts": {"DE00CANARY1234": }\n}',
      /^mapping\.json: not valid JSON on line 2: expected a value/,
    ],
    ['JSON that ends', '{', /not valid JSON on line 1: /],
    ['JSON that goes on', '{}\n{}', /not valid JSON on line 2: expected the end/],
    [
      'a key twice',
      `{"accounts":{\n"DE00CANARY1234": ${JSON.stringify(OURS)},\n"DE00CANARY1234": {}}}`,
      /line 3: a key appears twice/,
    ],
    ['an unknown key', { acounts: {} }, /the file: .*"acounts"/],
    [
      'an account without uid',
      { accounts: { DE00CANARY1234: { account_id: 'a' } } },
      /accounts\["\*\*\*1234"\]\.uid: /,
    ],
    [
      'an account twice',
      { accounts: { DE00CANARY1234: OURS, 'de00 canary 1234': OURS } },
      /accounts\["\*\*\*1234"\] appears twice/,
    ],
    ['a rule without payment type', { paymentTypes: [{ currency: 'EUR' }] }, /paymentTypes\[0\]\.paymentType: /],
    ['a rule for no currency', { paymentTypes: [{ currency: 'eur', paymentType: 'local' }] }, /\.currency: not an ISO/],
    ['another identity', { identity: 'msg-id' }, /identity: /],
    ['an array', [], /the file: /],
  ])('is refused: %s', async (_, content, message) => {
    const refusal = await refusalOf(content);
    expect(refusal).toMatch(message);
    expect(refusal).not.toMatch(/canary/i);
  });

  it('with many wrong accounts is reported in ten of them', async () => {
    const accounts = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`a${n}`, { account_id: 'acc-1' }]));
    const refusal = await refusalOf({ accounts });
    expect(refusal.match(/\.uid: /g)).toHaveLength(10);
  });

  it('that is not there is refused', async () => {
    await expect(loadMessageMapping(join(folder, 'none.json'))).rejects.toThrow('none.json: does not exist');
  });
});
