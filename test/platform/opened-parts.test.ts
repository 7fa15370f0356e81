import { expect, it } from 'vitest';
import { OpenedParts } from '../../src/platform/opened-parts.ts';

/** Parts that note in which order they are closed, each after a turn of the event loop. */
function open() {
  const closed: string[] = [];
  const parts = new OpenedParts();
  const close = async (name: string): Promise<void> => {
    await new Promise(setImmediate);
    closed.push(name);
  };
  return { closed, parts, close };
}

it('closes the last first, each after the one before it, and once', async () => {
  const { closed, parts, close } = open();
  expect(parts.adopt('store', close)).toBe('store');
  parts.defer(() => close('telemetry'));
  parts.use({ [Symbol.asyncDispose]: () => close('worker') });
  await parts[Symbol.asyncDispose]();
  await parts[Symbol.asyncDispose]();
  expect(closed).toEqual(['worker', 'telemetry', 'store']);
});

it('closes the others too where one cannot be closed, and throws that error', async () => {
  const { closed, parts, close } = open();
  const failed = new Error('no answer');
  parts.adopt('store', close);
  parts.defer(() => Promise.reject(failed));
  await expect(parts[Symbol.asyncDispose]()).rejects.toBe(failed);
  expect(closed).toEqual(['store']);

  const several = new OpenedParts();
  several.defer(() => Promise.reject(failed));
  several.defer(() => Promise.reject(failed));
  await expect(several[Symbol.asyncDispose]()).rejects.toMatchObject({ errors: [failed, failed] });
});

it('closes nothing that was moved to another owner', async () => {
  const { closed, parts, close } = open();
  parts.adopt('store', close);
  const kept = parts.move();
  await parts[Symbol.asyncDispose]();
  expect(closed).toEqual([]);
  await kept[Symbol.asyncDispose]();
  expect(closed).toEqual(['store']);
});

it('takes nothing that would stay open', async () => {
  const { parts, close } = open();
  await parts[Symbol.asyncDispose]();
  expect(() => parts.adopt('store', close)).toThrow('closed already');
});
