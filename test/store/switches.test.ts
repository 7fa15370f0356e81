import { expect, it } from 'vitest';
import type { SwitchScope } from '../../src/domain/switch-scope.ts';
import type { SwitchFacts } from '../../src/domain/switches.ts';
import type { SwitchRecord } from '../../src/store/store.ts';
import { batchClaim, claimRow } from './samples.ts';
import { onEveryStore } from './stores.ts';

const switched = (scope: SwitchScope, key = '', at = 1_000): SwitchRecord => ({
  scope,
  key,
  reason: 'fraud suspected',
  by: 'alice',
  at,
});

const { reference } = claimRow(1, 'a');
const touched: SwitchFacts = {
  reference,
  uid: 'user-1',
  accounts: ['acc-1', 'acc-2'],
  currencies: ['USD', 'EUR'],
  payees: ['ben-1'],
};

onEveryStore('Switches', (test) => {
  it('are off once, with who and why, and leave an audit entry each time that something changes', async () => {
    const store = await test.open();
    expect(await store.switchOff(switched('currency', 'EUR'))).toBe(true);
    expect(await store.switchOff({ ...switched('currency', 'EUR', 2_000), by: 'bob' })).toBe(false);
    expect(await store.switchOff(switched('everything', '', 3_000))).toBe(true);
    expect(await store.switches()).toEqual([switched('currency', 'EUR'), switched('everything', '', 3_000)]);
    expect(await store.switchOn({ ...switched('currency', 'EUR', 4_000), by: 'bob', reason: 'cleared' })).toBe(true);
    expect(await store.switchOn(switched('currency', 'EUR'))).toBe(false);
    expect(await store.switches()).toEqual([switched('everything', '', 3_000)]);
    expect(await store.auditEntriesOf('currency EUR')).toEqual([
      {
        at: 1_000,
        actor: 'alice',
        action: 'switch off',
        subject: 'currency EUR',
        detail: { reason: 'fraud suspected' },
      },
      { at: 4_000, actor: 'bob', action: 'switch on', subject: 'currency EUR', detail: { reason: 'cleared' } },
    ]);
    expect(await store.auditEntriesOf('everything')).toHaveLength(1);
  });

  it.each([
    ['everything', ''],
    ['uid', 'user-1'],
    ['account', 'acc-1'],
    ['account', 'acc-2'],
    ['currency', 'EUR'],
    ['payee', 'ben-1'],
    ['batch', 'b-1'],
  ] as const)('of scope %s stop what touches them: %s', async (scope, key) => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b-1', ['a']));
    await store.switchOff(switched(scope, 'another'));
    expect(await store.matchingSwitch(touched)).toBeUndefined();
    await store.switchOff(switched(scope, key));
    expect(await store.matchingSwitch(touched)).toBe(scope);
  });

  it('stop what has no payee and no batch yet', async () => {
    const store = await test.open();
    await store.switchOff(switched('payee', 'ben-1'));
    await store.switchOff(switched('batch', 'b-1'));
    const bare = { ...touched, reference: 'unknown', payees: [] };
    expect(await store.matchingSwitch(bare)).toBeUndefined();
    await store.switchOff(switched('uid', 'user-1'));
    expect(await store.matchingSwitch(bare)).toBe('uid');
  });

  it('name the widest scope of several', async () => {
    const store = await test.open();
    for (const [scope, key] of [
      ['payee', 'ben-1'],
      ['uid', 'user-1'],
      ['currency', 'USD'],
    ] as const)
      await store.switchOff(switched(scope, key));
    expect(await store.matchingSwitch(touched)).toBe('uid');
  });

  it('are joined by a paused batch, and by no other control', async () => {
    const store = await test.open();
    await store.claimBatch(batchClaim('b-1', ['a']));
    for (const control of ['draining', 'running'] as const) {
      await store.controlBatch({ batchId: 'b-1', control: control, by: 'alice', at: 1 });
      expect(await store.matchingSwitch(touched)).toBeUndefined();
    }
    await store.controlBatch({ batchId: 'b-1', control: 'paused', by: 'alice', at: 1 });
    expect(await store.matchingSwitch(touched)).toBe('batch');
  });

  it('keep rows from being released, and count them', async () => {
    const store = await test.open();
    const rows = [
      claimRow(1, 'a'),
      claimRow(2, 'b', { account_id: 'acc-2', currency: 'EUR' }),
      claimRow(3, 'c', { beneficiary_id: undefined, account_no: '1' }),
      claimRow(4, 'd', { beneficiary_id: 'ben-2' }),
    ];
    await store.claimBatch({ ...batchClaim('b-1', []), rows });
    const left = async (): Promise<string[]> => (await store.releasable('b-1', 10)).map(({ documentId }) => documentId);
    expect(await left()).toEqual(['a', 'b', 'c', 'd']);
    await store.switchOff(switched('payee', 'ben-2'));
    expect(await left()).toEqual(['a', 'b', 'c']);
    await store.switchOff(switched('currency', 'EUR'));
    expect(await left()).toEqual(['a', 'c']);
    await store.switchOff(switched('account', 'acc-1'));
    expect(await left()).toEqual([]);
    await store.switchOn(switched('account', 'acc-1'));
    await store.switchOff(switched('everything'));
    expect(await left()).toEqual([]);
    const counts = await Promise.all([
      store.openUnder({ scope: 'everything', key: '' }),
      store.openUnder({ scope: 'payee', key: 'ben-1' }),
      store.openUnder({ scope: 'account', key: 'acc-2' }),
      store.openUnder({ scope: 'batch', key: 'b-1' }),
      store.openUnder({ scope: 'uid', key: 'nobody' }),
    ]);
    expect(counts).toEqual([4, 2, 1, 4, 0]);
  });
});
