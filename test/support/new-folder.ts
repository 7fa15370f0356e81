import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** An empty folder, which is removed when the test is over. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One for all tests of a file. */
export function folderOfFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
