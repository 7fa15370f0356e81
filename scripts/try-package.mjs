/**
 * Tries the package as its users get it: packs it, installs it into an empty project under each Node it is for, and uses command,
 * types, client, sandbox, workflow bundle and codec there. Ends with 1 at the first thing that does not work.
 * `npm run try:package`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(fileURLToPath(import.meta.url), '..', '..');
/** The oldest of `engines`, and the one that the project runs under. */
const NODES = ['22.19.0', '24'];
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

const USES = `
import {
  createBank, EncryptionCodec, parseKeyRing, payoutWorkflowId, referenceOf, startSandbox, stateQuery, workflowBundle,
} from 'durable-payouts';
import { readFileSync } from 'node:fs';

const sandbox = await startSandbox({ file: ":memory:", seed: true });
const bank = createBank({ baseUrl: sandbox.url, apiKey: 'sandbox-key', apiSecret: 'sandbox-secret' });
const accounts = await bank.accounts.ofUser('u-1001');
if (accounts.length === 0) throw new Error('the sandbox shows no account');
await sandbox.close();

const codec = new EncryptionCodec(parseKeyRing(\`k1:\${Buffer.alloc(32, 7).toString('base64')}\`));
const place = { type: 'workflow', namespace: 'default', workflowId: payoutWorkflowId(referenceOf('u-1001', 'INV-1')) };
const payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"secret"') };
const [sealed] = await codec.encode([payload], place);
if (Buffer.from(sealed.data).includes('secret')) throw new Error('the codec has not encrypted');
const [opened] = await codec.decode([sealed], place);
if (Buffer.from(opened.data).toString() !== '"secret"') throw new Error('the codec does not decrypt');

const { codePath } = await workflowBundle();
if (!readFileSync(codePath, 'utf8').includes('payoutBatch')) throw new Error('no workflow bundle');
if (stateQuery.name !== 'state') throw new Error('no messages');
console.log('client, sandbox, codec and bundle work');
`;

const TYPED = `
import type { Client } from '@temporalio/client';
import {
  approveSignal, type DecideAnswer, decideUpdate, payoutWorkflowId, referenceOf, stateQuery, workflowBundle,
} from 'durable-payouts';

export const bundle = (): Promise<{ codePath: string }> => workflowBundle({ isEncrypted: true });

export async function approve(client: Client, uid: string, id: string): Promise<DecideAnswer> {
  const handle = client.workflow.getHandle(payoutWorkflowId(referenceOf(uid, id)));
  const { state, awaited } = await handle.query(stateQuery);
  if (state === 'held') await handle.signal(approveSignal, { by: 'bob' });
  return handle.executeUpdate(decideUpdate, {
    args: [{ decisionId: 'd-1', decision: 'approve', by: 'bob', digest: awaited?.digest }],
  });
}
`;

const home = mkdtempSync(join(tmpdir(), 'payouts-package-'));
const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: home, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });
const say = (line) => process.stdout.write(`${line}\n`);

try {
  const [{ filename, size }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', home], { cwd: ROOT }));
  say(`${filename}, ${Math.round(size / 1024)} kB`);
  for (const node of NODES) tryUnder(node, join(home, filename));
} finally {
  rmSync(home, { recursive: true, force: true });
}

function tryUnder(version, tarball) {
  const project = mkdtempSync(join(home, `node-${version}-`));
  const at = { cwd: project };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  run('npm', ['install', '--no-audit', '--no-fund', tarball, `node@${version}`], at);
  const bin = (name) => join(project, 'node_modules', '.bin', name);
  const payouts = (...args) => {
    const env = { ...process.env, PAYOUTS_HOME: join(project, 'home') };
    return run(bin('node'), [bin('payouts'), ...args], { ...at, env });
  };
  say(payouts('--version').trim());
  writeFileSync(join(project, 'uses.mjs'), USES);
  say(run(bin('node'), ['uses.mjs'], at).trim());
  writeFileSync(join(project, 'typed.ts'), TYPED);
  const strict = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
  run(process.execPath, [TSC, ...strict, 'typed.ts'], at);
  // Every declaration, for who leaves nothing out: what the SDK's own lack is not ours.
  const { stdout } = spawnSync(process.execPath, [TSC, ...strict, '--skipLibCheck', 'false', 'typed.ts'], at);
  const ours = `${stdout}`.split('\n').filter((line) => line.includes('durable-payouts/'));
  if (ours.length > 0) throw new Error(ours.join('\n'));
  say('types fit');
  const { state, counts } = JSON.parse(payouts('demo', '--json'));
  if (state !== 'completed' || counts.completed !== counts.total) throw new Error(`demo ended ${state}`);
  say(`demo: ${counts.completed} of ${counts.total} paid`);
  const { checks } = JSON.parse(payouts('doctor', '--json'));
  say(`doctor: ${checks.length} checks, none failed`);
}
