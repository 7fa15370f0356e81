import { Session } from '../../src/cli/session.ts';
import type { Config } from '../../src/platform/config.ts';

const NO_SETTINGS = { gateway: { url: undefined }, settings: {}, signingKey: { reveal: () => undefined } };

/** A session of the parts that a test gives, which carries out operations in place over them. */
export function fakeSession(parts: Readonly<Record<string, unknown>>): Session {
  const config = { ...NO_SETTINGS, ...(parts.config as Partial<Config> | undefined) };
  const output = { say() {}, ...(parts.output as object | undefined) };
  return Object.create(Session.prototype, Object.getOwnPropertyDescriptors({ ...parts, config, output }));
}
