import { createTransport } from 'nodemailer';
import type { DeliveryOutcome } from '../domain/events-out.ts';
import type { Digest } from './digest.ts';

/** How long a step of the exchange with the mail server may take. */
const ANSWER_WITHIN_MS = 15_000;

export interface MailServer {
  /** `smtp://` or `smtps://`, with a name and a password where the server asks for them. */
  url: string;
  from: string;
  /** On another machine: the connection is encrypted before anything is said. */
  isRemote: boolean;
}

export interface MailTransport {
  /**
   * One mail to all addresses. Taken when the server has taken it for each of them; sent again, it goes to the others alone,
   * as far as this process knows. Never throws.
   */
  send(digest: Digest, addresses: readonly string[]): Promise<DeliveryOutcome>;
  close(): void;
}

export function mailTransport({ url, from, isRemote }: MailServer): MailTransport {
  const { hostname, port, protocol, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const transport = createTransport({
    host: hostname,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: isRemote && !secure,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: ANSWER_WITHIN_MS,
    greetingTimeout: ANSWER_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let partly = { id: '', taken: new Set<unknown>() };
  return {
    async send({ id, subject, text }, addresses) {
      if (partly.id !== id) partly = { id, taken: new Set() };
      const { taken } = partly;
      try {
        const { accepted, rejected } = await transport.sendMail({
          from,
          to: addresses.filter((address) => !taken.has(address)),
          subject,
          text,
          messageId: `<${id}@durable-payouts>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        // The promise is kept when one of them is taken.
        for (const address of accepted) taken.add(address);
        return rejected.length === 0 ? { kind: 'taken' } : { kind: 'unavailable', why: 'mail-partly-refused' };
      } catch (error) {
        return { kind: 'unavailable', why: whyOf(error) };
      }
    },
    close: () => transport.close(),
  };
}

/** The words of the server stay here: they can repeat an address. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return 'mail-refused';
  if ('responseCode' in error && typeof error.responseCode === 'number') return `smtp-${error.responseCode}`;
  if ('code' in error && typeof error.code === 'string') return `mail-${error.code.toLowerCase()}`;
  return 'mail-refused';
}
