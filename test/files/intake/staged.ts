import { onTestFinished } from 'vitest';
import type { ReadFile } from '../../../src/files/intake/read-input.ts';
import { StagedFile } from '../../../src/files/intake/staged-file.ts';
import type { ClaimRow } from '../../../src/store/store.ts';

/** A checked file of these rows; row 1 is on line 2. */
export function checkedOf(file: string, rows: readonly ClaimRow[]): ReadFile {
  const staged = new StagedFile();
  onTestFinished(() => staged[Symbol.dispose]());
  for (const claim of rows) {
    const { row, instruction } = claim;
    staged.row({ row, line: row + 1, instruction: instruction as Record<string, string> });
    staged.claim(claim);
  }
  staged.readingEnded();
  return { file, format: 'csv', sha256: `sha of ${file}`, staged };
}
