import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandHome, type Ended, stackOfFile } from '../support/command.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { folderOfFile } from '../support/new-folder.ts';
import type { SigningPerson } from '../support/people.ts';
import { startShared } from '../support/shared-process.ts';

/** Laptops that have a gateway's address and their owner's key and nothing else, beside a home where everything is configured. */
interface Laptops {
  folder: string;
  home: CommandHome;
  keyOf(person: SigningPerson): string;
  /** Runs the command on the laptop of a person. */
  laptop(person: SigningPerson, ...args: string[]): Promise<Ended>;
}

/** Opened for all tests of a file. `strangers` are not in the policy; `envOf`: what else the laptop of this name has. */
export function openLaptops(
  people: readonly SigningPerson[],
  { approvals = [] as object[], strangers = [] as SigningPerson[], settings = {}, envOf = (_: string): object => ({}) },
): Laptops {
  const folder = folderOfFile();
  const keyOf = ({ name }: SigningPerson): string => join(folder, `${name}.pem`);
  for (const person of [...people, ...strangers]) writeFileSync(keyOf(person), person.privateKey, { mode: 0o600 });
  const named = people.map(({ name, roles, scope = {}, publicKey }) => ({ name, roles, scope, keys: [publicKey] }));
  const policy = join(folder, 'policy.json');
  writeFileSync(policy, JSON.stringify({ version: 1, people: named, approvals }));
  const home = stackOfFile({ ...settings, PAYOUTS_POLICY: policy });
  return {
    folder,
    home,
    keyOf,
    laptop(person, ...args) {
      const env = {
        PATH: process.env.PATH,
        HOME: join(folder, person.name),
        PAYOUTS_GATEWAY_URL: home.stack()?.gatewayUrl ?? '',
        PAYOUTS_SIGNING_KEY_FILE: keyOf(person),
        ...COMPILE_CACHE,
        ...envOf(person.name),
      };
      return startShared(args, env).ended;
    },
  };
}
