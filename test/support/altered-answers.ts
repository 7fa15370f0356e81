import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface AlteredAnswers extends AsyncDisposable {
  url: string;
}

/** A proxy before an acquirer, and alters the JSON that it answers with. */
export async function alterAnswers(
  target: string,
  alter: (method: string, answer: Record<string, unknown>) => Record<string, unknown>,
): Promise<AlteredAnswers> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    const { authorization = '' } = headers;
    const answer = await fetch(target + url, {
      method,
      headers: { 'content-type': 'application/json', ...(authorization === '' ? {} : { authorization }) },
      ...(method === 'POST' ? { body } : {}),
    });
    const altered = alter(method, (await answer.json()) as Record<string, unknown>);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(altered));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
