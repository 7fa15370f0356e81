import { randomUUID } from 'node:crypto';

export const newId = (prefix: 'ord' | 'ben' | 'acc'): string => `${prefix}-${randomUUID()}`;
