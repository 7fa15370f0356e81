/** Key and secret that every sandbox accepts by default. Public, so they are refused for any other bank (src/platform/config.ts). */
export const SANDBOX_KEY = 'sandbox-key';
export const SANDBOX_SECRET = 'sandbox-secret';
