import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shapes they read
  body: any;
  path: string;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** Resolves when so many have come. */
  count(n: number): Promise<ReceivedWebhook[]>;
}

/**
 * A merchant's receiver on real HTTP; `statusOf` answers the nth webhook, counted from 1, and 0 is no answer. Each answer
 * names another place, which a sender must not follow.
 */
export async function webhookReceiver(statusOf: (nth: number) => number = () => 200): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let arrived = (): void => {};
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    received.push({ headers: request.headers, text, body: JSON.parse(text), path: request.url ?? '' });
    const status = statusOf(received.length);
    if (status !== 0) response.writeHead(status, { location: '/elsewhere' }).end();
    arrived();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    count: async (n) => {
      while (received.length < n) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      return received;
    },
  };
}
