import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { DropFolder } from '../../src/folder/drop-folder.ts';
import { openTestDoor } from '../support/doors.ts';

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const MESSAGE = readFileSync(example('suppliers.pain.001.001.09.xml'), 'utf8');
const MESSAGE_ID = /<MsgId>([^<]+)/.exec(MESSAGE)?.[1] ?? '';
const env = {
  PAYOUTS_MESSAGE_MAPPING: example('mapping.json'),
  PAYOUTS_PAYEE_DIRECTORY: example('payees.csv'),
};

async function openFolder() {
  const door = await openTestDoor({ env });
  const dir = join(door.dir, 'drop');
  mkdirSync(join(dir, 'in'), { recursive: true });
  const parts = { store: door.store, door: async () => door, report: door.report, failed: () => {} };
  const watcher = await DropFolder.open(parts, { dir, invalid: 'stop' });
  return {
    door,
    watcher,
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
  const { door, watcher, drop, answers, read } = await openFolder();
  drop('suppliers.xml', MESSAGE);
  expect(await watcher.sweep()).toMatchObject({ taken: 1, open: 1 });
  expect(answers()).toEqual([`${MESSAGE_ID}.received.pain002.xml`, `${MESSAGE_ID}.validated.pain002.xml`]);
  const [batch] = await door.store.batches(1);
  await door.end(batch?.batchId ?? '');
  expect(await watcher.sweep()).toMatchObject({ ended: 1 });
  expect(answers()).toContain(`${MESSAGE_ID}.final.pain002.xml`);
  expect(read(`${MESSAGE_ID}.final.pain002.xml`)).toContain('<GrpSts>ACSC</GrpSts>');
});

it('one that is refused as a whole is answered too; what was answered before is not written over', async () => {
  const { door, watcher, drop, answers, read } = await openFolder();
  const broken = MESSAGE.replace(/<CtrlSum>[^<]+/, '<CtrlSum>1.00').replace(MESSAGE_ID, 'A/B');
  drop('broken.xml', broken);
  expect(await watcher.sweep()).toMatchObject({ refused: 1 });
  expect(answers()).toEqual(['A%2FB.refused.pain002.xml']);
  expect(read('A%2FB.refused.pain002.xml')).toMatch(/<OrgnlMsgId>A\/B<.*<GrpSts>RJCT<.*<Cd>AM10</s);
  drop('suppliers.xml', MESSAGE);
  await watcher.sweep();
  const [batch] = await door.store.batches(1);
  await door.end(batch?.batchId ?? '');
  await watcher.sweep();
  const before = answers().map(read);
  drop('again.xml', MESSAGE);
  expect(await watcher.sweep()).toMatchObject({ refused: 1 });
  expect(answers().map(read)).toEqual(before);
});
