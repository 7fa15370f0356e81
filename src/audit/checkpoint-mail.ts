import type { SignedCheckpoint } from './checkpoint.ts';

/** A checkpoint as a mail (RFC 5322): the note is its text. */

export interface MailedCheckpoint {
  /** Of the file: the same checkpoint again is the same file. */
  name: string;
  text: string;
}

/** `at`: epoch ms. `to`: an address. */
export function checkpointMail({ origin, size, note }: SignedCheckpoint, to: string, at: number): MailedCheckpoint {
  const id = `${origin.replace(/[^\w-]+/g, '.')}.${size}`;
  const lines = [
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `From: ${to}`,
    `To: ${to}`,
    `Subject: Audit checkpoint ${size} of ${origin}`,
    `Message-ID: <${id}@durable-payouts.invalid>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    ...note.split('\n'),
  ];
  return { name: `${id}.eml`, text: lines.join('\r\n') };
}

/** The note of such a mail, whatever was put before its headers on the way. */
export function noteOfMail(mail: string): string {
  const [, ...body] = mail.replaceAll('\r\n', '\n').split('\n\n');
  return `${body.join('\n\n').trimEnd()}\n`;
}
