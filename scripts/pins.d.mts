interface Pin {
  readonly product: string;
  readonly place?: string;
  readonly version: string;
  readonly released: string;
  readonly source: string;
  readonly supportedUntil?: string;
  readonly pinned: readonly { readonly file: string; readonly pattern: RegExp }[];
  readonly accepted?: { readonly ids: readonly string[]; readonly because: string };
}
interface Advisory {
  readonly product: string;
  readonly ids: readonly string[];
  readonly affected: readonly (readonly [from: string, to: string])[];
}
interface Table {
  readonly pins?: readonly Pin[];
  readonly advisories?: readonly Advisory[];
  readonly reviewed?: string;
}

export const REVIEWED: string;
export const PINS: readonly Pin[];
export const ADVISORIES: readonly Advisory[];
export function advisoriesOf(product: string, version: string, advisories?: readonly Advisory[]): string[];
export function isPatchedServer(version: string, options?: { readonly isDevelopmentServer?: boolean }): boolean;
export function pinProblems(now: Date, table?: Table): string[];
export function acceptedAdvisories(pins?: readonly Pin[]): string[];
export function pinDrift(read: (file: string) => string, pins?: readonly Pin[]): string[];
