import { randomUUID } from 'node:crypto';

export const newId = (prefix: 'ord' | 'ben' | 'acc' | 'pay' | '3ds' | 'evt'): string => `${prefix}-${randomUUID()}`;
