import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface Mail {
  to: string[];
  text: string;
}

/** As much of an SMTP server as a client needs to leave a mail. */
export class FakeMailServer implements AsyncDisposable {
  readonly mails: Mail[] = [];
  /** What it says to a mail: a line of SMTP. */
  verdict = '250 OK';
  /** Addresses that it does not take now. */
  readonly refused = new Set<string>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeMailServer> {
    const server = createServer();
    const fake = new FakeMailServer(server);
    server.on('connection', (socket) => fake.#serve(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #serve(socket: Socket): void {
    let mail: Mail = { to: [], text: '' };
    let inData = false;
    let rest = '';
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    say('220 fake');
    socket.on('data', (data) => {
      const lines = (rest + data.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (inData && line !== '.') mail.text += `${line}\n`;
        else if (inData) {
          inData = false;
          if (this.verdict.startsWith('2')) this.mails.push(mail);
          mail = { to: [], text: '' };
          say(this.verdict);
        } else if (/^RCPT/i.test(line)) {
          const to = /<(.*)>/.exec(line)?.[1] ?? '';
          if (!this.refused.has(to)) mail.to.push(to);
          say(this.refused.has(to) ? '451 later' : '250 OK');
        } else if (/^MAIL/i.test(line)) {
          mail = { to: [], text: '' };
          say('250 OK');
        } else if (/^DATA/i.test(line)) {
          inData = true;
          say('354 go on');
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
        else say('250 OK');
      }
    });
    socket.on('error', () => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
