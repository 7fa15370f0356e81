import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writtenAnswers } from '../../src/reports/status-report-files.ts';

it('are those of one batch in a folder, the latest last', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'written-answers-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const inOrder = ['received', 'validated', 'sent', 'final', 'final.2', 'final.10'].map(
    (it) => `b-1.${it}.pain002.xml`,
  );
  const others = ['b-10.final.pain002.xml', 'b-1.refused.pain002.xml', 'b-1.final.pain002.xml.tmp', 'b-1.csv'];
  for (const name of [...others, ...inOrder.toReversed()]) await writeFile(join(dir, name), '');
  expect(await writtenAnswers(dir, 'b-1')).toEqual(inOrder.map((name) => join(dir, name)));
});

it('are none where no report was written', async () => {
  expect(await writtenAnswers(join(tmpdir(), 'no-such-folder'), 'b-1')).toEqual([]);
});
