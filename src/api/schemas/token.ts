import { z } from 'zod';

/** Token life in seconds (interface section 5). The name of the token field is not shown: see the token source. */
export const tokenLife = z.object({ expired_in: z.coerce.number().positive().optional() });
