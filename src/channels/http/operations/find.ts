import { z } from 'zod';
import { WHAT_AN_ID_IS } from '../../an-id.ts';
import { findTarget, type Target } from '../../find-target.ts';
import { ANY_ROLE } from '../route-access.ts';
import { pathId } from './inputs.ts';
import { operation } from './place.ts';

export const TARGET = operation({
  method: 'GET',
  path: '/v1/find',
  tag: 'payouts',
  summary: 'What an ID refers to',
  description: WHAT_AN_ID_IS,
  access: ANY_ROLE,
  input: z.strictObject({ id: pathId }),
  answer: z.looseObject({ kind: z.enum(['batch', 'payout']) }),
  run: ({ store, caller }, { id }): Promise<Target> => findTarget(store, id, caller),
});
