/** What people hand over by mistake, by how it begins: read as CSV it would have findings about lines that it does not have. */
const STRANGERS: readonly (readonly [what: string, mend: string, ...begins: string[]])[] = [
  ['a PDF document', 'export the payouts themselves', '%PDF-'],
  ['a picture', 'export the payouts themselves', '\x89PNG', '\xff\xd8\xff', 'GIF8', 'II*'],
  ['a web page', 'the download may have failed; export the file again', '<!doctype html', '<html'],
  ['an archive', 'unpack it first', '\x1f\x8b', '7z\xbc\xaf', 'Rar!', 'PK\x05\x06', '\xfd7zXZ'],
  ['an encrypted or signed file', 'decrypt it first', '-----BEGIN '],
  ['a SWIFT MT message', 'export pain.001 instead', '{1:F'],
];

/** `head`: its first characters, as Latin-1, without byte order mark and blanks. Undefined for what may be one of our formats. */
export function unsupportedFormatOf(head: string): string | undefined {
  const text = head.toLowerCase();
  const stranger = STRANGERS.find(([, , ...begins]) => begins.some((start) => text.startsWith(start.toLowerCase())));
  return stranger && `this is ${stranger[0]}, not a file of payouts; ${stranger[1]}`;
}
