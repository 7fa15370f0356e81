import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { TEMPORAL_CLI_VERSION } from '../scripts/temporal-cli.mjs';
import { SEARCH_ATTRIBUTES } from '../src/domain/names.ts';

const compose = readFileSync(fileURLToPath(new URL('../docker-compose.yml', import.meta.url)), 'utf8');

it('registers the search attributes of the product on the server version it is tested with', () => {
  const registered = [...compose.matchAll(/--search-attribute=(\w+)=(\w+)/g)].map(([, name, type]) => [name, type]);
  expect(Object.fromEntries(registered)).toEqual(SEARCH_ATTRIBUTES);
  expect(compose).toContain(`temporalio/temporal:${TEMPORAL_CLI_VERSION}`);
});

it('opens ports on this machine only', () => {
  const published = [...compose.matchAll(/"([\d.:]*:?\d+:\d+)"/g)]
    .map(([, port]) => port)
    .filter((port) => port !== '0:0');
  expect(published).toHaveLength(3);
  expect(published.every((port) => port?.startsWith('127.0.0.1:'))).toBe(true);
});
