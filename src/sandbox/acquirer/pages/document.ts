import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import escapeHtml from 'escape-html';
import type { Answer } from '../../http/answer.ts';

const STYLE = readFileSync(new URL('style.css', import.meta.url), 'utf8');

interface Page {
  title: string;
  /** HTML; foreign text must have passed through `escapeHtml`. */
  main: string;
  script?: string;
  /** Further directives of the content security policy, which otherwise allows only what the page itself needs. */
  policy?: readonly string[];
}

/** A complete page that loads nothing. */
export function htmlDocument(status: number, { title, main, script, policy = [] }: Page): Answer {
  const nonce = randomBytes(16).toString('base64');
  const directives = [
    `default-src 'none'`,
    `style-src 'nonce-${nonce}'`,
    ...(script === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    `img-src data:`,
    `base-uri 'none'`,
    ...policy,
  ];
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': directives.join('; '),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
${main}
</main>
${script === undefined ? '' : `<script nonce="${nonce}">${script}</script>\n`}</body>
</html>
`,
  };
}

/** `4000 0003 1000 0007` */
export const spaced = (number: string): string => number.replace(/(.{4})(?=.)/g, '$1 ');

export const notFoundPage = (): Answer =>
  htmlDocument(404, {
    title: 'Not found',
    main: '<h1>Not found</h1>\n<p>There is nothing at this address.</p>',
    policy: [`form-action 'none'`, `frame-ancestors 'none'`],
  });

/** Stands in for the device fingerprint: only that it was loaded is recorded. Any shop may frame it. */
export const fingerprintPage = (): Answer =>
  htmlDocument(200, {
    title: 'Device check',
    main: '<p>The device was checked.</p>',
    policy: [`form-action 'none'`],
  });
