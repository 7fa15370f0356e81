import { expect } from 'vitest';
import { exitOf } from '../../src/cli/exit.ts';
import type { ProblemKind } from '../../src/domain/problem.ts';

/** A kind of problem that the command ends with this exit code for. */
export const endsWith = (exit: number): unknown => expect.toSatisfy((kind: ProblemKind) => exitOf({ kind }) === exit);
