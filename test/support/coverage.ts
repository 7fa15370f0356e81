import { takeCoverage } from 'node:v8';
import { afterAll } from 'vitest';

// `npm run test:coverage`: a process of vitest is ended by a signal, after which it writes nothing.
afterAll(() => takeCoverage());
