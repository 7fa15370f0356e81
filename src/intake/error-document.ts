import type { Finding } from '../rules/finding.ts';

/** The document of an error, through every door. Contract: design, "Commands". */
export function errorDocument(said: {
  code: string;
  message: string;
  hint: string;
  batchId?: string;
  findings?: readonly Finding[];
  /** Files written about it, absolute paths by kind. */
  reports?: Readonly<Record<string, string>>;
}): object {
  const { code, message, hint, batchId, findings = [], reports } = said;
  return {
    schemaVersion: 1,
    error: { code, message, hint, ...(batchId === undefined ? {} : { batchId }) },
    findings,
    ...(reports === undefined ? {} : { reports }),
  };
}
