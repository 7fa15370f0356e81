/** Files for other software, made of what the orders of a batch moved: an advice for what reads banks, a journal for booking. */
export const MOVED_FORMATS = ['camt054', 'journal'] as const;
export type MovedFormat = (typeof MOVED_FORMATS)[number];
