import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Name } from './cast.ts';
import type { ForgeryWorld } from './world.ts';

const written = new Map<string, string>();

/** The file of somebody's private key. */
export function keyFile({ cast, dir }: ForgeryWorld, name: Name): string {
  const { privateKey } = cast[name];
  const known = written.get(privateKey);
  return known ?? keep(dir, privateKey, privateKey);
}

/** A file that is handed over as a key and is none. */
export const brokenKey = ({ dir }: ForgeryWorld, text: string): string =>
  written.get(text) ?? keep(dir, text, `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`);

function keep(dir: string, id: string, text: string): string {
  const file = join(dir, `${randomUUID()}.pem`);
  writeFileSync(file, text, { mode: 0o600 });
  written.set(id, file);
  return file;
}
