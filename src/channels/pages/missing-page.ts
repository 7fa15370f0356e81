import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import { OPEN } from '../http/route-access.ts';

type Strategy = Parameters<FastifyInstance['addConstraintStrategy']>[0];
type Handler = Parameters<ReturnType<Strategy['storage']>['set']>[1];

/** Who reads an answer, by the `Accept` header: browsers ask for HTML, programs do not. */
const READER = 'reader';

/** For an address that is no route: a browser gets a page, a program the document of the API. */
export function missingPage(app: FastifyInstance): void {
  app.addConstraintStrategy({
    name: READER,
    storage: () => {
      const handlers = new Map<unknown, Handler>();
      return {
        get: (reader) => handlers.get(reader) ?? null,
        set: (reader, handler) => void handlers.set(reader, handler),
      };
    },
    deriveConstraint: ({ headers }) => (headers.accept?.includes('text/html') === true ? 'person' : 'program'),
    validate: () => undefined,
  });
  app.get('/*', { constraints: { [READER]: 'person' }, ...OPEN }, () => {
    throw new Problem('not-found', 'no-such-page', 'There is no such page.', { hint: 'Check the address.' });
  });
}
