import {
  type Dictionary,
  isInnerList,
  parseDictionary,
  serializeDictionary,
  serializeInnerList,
} from 'structured-headers';
import { Refusal } from './scheme.ts';

/**
 * Structured fields (RFC 9651), as far as signatures need them and only in canonical spelling: so what was signed is exactly what
 * the header contains, and no name occurs twice (in the RFC the last one counts). Anything else throws a `Refusal`.
 */

export interface SignatureInput {
  /** Names of the covered components, without duplicates. */
  components: readonly string[];
  parameters: ReadonlyMap<string, string | number>;
  /** The components with their parameters, as signed. */
  raw: string;
}

const MEMBERS_MAX = 4;
const COMPONENTS_MAX = 32;
const PARAMETERS_MAX = 16;

/** `Signature-Input` (RFC 9421, section 4.1): label -> what it covers. */
export function signatureInputs(header: string): Map<string, SignatureInput> {
  return mapped(dictionary(header), (member) => {
    if (!isInnerList(member)) throw malformed();
    const [items, parameters] = member;
    // Components with parameters (";sf", ";key=") have their own rules.
    if (items.some(([, { size }]) => size > 0)) throw new Refusal('component-unsupported');
    const components = items.map(([name]) => name).filter((name) => typeof name === 'string');
    const isWhole = components.length === items.length && new Set(components).size === items.length;
    if (!isWhole || items.length > COMPONENTS_MAX || parameters.size > PARAMETERS_MAX) throw malformed();
    const values = mapped(parameters, (value) => {
      if (typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value))) return value;
      throw malformed();
    });
    return { components, parameters: values, raw: serializeInnerList(member) };
  });
}

/** `Signature` and `Content-Digest`: name -> bytes. */
export function byteSequences(header: string): Map<string, Buffer> {
  return mapped(dictionary(header), ([value, parameters]) => {
    if (!(value instanceof ArrayBuffer) || parameters.size > 0) throw malformed();
    return Buffer.from(value);
  });
}

function dictionary(header: string): Dictionary {
  const members = parsed(header);
  if (members.size === 0 || members.size > MEMBERS_MAX) throw malformed();
  if (tight(serializeDictionary(members)) !== tight(header)) throw malformed();
  return members;
}

/** The parser's errors would repeat the header. */
function parsed(header: string): Dictionary {
  try {
    return parseDictionary(header);
  } catch {
    throw malformed();
  }
}

/** Blanks around commas are not significant: proxies join and split lists. */
const tight = (text: string): string =>
  text
    .split(',')
    .map((part) => part.trim())
    .join(',');

const mapped = <From, To>(members: ReadonlyMap<string, From>, to: (value: From) => To): Map<string, To> =>
  new Map([...members].map(([key, value]) => [key, to(value)]));

const malformed = (): Refusal => new Refusal('header-malformed');
