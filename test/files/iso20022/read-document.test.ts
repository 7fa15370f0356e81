import { describe, expect, it } from 'vitest';
import { RECORD_BYTES_MAX, UnreadableFile } from '../../../src/files/input.ts';
import { defineGrammar } from '../../../src/files/iso20022/grammar.ts';
import { type DocumentEvents, readDocument } from '../../../src/files/iso20022/read-document.ts';
import type { StructureProblem } from '../../../src/files/iso20022/structure.ts';
import { bytesOf } from '../bytes.ts';

const GRAMMAR = defineGrammar(
  9,
  `
Document = Id:5 Part*:Part Note{0,2}:10 Extra?:Free
Part = Way:Way Amt?:Amount
Way = Left:3 | Right:Date
Free = Any:Any
`,
);

interface Outcome {
  problems: StructureProblem[];
  events: string[];
  finding?: UnreadableFile['finding'];
}

async function read(body: string, head = '<Document xmlns="urn:own">', chunkSize = 7): Promise<Outcome> {
  const outcome: Outcome = { problems: [], events: [] };
  const events: DocumentEvents = {
    begin: () => GRAMMAR,
    problem: (problem) => outcome.problems.push(problem),
    open: (trail) => outcome.events.push(`<${trail}`),
    leaf: ({ trail, text, attributes }) =>
      outcome.events.push(`${trail}=${text}${Object.entries(attributes).map(([name, value]) => ` ${name}=${value}`)}`),
    close: (trail) => outcome.events.push(`>${trail}`),
  };
  const bytes = bytesOf(`${head}${body}`, chunkSize);
  await readDocument(bytes, new Set(['Part']), events).catch((error: unknown) => {
    if (!(error instanceof UnreadableFile)) throw error;
    outcome.finding = error.finding;
  });
  return outcome;
}

const END = '</Document>';
const problemsOf = async (body: string, head?: string): Promise<[rule: string, path: string, name: string][]> =>
  (await read(`${body}${END}`, head)).problems.map(({ rule, path, name }) => [rule, path, name]);

describe('a document that fits', () => {
  it('is reported in order: trails, text with entities, sections and comments, attributes', async () => {
    const body = `<Id> a&amp;&#98;</Id><Part><Way><Left><![CDATA[<x]]><!-- -->y</Left></Way>\n<Amt Ccy="EUR">1</Amt></Part>`;
    const { events, problems } = await read(`${body}${END}`);
    expect(problems).toEqual([]);
    expect(events).toEqual([
      '<Document',
      'Document/Id= a&b',
      '<Document/Part',
      '<Document/Part/Way',
      'Document/Part/Way/Left=<xy',
      '>Document/Part/Way',
      'Document/Part/Amt=1 Ccy=EUR',
      '>Document/Part',
      '>Document',
    ]);
  });

  it('may use a prefix, say where its schema is, and hold anything where anything is allowed', async () => {
    const head =
      '<p:Document xmlns:p="urn:own" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="urn:own own.xsd">';
    const body =
      '<p:Id>1</p:Id><p:Extra><p:Any><Own xmlns="urn:x" a="1">free<Id/></Own></p:Any></p:Extra></p:Document>';
    expect((await read(body, head)).problems).toEqual([]);
  });
});

describe('what does not fit is a problem with its place', () => {
  it.each<[string, string, [rule: string, path: string, name: string][]]>([
    ['a missing element', '<Note>n</Note>', [['missing-element', '/Document', 'Id']]],
    ['a missing choice', '<Id>1</Id><Part><Way/></Part>', [['missing-element', '/Document/Part[1]/Way', 'Way']]],
    [
      'an element out of order',
      '<Id>1</Id><Part><Amt Ccy="EUR">1</Amt><Way><Left>l</Left></Way></Part>',
      [
        ['missing-element', '/Document/Part[1]', 'Way'],
        ['unexpected-element', '/Document/Part[1]/Way', 'Way'],
      ],
    ],
    [
      'one too many',
      '<Id>1</Id><Note>1</Note><Note>2</Note><Note>3</Note>',
      [['unexpected-element', '/Document/Note', 'Note']],
    ],
    [
      'both of a choice',
      '<Id>1</Id><Part><Way><Left>l</Left><Right>2026-01-01</Right></Way></Part>',
      [['unexpected-element', '/Document/Part[1]/Way/Right', 'Right']],
    ],
    ['an unknown element', '<Id>1</Id><Foo><Id>1</Id></Foo>', [['unexpected-element', '/Document/Foo', 'Foo']]],
    ['an element in a value', '<Id>1<Id>2</Id></Id>', [['unexpected-element', '/Document/Id/Id', 'Id']]],
    ['another namespace', '<Id>1</Id><Note xmlns="urn:x">n</Note>', [['unexpected-element', '/Document/Note', 'Note']]],
    [
      'text between elements, reported once',
      '<Id>1</Id>x<Part><Way><Left>l</Left></Way></Part>y',
      [['unexpected-text', '/Document', 'Document']],
    ],
    [
      'a bad value in the second part',
      `<Id>1</Id>${'<Part><Way><Right>2026-02-30</Right></Way></Part>'.repeat(2)}`,
      [
        ['bad-value', '/Document/Part[1]/Way/Right', 'Right'],
        ['bad-value', '/Document/Part[2]/Way/Right', 'Right'],
      ],
    ],
    [
      'a missing attribute',
      '<Id>1</Id><Part><Way><Left>l</Left></Way><Amt>1</Amt></Part>',
      [['missing-element', '/Document/Part[1]/Amt', 'Ccy']],
    ],
    [
      'a wrong attribute',
      '<Id>1</Id><Part><Way><Left>l</Left></Way><Amt Ccy="eur">1</Amt></Part>',
      [['bad-value', '/Document/Part[1]/Amt', 'Ccy']],
    ],
    ['an unknown attribute', '<Id a="1">1</Id>', [['unexpected-attribute', '/Document/Id', 'a']]],
    [
      'nothing where anything is due',
      '<Id>1</Id><Extra><Any/></Extra>',
      [['missing-element', '/Document/Extra/Any', 'Any']],
    ],
  ])('%s', async (_, body, expected) => {
    expect(await problemsOf(body)).toEqual(expected);
  });

  it('gives the line an element starts on', async () => {
    const { problems } = await read(`\n<Id\n>too long</Id>${END}`);
    expect(problems).toMatchObject([{ rule: 'too-long', line: 2, value: 'too long' }]);
  });
});

describe('what cannot be read ends the pass', () => {
  const bomb = '<!DOCTYPE Document [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<Document xmlns="urn:own">';
  it.each<[string, string, string | undefined, string, number]>([
    ['a DOCTYPE', `<Id>&b;</Id>${END}`, bomb, 'doctype-refused', 1],
    ['an entity of its own', `<Id>&b;</Id>${END}`, undefined, 'not-well-formed', 1],
    ['a truncated file', '<Id>1</Id>\n<Part>\n<Way>', undefined, 'not-well-formed', 3],
    ['a tag that is not closed', `<Id>1</Part>${END}`, undefined, 'not-well-formed', 1],
    ['two roots', `<Id>1</Id>${END}\n<Document/>`, undefined, 'not-well-formed', 2],
    ['a prefix without namespace', `<q:Id>1</q:Id>${END}`, undefined, 'not-well-formed', 1],
    ['an empty file', '', '', 'not-well-formed', 1],
    ['elements without end', '<Id>'.repeat(100), undefined, 'too-deep', 1],
    ['a record without end', `<Id>1</Id>\n<Part>${' '.repeat(RECORD_BYTES_MAX + 1)}`, undefined, 'record-too-large', 2],
    ['a comment without end', `<Id>1</Id><!--${'-x'.repeat(RECORD_BYTES_MAX)}`, undefined, 'record-too-large', 1],
  ])('%s', async (_, body, head, rule, line) => {
    const { finding } = await read(body, head, 4096);
    expect(finding).toMatchObject({ rule, line, row: null });
  });

  it('no message quotes the file', async () => {
    const { finding } = await read(`<secret4711>${END}`);
    expect(finding?.message).toContain('not well-formed XML: un');
    expect(finding?.message).not.toContain('secret4711');
  });

  it('records that end are no long record', async () => {
    const part = `<Part><Way><Left>l</Left></Way>${' '.repeat(1000)}</Part>`;
    const { finding, problems } = await read(`<Id>1</Id>${part.repeat(200)}${END}`, undefined, 64 * 1024);
    expect([finding, problems]).toEqual([undefined, []]);
  });
});
