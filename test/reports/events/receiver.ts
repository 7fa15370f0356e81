import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudEvent } from '../../../src/reports/events/cloud-event.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  event: CloudEvent;
}

type Answer = number | { status: number; headers: Record<string, string> };

/** A receiver of webhooks on this machine, that answers as it is set and keeps what it took. */
export class Receiver implements AsyncDisposable {
  /** Every request, with any answer. */
  readonly asked: Received[] = [];
  readonly taken: Received[] = [];
  /** What it answers. */
  answer: (received: Received) => Answer | Promise<Answer> = () => 204;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request)).toString();
      const received = { path: request.url ?? '', headers: request.headers, body, event: JSON.parse(body) };
      receiver.asked.push(received);
      const answer = await receiver.answer(received);
      const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
      if (status < 300) receiver.taken.push(received);
      response.writeHead(status, headers).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hooks?of=payouts`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
