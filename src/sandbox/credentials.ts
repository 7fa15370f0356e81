/** The key and secret every sandbox accepts unless told otherwise. Public, so refused for any other bank (src/config.ts). */
export const SANDBOX_KEY = 'sandbox-key';
export const SANDBOX_SECRET = 'sandbox-secret';
