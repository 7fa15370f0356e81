import { expect, it } from 'vitest';
import { PendingUploads } from '../../../src/channels/pages/submit-page.ts';
import { FILE_BYTES_MAX } from '../../../src/files/input.ts';

it('keeps two of the largest files of a person, the newest, and those of others', async () => {
  const uploads = new PendingUploads();
  const removed: string[] = [];
  const hold = (path: string, owner: string, bytes: number) => {
    const upload = { path, bytes, sha256: path, [Symbol.asyncDispose]: async () => void removed.push(path) };
    return uploads.hold(upload, owner, 0);
  };
  await hold('small', 'alice', 1);
  await hold('of-anna', 'anna', FILE_BYTES_MAX);
  await hold('large-1', 'alice', FILE_BYTES_MAX);
  await hold('large-2', 'alice', FILE_BYTES_MAX - 1);
  expect(removed).toEqual([]);
  await hold('large-3', 'alice', FILE_BYTES_MAX);
  expect(removed).toEqual(['large-1', 'small']);
  await uploads[Symbol.asyncDispose]();
  expect(removed.sort()).toEqual(['large-1', 'large-2', 'large-3', 'of-anna', 'small']);
});
