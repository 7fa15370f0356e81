import { once } from 'node:events';
import { request } from 'node:http';
import type { Policy, Role, Scope } from '../../../src/domain/authority.ts';
import { ownPort } from '../../support/own-port.ts';
import { type SoftwarePasskey, softwarePasskey } from '../../support/software-passkey.ts';
import { openGateway, type RunningGateway } from '../http/running-gateway.ts';

/** People of a policy who sign with passkeys, on pages of this machine. */
export interface PagePeople {
  policy: Policy;
  passkeys: Record<string, SoftwarePasskey>;
  origin: string;
  port: number;
}

export type Roles = Role | `${Role} ${Role}`;
/** By name, what they are and within which scope. */
export type People = Readonly<Record<string, Roles | readonly [roles: Roles, scope: Scope]>>;

export async function pagePeople(given: People, more: Partial<Policy> = {}): Promise<PagePeople> {
  const port = await ownPort();
  const origin = `http://localhost:${port}`;
  const passkeys = Object.fromEntries(Object.keys(given).map((name) => [name, softwarePasskey()]));
  const policy: Policy = {
    hash: 'test',
    text: '',
    origin,
    people: Object.entries(given).map(([name, about]) => {
      const [roles, scope] = typeof about === 'string' ? [about, {}] : about;
      const credentials = [passkeys[name]?.credential ?? []].flat();
      return { name, roles: roles.split(' ') as Role[], scope, credentials, tokens: [] };
    }),
    approvals: [],
    approvalTtlMs: 3_600_000,
    limits: [],
    ...more,
  };
  return { policy, passkeys, origin, port };
}

export const openPages = ({ policy, port }: PagePeople): Promise<RunningGateway> => openGateway([], { policy, port });

export async function openPagesOf(
  given: People,
  more: Partial<Policy> = {},
): Promise<{ people: PagePeople; gateway: RunningGateway }> {
  const people = await pagePeople(given, more);
  return { people, gateway: await openPages(people) };
}

export interface Seen {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

/** A browser without JavaScript: it keeps cookies and says which page sends a form. */
export class Visit {
  readonly #origin: string;
  readonly #seen: string;
  readonly #cookies = new Map<string, string>();

  /** `seen`: the address that the browser knows the pages by, where a proxy is in front of them. */
  constructor(origin: string, seen: string = origin) {
    this.#origin = origin;
    this.#seen = seen;
  }

  /** Attributes as they were set, by name. */
  readonly cookiesSet: string[] = [];

  /** As they are sent. */
  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async send(
    path: string,
    { method = 'GET', body, headers = {} }: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ): Promise<Seen> {
    const sending = request(new URL(path, this.#origin), {
      method,
      headers: {
        host: new URL(this.#seen).host,
        cookie: this.cookies,
        ...(method === 'POST' && { origin: this.#seen }),
        ...headers,
      },
    });
    sending.end(body);
    const [answer] = await once(sending, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    for (const cookie of answer.headers['set-cookie'] ?? []) {
      this.cookiesSet.push(cookie);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return { status: answer.statusCode, text: Buffer.concat(chunks).toString('utf8'), headers: answer.headers };
  }

  /** Sends the first form of a page that goes to `action`, with its hidden fields. */
  async submit(
    page: string,
    action: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Seen> {
    const { text } = await this.send(page);
    const form = new RegExp(
      `<form[^>]*method="post"[^>]*action="${action.replace(/[?/]/g, '\\$&')}"[^>]*>(.*?)</form>`,
      's',
    ).exec(text)?.[1];
    if (form === undefined) throw new Error(`${page} has no form for ${action}:\n${text}`);
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)"(?: value="([^"]*)")?/g)];
    const given = { ...Object.fromEntries(hidden.map(([, name, value = '']) => [name, value])), ...fields };
    return this.send(action, {
      method: 'POST',
      body: new URLSearchParams(given).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  /** What the script of a page does: asks what is to be signed, has it signed, and sends the form again. */
  async sign(page: string, action: string, fields: Record<string, string>, passkey: SoftwarePasskey): Promise<Seen> {
    const asked = await this.submit(page, action, fields, { accept: 'application/json' });
    if (asked.status !== 200) return asked;
    const { options, statement } = JSON.parse(asked.text);
    const assertion = passkey.assert(options.challenge, { origin: this.#seen, rpId: options.rpId });
    const signed = JSON.stringify(statement === undefined ? assertion : { statement, assertion });
    return this.submit(page, action, { ...fields, signed });
  }

  signIn(passkey: SoftwarePasskey): Promise<Seen> {
    return this.sign('/sign-in', '/sign-in', {}, passkey);
  }
}

/** Somebody of the policy who has signed in. */
export async function signedIn({ origin, passkeys }: PagePeople, name: string): Promise<Visit> {
  const visit = new Visit(origin);
  const passkey = passkeys[name];
  if (passkey === undefined) throw new Error(`${name} has no passkey`);
  const answer = await visit.signIn(passkey);
  if (answer.status !== 303) throw new Error(`${name} was not signed in: ${answer.text}`);
  return visit;
}

/** What a browser sends for the form with a file. */
export async function submitFile(
  visit: Visit,
  name: string,
  text: string,
  { csrf, page = '/batches/new' }: { csrf?: string; page?: string } = {},
): Promise<Seen> {
  const token = csrf ?? /name="_csrf" value="([^"]*)"/.exec((await visit.send(page)).text)?.[1] ?? '';
  const boundary = 'form-boundary-of-a-test';
  const body = [
    `--${boundary}\r\ncontent-disposition: form-data; name="_csrf"\r\n\r\n${token}`,
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/csv\r\n\r\n${text}`,
    `--${boundary}--\r\n`,
  ].join('\r\n');
  return visit.send(page, {
    method: 'POST',
    body,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
}
