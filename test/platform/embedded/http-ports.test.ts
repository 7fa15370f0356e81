import { expect, it } from 'vitest';
import { bindable } from '../../../src/platform/embedded/ports.ts';
import { BLOCKED_BY_BROWSERS, chooseHttpPorts } from '../../../src/platform/embedded/server.ts';

it('are two to which no browser connects, while there are such', async () => {
  const { api, metrics } = await chooseHttpPorts([]);
  expect(api).not.toBe(metrics);
  for (const port of [api, metrics]) {
    if (BLOCKED_BY_BROWSERS.includes(port)) continue;
    const free = await Promise.all(BLOCKED_BY_BROWSERS.map(bindable));
    expect(free.filter((it) => it !== undefined && it !== api)).toEqual([]);
  }
});

it('are other free ones where all of these are taken', async () => {
  const { api, metrics } = await chooseHttpPorts(BLOCKED_BY_BROWSERS);
  expect(BLOCKED_BY_BROWSERS).not.toContain(api);
  expect(BLOCKED_BY_BROWSERS).not.toContain(metrics);
});
