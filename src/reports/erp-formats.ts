/**
 * Files for other software: the current answer to a pain.001; and what the orders of a batch moved, as an advice for software
 * that reads bank messages and as a journal for accounting.
 */
export const ERP_FORMATS = ['pain002', 'camt054', 'journal'] as const;
export type ErpFormat = (typeof ERP_FORMATS)[number];
