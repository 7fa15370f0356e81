import { IntakeRefusal } from '../../../src/files/intake/intake-refusal.ts';
import type { TakeOptions } from '../../../src/files/intake/read-input.ts';
import { type Agree, takeFile } from '../../../src/files/intake/take-file.ts';
import type { App } from '../../../src/platform/app.ts';

/** What is taken, or rejects with the refusal, as most channels do. */
export async function orThrown<T>(taking: Promise<T | IntakeRefusal>): Promise<T> {
  const found = await taking;
  if (found instanceof IntakeRefusal) throw found;
  return found;
}

export const taken = (app: App, path: string, options: TakeOptions = { invalid: 'stop' }, agree?: Agree) =>
  orThrown(takeFile(app, path, options, agree));
