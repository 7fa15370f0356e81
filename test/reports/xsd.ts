import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XmlDocument, XmlValidateError, XsdValidator } from 'libxml2-wasm';
import type { ElementType, Grammar, Particle } from '../../src/files/iso20022/grammar.ts';
import { SIMPLE_TYPES } from '../../src/files/iso20022/simple-types.ts';

/** A folder with ISO's own schemas, such as `pain.002.001.10.xsd`; without it, they are written from our grammars. */
const FOLDER = process.env.PAYOUTS_TEST_SCHEMAS;

/** What libxml2 says against a message of ours, by the schema of its namespace. */
export function schemaProblems(xml: string, namespace: string, grammar: Grammar): string[] {
  const own = join(FOLDER ?? '', `${namespace.replace(/^.*:/, '')}.xsd`);
  const schema = FOLDER !== undefined && existsSync(own) ? readFileSync(own, 'utf8') : xsdOf(grammar, namespace);
  using document = XmlDocument.fromString(xml);
  using definition = XmlDocument.fromString(schema);
  using validator = XsdValidator.fromDoc(definition);
  try {
    validator.validate(document);
    return [];
  } catch (error) {
    if (!(error instanceof XmlValidateError)) throw error;
    return error.details.map(({ message }) => message.trim());
  }
}

/** A grammar as an XML Schema. Texts and codes are `xs:string` there: how long and which is checked by the grammar alone. */
function xsdOf(root: Grammar, namespace: string): string {
  const names = new Map<ElementType, string>();
  const types: string[] = [];
  const typeOf = (type: ElementType): string => {
    const known = names.get(type);
    if (known !== undefined) return known;
    const name = `T${names.size}`;
    names.set(type, name);
    types.push(definition(name, type));
    return name;
  };
  const element = ({ name, type, min, max }: Particle): string =>
    `<xs:element name="${name}" type="${typeOf(type)}" minOccurs="${min}" maxOccurs="${Number.isFinite(max) ? max : 'unbounded'}"/>`;
  const definition = (name: string, type: ElementType): string => {
    if (type.kind === 'leaf') return leafType(name, type);
    const content =
      type.kind === 'any' || type.kind === 'unread'
        ? '<xs:sequence><xs:any processContents="lax"/></xs:sequence>'
        : `<xs:${type.kind}>${type.particles.map(element).join('')}</xs:${type.kind}>`;
    return `<xs:complexType name="${name}">${content}</xs:complexType>`;
  };
  const document = `<xs:element name="${root.name}" type="${typeOf(root.type)}"/>`;
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="${namespace}" targetNamespace="${namespace}" elementFormDefault="qualified">${document}${types.join('')}</xs:schema>`;
}

/** Built-in types of XML Schema, where it has one. */
const BUILT_IN: Readonly<Record<string, string>> = {
  Amount: 'decimal',
  Boolean: 'boolean',
  Date: 'date',
  DateTime: 'dateTime',
  Decimal: 'decimal',
  Number: 'decimal',
  Rate: 'decimal',
};

function leafType(name: string, { check, attributes = {} }: ElementType & { kind: 'leaf' }): string {
  const [simple = ''] = Object.entries(SIMPLE_TYPES).find(([, leaf]) => leaf.check === check) ?? [];
  const base = BUILT_IN[simple];
  const facet = base === undefined ? '<xs:minLength value="1"/>' : '';
  const value = `<xs:simpleType name="${name}V"><xs:restriction base="xs:${base ?? 'string'}">${facet}</xs:restriction></xs:simpleType>`;
  const required = Object.keys(attributes).map((it) => `<xs:attribute name="${it}" type="xs:string" use="required"/>`);
  return `${value}<xs:complexType name="${name}"><xs:simpleContent><xs:extension base="${name}V">${required.join('')}</xs:extension></xs:simpleContent></xs:complexType>`;
}
