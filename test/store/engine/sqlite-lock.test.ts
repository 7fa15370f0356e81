import { expect, it } from 'vitest';
import { SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_PROTOCOL, whenUnlocked } from '../../../src/store/engine/sqlite-lock.ts';

/** Extended codes are reported too: 261 is SQLITE_BUSY_RECOVERY. */
const LOCKED = [SQLITE_BUSY, 261, SQLITE_PROTOCOL];

const failing = (errcode: number, times: number) => {
  let left = times;
  return () => {
    if (left-- > 0) throw Object.assign(new Error('SQLite'), { errcode });
    return 'done';
  };
};

it.each(LOCKED)('what fails with %i, because of others, is tried again', async (errcode) => {
  expect(await whenUnlocked(failing(errcode, 3))).toBe('done');
});

it('another error is reported at once', async () => {
  await expect(whenUnlocked(failing(SQLITE_CORRUPT, 1))).rejects.toMatchObject({ errcode: SQLITE_CORRUPT });
});

it.each(LOCKED)('one that others keep failing with %i for too long is reported as busy, in words', async (errcode) => {
  await expect(whenUnlocked(failing(errcode, 1_000), 2)).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'store-busy',
    cause: { errcode },
  });
});
