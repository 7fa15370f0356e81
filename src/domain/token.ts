/** Ids and statuses in events are stored and logged: only printable ASCII without blanks. */
const TOKEN = /^[\x21-\x7e]{1,128}$/;

export const isToken = (text: string): boolean => TOKEN.test(text);
