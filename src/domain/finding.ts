/** One thing wrong with an input file. Fixed by test/e2e/documents.ts (`findings`). */
export interface Finding {
  /** File name as given. */
  file: string;
  /** Line where the record starts; the header is line 1. 0: it is about no line, but about a request. */
  line: number;
  /** Data row from 1; null when the finding is about the file or its header. */
  row: number | null;
  column: string | null;
  /** Safe to print: beneficiary details and free text are masked, control characters made visible. */
  value: string | null;
  /** kebab-case name of the rule that is broken. */
  rule: string;
  /** What is wrong and what to do about it. */
  message: string;
  /** Where in an XML document, e.g. `/Document/CstmrCdtTrfInitn/PmtInf[2]/CdtTrfTxInf[7]/Amt`; absent elsewhere. */
  path?: string;
}
