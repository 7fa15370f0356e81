import type { SignedCheckpoint } from './checkpoint.ts';

/**
 * A checkpoint as a mail (RFC 5322) whose text is the note, and the name of its file, which is always the same for it.
 *
 * @param to a mail address; `at`: epoch ms
 */
export function checkpointMail({ origin, size, note }: SignedCheckpoint, to: string, at: number) {
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

/** The note in the text of such a mail, whatever headers were added on the way. */
export function noteOfMail(mail: string): string {
  const [, ...body] = mail.replaceAll('\r\n', '\n').split('\n\n');
  return `${body.join('\n\n').trimEnd()}\n`;
}
