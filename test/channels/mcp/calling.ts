import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

/** What a tool has answered: its document, and whether it is a refusal. */
interface ToolAnswer {
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: documents are compared by what a test expects of them
  document: any;
  /** As an agent reads it. */
  text: string;
}

export interface McpCaller {
  client: Client;
  names(): Promise<string[]>;
  call(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>;
}

/** The official client; closed after the test. `mode`: which era of the protocol it speaks. */
export async function connected(transport: Transport, mode: 'legacy' | 'auto' = 'auto'): Promise<McpCaller> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: input });
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      const [, mark = '', json = '', end = ''] = text.split('\n');
      const isWhole = mark.startsWith('DATA-') && mark === end;
      return { isError, text, document: isWhole ? JSON.parse(json) : undefined };
    },
  };
}

export const overHttp = (url: string, token?: string, mode?: 'legacy' | 'auto'): Promise<McpCaller> =>
  connected(
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
    }),
    mode,
  );
