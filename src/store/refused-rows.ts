import { chunks, pagedByRow, ROWS_PER_STATEMENT } from './chunks.ts';
import type { Database } from './schema.ts';
import type { BatchClaim, RefusedRow } from './store.ts';

export async function insertRefused(db: Database, { batchId, refused = [] }: BatchClaim): Promise<void> {
  for (const some of chunks(refused)) {
    await db
      .insertInto('refused_rows')
      .values(
        some.map(({ row, line, instruction, original, reference, findings }) => ({
          batch_id: batchId,
          row,
          line,
          instruction: JSON.stringify(instruction),
          original: original === undefined ? null : JSON.stringify(original),
          reference,
          findings: JSON.stringify(findings),
        })),
      )
      .execute();
  }
}

/** In the order of the file, read page by page. */
export async function* refusedRows(db: Database, batchId: string): AsyncGenerator<RefusedRow> {
  const kept = pagedByRow((after) =>
    db
      .selectFrom('refused_rows')
      .selectAll()
      .where('batch_id', '=', batchId)
      .where('row', '>', after)
      .orderBy('row')
      .limit(ROWS_PER_STATEMENT)
      .execute(),
  );
  for await (const { row, line, instruction, original, reference, findings } of kept) {
    yield {
      row,
      line,
      instruction: JSON.parse(instruction) as RefusedRow['instruction'],
      ...(original === null ? {} : { original: JSON.parse(original) as RefusedRow['original'] }),
      ...(reference === null ? {} : { reference }),
      findings: JSON.parse(findings) as RefusedRow['findings'],
    };
  }
}
