import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sandbox } from '../../src/cli/processes.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { fakeSession } from '../support/fake-session.ts';

it('payouts sandbox says by which option another port is named if one is taken', async ({ onTestFinished }) => {
  const home = mkdtempSync(join(tmpdir(), 'sandbox-port-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const other = await startSandbox({ file: ':memory:' });
  onTestFinished(() => other.close());
  const session = fakeSession({ config: loadConfig({ PAYOUTS_HOME: home }) });
  const port = Number(new URL(other.url).port);
  await expect(sandbox(session, { port, host: '127.0.0.1', file: ':memory:' })).rejects.toMatchObject({
    code: 'stack-port-taken',
    hint: 'Free it, or name another by --port.',
  });
});
