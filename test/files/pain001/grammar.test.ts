import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Particle } from '../../../src/files/iso20022/grammar.ts';
import { GRAMMARS } from '../../../src/files/pain001/pain001-grammar.ts';

/** Every place of a message: its names from the root down, how often it may occur there, and what it holds. */
function* placesOf({ name, min, max, type }: Particle, above = ''): Generator<string> {
  const trail = `${above}/${name}`;
  yield `${trail} ${min}..${max} ${type.kind}`;
  if (type.kind === 'sequence' || type.kind === 'choice') {
    for (const child of type.particles) yield* placesOf(child, trail);
  }
}

// Number and digest of the same places as the schemas of ISO 20022 have them, in their order.
it.each([
  ['pain.001.001.03', 940, 'ec183d1055beeae6dfdf55cdf106024b76cc257f85411b2ae5ec0c6c771d7d1d'],
  ['pain.001.001.09', 1570, '6df7b97fcc5f7e1d286c43c165424529eea110bca059710bfe5734ea50fdfbc4'],
] as const)('%s has every place of the standard, in its order', (version, count, digest) => {
  const places = [...placesOf(GRAMMARS[version])];
  expect(places).toHaveLength(count);
  expect(createHash('sha256').update(places.join('\n')).digest('hex')).toBe(digest);
});
