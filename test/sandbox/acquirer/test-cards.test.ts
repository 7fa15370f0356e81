import { expect, test } from 'vitest';
import { isCardNumber } from '../../../src/domain/card-number.ts';
import { SCENARIOS, type ScenarioName, scenarioOf } from '../../../src/sandbox/acquirer/card.ts';
import { runningSandbox } from '../running-sandbox.ts';

const names = Object.keys(SCENARIOS) as ScenarioName[];

test.each(names)('the test card %s is a card number of its own scenario', (name) => {
  const { number } = SCENARIOS[name];
  expect(isCardNumber(number)).toBe(true);
  expect(scenarioOf(number)).toBe(name);
});

test('no digit of a number can change without breaking its sum', () => {
  const number = SCENARIOS.challenge.number;
  for (let place = 0; place < number.length; place += 1) {
    const changed = `${number.slice(0, place)}${(Number(number[place]) + 1) % 10}${number.slice(place + 1)}`;
    expect(isCardNumber(changed), changed).toBe(false);
  }
});

test('the sandbox lists its cards for programs and for people', async () => {
  const { sandbox, proxy } = await runningSandbox();
  const { cards } = await proxy('GET', '/cards');
  expect(cards.map(({ scenario }: { scenario: string }) => scenario)).toEqual(names);
  const page = await fetch(`${sandbox.url}/cards`);
  const text = await page.text();
  expect(page.headers.get('content-type')).toContain('text/html');
  for (const { number, says } of cards) {
    expect(text).toContain(number.replace(/(.{4})(?=.)/g, '$1 '));
    expect(text).toContain(says.split("'")[0]);
  }
});
