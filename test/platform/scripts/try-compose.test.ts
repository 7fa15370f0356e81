import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { judge, profiles } from '../../../scripts/try-compose/drill.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('the trial of docker compose', () => {
  it('takes the commands of docs/configuration.md', () => {
    const [small, full] = profiles(read('docs/configuration.md'));
    expect(small.lines).toEqual([
      'sh ops/secrets.sh && sh ops/trial-policy.sh',
      'docker compose up --build --wait',
      'docker compose run --rm person run /examples/payouts.csv --yes --key /run/secrets/alice-key',
    ]);
    expect(full.lines).toEqual([
      'docker compose --profile full up --build --wait',
      'docker compose --profile full run --rm alice run /examples/payouts.csv --yes',
    ]);
    const { services } = parse(read('docker-compose.yml'), { merge: true });
    for (const { worker, temporal, name } of [small, full])
      for (const service of [worker, temporal]) expect(services[service].profiles).toEqual([name]);
  });

  const payouts = ['a', 'b'].map((id) => ({ id, reference: `ref-${id}` }));
  const orders = payouts.map(({ reference }) => ({ reference, type: 'PAYMENT', status: 'COMPLETED' }));
  const exchange = { reference: 'fx', type: 'FX', status: 'COMPLETED' };

  it('passes where each row was paid once, however many exchanges that took', () => {
    expect(() => judge(['b', 'a'], payouts, [...orders, exchange])).not.toThrow();
  });

  it.each([
    ['a row that is lost', ['a', 'b', 'c'], payouts, orders, 'completed rows: missing [c], too many []'],
    ['a row that is there twice', ['a', 'b'], [...payouts, ...payouts.slice(0, 1)], orders, 'too many [a]'],
    ['an order that is there twice', ['a', 'b'], payouts, [...orders, ...orders.slice(1)], 'too many [ref-b]'],
    ['an order that nobody asked for', ['a', 'b'], payouts, [...orders, { ...exchange, type: 'PAYMENT' }], 'many [fx]'],
    ['a row without an order', ['a', 'b'], payouts, orders.slice(1), 'missing [ref-a]'],
    ['an open order', ['a', 'b'], payouts, [...orders, { ...exchange, status: 'PROCESSING' }], 'not completed'],
  ])('fails for %s', (_what, ids, rows, book, message) => {
    expect(() => judge(ids, rows, book)).toThrow(message);
  });
});
