import { isGrpcServiceError } from '@temporalio/client';
import type { Random } from '../../simulation/random.ts';
import type { Scene } from './scene.ts';

/** The answer of a channel to something forged. `unanswered`: none, or the one that everybody gets. `taken`: it did what was asked. */
export type Reported = { refused: string } | 'unanswered' | 'taken';

/** One try of one kind of forgery; throws what is no answer of the product. */
export type Attack = (scene: Scene, random: Random) => Promise<Reported>;

/** A way in, with every kind of forgery that is tried there. */
export interface ForgedChannel {
  name: string;
  kinds: Readonly<Record<string, Attack>>;
}

/** The channel did what was asked unless it threw. */
export async function refusedOr(work: () => Promise<unknown>, isAnswer: (error: Error) => boolean): Promise<Reported> {
  try {
    await work();
    return 'taken';
  } catch (error) {
    if (error instanceof Error && isAnswer(error)) return { refused: error.message };
    throw error;
  }
}

/** The machine was too busy for an answer: that is none. */
export class Busy extends Error {}

const BUSY_TRIES = 20;

/** Tries it until there is an answer. */
export async function answered(attack: () => Promise<Reported>): Promise<Reported> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attack();
    } catch (error) {
      if (!(error instanceof Busy || isGrpcServiceError(error)) || tries === BUSY_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}
