import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { toolsFor } from '../../../src/channels/mcp/tools.ts';
import { policyWithTokens } from '../../channels/http/policy-with-tokens.ts';
import { openGateway } from '../../channels/http/running-gateway.ts';
import { connected, type McpCaller } from '../../channels/mcp/calling.ts';
import { batchClaim } from '../../store/samples.ts';
import { newFolder } from '../../support/new-folder.ts';

const COMMAND = fileURLToPath(new URL('../../../bin/payouts.mjs', import.meta.url));
/** As the policy of a gateway has it, and long enough for the settings of a command. */
const TOKEN = 'auditor-3f9c1e7a5b2d8046f1a9c3e7b5d20846';

/** The command as an agent starts it. */
const started = (url: string, env: Record<string, string>, mode: 'legacy' | 'auto'): Promise<McpCaller> =>
  connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [COMMAND, 'mcp'],
      env: { PAYOUTS_HOME: newFolder(), PAYOUTS_GATEWAY_URL: url, ...env },
      stderr: 'inherit',
    }),
    mode,
  );

it.each(['legacy', 'auto'] as const)('reads through a gateway as the owner of a token (%s)', async (mode) => {
  const gateway = await openGateway([], { policy: policyWithTokens([[TOKEN, ['auditor']]]) });
  await gateway.proxy.store.claimBatch(batchClaim('b-1', ['INV-1']));
  const env = { PAYOUTS_GATEWAY_TOKEN: `auditor:${TOKEN}`, PAYOUTS_MCP: 'propose' };
  const { names, call } = await started(gateway.url, env, mode);
  expect(await names()).toEqual(toolsFor({ proposes: true }).map(({ name }) => name));
  expect((await call('who_am_i')).document).toMatchObject({ person: { roles: ['auditor'] } });
  expect((await call('list_payouts')).document.payouts).toMatchObject([{ id: 'INV-1' }]);
  expect((await call('list_batches')).document.batches).toMatchObject([{ batchId: 'b-1' }]);
  const refused = await call('plan_file', { name: 'a.csv', content: 'id\n1\n' });
  expect(refused).toMatchObject({ isError: true, document: { error: { code: 'role-missing' } } });
  await expect(call('approve')).rejects.toThrow('not found');
});

it('says what is missing: a token, or a gateway that answers', async () => {
  const gateway = await openGateway([], { policy: policyWithTokens([[TOKEN, ['auditor']]]) });
  const without = await started(gateway.url, {}, 'auto');
  expect((await without.call('list_payouts')).document.error).toMatchObject({ code: 'token-refused' });
  expect(await without.names()).not.toContain('plan_file');
  await gateway.close();
  expect((await without.call('list_payouts')).document.error).toMatchObject({ code: 'gateway-unreachable' });
});
