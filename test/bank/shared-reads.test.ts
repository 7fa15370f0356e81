import { describe, expect, it } from 'vitest';
import type { Bank } from '../../src/bank/bank.ts';
import { withSharedReads } from '../../src/bank/shared-reads.ts';

/** A bank whose accounts are answered when the test says so. */
function slowBank() {
  const calls: { id: string; answer: PromiseWithResolvers<{ account_id: string; balance: string }> }[] = [];
  const get = (id: string) => {
    const answer = Promise.withResolvers<{ account_id: string; balance: string }>();
    calls.push({ id, answer });
    return answer.promise;
  };
  const bank = { accounts: { get }, beneficiaries: { get } } as unknown as Bank;
  const balances = (...asked: Promise<{ balance: string }>[]) =>
    Promise.all(asked).then((all) => all.map(({ balance }) => balance));
  const answer = (call: number, balance: string) => calls[call]?.answer.resolve({ account_id: 'a', balance });
  return { bank: withSharedReads(bank), calls, answer, balances };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reads of one account', () => {
  it('that are asked for while it is read are the next one, which begins after all of them', async () => {
    const { bank, calls, answer, balances } = slowBank();
    const first = bank.accounts.get('a');
    const others = [bank.accounts.get('a'), bank.accounts.get('a')];
    expect(calls).toHaveLength(1);
    answer(0, '1');
    await turn();
    expect(calls).toHaveLength(2);
    const late = bank.accounts.get('a');
    answer(1, '2');
    await turn();
    answer(2, '3');
    expect(await balances(first, ...others, late)).toEqual(['1', '2', '2', '3']);
    expect(calls).toHaveLength(3);
  });

  it('are calls of their own for another account, with options, and when nobody is reading', async () => {
    const { bank, calls, answer } = slowBank();
    const { signal } = new AbortController();
    void bank.accounts.get('a');
    void bank.accounts.get('b');
    void bank.accounts.get('a', { signal });
    expect(calls.map(({ id }) => id)).toEqual(['a', 'b', 'a']);
    answer(0, '1');
    await turn();
    void bank.accounts.get('a');
    expect(calls).toHaveLength(4);
  });

  it('do not fail with the one before', async () => {
    const { bank, calls, answer, balances } = slowBank();
    const first = expect(bank.accounts.get('a')).rejects.toThrow('lost');
    const second = bank.accounts.get('a');
    calls[0]?.answer.reject(new Error('lost'));
    await first;
    await turn();
    answer(1, '2');
    expect(await balances(second)).toEqual(['2']);
  });
});

it('a list of payees is read once for all who ask while it is read, for each question by itself', async () => {
  const asked: { query: unknown; answer: PromiseWithResolvers<{ beneficiaries: string[] }> }[] = [];
  const listAll = (query: unknown) => {
    const answer = Promise.withResolvers<{ beneficiaries: string[] }>();
    asked.push({ query, answer });
    return answer.promise;
  };
  const { beneficiaries } = withSharedReads({ accounts: {}, beneficiaries: { listAll } } as unknown as Bank);
  const usd = { uid: 'u', currency: 'USD' };
  const first = beneficiaries.listAll(usd);
  const others = [beneficiaries.listAll({ ...usd }), beneficiaries.listAll({ ...usd })];
  void beneficiaries.listAll({ uid: 'u', currency: 'EUR' });
  asked[0]?.answer.resolve({ beneficiaries: [] });
  await turn();
  asked[2]?.answer.resolve({ beneficiaries: ['added meanwhile'] });
  expect(await first).toEqual({ beneficiaries: [] });
  expect(await Promise.all(others)).toEqual(Array(2).fill({ beneficiaries: ['added meanwhile'] }));
  expect(asked.map(({ query }) => query)).toEqual([usd, { uid: 'u', currency: 'EUR' }, usd]);
});
