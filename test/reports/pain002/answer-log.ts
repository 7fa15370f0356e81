import type { AnswerLog } from '../../../src/reports/pain002/final-answers.ts';
import type { AnsweredTransaction, AnswerRecord } from '../../../src/store/store.ts';

/** Keeps answers in memory, as a store does on disk. */
export function answerLog(): AnswerLog {
  const kept: { answer: AnswerRecord; reported: AnsweredTransaction[] }[] = [];
  return {
    given: async () => kept.map(({ answer }) => answer),
    async *transactionsOf(version) {
      yield* kept[version - 1]?.reported ?? [];
    },
    async keep(answer, reported) {
      if (kept.some((other) => other.answer.version === answer.version)) return false;
      kept.push({ answer: { ...answer, batchId: 'batch-1' }, reported: structuredClone([...reported]) });
      return true;
    },
  };
}
