import type { Grammar } from '../../src/files/iso20022/grammar.ts';
import { readDocument } from '../../src/files/iso20022/read-document.ts';
import type { StructureProblem } from '../../src/files/iso20022/structure.ts';
import { bytesOf } from '../files/bytes.ts';
import { schemaProblems } from './xsd.ts';

/**
 * Every value of a message that we wrote by the trail of its element, in document order, and what the grammar does not allow: XML
 * that is not well formed, an element that is unknown, missing or out of order, a value of another form. libxml2 judges it by an
 * XML Schema too.
 */
export async function readMessage(
  xml: string,
  /** `namespace`: without the part that all messages share. */
  grammarOf: (namespace: string) => Grammar,
  repeated: readonly string[],
): Promise<{
  problems: (StructureProblem | string)[];
  values(name: string): string[];
}> {
  const problems: (StructureProblem | string)[] = [];
  const leaves: { trail: string; text: string }[] = [];
  await readDocument(bytesOf(xml), new Set(repeated), {
    begin: ({ namespace }) => {
      const grammar = grammarOf(namespace.replace('urn:iso:std:iso:20022:tech:xsd:', ''));
      problems.push(...schemaProblems(xml, namespace, grammar));
      return grammar;
    },
    problem: (problem) => problems.push(problem),
    open: () => {},
    leaf: (leaf) => leaves.push(leaf),
    close: () => {},
  });
  return {
    problems,
    values: (name) => leaves.filter(({ trail }) => trail.endsWith(`/${name}`)).map(({ text }) => text),
  };
}
