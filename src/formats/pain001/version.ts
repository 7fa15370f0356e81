import type { Root } from '../iso20022/read-document.ts';
import { unreadable } from '../unreadable.ts';
import type { Pain001Version } from './grammar.ts';

/** Namespaces by version: ISO's own, and the Swiss (SIX) and German (DK) ones with the same structure. */
const NAMESPACES: readonly (readonly [pattern: RegExp, version: Pain001Version])[] = [
  [/^urn:iso:std:iso:20022:tech:xsd:pain\.001\.00[123]\.03$/, 'pain.001.001.03'],
  [/^urn:iso:std:iso:20022:tech:xsd:pain\.001\.001\.09$/, 'pain.001.001.09'],
  [/^https?:\/\/www\.six-interbank-clearing\.com\/[a-z]{2}\/pain\.001\.001\.03\.ch\.\d{2}\.xsd$/, 'pain.001.001.03'],
  [/^https?:\/\/www\.six-interbank-clearing\.com\/[a-z]{2}\/pain\.001\.001\.09\.ch\.\d{2}\.xsd$/, 'pain.001.001.09'],
];
const ACCEPTED = 'supported are pain.001.001.03 and pain.001.001.09 (ISO, Swiss ch, German 002.03 and 003.03)';

/** The version of a pain.001. Throws `UnreadableFile`: `unsupported-version`, `not-pain001`. */
export function versionOf({ name, namespace, line }: Root): Pain001Version {
  const [, version] = NAMESPACES.find(([pattern]) => pattern.test(namespace)) ?? [];
  if (name === 'Document' && version !== undefined) return version;
  const [message = 'not an ISO 20022 message'] = /[a-z]{4}\.\d{3}\.\d{3}\.\d{2}(?!\d)/.exec(namespace) ?? [];
  throw name === 'Document' && message.startsWith('pain.001.')
    ? unreadable(line, 'unsupported-version', `${message} in this namespace is not supported; ${ACCEPTED}`)
    : unreadable(
        line,
        'not-pain001',
        `the root of the file is ${message}; a pain.001 Document is required; ${ACCEPTED}`,
      );
}
