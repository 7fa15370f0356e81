/** One fault in an input file. Format fixed by test/e2e/documents.ts (`findings`). */
export interface Finding {
  /** File name as given. */
  file: string;
  /** Line where the record starts; the header is line 1. 0 if the finding is about a request and not about a line. */
  line: number;
  /** Data row, from 1; null if the finding is about the file or its header. */
  row: number | null;
  column: string | null;
  /** Safe to print: beneficiary details and free text are masked, control characters made visible. */
  value: string | null;
  /** kebab-case name of the broken rule. */
  rule: string;
  /** What is wrong and what to do about it. */
  message: string;
  /** Path in an XML document, e.g. `/Document/CstmrCdtTrfInitn/PmtInf[2]/CdtTrfTxInf[7]/Amt`; absent for other formats. */
  path?: string;
}
