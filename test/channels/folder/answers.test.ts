import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { DropFolder } from '../../../src/channels/folder/drop-folder.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';

const example = (name: string): string => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
const MESSAGE = readFileSync(example('suppliers.pain.001.001.09.xml'), 'utf8');
const MESSAGE_ID = /<MsgId>([^<]+)/.exec(MESSAGE)?.[1] ?? '';
const env = {
  PAYOUTS_MESSAGE_MAPPING: example('mapping.json'),
  PAYOUTS_PAYEE_DIRECTORY: example('payees.csv'),
};

async function openFolder(given?: FaultProxy) {
  const proxy = given ?? (await openFaultProxy({ env }));
  const dir = join(proxy.dir, given === undefined ? 'drop' : 'another');
  const reports: string[] = [];
  mkdirSync(join(dir, 'in'), { recursive: true });
  const watcher = await DropFolder.open(proxy.app, { dir, invalid: 'stop' });
  return {
    proxy,
    watcher,
    reports,
    drop(name: string, text: string) {
      writeFileSync(join(dir, 'in', name), text);
      writeFileSync(join(dir, 'in', `${name}.done`), '');
    },
    answers: () =>
      readdirSync(join(dir, 'out'))
        .filter((name) => name.endsWith('.xml'))
        .sort(),
    read: (name: string) => readFileSync(join(dir, 'out', name), 'utf8'),
  };
}

it('a pain.001 is answered under its message id, stage by stage', async () => {
  const { proxy, watcher, drop, answers, read } = await openFolder();
  drop('suppliers.xml', MESSAGE);
  expect(await watcher.scan()).toMatchObject({ taken: 1, open: 1 });
  expect(answers()).toEqual([`${MESSAGE_ID}.received.pain002.xml`, `${MESSAGE_ID}.validated.pain002.xml`]);
  const [batch] = await proxy.store.batches(1);
  await proxy.end(batch?.batchId ?? '');
  expect(await watcher.scan()).toMatchObject({ ended: 1 });
  expect(answers()).toContain(`${MESSAGE_ID}.final.pain002.xml`);
  expect(read(`${MESSAGE_ID}.final.pain002.xml`)).toContain('<GrpSts>ACSC</GrpSts>');
});

it('each refused file of one message id keeps its answer, and the same file again has the same', async () => {
  const { watcher, drop, answers, read } = await openFolder();
  const wrong = MESSAGE.replace(/<CtrlSum>\d/, '<CtrlSum>9');
  const cut = MESSAGE.slice(0, -100);
  for (const [name, text] of [
    ['wrong.xml', wrong],
    ['cut.xml', cut],
    ['again.xml', wrong],
  ] as const) {
    drop(name, text);
    expect(await watcher.scan(0)).toMatchObject({ refused: 1 });
  }
  const [first = '', second = '', ...more] = answers();
  expect(more).toEqual([]);
  const named = [first, second].sort((a, b) => a.length - b.length);
  expect(named[0]).toBe(`${MESSAGE_ID}.refused.pain002.xml`);
  expect(named[1]).toMatch(/\.refused\.[0-9a-f-]{36}\.pain002\.xml$/);
  expect(read(named[0] ?? '')).toContain('wrong-control-sum');
  expect(read(named[1] ?? '')).toContain('not-well-formed');
});

it('what comes to light after the answer is answered beside it, once', async () => {
  const { proxy, watcher, drop, answers, read, reports } = await openFolder();
  drop('suppliers.xml', MESSAGE);
  await watcher.scan();
  const [batch] = await proxy.store.batches(1);
  const { batchId } = batch ?? { batchId: '' };
  await proxy.end(batchId);
  await watcher.scan();
  const [first] = await Array.fromAsync(proxy.store.rows(batchId));
  const before = read(`${MESSAGE_ID}.final.pain002.xml`);
  if (first === undefined) throw new Error('nothing was claimed');
  const { reference, instruction } = first;
  const { amount, currency } = instruction;
  await proxy.store.recordReturn({ reference, orderId: 'r-1', amount, currency, seenAt: 99_000 });
  await watcher.scan();
  expect(read(`${MESSAGE_ID}.final.2.pain002.xml`)).toMatch(/<TxSts>PDNG<\/TxSts>.*returned/);
  expect(read(`${MESSAGE_ID}.final.pain002.xml`)).toBe(before);
  const written = reports.length;
  await watcher.scan();
  expect(reports).toHaveLength(written);

  // A folder that has not answered it is left alone, and one that begins again finds everything reported.
  const elsewhere = await openFolder(proxy);
  await elsewhere.watcher.scan();
  expect(elsewhere.answers()).toEqual([]);
  expect(answers().filter((name) => name.includes('.final'))).toHaveLength(2);
});

it('one that is refused as a whole is answered too; what was answered before is not written over', async () => {
  const { proxy, watcher, drop, answers, read } = await openFolder();
  const broken = MESSAGE.replace(/<CtrlSum>[^<]+/, '<CtrlSum>1.00').replace(MESSAGE_ID, 'A/B');
  drop('broken.xml', broken);
  expect(await watcher.scan()).toMatchObject({ refused: 1 });
  expect(answers()).toEqual(['A%2FB.refused.pain002.xml']);
  expect(read('A%2FB.refused.pain002.xml')).toMatch(/<OrgnlMsgId>A\/B<.*<GrpSts>RJCT<.*<Cd>AM10</s);
  drop('suppliers.xml', MESSAGE);
  await watcher.scan();
  const [batch] = await proxy.store.batches(1);
  await proxy.end(batch?.batchId ?? '');
  await watcher.scan();
  const before = answers().map(read);
  drop('again.xml', MESSAGE);
  expect(await watcher.scan()).toMatchObject({ refused: 1 });
  expect(answers().map(read)).toEqual(before);
});
