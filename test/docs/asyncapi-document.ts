import { z } from 'zod';
import { EVENT_KINDS, type EventKind, eventType } from '../../src/domain/events-out.ts';
import { batchData, envelope, payoutData } from '../../src/reports/events/cloud-event.ts';

/** The document of AsyncAPI 3.0 for receivers of webhooks, made of what the bodies are checked by. */
export function asyncApiDocument(): object {
  const kinds = Object.entries(EVENT_KINDS) as [EventKind, string][];
  const names = kinds.map(([kind]) => kind);
  const refs = (of: string): object[] => names.map((name) => ({ $ref: `${of}/${name}` }));
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Events of durable-payouts',
      version: '1.0.0',
      description:
        'Standard Webhooks with a CloudEvents 1.0 body that contains the state of the subject at delivery. ' +
        'Delivered at least once; the events of one subject arrive in order. The same id is the same event.',
    },
    defaultContentType: 'application/cloudevents+json',
    channels: {
      events: {
        address: null,
        description: 'The address of the receiver, from the subscription.',
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      notify: {
        action: 'send',
        channel: { $ref: '#/channels/events' },
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
        messages: refs('#/channels/events/messages'),
      },
    },
    components: {
      messages: Object.fromEntries(kinds.map(([kind, summary]) => [kind, messageOf(kind, summary)])),
      schemas: {
        headers: schemaOf(headers),
        payout: schemaOf(payoutData),
        batch: schemaOf(batchData),
      },
    },
  };
}

const headers = z.object({
  'webhook-id': z.string().describe('The id of the event, the same for every delivery'),
  'webhook-timestamp': z.string().regex(/^\d+$/).describe('Seconds since 1970 of this delivery'),
  'webhook-signature': z
    .string()
    .describe('v1, and base64 of HMAC-SHA-256 over ID.TIMESTAMP.BODY; space-separated, one for each secret in force'),
});

function messageOf(kind: EventKind, summary: string): object {
  const { properties = {}, required = [] } = schemaOf(envelope);
  const data = kind.startsWith('batch.') ? 'batch' : 'payout';
  return {
    name: kind,
    summary,
    headers: { $ref: '#/components/schemas/headers' },
    payload: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...properties,
        type: { type: 'string', const: eventType(kind) },
        data: { $ref: `#/components/schemas/${data}` },
      },
      required: [...required, 'data'],
    },
  };
}

/** AsyncAPI says by itself which JSON Schema it is; of a date the format says enough. */
function schemaOf(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  return rest;
}
