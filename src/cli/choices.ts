// Constants that arguments and options choose from.

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export const TEMPLATES = ['csv', 'json', 'pain.001', 'payees', 'mapping'] as const;
export type TemplateKind = (typeof TEMPLATES)[number];

/** Values of `doctor --accept`: what belongs to a store's identity and may change without the store being the wrong one. */
export const ACCEPTABLE = {
  bank: ['bank'],
  accounts: ['accounts', 'key'],
  key: ['key'],
  temporal: ['cluster', 'namespace'],
} as const;

export const KEY = 'your key, if the policy requires signatures (default: PAYOUTS_SIGNING_KEY)';
