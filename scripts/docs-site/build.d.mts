export interface SiteDocument {
  group: string;
  /** In the project, and of the markdown on the site. */
  path: string;
  /** Of its page, within the site. */
  url: string;
  text: string;
  title: string;
  description: string;
}
export function buildSite(output: string): Promise<SiteDocument[]>;
