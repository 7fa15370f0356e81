import { expect, it } from 'vitest';
import { because } from '../../../src/domain/reasons.ts';
import { batchClaim, claimRow, instruction } from '../samples.ts';
import { onEveryStore } from '../stores.ts';

onEveryStore('What people wrote', (test) => {
  it.each(['{"a_b":1}', '[1]', 'null', '"text"', '{'])('stays text where it looks like JSON: %s', async (text) => {
    const store = await test.open();
    const { key, ...switched } = { scope: 'uid', key: text, reason: text, by: text, at: 1 } as const;
    await store.switchOff({ ...switched, key });
    expect(await store.switches()).toEqual([{ ...switched, key }]);
    expect(await store.auditEntriesOf(`uid ${text}`)).toEqual([expect.objectContaining({ detail: { reason: text } })]);

    await store.claimBatch({ ...batchClaim('b1', []), file: text, rows: [claimRow(1, 'a', { purpose: text })] });
    await store.controlBatch({ batchId: 'b1', control: 'paused', by: 'alice', at: 1, reason: text });
    expect(await store.batch('b1')).toMatchObject({ file: text, controlReason: text });
    const [row] = await Array.fromAsync(store.rows('b1'));
    expect(row?.instruction).toEqual(instruction('a', { purpose: text }));

    const held = { caller: 'c', key: 'k', owner: 'o' };
    await store.takeKey({ ...held, requestSha256: 'x', batchId: 'b', at: 1, heldUntil: 9 });
    await store.answerKey(held, { status: 200, body: text });
    expect(await store.takeKey({ ...held, requestSha256: 'x', batchId: 'b', at: 2, heldUntil: 9 })).toEqual({
      outcome: 'answered',
      status: 200,
      body: text,
      batchId: 'b',
    });
  });

  it('keeps its names where it is JSON', async () => {
    const store = await test.open();
    const findings = [{ column: 'account_no', rule: 'a_b', message: '[1]' }];
    const refused = [{ row: 2, line: 3, instruction: { some_column: '{"c_d":2}', __proto: '[]' }, findings }];
    await store.claimBatch({ ...batchClaim('b1', ['a']), refused });
    expect(await Array.fromAsync(store.refusedRows('b1'))).toEqual(refused);
    const detail = { snake_case: '{"e_f":3}', camelCase: '[4]' };
    await store.audit({ at: 1, actor: 'a', action: 'b', subject: 'c', detail });
    expect(await store.auditEntriesOf('c')).toEqual([{ at: 1, actor: 'a', action: 'b', subject: 'c', detail }]);
    const { reference } = claimRow(1, 'a');
    await store.changePayout(reference, { state: 'held', reason: because('workflow-closed'), at: 2 });
    expect((await store.payout(reference))?.reason).toEqual(because('workflow-closed'));
    await store.changePayout(reference, { state: 'processing', reason: null, at: 3 });
    expect((await store.payout(reference))?.reason).toBeNull();
  });
});
