import { type Seen, Visit } from '../../channels/pages/visiting.ts';
import type { Cast, Name } from './cast.ts';

/** Somebody who has signed in, and the token that their forms need. */
export interface Browser {
  visit: Visit;
  csrf: string;
}

export async function openBrowsers({
  cast,
  origin,
}: {
  cast: Cast;
  origin: string;
}): Promise<Record<Exclude<Name, 'mallory' | 'zoe' | 'anna'>, Browser>> {
  const names = ['alice', 'bob', 'carol', 'dave', 'erin'] as const;
  const entries = await Promise.all(
    names.map(async (name) => {
      const visit = new Visit(origin);
      const { status, text } = await visit.signIn(cast[name].passkey);
      if (status !== 303) throw new Error(`${name} was not signed in: ${text}`);
      const csrf = /name="_csrf" value="([^"]*)"/.exec((await visit.send('/')).text)?.[1] ?? '';
      return [name, { visit, csrf }] as const;
    }),
  );
  return Object.fromEntries(entries) as Record<(typeof names)[number], Browser>;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Sends a form as a page of ours does, or as somebody would like it to appear. */
export const sendForm = (
  { visit, csrf }: Browser,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Seen> =>
  visit.send(path, {
    method: 'POST',
    body: new URLSearchParams({ _csrf: csrf, ...fields }).toString(),
    headers: { ...FORM, ...headers },
  });
