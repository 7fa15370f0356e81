const ZIP = Buffer.from('PK\u0003\u0004');
/** Compound file: an old workbook (.xls), or one with a password. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

const begins = (bytes: Uint8Array, magic: Buffer): boolean => magic.equals(bytes.subarray(0, magic.length));

export const isCompoundFile = (bytes: Uint8Array): boolean => begins(bytes, COMPOUND);

/** Whether the first bytes are those of a workbook, or of what people take for one. */
export const looksLikeWorkbook = (bytes: Uint8Array): boolean => begins(bytes, ZIP) || isCompoundFile(bytes);
