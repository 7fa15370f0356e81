import { visible } from '../rules/finding.ts';

/**
 * Allowed: line breaks, tabs, and the colours that we write ourselves. Any other sequence could hide or overwrite the text around
 * it.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const OURS = /(\u001b\[(?:0|[12]|22|3[0-79]|9[0-7])m|[\n\t])/;

/**
 * The text with everything that could steer a terminal made visible: parts may come from a bank, a workflow or another gateway.
 */
export const plainText = (text: string): string =>
  text
    .split(OURS)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join('');

/** The same for JSON, which itself escapes only characters below U+0020. */
export const plainJson = (json: string): string =>
  json.replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
