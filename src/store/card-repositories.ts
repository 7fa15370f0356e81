export { countRetrieve, eventsOf, linkPayment, recordEventEffect, undelivered } from './card-events.ts';
export * from './card-ids.ts';
export * from './card-inbox.ts';
export { change, claim, confirmEnd, find, forPeople, get, list } from './cards.ts';
