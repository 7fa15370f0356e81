import type { CardEntry } from './card-vault.ts';

/**
 * An acquirer's answer may repeat what it was sent. `withoutCardData` returns the value without members that contain card data;
 * undefined if nothing is left.
 */
export function withoutCardData(value: unknown, entry: CardEntry): unknown {
  const held = cardDataIn(entry);
  const without = (it: unknown, key: string): unknown => {
    if (Array.isArray(it)) return it.map((item) => without(item, key)).filter((item) => item !== undefined);
    if (typeof it === 'object' && it !== null) {
      const kept = Object.entries(it).map(([name, member]): [string, unknown] => [name, without(member, name)]);
      return Object.fromEntries(kept.filter(([name, member]) => member !== undefined && !held(name)));
    }
    return held(`${key}=${String(it)}`) ? undefined : it;
  };
  return without(value, '');
}

/** Whether a text contains card data. A CVV is too short to be recognized unless its name precedes it. */
function cardDataIn({ card, billing }: CardEntry): (text: string) => boolean {
  const { number, cvv, holder_name: holderName } = card;
  const encoded = [0, 1, 2].map((offset) => base64Core(number, offset));
  const secrets = [holderName, billing?.email, billing?.line1].filter((it) => it !== undefined && it.length >= 5);
  const named =
    cvv === undefined ? undefined : new RegExp(`(cv[vcn2]\\d?|security.?code)["']?\\s*[:=]\\s*["']?${cvv}(?!\\d)`, 'i');
  return (text) => {
    const plain = decoded(text);
    const lower = plain.toLowerCase();
    return (
      plain.replace(/[\s-]/g, '').includes(number) ||
      encoded.some((core) => text.includes(core)) ||
      secrets.some((it) => it !== undefined && lower.includes(it.toLowerCase())) ||
      named?.test(plain) === true
    );
  };
}

/** The part of the number's base64 that does not depend on adjacent text, if it starts `offset` bytes after a group of three. */
function base64Core(number: string, offset: number): string {
  const text = Buffer.from(' '.repeat(offset) + number).toString('base64');
  return text.slice(offset === 0 ? 0 : 4, Math.floor((offset + number.length) / 3) * 4);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
