import type { ElementType, Grammar, Particle } from './grammar.ts';
import type { BadValue } from './simple-types.ts';

export interface StructureProblem extends BadValue {
  line: number;
  path: string;
  name: string;
  /** As written; must be masked before it is shown. */
  value?: string;
}

interface StartTag {
  name: string;
  /** Whether it is in the namespace of the message. */
  own: boolean;
  /** Without namespace declarations. */
  attributes: Readonly<Record<string, string>>;
  line: number;
}

/** Called during the walk; for elements out of place only `problem` is called. */
export interface StructureEvents {
  problem(problem: StructureProblem): void;
  /** `trail`: the names from the root down, without positions: `Document/CstmrCdtTrfInitn/GrpHdr`. */
  open(trail: string, line: number): void;
  leaf(leaf: { trail: string; text: string; attributes: Readonly<Record<string, string>>; line: number }): void;
  close(trail: string): void;
}

type CheckedType = Exclude<ElementType, { kind: 'unread' }>;

interface Frame {
  trail: string;
  /** Name, with its position if it may occur more than once. */
  step: string;
  /** `undefined` inside an element out of place or of type `Any` or `Unread`: not checked. */
  type: CheckedType | undefined;
  line: number;
  attributes: Readonly<Record<string, string>>;
  text: string;
  /** Index of the entry that the last child matched, and how often it was matched. */
  at: number;
  taken: number;
}

/** Checks a document against a grammar element by element; only the open elements are in memory. */
export class StructureWalk {
  private readonly root: Grammar;
  private readonly events: StructureEvents;
  private readonly frames: Frame[] = [];

  constructor(root: Grammar, events: StructureEvents) {
    this.root = root;
    this.events = events;
  }

  /** XPath of the innermost open element, e.g. `/Document/CstmrCdtTrfInitn/PmtInf[2]`. */
  path(): string {
    return `/${this.frames.map(({ step }) => step).join('/')}`;
  }

  open(tag: StartTag): void {
    const parent = this.frames.at(-1);
    const root = tag.name === this.root.name ? this.root : undefined;
    const particle = parent === undefined ? root : this.childFor(parent, tag);
    const trail = parent === undefined ? tag.name : `${parent.trail}/${tag.name}`;
    const step = parent !== undefined && particle !== undefined && particle.max > 1 ? `[${parent.taken}]` : '';
    this.frames.push({
      trail,
      step: tag.name + step,
      type: particle?.type.kind === 'unread' ? undefined : particle?.type,
      line: tag.line,
      attributes: tag.attributes,
      text: '',
      at: 0,
      taken: 0,
    });
    if (particle === undefined || particle.type.kind === 'unread') return;
    this.checkAttributes(particle.type, tag);
    if (particle.type.kind !== 'leaf') this.events.open(trail, tag.line);
  }

  text(text: string): void {
    const frame = this.frames.at(-1);
    if (frame?.type === undefined) return;
    if (frame.type.kind === 'leaf') {
      frame.text += text;
      return;
    }
    const stray = text.trim();
    // Reported once per element, even if children split the text.
    if (stray === '' || frame.text !== '') return;
    frame.text = stray;
    this.problem(frame, { rule: 'unexpected-text', message: STRAY_TEXT, value: stray });
  }

  close(): void {
    const frame = this.frames.at(-1);
    if (frame?.type !== undefined) this.complete(frame, frame.type);
    this.frames.pop();
  }

  private complete(frame: Frame, type: CheckedType): void {
    switch (type.kind) {
      case 'leaf': {
        const wrong = type.check(frame.text);
        if (wrong !== undefined) this.problem(frame, { ...wrong, value: frame.text });
        this.events.leaf(frame);
        return;
      }
      case 'any':
        if (frame.taken === 0) this.problem(frame, missing('an element'));
        break;
      case 'choice':
        if (frame.taken === 0) this.problem(frame, missing(`one of ${namesOf(type.particles)}`));
        break;
      case 'sequence':
        this.missingBefore(frame, type.particles, type.particles.length);
    }
    this.events.close(frame.trail);
  }

  /** The entry that allows this child here; if there is none, reports a problem and returns `undefined`. */
  private childFor(parent: Frame, tag: StartTag): Particle | undefined {
    const { type } = parent;
    if (type === undefined) return undefined;
    if (type.kind === 'any') {
      parent.taken += 1;
      if (parent.taken > 1) this.unexpected(tag, 'only one element is allowed here');
      return undefined;
    }
    if (type.kind === 'leaf') return this.unexpected(tag, 'this element contains a value, not other elements');
    if (!tag.own) return this.unexpected(tag, 'it belongs to another namespace');
    if (type.kind === 'set') return type.particles.find(({ name }) => name === tag.name);
    return type.kind === 'choice' ? this.oneOf(parent, type.particles, tag) : this.nextOf(parent, type.particles, tag);
  }

  private oneOf(parent: Frame, particles: readonly Particle[], tag: StartTag): Particle | undefined {
    const particle = particles.find(({ name }) => name === tag.name);
    if (particle === undefined) return this.unexpected(tag, `one of ${namesOf(particles)} is required here`);
    parent.taken += 1;
    if (parent.taken > 1) return this.unexpected(tag, `only one of ${namesOf(particles)} is allowed here`);
    return particle;
  }

  private nextOf(parent: Frame, particles: readonly Particle[], tag: StartTag): Particle | undefined {
    const index = particles.findIndex(({ name }, at) => at >= parent.at && name === tag.name);
    const particle = particles[index];
    if (particle === undefined) {
      const known = particles.some(({ name }) => name === tag.name);
      const before = particles[parent.at]?.name ?? '';
      return this.unexpected(tag, known ? `it must come before ${before}` : 'the message has no such element here');
    }
    if (index > parent.at) {
      this.missingBefore(parent, particles, index);
      parent.at = index;
      parent.taken = 0;
    }
    parent.taken += 1;
    if (parent.taken > particle.max) {
      const times = particle.max === 1 ? 'once' : `${particle.max} times`;
      return this.unexpected(tag, `it is allowed here ${times}`);
    }
    return particle;
  }

  /** Reports required entries from the current one up to `end` that are missing. */
  private missingBefore(frame: Frame, particles: readonly Particle[], end: number): void {
    for (const [offset, { name, min }] of particles.slice(frame.at, end).entries()) {
      const taken = offset === 0 ? frame.taken : 0;
      if (taken < min) this.problem(frame, { ...missing(name), name });
    }
  }

  private checkAttributes(type: ElementType, { attributes, line }: StartTag): void {
    const expected = type.kind === 'leaf' ? (type.attributes ?? {}) : {};
    const frame = this.frames.at(-1) as Frame;
    for (const [name, check] of Object.entries(expected)) {
      const value = attributes[name];
      const wrong = value === undefined ? missing(`attribute ${name}`) : check(value);
      if (wrong !== undefined) this.problem(frame, { ...wrong, name, ...(value === undefined ? {} : { value }), line });
    }
    for (const [name, value] of Object.entries(attributes)) {
      if (Object.hasOwn(expected, name)) continue;
      this.problem(frame, { rule: 'unexpected-attribute', message: 'the element has no such attribute', name, value });
    }
  }

  private unexpected({ name, line }: StartTag, why: string): undefined {
    const path = `${this.path()}/${name}`;
    this.events.problem({ rule: 'unexpected-element', message: `not expected: ${why}`, line, path, name });
  }

  private problem(frame: Frame, wrong: BadValue & Partial<StructureProblem>): void {
    const name = frame.step.replace(/\[\d+\]$/, '');
    this.events.problem({ line: frame.line, path: this.path(), name, ...wrong });
  }
}

const STRAY_TEXT = 'text between elements; delete it or move it into an element';
const missing = (what: string): BadValue => ({ rule: 'missing-element', message: `${what} is missing` });
const namesOf = (particles: readonly Particle[]): string => particles.map(({ name }) => name).join(', ');
