export interface TemporalVersions {
  readonly cli: string;
  readonly server: string;
  readonly ui: string;
}

export const CURRENT_TEMPORAL: TemporalVersions;
export const OLDEST_TEMPORAL: TemporalVersions;
