import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandTree } from '../../../src/cli/completion/command-tree.ts';
import { fishCompletion } from '../../../src/cli/completion/fish.ts';
import { isInstalled, linesOf } from './shells.ts';
import { smallProgram } from './small-program.ts';

const script = fishCompletion('payouts', commandTree(smallProgram()));
const installed = isInstalled('fish');
const folder = mkdtempSync(join(tmpdir(), 'payouts-fish-'));
writeFileSync(join(folder, 'march.csv'), '');
afterAll(() => rmSync(folder, { recursive: true }));

/** What fish offers behind a line, each with its description behind a tab. */
const offered = (line: string): string[] =>
  linesOf('fish', ['--no-config', '-c', `${script}\ncomplete -C ${JSON.stringify(`payouts ${line}`)}`], folder);

it('the completion for fish names every command with what it does', () => {
  expect(script).toContain("-a 'run' -d 'pay a file, whoever\\'s it is'");
});

describe.skipIf(!installed)(
  `the completion in fish${installed ? '' : ' (not tried: fish is not installed here)'}`,
  () => {
    it.each([
      ['s', ['status\twhere it stands', 'switch\tstop things']],
      ['switch ', ['help\tdisplay help for command', 'list\twhat is off', 'off\tstop [it]: now']],
      ['template ', ['csv', 'json']],
      ['template csv ', []],
      ['run --invalid ', ['skip\trows: stop or skip', 'stop\trows: stop or skip']],
      ['run --timeout 9m m', ['march.csv']],
      ['run march.csv ', []],
      ['status ', []],
      ['run --ye', ['--yes\tdo not ask']],
    ])('offers after "%s": %j', (line, expected) => {
      expect(offered(line).sort()).toEqual(expected);
    });
  },
);
