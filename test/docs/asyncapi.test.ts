import { Parser } from '@asyncapi/parser';
import { expect, it } from 'vitest';
import { asyncApiDocument } from './asyncapi-document.ts';
import { documentText } from './markdown.ts';

it('docs/events.asyncapi.json is what the code sends', () => {
  expect(JSON.parse(documentText('docs/events.asyncapi.json'))).toEqual(asyncApiDocument());
});

it('every reference in it leads somewhere', () => {
  const document = asyncApiDocument();
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  const at = (path: string): unknown =>
    path.split('/').reduce<unknown>((it, name) => (it as Record<string, unknown> | undefined)?.[name], document);
  expect(refs.length).toBeGreaterThan(0);
  expect(refs.filter((path) => at(path) === undefined)).toEqual([]);
});

it('its parser has nothing to say about it', async () => {
  const { diagnostics } = await new Parser().parse(documentText('docs/events.asyncapi.json'));
  expect(diagnostics.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`)).toEqual([]);
});
