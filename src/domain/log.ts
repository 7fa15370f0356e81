interface Line {
  (fields: object, sentence?: string): void;
  (sentence: string): void;
}

/** Where a process tells the people who run it what they have to know. A field that its allow-list does not name is left out. */
export interface Log {
  error: Line;
  warn: Line;
  info: Line;
  debug: Line;
  trace: Line;
}
