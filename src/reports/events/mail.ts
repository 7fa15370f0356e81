import { createTransport } from 'nodemailer';
import type { DeliveryOutcome } from '../../domain/events-out.ts';
import type { MailServer } from '../../platform/config/events.ts';
import type { Digest } from './digest.ts';

/** For each step of the dialogue with the mail server. */
const ANSWER_WITHIN_MS = 15_000;

export interface MailTransport {
  /**
   * Sends one mail to all addresses. Taken once the server has accepted it for every one; sent again, it goes only to the
   * remaining ones, as far as this process knows. Never throws.
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
        // sendMail resolves if at least one address was accepted.
        for (const address of accepted) taken.add(address);
        return rejected.length === 0 ? { kind: 'taken' } : { kind: 'unavailable', why: 'mail-partly-refused' };
      } catch (error) {
        return { kind: 'unavailable', why: whyOf(error) };
      }
    },
    close: () => transport.close(),
  };
}

/** A code instead of the server's text, which can repeat an address. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return 'mail-refused';
  if ('responseCode' in error && typeof error.responseCode === 'number') return `smtp-${error.responseCode}`;
  if ('code' in error && typeof error.code === 'string') return `mail-${error.code.toLowerCase()}`;
  return 'mail-refused';
}
