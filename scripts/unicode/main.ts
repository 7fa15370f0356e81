/** Writes the table of letters that look alike: `npm run look-alikes`, after newer data has been put beside this file. */
import { writeFileSync } from 'node:fs';
import { lookAlikeLetters } from './look-alike-letters.ts';

writeFileSync(new URL('../../src/people/look-alike-letters.txt', import.meta.url), lookAlikeLetters());
