/**
 * The versions of Temporal that the product runs with, for the embedded server, `npm run cluster`, docker compose, Kubernetes and
 * the docs. Dependency-free, any Node >= 20.
 */

/** What is downloaded, built and deployed, and what most tests run on. The CLI brings a server and a Web UI of its own. */
export const CURRENT_TEMPORAL = { cli: '1.9.1', server: '1.32.2', ui: '2.54.1' };

/** The oldest that works: CI runs the tests on Temporal with it too. */
export const OLDEST_TEMPORAL = { cli: '1.5.1', server: '1.29.1', ui: '2.42.1' };
