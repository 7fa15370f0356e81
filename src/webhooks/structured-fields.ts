import {
  type Dictionary,
  isInnerList,
  parseDictionary,
  serializeDictionary,
  serializeInnerList,
} from 'structured-headers';
import { Refusal } from './refusal.ts';

/**
 * Structured fields (RFC 9651) as signatures need them, and only in their canonical spelling: what was signed is then what
 * stands in the header, and no name comes twice (in the RFC the last one wins). Anything else throws a `Refusal`.
 */

export interface SignatureInput {
  /** Names of the covered components, each once. */
  components: readonly string[];
  parameters: ReadonlyMap<string, string | number>;
  /** The components with their parameters, as they were signed. */
  raw: string;
}

const MEMBERS_MAX = 4;
const COMPONENTS_MAX = 32;
const PARAMETERS_MAX = 16;

/** `Signature-Input` (RFC 9421, section 4.1): label -> what is signed. */
export function signatureInputs(header: string): Map<string, SignatureInput> {
  return mapped(dictionary(header), (member) => {
    if (!isInnerList(member)) throw malformed();
    const [items, parameters] = member;
    // A component with parameters (";sf", ";key=") is built in ways of its own.
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

/** Its own errors tell what stands in the header. */
function parsed(header: string): Dictionary {
  try {
    return parseDictionary(header);
  } catch {
    throw malformed();
  }
}

/** Blanks around a comma are no matter of spelling: proxies join and split lists. */
const tight = (text: string): string =>
  text
    .split(',')
    .map((part) => part.trim())
    .join(',');

const mapped = <From, To>(members: ReadonlyMap<string, From>, to: (value: From) => To): Map<string, To> =>
  new Map([...members].map(([key, value]) => [key, to(value)]));

const malformed = (): Refusal => new Refusal('header-malformed');
