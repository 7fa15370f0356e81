import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { OPEN } from '../http/route-access.ts';

const own = (name: string): string => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');

/** @simplewebauthn/browser, as shipped for pages without a build step. */
function webauthn(): string {
  const entry = createRequire(import.meta.url).resolve('@simplewebauthn/browser');
  return readFileSync(join(dirname(entry), '..', 'dist', 'bundle', 'index.umd.min.js'), 'utf8');
}

const SCRIPT = 'text/javascript; charset=utf-8';

export function assetRoutes(app: FastifyInstance): void {
  const assets: readonly [name: string, type: string, text: string][] = [
    ['pages.css', 'text/css; charset=utf-8', own('pages.css')],
    ['icon.svg', 'image/svg+xml', own('icon.svg')],
    ['forms.js', SCRIPT, own('forms.js')],
    ['live.js', SCRIPT, own('live.js')],
    ['webauthn.js', SCRIPT, webauthn()],
  ];
  // All people behind one address need them before they are known, and they cost nothing.
  const served = { config: { ...OPEN.config, rateLimit: false } } as const;
  for (const [name, type, text] of assets) {
    app.get(`/assets/${name}`, served, (_request, reply) => reply.type(type).send(text));
  }
}
