import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Particle } from '../../../src/files/iso20022/grammar.ts';
import { grammarOf } from '../../../src/files/pain001/pain001-grammar.ts';

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
  ['pain.001.001.04', 954, 'e2943621f2d01f514dcdf0c33ad50f4572851501798e152b279a7760b1df4d5f'],
  ['pain.001.001.05', 957, '1ea9df3f38332d6e7ef1ad2b5ed4f7622dfbe0f5643472a7ddce1d91d7c1d9c8'],
  ['pain.001.001.06', 1107, '41e251817a671003dd8bd1e32350161559ebea578a83323c62270092d837ac1d'],
  ['pain.001.001.07', 1136, '3941f1e5fb50607f6efd4a80742ef6d8583175f2b3c51196a2ee690f5e7f785f'],
  ['pain.001.001.08', 1138, '493652ab855c90d9ffac38c65ac34d5a77ab82ea9d409d5b37f343f325db9960'],
  ['pain.001.001.09', 1570, '6df7b97fcc5f7e1d286c43c165424529eea110bca059710bfe5734ea50fdfbc4'],
  ['pain.001.001.10', 1614, '13e2e3a0e02b744c1611d9c99e380c94dc776101f8c457863d5c6a89cacc61e9'],
  ['pain.001.001.11', 1614, '5ee0aa35b1007da6e41a85e2c403b903c32fa4881242f6f81c15c59eaab73b09'],
  ['pain.001.001.12', 1673, '9574f3391ff0035fc58ae25e7e04608c925f9ad524d4a7f767ce74a6b031b3b6'],
] as const)('%s has every place of the standard, in its order', (version, count, digest) => {
  const places = [...placesOf(grammarOf(version))];
  expect(places).toHaveLength(count);
  expect(createHash('sha256').update(places.join('\n')).digest('hex')).toBe(digest);
});
