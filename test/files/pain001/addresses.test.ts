import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pain001, read, type SampleTransaction } from './sample-message.ts';

/** Since November 2026: structured and hybrid addresses are taken, lines without a town and a country are not. */
const FILES = 200;
const COUNTRIES = ['FR', 'DE', 'GB', 'US', 'CH', 'SE', 'JP', 'BR', 'IN', 'ZA'] as const;

interface Address {
  street?: string;
  number?: string;
  poBox?: string;
  postcode?: string;
  town?: string;
  region?: string;
  country?: string;
  lines: readonly string[];
}

const word = fc.constantFrom('Sample', 'Rue', 'Ville', 'Straße 4', 'Piso 2, Puerta B', 'St. John’s', '〒 12');
const optional = (values: fc.Arbitrary<string>) => fc.option(values, { nil: undefined });
const address: fc.Arbitrary<Address> = fc.record({
  street: optional(word),
  number: optional(word),
  poBox: optional(word),
  postcode: optional(word),
  town: optional(fc.oneof(word, fc.constantFrom(' ', '\n'))),
  region: optional(word),
  country: optional(fc.constantFrom(...COUNTRIES)),
  lines: fc.array(word, { maxLength: 4 }),
});

const element = (name: string, value: string | undefined) => (value === undefined ? '' : `<${name}>${value}</${name}>`);

function transaction(
  version: '03' | '09',
  { street, number, poBox, postcode, town, region, country, lines }: Address,
): SampleTransaction {
  const parts = [
    element('StrtNm', street),
    element('BldgNb', number),
    version === '09' ? element('PstBx', poBox) : '',
    element('PstCd', postcode),
    element('TwnNm', town),
    element('CtrySubDvsn', region),
    element('Ctry', country),
    ...lines.map((line) => element('AdrLine', line)),
  ];
  return { creditor: `<Cdtr><Nm>Sample Metals</Nm><PstlAdr>${parts.join('')}</PstlAdr></Cdtr>` };
}

/** What a reader of the rule says of an address; the rules of the product are not asked. */
function verdict({ town = '', country, lines }: Address): string | undefined {
  if (lines.length === 0) return undefined;
  if (town.trim() === '' || country === undefined) return 'address-lines-only';
  return lines.length > 2 ? 'too-many-address-lines' : undefined;
}

describe('addresses of payees', () => {
  it(`in ${FILES} files: no hybrid one is refused, none in lines alone is taken`, async () => {
    const counted = { structured: 0, hybrid: 0, refused: 0 };
    const file = fc.array(address, { minLength: 1, maxLength: 8 });
    const property = fc.asyncProperty(fc.constantFrom('03', '09'), file, async (version, addresses) => {
      const transactions = addresses.map((each) => transaction(version, each));
      const { findings } = await read(pain001({ version, payments: [{ transactions }] }));
      const stops = findings.filter(({ rule }) => rule.includes('address'));
      expect(stops.map(({ row, rule }) => [row, rule])).toEqual(
        addresses.flatMap((each, index) => {
          const rule = verdict(each);
          return rule === undefined ? [] : [[index + 1, rule]];
        }),
      );
      for (const each of addresses) {
        if (verdict(each) !== undefined) counted.refused++;
        else counted[each.lines.length > 0 ? 'hybrid' : 'structured']++;
      }
    });
    await fc.assert(property, { numRuns: FILES });
    expect(Math.min(counted.structured, counted.hybrid, counted.refused)).toBeGreaterThan(0);
  });
});
