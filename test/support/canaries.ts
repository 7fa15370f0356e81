import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCardNumber } from '../../src/domain/card-number.ts';
import { SCENARIOS, type ScenarioName } from '../../src/sandbox/acquirer/card.ts';

/** Made-up card data that must be found nowhere: unique, so that every hit is a leak. */
export interface Canary {
  number: string;
  cvv: string;
  holder: string;
  email: string;
  street: string;
}

/** A card of a scenario that no other test has; `seed` below ten million. */
export function canaryOf(scenario: ScenarioName, seed: number): Canary {
  const stem = SCENARIOS[scenario].number.slice(0, 8) + String(seed).padStart(7, '0');
  const number = Array.from({ length: 10 }, (_, digit) => `${stem}${digit}`).find(isCardNumber) ?? '';
  const word = `Kanarienvogel${seed}`;
  return {
    number,
    cvv: String(1_000 + (seed % 9_000)),
    holder: `Holder ${word}`,
    email: `${word}@example.com`,
    street: `${word} Street 1`,
  };
}

/** A text in every form in which something that was written by accident may lie in a file. */
export function formsOf(text: string): Map<string, Buffer> {
  const bytes = Buffer.from(text);
  const groups = text.match(/.{1,4}/g) ?? [];
  const forms = new Map<string, Buffer>([
    ['plain', bytes],
    ['with blanks', Buffer.from(groups.join(' '))],
    ['with dashes', Buffer.from(groups.join('-'))],
    ['hex', Buffer.from(bytes.toString('hex'))],
    ['HEX', Buffer.from(bytes.toString('hex').toUpperCase())],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['percent', Buffer.from([...bytes].map((byte) => `%${byte.toString(16)}`).join(''))],
    ['JSON escapes', Buffer.from([...text].map((it) => `\\u00${it.charCodeAt(0).toString(16)}`).join(''))],
  ]);
  for (const offset of [0, 1, 2]) {
    // What precedes it in the encoded text shifts its letters; the ones at the edges depend on the neighbours.
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    forms.set(`base64 ${offset}`, Buffer.from(encoded.slice(offset === 0 ? 0 : offset + 1, -1)));
  }
  return forms;
}

/** Bytes by the name of where they were found. */
export type Haystack = ReadonlyMap<string, Buffer>;

/** Where something of a canary is. A CVV alone is four digits of many: it counts beside its own name. */
export function leaksOf({ number, cvv, holder, email, street }: Canary, haystack: Haystack): string[] {
  const leaks: string[] = [];
  const words = [number, number.slice(0, 15), number.slice(6), holder, email, street];
  for (const [place, bytes] of haystack) {
    for (const word of words) {
      for (const [form, needle] of formsOf(word))
        if (bytes.includes(needle)) leaks.push(`${place}: ${form} of ${word}`);
    }
    const beside = new RegExp(`(?:cvv|cvc|security_?code)\\W{0,8}${cvv}`, 'i');
    if (beside.test(bytes.toString('latin1'))) leaks.push(`${place}: CVV`);
  }
  return leaks;
}

/** Every file below a folder. */
export function filesIn(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, readFileSync(path)];
    }),
  );
}

/** Environment and command line of a process, where the system shows them. */
export function processFiles(pid: number): Map<string, Buffer> {
  const shown = new Map<string, Buffer>();
  for (const name of ['environ', 'cmdline']) {
    try {
      shown.set(`${name} of ${pid}`, readFileSync(`/proc/${pid}/${name}`));
    } catch {
      // No such view on this system.
    }
  }
  return shown;
}
