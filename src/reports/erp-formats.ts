/**
 * Files for other software: the answer to a pain.001 that stands, and what the orders of a batch moved, as an advice for what reads
 * banks and as a journal for booking.
 */
export const ERP_FORMATS = ['pain002', 'camt054', 'journal'] as const;
export type ErpFormat = (typeof ERP_FORMATS)[number];
