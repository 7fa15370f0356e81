import { visible } from '../rules/finding.ts';

/** Line breaks, tabs, and the colours that we write ourselves; any other sequence may hide or overwrite what stands around it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const OURS = /(\u001b\[(?:0|[12]|22|3[0-79]|9[0-7])m|[\n\t])/;

/** What a terminal shows of a text as it is: a bank, a workflow or a gateway elsewhere may have written parts of it. */
export const plainText = (text: string): string =>
  text
    .split(OURS)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join('');

/** The same of JSON, which escapes only what stands below U+0020. */
export const plainJson = (json: string): string =>
  json.replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
